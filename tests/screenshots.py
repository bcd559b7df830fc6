"""Pictures of the main pages for the documents: `run.py screenshots [page …]`."""

import io
import sys
from pathlib import Path

from PIL import Image
from playwright.sync_api import sync_playwright
from sqlalchemy import select

from tests.browser import chromium, filled
from tradeboard.accounts.models import Account
from tradeboard.blacklist.models import Entry
from tradeboard.blacklist.rules.entries import EntryState
from tradeboard.core.db import db
from tradeboard.demo.people import KUSUNOKI, MINATO
from tradeboard.listings.models import Listing
from tradeboard.listings.rules import ListingState
from tradeboard.trades.models import Trade
from tradeboard.trades.rules.states import TradeState

FOLDER = Path(__file__).parents[1] / "docs" / "screenshots"
THEMES = ("light", "dark")
SIZES = (chromium.PHONE, chromium.DESK)
COLOURS = 128
LONGEST = 1800


def pages() -> dict[str, tuple[str | None, str]]:
    """Return the twelve main pages: who looks, and at which address."""
    minato = _id(Account, handle=MINATO)
    listing = _id(Listing, owner_id=minato, state=ListingState.OPEN)
    draft = _id(Listing, owner_id=minato, state=ListingState.DRAFT)
    entry = _id(Entry, state=EntryState.LISTED)
    shipped = _trade(minato, TradeState.SHIPPED)
    calling = _trade(minato, TradeState.AGREED)
    return {
        "board": (None, "/"),
        "search": (MINATO, "/?q=竜"),
        "listing": (None, f"/listings/{listing}"),
        "post": (MINATO, f"/listings/drafts/{draft}"),
        "trade": (MINATO, f"/trades/{shipped}"),
        "call": (MINATO, f"/trades/{calling}/call"),
        "todo": (MINATO, "/todo"),
        "matches": (MINATO, "/matches"),
        "profile": (None, f"/u/{MINATO}"),
        "blacklist": (None, "/blacklist?handle=黒翼"),
        "desk-entry": (KUSUNOKI, f"/desk/entries/{entry}"),
        "desk-stats": (KUSUNOKI, "/desk/stats"),
    }


def main(names: list[str]) -> int:
    """Take the pictures anew, or some; the code is 1 if a page was not in order."""
    path = chromium.find()
    if path is None:
        print("No Chromium found: no pictures.", file=sys.stderr)
        return 1
    FOLDER.mkdir(parents=True, exist_ok=True)
    with filled.board() as app, filled.served(app) as url:
        wanted = {
            name: page for name, page in pages().items() if not names or name in names
        }
        cookies = {
            who: filled.session_cookie(app, who) for who, _ in wanted.values() if who
        }
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(
                executable_path=path, args=chromium.FLAGS
            )
            refused = [
                name
                for size in SIZES
                for theme in THEMES
                for name, (who, address) in wanted.items()
                if not _take(browser, url, cookies.get(who), address, size, theme, name)
            ]
            browser.close()
    print(f"{len(SIZES) * len(THEMES) * len(wanted)} pictures, refused: {refused}")
    return 1 if refused else 0


def _take(browser, url, cookie, address, size, theme, name) -> bool:
    complaints = chromium.Complaints()
    with chromium.person(
        browser, url, complaints, viewport=size, color_scheme=theme
    ) as page:
        cookies = [("language", "ja"), *([cookie] if cookie else [])]
        page.context.add_cookies(
            [{"name": key, "value": value, "url": url} for key, value in cookies]
        )
        answer = page.goto(address)
        page.wait_for_load_state("networkidle")
        height = page.evaluate("document.documentElement.scrollHeight")
        page.set_viewport_size(size | {"height": min(height, LONGEST)})
        picture = Image.open(io.BytesIO(page.screenshot()))
        small = picture.convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE)
        suffix = "-dark" if theme == "dark" else ""
        small.save(FOLDER / f"{name}-{size['width']}{suffix}.png", optimize=True)
    return answer.ok and complaints == []


def _trade(account_id, state) -> int:
    mine = (Trade.poster_id == account_id) | (Trade.proposer_id == account_id)
    latest_first = (Trade.due_at.desc(), Trade.id)
    found = select(Trade.id).where(mine, Trade.state == state).order_by(*latest_first)
    return db.session.scalars(found).first()


def _id(model, **columns) -> int:
    return db.session.scalars(
        select(model.id).filter_by(**columns).order_by(model.id)
    ).first()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
