"""Which linked entry a moderator has opened: links between the two carry a mark.

The page of an entry signs the link to the other one; whoever arrives there with the
mark has had the first one open. The mark is good for one person, for these two entries
and as long as the opened one has not changed; nothing of it is stored.
"""

from flask import current_app, request, url_for
from flask_login import current_user
from itsdangerous import BadSignature, URLSafeTimedSerializer

GOOD_FOR = 24 * 3600


def mark(opened, towards):
    """Return the mark for the link from an open entry to the other one."""
    return _signer().dumps([opened.id, opened.version, towards.id])


def has_opened(text, linked, entry):
    """Tell whether a mark says that the linked entry, as it is, was opened first."""
    try:
        said = _signer().loads(text or "", max_age=GOOD_FOR)
    except BadSignature:
        return False
    return said == [linked.id, linked.version, entry.id]


def back_to(entry_id, anchor=None):
    """Return the address of an entry's page that keeps the mark of this request."""
    return url_for(
        "blacklist_staff.entry",
        entry_id=entry_id,
        opened=request.args.get("opened") or None,
        _anchor=anchor,
    )


def _signer():
    salt = f"opened by {current_user.id}"
    return URLSafeTimedSerializer(current_app.config["SECRET_KEY"], salt=salt)
