from dataclasses import replace
from datetime import timedelta, timezone
from itertools import pairwise

import pytest

from tests.factories import MONDAY
from tradeboard.audit import rules
from tradeboard.audit.rules import GENESIS, Anchor, Broken, Facts, Head, Link, Wrong

KEYS = {"k1": b"1" * 32, "k2": b"2" * 32}
FACTS = Facts(3, MONDAY, None, "look", "entry:1", {"b": "ä", "a": [1, None]})


def chain(number, kid="k1"):
    """Return a chain and its head."""
    links, prev_hash = [], GENESIS
    for seq in range(1, number + 1):
        facts = replace(FACTS, seq=seq)
        linked = rules.link(KEYS[kid], prev_hash, facts)
        links.append(Link(facts, kid, prev_hash, linked))
        prev_hash = linked
    return links, Head(number, prev_hash)


def walk(links, head):
    """Return the first thing wrong."""
    found = rules.Walk(head, KEYS.get)
    for row, following in pairwise([*links, None]):
        if broken := found.step(row, following):
            return broken
    return found.end()


def test_what_is_hashed_is_one_text_for_one_row():
    assert rules.canonical(FACTS) == (
        '{"action":"look","actor":null,"at":"2026-06-01T12:00:00.000000Z",'
        '"body":{"a":[1,null],"b":"\\u00e4"},"object":"entry:1","seq":3}'
    )
    in_japan = replace(FACTS, at=MONDAY.astimezone(timezone(timedelta(hours=9))))
    assert rules.canonical(in_japan) == rules.canonical(FACTS)


def test_a_link_is_a_known_hash():
    assert rules.link(KEYS["k1"], GENESIS, FACTS) == (
        "de957781ae7c0b1e366134f052334f01efdfaa190cf68f0925ecf79409deb287"
    )


@pytest.mark.parametrize(
    "changed",
    [
        {"seq": 4},
        {"at": MONDAY + timedelta(microseconds=1)},
        {"actor": 0},
        {"action": "looks"},
        {"object": "entry:2"},
        {"body": {}},
    ],
    ids=lambda changed: next(iter(changed)),
)
def test_whatever_changes_in_a_row_changes_its_hash(changed):
    other = replace(FACTS, **changed)

    hashes = {rules.link(KEYS["k1"], GENESIS, facts) for facts in (FACTS, other)}
    assert len(hashes) == 2


def test_a_link_depends_on_the_key_and_on_the_one_before():
    hashes = {
        rules.link(key, prev_hash, FACTS)
        for key in KEYS.values()
        for prev_hash in (GENESIS, "1" * 64)
    }
    assert len(hashes) == 4


def test_a_whole_chain_has_nothing_wrong():
    for number in (0, 1, 5):
        assert walk(*chain(number)) is None


def test_what_is_wrong_is_named_where_it_begins():
    links, head = chain(6)
    edited = replace(links[2], facts=replace(links[2].facts, action="x"))
    other = replace(links[5], kid="k3")
    far = replace(links[5], facts=replace(links[5].facts, seq=9))
    stripped = replace(links[3], kid=None, prev_hash=None, hash=None)
    foreign = chain(6, "k2")[0]

    assert [
        walk([*links[:2], edited, *links[3:]], head),
        walk([*links[:2], *links[3:]], head),
        walk(links[:5], head),
        walk([*links[:5], other], head),
        walk([*links[:5], far], head),
        walk([*links[:3], stripped, *links[4:]], head),
        walk([*links[:3], *foreign[3:]], head),
        walk(links, Head(4, links[3].hash)),
        walk(links, Head(6, GENESIS)),
    ] == [
        Broken(3, Wrong.EDITED),
        Broken(3, Wrong.MISSING),
        Broken(6, Wrong.MISSING),
        Broken(6, Wrong.KEY),
        Broken(9, Wrong.INSERTED),
        Broken(4, Wrong.INSERTED),
        Broken(4, Wrong.REORDERED),
        Broken(5, Wrong.HEAD),
        Broken(6, Wrong.HEAD),
    ]


def test_a_body_is_what_the_database_gives_back():
    assert rules.plain({"a": (1, {2: "x"})}) == {"a": [1, {"2": "x"}]}
    for body in ({"a": MONDAY}, {"a": {1}}):
        with pytest.raises(TypeError):
            rules.plain(body)
    with pytest.raises(ValueError, match="JSON"):
        rules.plain({"a": float("nan")})


def test_an_anchor_is_a_line_that_can_be_read_back():
    anchor = Anchor(5, "ab" * 32, MONDAY)
    line = rules.anchor_line(anchor)

    assert rules.read_anchor(line) == anchor
    for broken in (line[:-1], "", "[]", "5", '{"seq": 5}', line.replace("Z", "")):
        assert rules.read_anchor(broken) is None


def test_a_row_that_moved_came_along_with_the_one_behind_or_did_not():
    links, head = chain(8)

    def at(seq, row):
        return replace(row, facts=replace(row.facts, seq=seq))

    closed_up = [*links[:3], *(at(r.facts.seq - 1, r) for r in links[4:])]
    swapped = [*links[:3], at(4, links[4]), at(5, links[3]), *links[5:]]
    pushed = [*links[:3], replace(links[3], kid="k2"), *links[4:]]
    new = at(4, links[0])
    inserted = [*links[:3], new, *(at(r.facts.seq + 1, r) for r in links[3:])]

    assert walk(closed_up, replace(head, seq=7)) == Broken(4, Wrong.MISSING)
    assert walk(swapped, head) == Broken(4, Wrong.REORDERED)
    assert walk(pushed, head) == Broken(4, Wrong.EDITED)
    assert walk(inserted, replace(head, seq=9)) == Broken(4, Wrong.REORDERED)
    fresh = replace(new, facts=replace(new.facts, action="new"))
    assert walk([*links[:3], fresh, *inserted[4:]], replace(head, seq=9)) == Broken(
        4, Wrong.INSERTED
    )
    last = at(8, links[0])
    assert walk([*links[:7], last], head) == Broken(8, Wrong.REORDERED)
    assert walk([*closed_up[:4]], Head(4, GENESIS)) == Broken(4, Wrong.REORDERED)


def test_rows_from_before_the_chain_are_passed_by_and_counted():
    links, head = chain(3)
    old = Link(replace(FACTS, seq=0), None, None, None)

    found = rules.Walk(head, KEYS.get)
    for row in (old, *links):
        assert found.step(row, None) is None

    assert (found.rows, found.unchained, found.seq) == (3, 1, 3)
    assert found.hash == links[-1].hash
    assert found.end() is None
    assert rules.Walk(Head(1, GENESIS), KEYS.get).end() == Broken(1, Wrong.MISSING)
    late = rules.Walk(head, KEYS.get)
    assert late.step(old, None) is None
    assert late.step(replace(old, facts=replace(FACTS, seq=7)), None) is None
    assert (late.seq, late.unchained) == (7, 2)


def test_more_rows_than_the_head_knows_are_its_own_or_were_put_in():
    links, _ = chain(3)
    short = Head(2, links[1].hash)
    foreign = replace(links[2], hash="0" * 64)
    without_key = replace(links[2], kid=None)

    assert walk(links, short) == Broken(3, Wrong.HEAD)
    assert walk([*links[:2], foreign], short) == Broken(3, Wrong.INSERTED)
    assert walk([*links[:2], without_key], short) == Broken(3, Wrong.INSERTED)


def test_a_right_row_on_another_hash_is_out_of_order():
    links, head = chain(4)
    facts = replace(FACTS, seq=3)
    forked = Link(facts, "k1", GENESIS, rules.link(KEYS["k1"], GENESIS, facts))

    broken = walk([*links[:2], forked, links[3]], head)

    assert broken == Broken(3, Wrong.REORDERED)
    assert str(rules.ChainBroken(broken)) == "3 reordered"


def test_an_anchor_is_read_in_any_zone_but_never_without_one():
    line = '{"seq": 5, "hash": "ab", "at": "2026-06-01T21:00:00+09:00"}'

    assert rules.read_anchor(line) == Anchor(5, "ab", MONDAY)
    written = rules.anchor_line(rules.read_anchor(line))
    assert written == '{"seq": 5, "hash": "ab", "at": "2026-06-01T12:00:00.000000Z"}'
    for broken in (
        line.replace("5,", '"5",'),
        line.replace('"ab"', "7"),
        line.replace("+09:00", ""),
        line.replace("seq", "sq"),
        line.replace("2026", "x"),
    ):
        assert rules.read_anchor(broken) is None


def test_a_row_says_no_number_that_is_none():
    with pytest.raises(ValueError, match="JSON"):
        rules.canonical(replace(FACTS, body={"a": float("inf")}))
    assert '"body":{"あ"' not in rules.canonical(replace(FACTS, body={"あ": 1}))
