"""Forms of strangers: what only programs send gets the usual answer, and does nothing.

People leave a field empty that they do not see, and need a moment to read and type.
"""

from datetime import UTC, datetime, timedelta

from flask import current_app
from flask_babel import gettext
from flask_babel import lazy_gettext as _l
from itsdangerous import BadSignature, Signer
from wtforms import HiddenField, StringField
from wtforms.validators import ValidationError

from tradeboard.core import clock
from tradeboard.web.fields import Form

UNSEEN = {
    "autocomplete": "off",
    "tabindex": "-1",
    "data-lpignore": "true",
    "data-1p-ignore": "true",
}
A_MILLISECOND = timedelta(milliseconds=1)
BEGINNING = datetime(1970, 1, 1, tzinfo=UTC)


class StrangerForm(Form):
    """A form that anybody may send; `shown` is when its page was made, signed."""

    homepage = StringField(_l("この欄は空のままにしてください"), render_kw=UNSEEN)
    shown = HiddenField(default=lambda: _signed(clock.now()))

    def validate_shown(self, field: HiddenField) -> None:
        """Let a page be sent again whose moment cannot be read, as after a new key."""
        if _moment(field.data) is None:
            field.data = _signed(clock.now())
            raise ValidationError(gettext("もう一度送ってください。"))

    @property
    def is_of_a_program(self) -> bool:
        """Tell whether something was written unseen, or it came too soon."""
        shown = _moment(self.shown.data)
        least = timedelta(seconds=current_app.config["QUICKEST_FORM"])
        came_too_soon = shown is None or clock.now() - shown < least
        return bool(self.homepage.data) or came_too_soon


def _signed(moment: datetime) -> str:
    """Return a moment as nobody else can write it, in few letters."""
    return _signer().sign(f"{(moment - BEGINNING) // A_MILLISECOND:x}").decode()


def _moment(signed: str | None) -> datetime | None:
    try:
        return BEGINNING + A_MILLISECOND * int(_signer().unsign(signed or ""), 16)
    except BadSignature:
        return None


def _signer() -> Signer:
    config = current_app.config
    older = reversed(config.get("SECRET_KEY_FALLBACKS") or [])
    return Signer([*older, config["SECRET_KEY"]], salt="shown to a stranger")
