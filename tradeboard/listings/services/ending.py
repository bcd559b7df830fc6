"""How a listing ends, goes on, or is taken off the board by a moderator."""

from datetime import datetime

from tradeboard.accounts.models import Account
from tradeboard.accounts.rules.permissions import Act
from tradeboard.accounts.services import standing
from tradeboard.audit.services import record
from tradeboard.core.errors import Conflict, NotAllowed, RuleBroken
from tradeboard.core.states import advance, may
from tradeboard.listings import queries, rules
from tradeboard.listings.models import Listing
from tradeboard.listings.rules import ListingState, states
from tradeboard.listings.rules.holding import Held
from tradeboard.listings.services import indexing, quantities
from tradeboard.notifications.services import queue_mail


def withdraw(listing_id: int, *, by: Account, now: datetime) -> Listing:
    """Take a listing back; refused while copies of it are promised to somebody."""
    listing = queries.lock_own(by.id, listing_id)
    if any(line.reserved for line in listing.lines):
        raise Conflict(
            "この募集の取引が進んでいるので、取り下げられません。"
            "取引が終わると取り下げられます。"
        )
    take_off(listing, now)
    return listing


def take_off(listing: Listing, now: datetime) -> None:
    """Withdraw a locked listing; of one that was held nobody has to decide any more."""
    event = "withdraw held" if listing.held_for else "withdraw"
    listing.state = advance(rules.LISTING, listing.state, event)
    listing.hidden_from, listing.held_for = None, ""
    listing.changed_at = now
    indexing.drop(listing.id)


def may_withdraw(listing: Listing) -> bool:
    """Tell whether its owner may take a listing back; one that staff hid stays."""
    return bool(listing.held_for) or may(rules.LISTING, listing.state, "withdraw")


def hold(listing: Listing, held_for: Held, now: datetime) -> None:
    """Take a locked listing off the board until a moderator has looked."""
    listing.hidden_from = listing.state
    listing.state = advance(rules.LISTING, listing.state, "hide")
    listing.held_for = held_for.value
    listing.changed_at = now


def renew(listing_id: int, *, by: Account, now: datetime) -> Listing:
    """Keep a listing for 30 days more; it keeps its place."""
    listing = queries.lock_own(by.id, listing_id)
    standing.gate(by)
    listing.state = advance(rules.LISTING, listing.state, "renew")
    listing.expires_at = rules.expires_at(now)
    listing.end_told_at = None
    listing.changed_at = now
    quantities.settle(listing)
    return listing


def expire(listing_id: int, *, now: datetime) -> Listing:
    """End an open listing whose 30 days are over."""
    listing = queries.lock(listing_id)
    if listing.expires_at is None or now < listing.expires_at:
        raise Conflict("期限はまだ過ぎていません。")
    listing.state = advance(rules.LISTING, listing.state, "expire")
    listing.changed_at = now
    return listing


def tell_of_end(listing_id: int, *, now: datetime) -> None:
    """Tell the owner that a listing ends within three days; once."""
    listing = queries.lock(listing_id)
    if listing.state is not ListingState.OPEN or listing.end_told_at is not None:
        raise Conflict("もう知らせました。")
    listing.end_told_at = now
    queue_mail(
        listing.owner,
        "listings/mail/ends_soon.txt",
        key=f"listing-ends:{listing.id}:{listing.version}",
        now=now,
        listing=listing.id,
        title=_title(listing),
        ends=listing.expires_at,
    )


def hide(listing_id: int, reason: str, *, by: Account, now: datetime) -> Listing:
    """Take a listing off the board; its owner sees the reason, and is somebody else."""
    reason = reason.strip()
    if not reason:
        raise RuleBroken("理由を書いてください。", field="reason")
    if len(reason) > states.LONGEST_REASON:
        raise RuleBroken("%(n)s字までです。", field="reason", n=states.LONGEST_REASON)
    listing = queries.lock(listing_id)
    _require_moderator(listing, by)
    if listing.held_for:
        listing.held_for = ""
    else:
        before = listing.state
        listing.state = advance(rules.LISTING, before, "hide")
        listing.hidden_from = before
    listing.hidden_reason = reason
    listing.changed_at = now
    record("listing.hidden", f"listing:{listing.id}", by_id=by.id, now=now)
    _tell(listing, "hidden", now, reason=reason)
    return listing


def restore(listing_id: int, *, by: Account, now: datetime) -> Listing:
    """Put a hidden listing back to where it was; one that was held is posted now."""
    listing = queries.lock(listing_id)
    _require_moderator(listing, by)
    if listing.state is not ListingState.HIDDEN or listing.hidden_from is None:
        raise Conflict("この募集は非表示ではありません。")
    listing.state = rules.after_restoring(listing.hidden_from)
    was_held, never_shown = listing.held_for, listing.expires_at is None
    listing.hidden_from, listing.hidden_reason, listing.held_for = None, "", ""
    listing.changed_at = now
    if listing.state is ListingState.AWAITING_EMAIL and listing.owner.is_confirmed:
        listing.state = advance(rules.LISTING, listing.state, "confirm e-mail")
    if never_shown:
        _place(listing, now)
    # Copies may have been given back or promised meanwhile.
    quantities.settle(listing)
    record("listing.restored", f"listing:{listing.id}", by_id=by.id, now=now)
    _tell(listing, "released" if was_held else "restored", now)
    return listing


def _place(listing: Listing, now: datetime) -> None:
    """Give a listing that the board never showed its place there, if it goes there."""
    is_open = listing.state is ListingState.OPEN
    listing.posted_at = now if is_open else None
    listing.expires_at = rules.expires_at(now) if is_open else None
    indexing.place(listing)


def _tell(listing: Listing, event: str, now: datetime, **facts: str) -> None:
    queue_mail(
        listing.owner,
        f"listings/mail/{event}.txt",
        key=f"listing-{event}:{listing.id}:{listing.version}",
        now=now,
        listing=listing.id,
        title=_title(listing),
        **facts,
    )


def _title(listing: Listing) -> str:
    return queries.title_of(listing)


def _require_moderator(listing: Listing, by: Account) -> None:
    if not by.may(Act.HIDE_LISTINGS):
        raise NotAllowed("この操作ができるのは、運営だけです。")
    if listing.owner_id == by.id:
        raise NotAllowed("自分の募集は、ほかの担当者に任せてください。")
