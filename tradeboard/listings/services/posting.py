"""A draft becomes public, and what is public is changed."""

from dataclasses import dataclass
from datetime import datetime

from tradeboard.accounts.models import Account
from tradeboard.accounts.rules.standing import Standing
from tradeboard.accounts.services import standing
from tradeboard.core.db import db
from tradeboard.core.errors import NotAllowed, RuleBroken, TooMany
from tradeboard.core.folding import fold
from tradeboard.core.messages import Message, message
from tradeboard.core.states import advance
from tradeboard.listings import queries, rules
from tradeboard.listings.models import Line, Listing
from tradeboard.listings.rules import (
    LineData,
    ListingData,
    Side,
    states,
)
from tradeboard.listings.services import quantities, texts
from tradeboard.terms import queries as agreements
from tradeboard.terms import services as terms


@dataclass(frozen=True)
class Edited:
    """A listing after its change, and the difference in sentences."""

    listing: Listing
    changes: tuple[Message, ...]


def check(data: ListingData, *, by: Account) -> None:
    """Refuse what no listing may say."""
    for side, lines in ((Side.HAVE, data.have), (Side.WANT, data.want)):
        if not lines:
            raise RuleBroken("カードを1枚以上書いてください。", field=side)
        if len(lines) > states.MOST_LINES:
            raise RuleBroken(
                "カードは%(n)s種類までです。", field=side, n=states.MOST_LINES
            )
        for line in lines:
            _check_copies(line)
    texts.refuse_foreign_addresses(data, by)


def post(listing_id: int, data: ListingData, *, by: Account, now: datetime) -> Listing:
    """Make a draft public, or let it wait for the address to be confirmed."""
    listing = queries.get_draft(by.id, listing_id)
    terms.require(by)
    listing.terms_number = agreements.agreed_number(by.id)
    check(data, by=by)
    _refuse_too_many(by, now)
    if by.is_confirmed:
        standing.gate(by)
        listing.state = advance(rules.LISTING, listing.state, "post")
        _publish(listing, now)
    else:
        _require_good_standing(by)
        listing.state = advance(rules.LISTING, listing.state, "post unconfirmed")
    _fill(listing, data, now)
    listing.lines = [_new_line(side, line) for side, line in data.lines()]
    listing.form = {}
    return listing


def open_awaiting(account_id: int, *, now: datetime) -> list[Listing]:
    """Open what waited for its owner's address to be confirmed."""
    waiting = queries.awaiting_of(account_id)
    for listing in waiting:
        listing.state = advance(rules.LISTING, listing.state, "confirm e-mail")
        listing.changed_at = now
        _publish(listing, now)
    return list(waiting)


def edit(listing_id: int, data: ListingData, *, by: Account, now: datetime) -> Edited:
    """Change an open listing; lines keep their ids, and promised copies stay.

    Open offers on it are none of this verb's business: its caller makes each the
    proposer's turn again, with the difference.
    """
    listing = queries.lock_own(by.id, listing_id)
    listing.state = advance(rules.LISTING, listing.state, "edit")
    standing.gate(by)
    terms.require(by)
    listing.terms_number = agreements.agreed_number(by.id)
    check(data, by=by)
    changes = _texts_changed(listing, data)
    known = {line.id: line for line in listing.lines}
    kept: list[Line] = []
    for side, line in data.lines():
        old = known.pop(line.id, None) if line.id is not None else None
        if old is None:
            kept.append(_new_line(side, line))
            changes.append(message("追加：%(card)s", card=_named(line)))
        else:
            kept.append(_change_line(old, line, changes))
    for gone in known.values():
        _refuse_promised(gone, 0)
        changes.append(message("削除：%(card)s", card=_named(gone)))
    listing.lines = kept
    _fill(listing, data, now)
    db.session.flush()
    quantities.settle(listing)
    return Edited(listing, tuple(changes))


def _publish(listing: Listing, now: datetime) -> None:
    listing.posted_at = now
    listing.expires_at = rules.expires_at(now)


def _fill(listing: Listing, data: ListingData, now: datetime) -> None:
    listing.game = data.game
    listing.note = data.note
    listing.ships_from = data.ships_from
    listing.ships_to = data.ships_to
    listing.search_key = fold(data.searched())
    listing.changed_at = now


def _new_line(side: Side, data: LineData) -> Line:
    return Line(
        side=side,
        name=data.name,
        set_code=data.set_code,
        rarity=data.rarity,
        language=data.language,
        condition=data.condition,
        quantity=data.quantity,
        free=data.quantity,
        traded=0,
    )


def _change_line(line: Line, data: LineData, changes: list[Message]) -> Line:
    before, after = _named(line), _named(data)
    promised = line.quantity - line.free
    if data.quantity != line.quantity:
        _refuse_promised(line, data.quantity)
        line.quantity, line.free = data.quantity, data.quantity - promised
    for name in ("name", "set_code", "rarity", "language", "condition"):
        setattr(line, name, getattr(data, name))
    if before != after:
        changes.append(
            message("変更：%(before)s → %(after)s", before=before, after=after)
        )
    return line


def _refuse_promised(line: Line, quantity: int) -> None:
    promised = line.quantity - line.free
    if quantity < promised:
        raise RuleBroken(
            "「%(name)s」は%(n)s枚が取引中か交換済みなので、それより減らせません。",
            field=line.side,
            name=line.name,
            n=promised,
        )


def _check_copies(line: LineData) -> None:
    if not 1 <= line.quantity <= states.MOST_COPIES:
        raise RuleBroken("枚数は1から%(n)sまでです。", n=states.MOST_COPIES)


def _named(line: Line | LineData) -> str:
    """Return a line in one piece, by which a change shows."""
    parts = (line.name, line.set_code, line.rarity, line.condition, line.language)
    return " ".join(part for part in parts if part) + f" ×{line.quantity}"


def _texts_changed(listing: Listing, data: ListingData) -> list[Message]:
    said = {
        "note": message("ひとことが変わりました。"),
        "game": message("ゲーム名が変わりました。"),
        "ships_from": message("発送元が変わりました。"),
        "ships_to": message("送れる範囲が変わりました。"),
    }
    return [
        words
        for name, words in said.items()
        if getattr(listing, name) != getattr(data, name)
    ]


def _require_good_standing(by: Account) -> None:
    if by.standing is not Standing.GOOD:
        raise NotAllowed("いまのアカウントの状態では、募集を出せません。")


def _refuse_too_many(by: Account, now: datetime) -> None:
    most = states.most_listings_a_day(now - by.created_at)
    if queries.count_posted(by.id, since=now - states.A_DAY) >= most:
        raise TooMany(
            "1日に出せる募集は%(n)s件までです。下書きは残っています。",
            retry_at=now + states.A_DAY,
            n=most,
        )
