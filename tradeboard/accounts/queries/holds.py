"""Read what is watched for, who is held for it, and what staff were asked to see."""

from collections.abc import Iterable, Sequence
from datetime import datetime

from sqlalchemy import and_, case, or_, select
from sqlalchemy.orm import joinedload

from tradeboard.accounts.models import Hold, StaffNote, Watch
from tradeboard.accounts.queries.people import email_keys
from tradeboard.accounts.rules.holds import NoteKind, Signal
from tradeboard.core import keyring
from tradeboard.core.db import db
from tradeboard.core.errors import NotFound
from tradeboard.core.records import dataclass

BATCH = 500
_UNDECIDED_NOTE = and_(Hold.until.is_(None), Hold.decided_at.is_(None))


@dataclass(frozen=True)
class Match:
    """A barred person whom a signal points at; `note` is what is kept of the pair."""

    other_id: int
    cause: str
    note: Hold | None


def watched_mailbox(canonical: str, *, now: datetime) -> Watch | None:
    """Return why a mailbox is watched, under whatever key, or None."""
    return db.session.scalar(
        select(Watch)
        .where(
            Watch.hash.in_(email_keys(canonical)),
            Watch.signal == Signal.MAILBOX,
            _lasts(now),
        )
        .order_by(Watch.id)
        .limit(1)
    )


def device_matches(device_id: int, account_id: int, *, now: datetime) -> list[Match]:
    """Return for whom else a browser is watched, but for pairs that alarm no more."""
    return _matches(account_id, Watch.device_id == device_id, now)


def number_matches(number_key: str, account_id: int, *, now: datetime) -> list[Match]:
    """Return for whom else a number is watched, but for pairs that alarm no more."""
    ring = keyring.ring()
    hashes = [keyring.mac_hex("phone", number_key, kid) for kid in ring.keys["phone"]]
    watched = and_(Watch.hash.in_(hashes), Watch.signal == Signal.PHONE)
    return _matches(account_id, watched, now)


def keep_watched(match: Match) -> bool:
    """Tell whether the cause of a match still stands; it stays until we are done."""
    watch = select(Watch.id).where(
        Watch.account_id == match.other_id, Watch.cause == match.cause
    )
    first = watch.order_by(Watch.id).limit(1)
    kept = db.session.scalar(first.with_for_update(read=True, key_share=True))
    return kept is not None


def lock_watches_of_cause(cause: str) -> None:
    """Wait until whoever alarms because of a cause is done; it comes before holds."""
    watches = select(Watch.id).where(Watch.cause == cause).order_by(Watch.id)
    db.session.execute(watches.with_for_update()).all()


def watches_of_cause(cause: str) -> Sequence[Watch]:
    """Return what is watched for one cause."""
    watched = select(Watch).where(Watch.cause == cause).order_by(Watch.id)
    return db.session.scalars(watched).all()


def watches_of_person(account_id: int) -> Sequence[Watch]:
    """Return what is watched for a person, whatever the cause."""
    watched = select(Watch).where(Watch.account_id == account_id).order_by(Watch.id)
    return db.session.scalars(watched).all()


def mailbox_causes(account_id: int) -> Sequence[str]:
    """Return the causes for which a mailbox of a person is watched."""
    return db.session.scalars(
        select(Watch.cause)
        .where(Watch.account_id == account_id, Watch.signal == Signal.MAILBOX)
        .distinct()
        .order_by(Watch.cause)
    ).all()


def mailboxes_watched(account_ids: Iterable[int]) -> set[tuple[int, str, str | None]]:
    """Return the person, the cause and the hash of each mailbox watched for these."""
    watched = select(Watch.account_id, Watch.cause, Watch.hash).where(
        Watch.account_id.in_(list(account_ids)), Watch.signal == Signal.MAILBOX
    )
    return {(row[0], row[1], row[2]) for row in db.session.execute(watched)}


def get_hold(hold_id: int) -> Hold:
    """Return a hold or note, or raise NotFound."""
    return _found(db.session.get(Hold, hold_id))


def hold_of(account_id: int, hold_id: int) -> Hold:
    """Return a hold to the person whom it bars; notes and others' are not found."""
    own = select(Hold).where(
        Hold.id == hold_id, Hold.account_id == account_id, Hold.until.is_not(None)
    )
    return _found(db.session.scalar(own))


def lock_hold(hold_id: int) -> Hold:
    """Return a hold that nobody else changes meanwhile; it comes before accounts."""
    locked = select(Hold).where(Hold.id == hold_id).with_for_update(key_share=True)
    return _found(db.session.scalar(locked.execution_options(populate_existing=True)))


def open_holds_of(account_id: int) -> Sequence[Hold]:
    """Return what bars a person until it is decided or its time is over."""
    return db.session.scalars(
        select(Hold)
        .where(
            Hold.account_id == account_id,
            Hold.until.is_not(None),
            Hold.ended_at.is_(None),
        )
        .order_by(Hold.made_at, Hold.id)
    ).all()


def undecided_holds_of_cause(other_id: int, cause: str) -> Sequence[Hold]:
    """Return the holds and notes of one cause that last and that nobody decided."""
    undecided = select(Hold).where(
        Hold.other_id == other_id,
        Hold.cause == cause,
        Hold.decided_at.is_(None),
        Hold.ended_at.is_(None),
    )
    locked = undecided.order_by(Hold.id).with_for_update(key_share=True)
    return db.session.scalars(locked.execution_options(populate_existing=True)).all()


def ended_hold_ids(now: datetime, limit: int = BATCH) -> Sequence[int]:
    """Return holds whose time is over."""
    return db.session.scalars(
        select(Hold.id)
        .where(Hold.until <= now, Hold.ended_at.is_(None))
        .order_by(Hold.until, Hold.id)
        .limit(limit)
    ).all()


def get_note(note_id: int) -> StaffNote:
    """Return a note for staff, or raise NotFound."""
    note = db.session.get(StaffNote, note_id)
    if note is None:
        raise NotFound("そのメモはありません。")
    return note


def find_open_note(
    kind: NoteKind, account_id: int, other_id: int | None
) -> StaffNote | None:
    """Return what nobody has seen yet of this kind about these people."""
    same = (StaffNote.kind == kind, StaffNote.account_id == account_id)
    other = StaffNote.other_id.is_not_distinct_from(other_id)
    return db.session.scalar(
        select(StaffNote)
        .where(*same, other, StaffNote.seen_at.is_(None))
        .order_by(StaffNote.id)
        .limit(1)
    )


def open_notes(limit: int = BATCH) -> Sequence[StaffNote]:
    """Return what no moderator has seen yet, oldest first, with the people."""
    unseen = select(StaffNote).where(StaffNote.seen_at.is_(None))
    people = (joinedload(StaffNote.account), joinedload(StaffNote.other))
    return db.session.scalars(
        unseen.order_by(StaffNote.made_at, StaffNote.id).limit(limit).options(*people)
    ).all()


def _matches(account_id: int, watched, now: datetime) -> list[Match]:
    """Ask once; of several causes of one person the first counts."""
    first = case((Watch.account_id < account_id, Watch.account_id), else_=account_id)
    last = case((Watch.account_id > account_id, Watch.account_id), else_=account_id)
    rows = db.session.execute(
        select(Watch.account_id, Watch.cause, Hold)
        .outerjoin(Hold, and_(Hold.low_id == first, Hold.high_id == last))
        .where(
            watched,
            Watch.account_id != account_id,
            _lasts(now),
            or_(Hold.id.is_(None), _UNDECIDED_NOTE),
        )
        .order_by(Watch.account_id, Watch.id)
    )
    return _one_each(Match(*row) for row in rows)


def _one_each(matches: Iterable[Match]) -> list[Match]:
    found: dict[int, Match] = {}
    for match in matches:
        found.setdefault(match.other_id, match)
    return list(found.values())


def _lasts(now: datetime):
    return or_(Watch.until.is_(None), Watch.until > now)


def _found(hold: Hold | None) -> Hold:
    if hold is None:
        raise NotFound("この保留は見つかりません。")
    return hold
