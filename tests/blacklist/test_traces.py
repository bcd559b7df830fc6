"""Nobody else can tell who has an entry that is not public, or what is said about one.

Of each pair of twins one has a secret and the other none. Everything that a third
person can ask about them is answered in the same words, in as many statements; and
the lists that name many people name none of those with a secret.
"""

import itertools
import json
import re
from dataclasses import dataclass, field
from datetime import datetime
from difflib import unified_diff
from functools import partial

import pytest

from tests import pages
from tests.accounts.held import see
from tests.api.cases import CHANGES, CHECK, EXPORT, bearer, make_key
from tests.blacklist.cases import (
    A_DAY,
    contest,
    do,
    entry_of,
    lift,
    listed,
    receive,
    uphold,
    use_device,
    withhold,
)
from tests.factories import MONDAY, make_account
from tests.worlds import TRACKED, make_listing, make_trade
from tradeboard.accounts.models import Account, Device, Hold
from tradeboard.blacklist import queries
from tradeboard.blacklist.jobs import sweep_overdue_trades
from tradeboard.blacklist.services import asking, claims, drafts, statements, timed
from tradeboard.core import clock
from tradeboard.core.db import db
from tradeboard.listings.rules import ListingState

PARTNER = "pona"
PUBLIC = ("listed and waits", "listed and lifted before", "listed and talked about")
OPEN, RESERVED = ListingState.OPEN, ListingState.RESERVED
WITHDRAWN = ListingState.WITHDRAWN
ENDED = ("lifted", "expired", "listed and lifted before")
HELD = (
    "waits",
    "withheld",
    "contested",
    "contested, deals",
    "asked",
    "listed and waits",
)
TALKED = ("asked", "listed and talked about")
SECRET_WORDS = "ヒナギクの控え"
NOT_TOLD = {"Date", "X-Request-ID", "Set-Cookie", "Content-Length", "ETag"}
# Names of one length, that read like nothing else on a page.
NAMES = [f"zq{one}{other}ku" for one in "bdfghjkm" for other in "aeiou"]
RECORD = ("completed", "partner", "on_time", "ended", "late", "cancelled")


@dataclass
class Person:
    """Somebody, and what a third person could ask for."""

    account: Account
    code: str
    listing_id: int
    ids: dict[str, int] = field(default_factory=dict)

    @property
    def handle(self) -> str:
        """Return the name."""
        return self.account.handle


class World:
    """A partner, and pairs of twins: one with a secret, one without."""

    def __init__(self, now: datetime, moderator: Account):
        self.now, self.at, self.moderator = now, now - 40 * A_DAY, moderator
        self.joined = self.at - 300 * A_DAY
        self.partner = make_account(PARTNER, created_at=self.joined)
        self.names = iter(NAMES)
        self.pairs: dict[str, tuple[Person, Person]] = {}

    def person(self, *, sells: ListingState) -> Person:
        """Make one twin: with a browser and a listing."""
        account = make_account(next(self.names), created_at=self.joined)
        code = f"D-7F3K-{9000 + account.id}"
        use_device(account, code, self.at + A_DAY)
        listing = make_listing(account, at=self.now - A_DAY, state=sells)
        return Person(account, code, listing.id)

    def pair(self, name: str, secret, common=None, *, sells=(OPEN, OPEN)) -> None:
        """Make two of whom one has a secret; `common` happens to both.

        What somebody offers who may not trade is as if it had been withdrawn.
        """
        twins = self.person(sells=sells[0]), self.person(sells=sells[1])
        for one in twins:
            if common is not None:
                common(self, one)
        secret(self, twins[0])
        if name in ENDED:
            do(self.equal_records, *twins)
        self.pairs[name] = twins

    @staticmethod
    def equal_records(one: Person, other: Person) -> None:
        """Let what was public of a parcel, and stays on the record, be the same."""
        mine, theirs = (db.session.get(Account, p.account.id) for p in (one, other))
        for name in RECORD:
            setattr(theirs, f"{name}_count", getattr(mine, f"{name}_count"))


def defaulted(world, one, *, at=None):
    """Let somebody be listed; return the entry."""
    return listed(world.partner, one.account, at=at or world.at)


def silent(world, one):
    """Nobody confirms anything: both entries wait, and bar nobody."""
    both = [world.partner, one.account]
    trade = make_trade(*both, sent_by=both, tracking=TRACKED, at=world.at)
    sweep_overdue_trades(trade.due_at)
    return remember(one, entry_of(one.account, trade))


def contested(world, one):
    """A delivery was claimed in time: the entry waits, and bars from trading."""
    at = world.now - 15 * A_DAY
    both = [world.partner, one.account]
    trade = make_trade(*both, sent_by=both, tracking=TRACKED, at=at)
    receive(trade, world.partner, now=at + A_DAY)
    contest(trade, one.account, now=trade.due_at - A_DAY)
    sweep_overdue_trades(trade.due_at)
    return remember(one, entry_of(one.account, trade))


def withheld(world, one):
    """A parcel was held back in time: the entry waits, and bars from trading."""
    at = world.now - 15 * A_DAY
    trade = make_trade(world.partner, one.account, sent_by=[world.partner], at=at)
    withhold(trade, one.account, now=trade.due_at - A_DAY)
    sweep_overdue_trades(trade.due_at)
    return remember(one, entry_of(one.account, trade))


def remember(one, entry):
    one.ids |= {"entry": entry.id, "trade": entry.trade_id}
    return entry


def lifted(world, one):
    """An entry was lifted as an error."""
    entry = remember(one, defaulted(world, one))
    lift(entry, world.moderator, now=world.now - A_DAY, reason="error")


def expired(world, one):
    """An entry's time is over."""
    entry = remember(one, defaulted(world, one))
    do(timed.expire, entry.id, now=entry.expires_at)


def device_hold(world, one):
    """Somebody's browser belongs to a barred person."""
    barred = make_account("barred", created_at=world.joined)
    shared = "D-7F3K-8888"
    use_device(barred, shared, world.at + A_DAY)
    uphold(listed(world.partner, barred, at=world.at), world.moderator, now=world.now)
    device = db.session.query(Device).filter_by(code=shared).one()
    see(one.account, device, now=world.now)
    one.ids["hold"] = (
        db.session.query(Hold).filter_by(account_id=one.account.id).one().id
    )


def asked(world, one):
    """A moderator is at an entry that waits, and both sides say something."""
    talk(world, silent(world, one), one)


def talked_about(world, one):
    """The same about one that is public."""
    talk(world, entry_of(one.account), one)
    remember(one, entry_of(one.account))


def talk(world, entry, one):
    do(claims.take, entry.id, by=world.moderator, now=world.now)
    for whom in (world.partner, one.account):
        do(
            asking.ask,
            entry.id,
            whom.id,
            SECRET_WORDS,
            by=world.moderator,
            now=world.now,
        )
    do(statements.state, entry.id, SECRET_WORDS, by=one.account, now=world.now)
    do(drafts.save, entry.id, one.account.id, "appeal", SECRET_WORDS, [], now=world.now)


@pytest.fixture
def world(app, moderator):
    """Return the board with all its secrets."""
    world = World(clock.now(), moderator)
    world.pair("waits", silent)
    world.pair("withheld", withheld, sells=(OPEN, WITHDRAWN))
    world.pair("contested", contested, sells=(OPEN, WITHDRAWN))
    world.pair("contested, deals", contested, sells=(RESERVED, RESERVED))
    world.pair("lifted", lifted)
    world.pair("expired", expired)
    world.pair("held by a browser", device_hold, sells=(OPEN, WITHDRAWN))
    world.pair("asked", asked)
    world.pair("listed and waits", silent, defaulted)
    world.pair("listed and lifted before", lifted, defaulted)
    world.pair("listed and talked about", talked_about, defaulted)
    both = [world.partner, moderator]
    world.quiet_id = make_trade(*both, sent_by=both, at=world.now - A_DAY).id
    return world


def about(one):
    """Return what anybody could open about somebody."""
    yield f"/u/{one.handle}"
    for asked in (one.handle, one.code):
        yield f"/blacklist?handle={asked}"
    yield f"{CHECK}?handle={one.handle}"
    yield f"{CHECK}?device={one.code}"
    yield f"/?q={one.handle}"
    yield f"/listings/{one.listing_id}"


def guesses(world, one):
    """Return where a member who guesses numbers could look.

    Whoever has no secret stands for numbers that nothing has, and a quiet trade.
    """
    ids = {"entry": 9_999, "hold": 9_999, "trade": world.quiet_id} | one.ids
    yield f"/blacklist/mine/{ids['entry']}"
    yield f"/blacklist/asked/{ids['entry']}"
    yield f"/desk/entries/{ids['entry']}"
    yield f"/trades/{ids['trade']}"
    yield f"/trades/legs/{ids['trade'] * 2}/late-receipt"
    yield f"/me/holds/{ids['hold']}"
    yield f"/listings/{one.listing_id}/offer"


# What ended stands on the record of ninety days, which the twin has no trades for.
RECORDED = {"lifted", "expired", "listed and lifted before"}
EACH_TIME = [
    (r"\d{4}-\d\d-\d\dT[0-9:.]+(\+00:00|Z)?", "MOMENT"),
    (r"[0-2]?\d:[0-5]\d(:[0-5]\d)?", "TIME"),
    (r'(?<=class="nb">)[0-9a-f]{12}', "REQUEST"),
    (r'(name="(?:csrf_token|submit_id)"[^>]*value=")[^"]*', r"\1TOKEN"),
    (r'(line_id"[^>]*value=")\d+', r"\1ID"),
    (r'(?<=[/"])\d+(?=[/"?])', "ID"),
    (r"\bE-\d+", "ID"),
    (r'(?<="id":)\s*\d+', "ID"),
    (r'(?<="[el])\d+(?=")', "ID"),
]


def nameless(one, text):
    """Return a text with all that is different each time, or names somebody, away."""
    for word in (one.handle, one.code, one.code.lower()):
        text = text.replace(word, "X")
    for pattern, instead in EACH_TIME:
        text = re.sub(pattern, instead, text)
    return text


def told(client, question, one, statements):
    """Return all that an answer tells: status, head, body, and what it cost."""
    db.session.rollback()
    with statements() as seen:
        answer = client.get(question)
    body = answer.get_data(as_text=True)
    assert SECRET_WORDS not in body
    assert PARTNER not in body, question
    head = sorted(f"{k}: {v}" for k, v in answer.headers.items() if k not in NOT_TOLD)
    return nameless(one, "\n".join([answer.status, *head, body])), len(seen)


def differences(client, twins, asked, statements):
    """Return which questions tell two twins apart, and by what."""
    for one, other in zip(*map(asked, twins), strict=True):
        mine = told(client, one, twins[0], statements)
        theirs = told(client, other, twins[1], statements)
        if mine != theirs:
            lines = unified_diff(mine[0].splitlines(), theirs[0].splitlines(), n=0)
            yield one, mine[1], theirs[1], list(lines)


def unrecorded(lines):
    """Return the differing lines without the record of ninety days."""
    changed = [line for line in lines if line[0] in "+-" and line[3:].strip()]
    return [line for line in changed if "期限内" not in line]


def test_twins_cannot_be_told_apart(app, world, charlie, log_in, statements):
    stranger, member = app.test_client(), log_in(charlie)
    found = {}
    for name, twins in world.pairs.items():
        apart = [*differences(stranger, twins, about, statements)]
        if db.engine.dialect.name == "sqlite":
            apart += differences(member, twins, about, statements)
            guessed = partial(guesses, world)
            apart += differences(member, twins, guessed, statements)
        if name in RECORDED:
            apart = [known for known in apart if unrecorded(known[3])]
        if apart:
            found[name] = apart

    assert found == {}


def test_no_list_names_them_and_those_concerned_see_it(app, world, charlie, log_in):
    twins = [one for pair in world.pairs.values() for one in pair]
    public = {one.handle for name in PUBLIC for one in world.pairs[name]} | {"barred"}
    secret = [one for one in twins if one.handle not in public]
    words = {PARTNER, SECRET_WORDS, *(one.handle for one in secret)}
    words |= {one.code for one in secret}
    held = {world.pairs[name][0].ids["entry"] for name in HELD}
    key, client = make_key("bulk", "feed"), app.test_client()

    page = pages.get(log_in(charlie), "/blacklist/list")
    feed = client.get(CHANGES, headers=bearer(key)).json
    export = client.get(EXPORT, headers=bearer(key)).text
    for text in (page, json.dumps(feed, ensure_ascii=False), export):
        assert not [word for word in words if word in text]

    names = re.findall(r'<bdi lang="">([^<]*)</bdi>', page)
    newest_first = queries.public_page(size=100)
    assert names == [entry.handle for entry in newest_first]
    assert set(names) == public
    times = [entry.listed_at for entry in newest_first]
    assert times == sorted(times, reverse=True)

    changes = feed["changes"]
    assert [change["seq"] for change in changes] == list(range(1, feed["next"] + 1))
    assert held & {change["entry"]["id"] for change in changes} == set()
    exported = [json.loads(line) for line in export.splitlines()]
    assert {entry["handle"] for entry in exported} == public
    assert {entry["count"] for entry in exported} == {1}

    asked = {
        "handles": [one.handle for one in twins],
        "devices": [one.code for one in twins],
    }
    answers = client.post(CHECK, json=asked, headers=bearer(key)).json["answers"]
    said = [
        nameless(one, json.dumps(answer))
        for one, answer in zip(twins + twins, answers, strict=True)
    ]
    assert said[::2] == said[1::2]

    assert_those_concerned_see_it(world, log_in)


def assert_those_concerned_see_it(world, log_in):
    desk, partner = log_in(world.moderator), log_in(world.partner)
    for name, (one, other) in world.pairs.items():
        client = log_in(one.account)
        if "hold" in one.ids:
            assert client.get(f"/me/holds/{one.ids['hold']}").status_code == 200
            assert one.handle in pages.get(desk, "/desk/holds")
            continue
        entry = one.ids["entry"]
        url = f"/blacklist/mine/{entry}"
        own = pages.get(client, url)
        seen = pages.get(desk, f"/desk/entries/{entry}")
        assert f'href="{url}"' in pages.get(client, "/blacklist/mine")
        assert partner.get(f"/trades/{one.ids['trade']}").status_code == 200
        assert log_in(other.account).get(url).status_code == 404
        if name in TALKED:
            asked = pages.get(partner, f"/blacklist/asked/{entry}")
            assert all(SECRET_WORDS in text for text in (own, seen, asked))


def test_the_numbers_of_entries_tell_of_none_between_them(app, alice, bob, charlie):
    entries = [
        listed(alice, person, at=MONDAY + n * A_DAY)
        for n, person in enumerate((bob, charlie, bob, charlie))
    ]

    numbers = [entry.id for entry in entries]

    assert numbers == sorted(numbers)
    assert {b - a for a, b in itertools.pairwise(numbers)} != {1}
