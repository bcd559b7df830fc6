"""A draft becomes public, and what is public is changed."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

from tradeboard.accounts.models import Account
from tradeboard.accounts.queries.mailboxes import Writer
from tradeboard.accounts.rules.standing import Standing
from tradeboard.accounts.services import standing
from tradeboard.core.db import db, id_of
from tradeboard.core.errors import NotAllowed, RuleBroken, TooMany
from tradeboard.core.messages import Message, message
from tradeboard.core.records import dataclass
from tradeboard.core.states import advance
from tradeboard.listings import queries, rules
from tradeboard.listings.models import Line, Listing
from tradeboard.listings.rules import (
    LineData,
    ListingData,
    ListingState,
    Side,
    states,
)
from tradeboard.listings.services import (
    ending,
    indexing,
    pictures,
    quantities,
    texts,
    writing,
)
from tradeboard.terms import services as terms

# Reads a draft as it was typed; None if it has mistakes.
Read = Callable[[Mapping[str, Any]], ListingData | None]


@dataclass(frozen=True)
class Edited:
    """A listing after its change, and the difference in sentences."""

    listing: Listing
    changes: tuple[Message, ...]


def check(data: ListingData, *, by: Writer) -> None:
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


def post(
    listing_id: int, data: ListingData, *, by: Account, now: datetime
) -> ListingState:
    """Make a draft public, or let it wait for the address to be confirmed."""
    return _post(id_of(by), queries.lock_to_post(id_of(by), listing_id), data, now)


def post_as_typed(
    listing_id: int, read: Read, *, by_id: int, now: datetime
) -> ListingState:
    """Post what a draft says once it is locked; one with mistakes is refused."""
    draft = queries.lock_to_post(by_id, listing_id)
    data = read(draft.form)
    if data is None:
        raise RuleBroken("下書きに直すところがあります。編集の画面で確かめてください。")
    return _post(by_id, draft, data, now)


def _post(
    by_id: int, draft: queries.Draft, data: ListingData, now: datetime
) -> ListingState:
    names = indexing.names(data.game, [*data.have, *data.want], data.note)
    who = queries.poster(by_id, draft.id, names.digest, now=now)
    terms.refuse_due(who.terms_in_force, who.terms_agreed)
    if who.photos:
        data = replace(data, captions=queries.captions(draft.id))
    check(data, by=who)
    _refuse_too_many(who, now)
    if who.is_confirmed:
        standing.gate(who)
        event = "post"
    else:
        _require_good_standing(who)
        event = "post unconfirmed"
    state = advance(rules.LISTING, ListingState.DRAFT, event)
    if who.photos:
        pictures.forget_dropped(listing_id=draft.id, before=now)
    where = writing.Place(state, held_for=who.why_held(now))
    writing.publish(draft, data, where, names, agreed=who.terms_agreed, now=now)
    return where.state


def open_awaiting(account_id: int, *, now: datetime) -> list[Listing]:
    """Open what waited for its owner's address to be confirmed."""
    waiting = queries.awaiting_of(account_id)
    for listing in waiting:
        listing.state = advance(rules.LISTING, listing.state, "confirm e-mail")
        listing.changed_at = now
        _publish(listing, now)
        indexing.place(listing)
    return list(waiting)


def edit(listing_id: int, data: ListingData, *, by: Account, now: datetime) -> Edited:
    """Change an open listing; lines keep their ids, and promised copies stay.

    One that says now what many others say waits until a moderator has looked.
    Open offers on it are none of this verb's business: its caller makes each the
    proposer's turn again, with the difference.
    """
    listing = queries.lock_own(by.id, listing_id)
    listing.state = advance(rules.LISTING, listing.state, "edit")
    standing.gate(by)
    agreed = terms.require_agreed(by)
    listing.terms_number = agreed
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
    said = listing.text_digest
    indexing.index(listing)
    if listing.text_digest != said:
        _hold_if_alike(listing, by, now)
    return Edited(listing, tuple(changes))


def _hold_if_alike(listing: Listing, by: Account, now: datetime) -> None:
    who = queries.poster(id_of(by), listing.id, listing.text_digest, now=now)
    held_for = who.why_edit_held(now)
    if held_for is not None:
        ending.hold(listing, held_for, now)


def _publish(listing: Listing, now: datetime) -> None:
    listing.posted_at = now
    listing.expires_at = rules.expires_at(now)


def _fill(listing: Listing, data: ListingData, now: datetime) -> None:
    listing.game = data.game
    listing.note = data.note
    listing.ships_from = data.ships_from
    listing.ships_to = data.ships_to
    listing.changed_at = now


def _new_line(side: Side, data: LineData) -> Line:
    return Line(**writing.card(side, data), free=data.quantity, traded=0)


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


def _require_good_standing(who: queries.Poster) -> None:
    if who.standing is not Standing.GOOD:
        raise NotAllowed("いまのアカウントの状態では、募集を出せません。")


def _refuse_too_many(who: queries.Poster, now: datetime) -> None:
    most = states.most_listings_a_day(now - who.created_at)
    if who.posted >= most:
        raise TooMany(
            "1日に出せる募集は%(n)s件までです。下書きは残っています。",
            retry_at=now + states.A_DAY,
            n=most,
        )
