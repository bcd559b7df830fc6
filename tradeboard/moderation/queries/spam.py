"""Read what is alike: texts, photos, messages, and many listings of the new."""

from datetime import datetime
from typing import Any

from sqlalchemy import func, or_, select
from sqlalchemy.orm import selectinload

from tradeboard.accounts.models import Account
from tradeboard.core.db import db
from tradeboard.listings import queries as listings
from tradeboard.listings.models import Listing, Photo
from tradeboard.moderation.rules import spam as rules
from tradeboard.moderation.rules.spam import Kind, Picture, Signal
from tradeboard.reports.models import SignalSeen
from tradeboard.trades.models import Message


def signals(now: datetime) -> list[Signal]:
    """Return what nobody has put away, the newest first; each kind to a bound.

    What is held stands above all and stays until somebody has decided.
    """
    since = now - rules.WINDOW
    found = [
        *_same_texts(since),
        *_same_photos(since),
        *_many_by_the_young(since, now),
        *_same_messages(since),
    ]
    seen = set(
        db.session.scalars(
            select(SignalSeen.key).where(
                SignalSeen.key.in_([signal.key for signal in found])
            )
        )
    )
    fresh = [signal for signal in found if signal.key not in seen]
    newest = sorted(fresh, key=lambda signal: signal.latest, reverse=True)
    return [*_held(), *newest]


def _held() -> list[Signal]:
    """Find whose listings wait out of sight, the longest first, and since when."""
    rows = db.session.execute(
        select(Listing.owner_id, Listing.id, Listing.held_for, Listing.changed_at)
        .where(Listing.held_for != "")
        .order_by(Listing.id)
        .limit(rules.MOST_GROUPS * rules.MOST_HELD)
    ).all()
    owners: dict[tuple[int, str], list[Any]] = {}
    for row in rows:
        owners.setdefault((row.owner_id, row.held_for), []).append(row)
    return [
        Signal(
            Kind.HELD,
            f"{owner}-{why}",
            len(those),
            those[0].changed_at,
            account_ids=(owner,),
            listing_ids=tuple(row.id for row in those[: rules.MOST_HELD]),
            why_held=why,
        )
        for (owner, why), those in owners.items()
    ]


def _same_texts(since: datetime) -> list[Signal]:
    """Find listings whose texts are the same: of several, or thrice of one."""
    posted = (Listing.posted_at > since, Listing.text_digest != "")
    groups = db.session.execute(
        select(Listing.text_digest, func.count(Listing.id), func.max(Listing.posted_at))
        .where(*posted)
        .group_by(Listing.text_digest)
        .having(
            or_(
                func.count(Listing.owner_id.distinct()) > 1,
                func.count(Listing.id) >= rules.BY_ONE,
            )
        )
        .order_by(func.max(Listing.posted_at).desc())
        .limit(rules.MOST_GROUPS)
    ).all()
    rows = db.session.execute(
        select(Listing.text_digest, Listing.id, Listing.owner_id)
        .where(*posted, Listing.text_digest.in_([group[0] for group in groups]))
        .order_by(Listing.id.desc())
        .limit(rules.MOST_GROUPS * rules.MOST_PEOPLE)
    ).all()
    return [
        Signal(
            Kind.TEXT,
            digest[:32],
            count,
            latest or since,
            account_ids=_few(row.owner_id for row in rows if row[0] == digest),
            listing_ids=_few(row.id for row in rows if row[0] == digest),
        )
        for digest, count, latest in groups
    ]


def _few(values) -> tuple:
    return tuple(dict.fromkeys(values))[: rules.MOST_PEOPLE]


def _same_photos(since: datetime) -> list[Signal]:
    """Find photos that look alike and belong to different people."""
    rows = db.session.execute(
        select(Photo.id, Photo.owner_id, Photo.listing_id, Photo.digest, Photo.added_at)
        .join(Listing, Listing.id == Photo.listing_id)
        .where(
            Photo.added_at > since, Photo.digest != "", Listing.posted_at.is_not(None)
        )
        .order_by(Photo.added_at.desc())
        .limit(rules.MOST_PHOTOS)
    )
    groups = rules.alike(
        Picture(id, owner, listing, int(digest, 16), at)
        for id, owner, listing, digest, at in rows
    )
    return [
        Signal(
            Kind.PHOTO,
            min(picture.id for picture in group),
            len(group),
            max(picture.at for picture in group),
            account_ids=_few(picture.owner_id for picture in group),
            listing_ids=_few(picture.listing_id for picture in group),
            photo_ids=_few(picture.id for picture in group),
        )
        for group in groups[: rules.MOST_GROUPS]
    ]


def _many_by_the_young(since: datetime, now: datetime) -> list[Signal]:
    """Find people who are new here and post a lot."""
    rows = db.session.execute(
        select(Listing.owner_id, func.count(Listing.id), func.max(Listing.posted_at))
        .join(Account, Account.id == Listing.owner_id)
        .where(
            Account.created_at > now - rules.YOUNG_FOR,
            Listing.posted_at > since,
        )
        .group_by(Listing.owner_id)
        .having(func.count(Listing.id) >= rules.MANY_LISTINGS)
        .order_by(func.max(Listing.posted_at).desc())
        .limit(rules.MOST_GROUPS)
    )
    return [
        Signal(Kind.YOUNG, str(owner), count, latest or since, account_ids=(owner,))
        for owner, count, latest in rows
    ]


def _same_messages(since: datetime) -> list[Signal]:
    """Find people who write the same to many partners, among the newest messages."""
    newest = (
        select(
            Message.author_id,
            Message.text,
            Message.trade_id,
            Message.sent_at,
        )
        .where(Message.phrase == "")
        .order_by(Message.id.desc())
        .limit(rules.MOST_MESSAGES)
        .subquery()
    )
    columns = newest.c
    rows = db.session.execute(
        select(
            columns.author_id,
            columns.text,
            func.count(columns.trade_id.distinct()),
            func.max(columns.sent_at),
        )
        .where(
            columns.sent_at > since,
            func.length(columns.text) >= rules.SHORTEST_MESSAGE,
        )
        .group_by(columns.author_id, columns.text)
        .having(func.count(columns.trade_id.distinct()) >= rules.PARTNERS)
        .limit(rules.MOST_GROUPS)
    )
    return [
        Signal(
            Kind.MESSAGE, str(author), count, latest, account_ids=(author,), words=text
        )
        for author, text, count, latest in rows
    ]


def titles(listing_ids: set[int]) -> dict[int, str]:
    """Return what some listings are called."""
    found = db.session.scalars(
        select(Listing)
        .where(Listing.id.in_(listing_ids))
        .options(selectinload(Listing.lines))
    )
    return {listing.id: listings.title_of(listing) for listing in found}
