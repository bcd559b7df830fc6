"""The newest listings of a search, for programs that read feeds.

A feed asks by the address alone: what depends on the reader is left out.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from flask import current_app, make_response, render_template, request, url_for
from flask_babel import get_locale
from flask_babel import gettext as _

from tradeboard.listings import queries
from tradeboard.listings.queries import Tile
from tradeboard.listings.rules import search
from tradeboard.listings.views import asking
from tradeboard.listings.views.blueprint import bp
from tradeboard.web.access import public

ENTRIES = 30
KEPT = "public, max-age=300"
BEGINNING = datetime(2020, 1, 1, tzinfo=UTC)
# Signs that XML cannot say at all.
UNSAYABLE = dict.fromkeys([*range(9), 11, 12, *range(14, 32), 0xFFFE, 0xFFFF])


@bp.get("/feed.atom")
@public
def atom():
    """Answer with an Atom feed."""
    facts = _facts("atom")
    return _answer(
        render_template("listings/feed.xml", **facts),
        "application/atom+xml; charset=utf-8",
        facts["updated"],
    )


@bp.get("/feed.json")
@public
def json_feed():
    """Answer with a JSON Feed 1.1."""
    facts = _facts("json_feed")
    feed = {
        "version": "https://jsonfeed.org/version/1.1",
        "title": facts["title"],
        "home_page_url": facts["home"],
        "feed_url": facts["own"],
        "language": facts["language"],
        "items": [_item(entry) for entry in facts["entries"]],
    }
    return _answer(
        json.dumps(feed, ensure_ascii=False),
        "application/feed+json; charset=utf-8",
        facts["updated"],
    )


def _facts(endpoint: str) -> dict[str, Any]:
    asked = search.without(search.read(request.args), search.BY_MEMBER, search.BY_VISIT)
    page = queries.board_page(search.filters(asked), size=ENTRIES)
    words = _("・").join(asking.in_short(key, value) for key, value in asked.items())
    site = current_app.config["SITE_NAME"]
    title = f"{words} — {site}" if words else site
    return {
        "title": title.translate(UNSAYABLE),
        "language": str(get_locale()),
        "home": _whole(asking.address(asked)),
        "own": _whole(url_for(f".{endpoint}", **_values(asked))),
        "entries": _entries(page.rows),
        "updated": max((tile.posted_at for tile in page.rows), default=BEGINNING),
    }


def _entries(tiles: Sequence[Tile]) -> list[dict[str, Any]]:
    return [
        {
            "url": _whole(url_for(".show", listing_id=tile.id)),
            "title": tile.title.translate(UNSAYABLE),
            "text": _("求めるもの：%(wants)s", wants=tile.wants).translate(UNSAYABLE),
            "owner": tile.owner_handle,
            "at": tile.posted_at.astimezone(UTC).isoformat().replace("+00:00", "Z"),
            "photo": tile.photo_id
            and _whole(url_for(".photo", photo_id=tile.photo_id, width=480)),
        }
        for tile in tiles
    ]


def _item(entry: Mapping[str, Any]) -> dict[str, Any]:
    item = {
        "id": entry["url"],
        "url": entry["url"],
        "title": entry["title"],
        "content_text": entry["text"],
        "date_published": entry["at"],
        "authors": [{"name": entry["owner"]}],
    }
    return item | ({"image": entry["photo"]} if entry["photo"] else {})


def _answer(body: str, kind: str, updated: datetime):
    """Answer in full, or with 304 if the reader has it already."""
    answer = make_response(body)
    answer.content_type = kind
    answer.set_etag(hashlib.sha256(body.encode()).hexdigest()[:32])
    answer.last_modified = updated
    answer.headers["Cache-Control"] = KEPT
    answer.headers["X-Robots-Tag"] = "noindex"
    return answer.make_conditional(request)


def _values(asked: Mapping[str, str]) -> dict[str, Any]:
    return dict(asked)


def _whole(path: str) -> str:
    return current_app.config["PUBLIC_URL"] + path
