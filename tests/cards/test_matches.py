"""Matches in the database, compared with counting by hand."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import String, cast, delete, insert, literal, select, text, true
from sqlalchemy.orm import aliased

from tests.cards import naive
from tests.cards.worlds import put
from tests.factories import MONDAY, in_transaction, make_account
from tradeboard.accounts.models import Account, Block
from tradeboard.accounts.rules.standing import Standing
from tradeboard.cards import queries
from tradeboard.cards.models import Card
from tradeboard.cards.queries import explaining, matching
from tradeboard.cards.rules.lines import CardLine
from tradeboard.cards.rules.sides import CardSide
from tradeboard.core.db import db

SMALL_LIST = st.lists(
    st.builds(
        CardLine,
        name=st.sampled_from(["竜", "虎", "狐"]),
        quantity=st.integers(1, 3),
        set_code=st.sampled_from(["", "", "A-1", "A-2"]),
        language=st.sampled_from(["", "", "ja", "en"]),
        condition=st.sampled_from(["", "A", "B", "C"]),
    ),
    unique_by=lambda card: card.identity,
    max_size=4,
)
PEOPLE = 4
WORLDS = st.fixed_dictionaries(
    {
        n: st.fixed_dictionaries({"have": SMALL_LIST, "want": SMALL_LIST})
        for n in range(PEOPLE)
    }
)
BLOCKS = st.sets(
    st.tuples(st.integers(0, PEOPLE - 1), st.integers(0, PEOPLE - 1)).filter(
        lambda pair: pair[0] != pair[1]
    ),
    max_size=2,
)


@settings(
    max_examples=8,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(world=WORLDS, blocks=BLOCKS)
def test_the_database_finds_what_counting_by_hand_finds(app, world, blocks):
    ids = _people()
    with in_transaction():
        db.session.execute(delete(Card))
        db.session.execute(delete(Block))
        rows = [
            _row(ids[n], side, card)
            for n, lists in world.items()
            for side, cards in lists.items()
            for card in cards
        ]
        if rows:
            db.session.execute(insert(Card), rows)
        for one, other in blocks:
            db.session.add(
                Block(account_id=ids[one], blocked_id=ids[other], since=MONDAY)
            )

    def shown(one, other):
        return not {(one, other), (other, one)} & blocks

    numbers = {account_id: n for n, account_id in enumerate(ids)}
    for n in world:
        found, total = queries.partners(ids[n])
        chains = queries.chains(ids[n])

        by_hand = naive.partners(world, n, shown)
        assert [(numbers[p.id], p.gives, p.takes) for p in found] == by_hand
        assert total == len(by_hand)
        seen = {(numbers[c.taker.id], numbers[c.giver.id], c.value) for c in chains}
        rings = naive.chains(world, n, shown)
        assert seen <= set(rings)
        best = sorted((value for *_, value in rings), reverse=True)[:5]
        assert sorted((value for *_, value in seen), reverse=True) == best
        _explain_alike(ids[n], found)


def _explain_alike(me, found):
    routes = [(me, p.id) for p in found] + [(p.id, me) for p in found]
    cards = queries.passing(routes, most=100)
    for partner in found:
        for route, count in (
            ((me, partner.id), partner.takes),
            ((partner.id, me), partner.gives),
        ):
            assert sum(passing.copies for passing in cards[route]) == count


def test_only_members_who_may_trade_and_show_their_cards_are_partners(alice, bob):
    others = {
        "held": make_account("held", standing=Standing.HELD),
        "listed": make_account("listed", standing=Standing.LISTED),
        "new": make_account("new", confirmed=False),
        "shy": make_account("shy", shows_cards=False),
        "gone": make_account("gone", closed_at=MONDAY, standing=Standing.CLOSED),
    }
    put(alice, have=["竜"], want=["虎"])
    for other in (bob, *others.values()):
        put(other, have=["トラ", "虎"], want=["龍"])

    found, total = queries.partners(alice.id)

    assert [partner.handle for partner in found] == ["bob"]
    assert total == 1
    assert queries.may_match(alice.id, bob)
    assert not queries.may_match(alice.id, others["shy"])


def test_partners_come_by_mutual_value_and_then_by_record(alice):
    put(alice, have=[CardLine("竜", 3)], want=[CardLine("虎", 3)])
    for handle, gives, takes, distinct in (
        ("much", 3, 1, 90),
        ("even", 2, 2, 0),
        ("known", 2, 2, 5),
    ):
        other = make_account(handle, partner_count=distinct)
        put(other, have=[CardLine("虎", gives)], want=[CardLine("竜", takes)])

    found, _ = queries.partners(alice.id)

    assert [partner.handle for partner in found] == ["known", "even", "much"]
    assert [partner.value for partner in found] == [2, 2, 1]


def test_a_look_over_many_rows_uses_indexes_and_few_statements(app, alice, statements):
    alice_id = alice.id
    _crowd(alice)
    with statements() as seen:
        found, _ = queries.partners(alice_id)
        chains = queries.chains(alice_id)
        queries.passing([(alice_id, p.id) for p in found], most=10)

    assert found
    assert chains
    assert len(seen) == 5
    for statement in _looks(alice_id):
        plan = _plan(statement)
        assert "ix_card_key" in plan or "uq_card_same" in plan, plan
        assert "SCAN card" not in plan, plan
        assert "Seq Scan on card" not in plan, plan


def _people():
    """Return the ids of a small world's people, made once."""
    found = db.session.scalars(select(Account.id).order_by(Account.id)).all()
    return list(found) or [make_account(f"member{n}").id for n in range(PEOPLE)]


def _row(account_id, side, card):
    line = {
        name: getattr(card, name)
        for name in ("name", "key", "quantity", "set_code", "language", "condition")
    }
    shared = {"account_id": account_id, "side": CardSide(side), "added_at": MONDAY}
    return {**line, **shared, "rarity": "", "game": ""}


def _crowd(alice, people=40, lines=50, cards=1500):
    """Put many rows into the table, some of which match."""
    put(
        alice,
        have=[f"card {n}" for n in range(20)],
        want=[f"card {n}" for n in range(700, 720)],
    )
    others = [make_account(f"member{n}").id for n in range(people)]
    rows = [
        _row(
            other,
            side,
            CardLine(f"card {(at * 37 + n * (53 if side == 'have' else 71)) % cards}"),
        )
        for at, other in enumerate(others)
        for side in ("have", "want")
        for n in range(lines)
    ]
    with in_transaction():
        if db.engine.dialect.name == "postgresql":
            # Asking for each person would take longer than the rows themselves.
            db.session.execute(text("SET LOCAL session_replication_role = replica"))
            db.session.execute(text("SET LOCAL statement_timeout = 0"))
        db.session.execute(insert(Card), rows)
        db.session.execute(_more_of_each(alice))
        db.session.execute(text("ANALYZE card"))


def _more_of_each(alice):
    """Multiply the rows within the database, under other names."""
    kept = (
        "account_id",
        "side",
        "name",
        "game",
        "set_code",
        "rarity",
        "language",
        "condition",
        "quantity",
        "added_at",
    )
    other = aliased(Account)
    key = Card.key + literal(" of ") + cast(other.id, String)
    more = select(*(getattr(Card, name) for name in kept), key).join(other, true())
    return insert(Card).from_select(
        [*kept, "key"], more.where(other.id <= 8, Card.account_id != alice.id)
    )


def _looks(account_id):
    """Return what the statements of a look read of the lists."""
    return [matching._meetings(account_id, side).select() for side in CardSide]


def _plan(statement):
    compiled = statement.compile(db.engine, compile_kwargs={"literal_binds": True})
    sqlite = db.engine.dialect.name == "sqlite"
    explain = "EXPLAIN QUERY PLAN" if sqlite else "EXPLAIN"
    rows = db.session.execute(text(f"{explain} {compiled}"))
    return "\n".join(str(row[-1]) for row in rows)


def test_one_card_in_thousands_of_ways_is_read_to_a_bound(app, alice, bob):
    a_id, b_id = alice.id, bob.id
    ways = [CardLine("竜", rarity=f"R{n}") for n in range(300)]
    put(alice, have=ways)
    put(bob, want=ways)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(explaining, "MOST_MET", 50)
        cards = queries.passing([(a_id, b_id)], most=1000)[a_id, b_id]

    assert [card.key for card in cards] == ["竜"]
    assert cards[0].copies <= 50
