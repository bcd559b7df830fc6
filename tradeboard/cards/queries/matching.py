"""Who could trade with whom, computed in the database.

Everything is bounded: one look reads so many meetings of a card with a wish, whatever
the lists hold, and takes a fixed number of statements.
"""

from collections.abc import Collection

from sqlalchemy import (
    CTE,
    Subquery,
    and_,
    case,
    exists,
    func,
    literal,
    or_,
    select,
    true,
    union,
)
from sqlalchemy.orm import aliased

from tradeboard.accounts.models import Account, Block
from tradeboard.accounts.rules.standing import Standing
from tradeboard.cards.models import Card
from tradeboard.cards.rules import matching
from tradeboard.cards.rules.matching import Chain, End, Partner
from tradeboard.cards.rules.sides import CardSide
from tradeboard.core.db import db


def partners(
    account_id: int, limit: int = matching.MOST_PARTNERS
) -> tuple[list[Partner], int]:
    """Return who has what this member wants and wants what this member has.

    The best come first: most copies one for one, then most copies at all, then most
    distinct partners. With them comes how many there are in all.
    """
    takes = _copies(_meetings(account_id, CardSide.HAVE), "takes")
    gives = _copies(_meetings(account_id, CardSide.WANT), "gives")
    fewer = case(
        (gives.c.copies < takes.c.copies, gives.c.copies), else_=takes.c.copies
    )
    found = (
        select(
            Account.id,
            Account.handle,
            gives.c.copies,
            takes.c.copies,
            Account.partner_count,
            Account.completed_count,
            func.count().over().label("total"),
        )
        .join(gives, gives.c.other == Account.id)
        .join(takes, takes.c.other == Account.id)
        .where(_trades(Account, account_id))
        .order_by(
            fewer.desc(),
            (gives.c.copies + takes.c.copies).desc(),
            Account.partner_count.desc(),
            Account.id,
        )
        .limit(limit)
    )
    rows = db.session.execute(found).all()
    return [Partner(*row[:-1]) for row in rows], rows[0].total if rows else 0


def chains(account_id: int) -> list[Chain]:
    """Return rings of three, in which everybody gives to the next: three statements."""
    takers = _ends(account_id, CardSide.HAVE)
    givers = _ends(account_id, CardSide.WANT)
    if not takers or not givers:
        return []
    between = _between({end.id for end in takers}, {end.id for end in givers})
    return matching.chains(takers, givers, between)


def may_match(account_id: int, other: Account) -> bool:
    """Tell whether this member is shown to the other as a partner."""
    found = select(Account.id).where(Account.id == other.id)
    return db.session.scalar(found.where(_trades(Account, account_id))) is not None


def is_shown(owner: Account, reader_id: int) -> bool:
    """Tell whether a member's lists are shown to another one."""
    if not owner.shows_cards or owner.closed_at is not None:
        return False
    return not db.session.scalar(
        select(_blocked(literal(owner.id), literal(reader_id)))
    )


def meet(have, want):
    """Say in SQL that a card is what somebody wishes for.

    Set codes and languages agree, and the card has kept well enough, wherever both say.
    """
    return and_(
        have.side == CardSide.HAVE,
        want.side == CardSide.WANT,
        want.key == have.key,
        _silent_or(have.set_code, want.set_code, have.set_code == want.set_code),
        _silent_or(have.language, want.language, have.language == want.language),
        _silent_or(have.condition, want.condition, have.condition <= want.condition),
    )


def _silent_or(one, other, agrees):
    return or_(one == "", other == "", agrees)


def _meetings(account_id: int, side: CardSide) -> CTE:
    """Return where a line of one's own list meets somebody's line of the other list."""
    own, theirs = aliased(Card), aliased(Card)
    fits = meet(own, theirs) if side is CardSide.HAVE else meet(theirs, own)
    return (
        select(
            theirs.account_id.label("other"),
            own.key.label("key"),
            own.id.label("one"),
            own.quantity.label("one_copies"),
            theirs.id.label("two"),
            theirs.quantity.label("two_copies"),
        )
        .join_from(own, theirs, fits)
        .where(own.account_id == account_id, theirs.account_id != account_id)
        .limit(matching.MOST_MEETINGS)
        .cte(f"met_{side}")
    )


def _copies(met, name: str, *by: str) -> Subquery:
    """Return how many copies can pass, by the other person (and further columns).

    A copy is counted once, whatever it meets: for each card the smaller of what there
    is and what is wished for.
    """
    by = ("other", *by)
    groups = [met.c[column] for column in by]
    # UNION, not UNION ALL: a line that meets two counts once.
    lines = union(
        select(
            *groups,
            met.c.key,
            literal(1).label("end"),
            met.c.one.label("line"),
            met.c.one_copies.label("copies"),
        ),
        select(*groups, met.c.key, literal(2), met.c.two, met.c.two_copies),
    ).subquery()
    sums = [
        func.sum(case((lines.c.end == end, lines.c.copies), else_=0)).label(
            f"end_{end}"
        )
        for end in (1, 2)
    ]
    keys = [lines.c[column] for column in by]
    per_card = select(*keys, *sums).group_by(*keys, lines.c.key).subquery()
    fewer = case(
        (per_card.c.end_1 < per_card.c.end_2, per_card.c.end_1), else_=per_card.c.end_2
    )
    keys = [per_card.c[column] for column in by]
    return select(*keys, func.sum(fewer).label("copies")).group_by(*keys).subquery(name)


def _ends(account_id: int, side: CardSide) -> list[End]:
    """Return who takes of this member's have list, or gives to the want list."""
    passes = _copies(_meetings(account_id, side), "passes")
    found = (
        select(Account.id, Account.handle, passes.c.copies, Account.partner_count)
        .join(passes, passes.c.other == Account.id)
        .where(_trades(Account, account_id))
        .order_by(passes.c.copies.desc(), Account.partner_count.desc(), Account.id)
        .limit(matching.MOST_ENDS)
    )
    return [End(*row) for row in db.session.execute(found)]


def _between(
    givers: Collection[int], takers: Collection[int]
) -> dict[tuple[int, int], int]:
    """Return how many copies can pass from some members to others, by both."""
    have, want = aliased(Card), aliased(Card)
    met = (
        select(
            have.account_id.label("other"),
            want.account_id.label("taker"),
            have.key.label("key"),
            have.id.label("one"),
            have.quantity.label("one_copies"),
            want.id.label("two"),
            want.quantity.label("two_copies"),
        )
        .join_from(have, want, meet(have, want))
        .where(
            have.account_id.in_(givers),
            want.account_id.in_(takers),
            have.account_id != want.account_id,
            ~_blocked(have.account_id, want.account_id),
        )
        .limit(matching.MOST_MEETINGS)
        .cte("met_between")
    )
    passes = _copies(met, "passes", "taker")
    rows = db.session.execute(select(passes.c.other, passes.c.taker, passes.c.copies))
    return {(giver, taker): copies for giver, taker, copies in rows}


def _trades(account, with_id: int):
    """Say that somebody may be shown to this member as a partner."""
    return and_(
        account.id != with_id,
        account.standing == Standing.GOOD,
        account.email_confirmed_at.is_not(None),
        account.closed_at.is_(None),
        account.shows_cards == true(),
        ~_blocked(account.id, literal(with_id)),
    )


def _blocked(one, other):
    """Say that one of two wants nothing of the other."""
    return exists().where(
        or_(
            and_(Block.account_id == one, Block.blocked_id == other),
            and_(Block.account_id == other, Block.blocked_id == one),
        )
    )
