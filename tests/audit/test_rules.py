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
