"""S16 to S18: the listed defend themselves, copies and erasure are whole, time ends."""

import time
from contextlib import closing, contextmanager
from datetime import timedelta
from pathlib import Path

from sqlalchemy import select

from tests import pages
from tests.blacklist import cases
from tests.blacklist.desks import SENTENCE, decide, settle
from tests.factories import MONDAY, PASSWORD, make_account, make_session
from tests.privacy import lives
from tests.privacy.kinds import A_SECOND, Kinds
from tests.privacy.lives import Life
from tests.soaks.moment import Moment
from tests.soaks.telling import Telling
from tradeboard.accounts import passwords
from tradeboard.accounts import queries as accounts
from tradeboard.accounts.models import Account
from tradeboard.accounts.rules.standing import Role
from tradeboard.blacklist.models import Appeal, Entry
from tradeboard.blacklist.rules.entries import EntryState
from tradeboard.blacklist.services import entering
from tradeboard.core import clock
from tradeboard.core.db import db
from tradeboard.core.transaction import transaction
from tradeboard.privacy import jobs
from tradeboard.privacy.queries import SECTIONS
from tradeboard.privacy.rules.plans import PLANS
from tradeboard.privacy.rules.retention import RETENTION
from tradeboard.profiles import services as profiles
from tradeboard.scheduler.timetable import JOBS

A_DAY = timedelta(days=1)
WORDS = "6月2日に発送しました。控えがあります。"
SOON = 60
CHECK = "/api/v1/blacklist/check?handle=bob"
DAYS = {row.kind: row.after for row in RETENTION if row.after is not None}
LIMITS = DAYS | {
    "statement": DAYS["evidence"],
    "links": DAYS["mails"],
    "entries": timedelta(days=730),
    "several": timedelta(days=1825),
}
JOB = {row.kind: row.jobs[0] for row in RETENTION if row.jobs} | {
    "statement": "purge-evidence",
    "links": "forget-old-rows",
    "several": "expire-entries",
}


@contextmanager
def at_monday():
    """Let the pages believe that it is so many days after the trades here."""
    real = clock.now
    offset = MONDAY + 20 * A_DAY - real()
    clock.now = lambda: real() + offset
    try:
        yield
    finally:
        clock.now = real


def browser(app, account):
    """Return a browser in which somebody is signed in."""
    client = app.test_client()
    token = make_session(account)
    with client.session_transaction() as session:
        session["_user_id"] = token
    return client


def s16(app, *, quick: bool) -> dict:
    """Be listed, learn of it, answer, be judged by somebody else, and be lifted."""
    told = Telling("S16", quick)
    steps: list[str] = []
    with at_monday():
        for step in _defence(app, told):
            steps.append(step)
    return told.tell(n=len(steps), steps=len(steps))


def _defence(app, told: Telling):
    """Yield each step that was taken; what went wrong is told."""
    alice, bob = make_account("alice"), make_account("bob")
    first, second = (make_account(name, role=Role.MODERATOR) for name in ("mod", "jo"))
    entry = cases.listed(alice, bob)
    told.check("listed" in cases.mails(bob), "he gets no mail")
    told.check(_api(app) == ["listed"], f"the check says {_api(app)}")
    yield "listed"
    client, mine = browser(app, bob), f"/blacklist/mine/{entry.id}"
    page = pages.text(pages.get(client, mine))
    told.check("最初の発送から2週間以内" in page, "he cannot read what it is about")
    yield "reads the facts and the rule"
    desk = browser(app, first)
    review = decide(desk, entry)
    told.check(settle(desk, entry, review.text).status_code == 303, "not upheld")
    yield "upheld by one moderator"
    answer = pages.submit(client, mine, f"{mine}/appeal", button="do=send", words=WORDS)
    told.check(answer.status_code == 303, f"the appeal: {answer.status_code}")
    db.session.rollback()
    made = db.session.scalars(select(Appeal)).one_or_none()
    told.check(made is not None, "no appeal was made")
    if made is None:
        return
    yield "appeals"
    url = f"/desk/appeals/{made.id}"
    told.check(WORDS[:6] in pages.get(browser(app, second), url), "nobody reads it")
    fields = {"decision": "grant", "reason": "error", "sentence": SENTENCE}
    judge = browser(app, second)
    review = pages.submit(judge, url, f"{url}/decide", button="確認へ進む", **fields)
    done = pages.send(
        judge, url, review.text, f"{url}/decide", button="この判断を確定する"
    )
    lifted = time.monotonic()
    told.check(done.status_code == 303, f"the decision: {done.status_code}")
    db.session.rollback()
    state = db.session.get(Entry, entry.id).state
    told.check(state is EntryState.LIFTED, f"the entry is {state}")
    yield "lifted by another moderator"
    while _api(app) and time.monotonic() - lifted < SOON:
        time.sleep(1)
    told.check(_api(app) == [], "the check still says listed after a minute")
    told.check("appeal_decided" in cases.mails(bob), "he is not told")
    yield "the check says so, and he is told"


def _api(app) -> list[str]:
    """Return what the check says of bob."""
    answer = app.test_client().get(CHECK).json
    return ["listed"] if answer["entries"] else []


def s17(app, *, quick: bool) -> dict:
    """Copy and erase a life: all of it, nothing of the partner's, nothing left."""
    told = Telling("S17", quick)
    tables = set(db.metadata.tables)
    told.check(set(PLANS) == tables, f"no plan: {set(PLANS) ^ tables}")
    files = {name for plan in PLANS.values() for name in (plan.file, *plan.also)}
    told.check(files - {None} == set(SECTIONS), f"files: {files ^ set(SECTIONS)}")
    mina = Life("mina", "カナリアミナ")
    kuro = Life("kuro", "カナリアクロ", device="D-1111-0002")
    handle = mina.account.handle
    lives.trade_between(mina, kuro, ended_at=MONDAY + A_DAY)
    entry_id = lives.list_by_hand(mina)
    _copy(app, mina, told)
    _close(mina, entry_id)
    before = lives.left_of("mina-", handle)
    told.check(len(before) >= 40, f"only {len(before)} columns are tried")
    at = MONDAY + 130 * A_DAY
    jobs.erase_accounts(at)
    jobs.purge_evidence(at)
    left = lives.left_of("mina-", handle)
    told.check(left == {}, f"left: {sorted(left)}")
    whole = _bytes_of_a_copy()
    told.check("mina-" not in whole and handle not in whole, "the file still knows")
    told.check("kuro-" in whole, "the partner is gone, too")
    return told.tell(n=len(before), tables=len(tables), left=len(left))


def _copy(app, mina: Life, told: Telling) -> None:
    with transaction():
        row = db.session.get(Account, mina.id)
        row.password_hash = passwords.hash_password(PASSWORD)
    page = "/me/export"
    answer = pages.submit(browser(app, mina.account), page, page, password=PASSWORD)
    told.check(answer.status_code == 200, f"the copy: {answer.status_code}")
    if answer.status_code == 200:
        lists, text, _ = lives.unpacked(answer.data)
        told.check(set(lists) >= set(SECTIONS), f"no {set(SECTIONS) - set(lists)}")
        told.check("mina-message-canary" in text, "an own message is not in the copy")
        for part in ("number", "address", "mail", "password", "totp"):
            told.check(f"kuro-{part}-canary" not in text, f"the partner's {part}")
        told.check("mina-password-canary" not in text, "a hash is in the copy")


def _close(mina: Life, entry_id: int) -> None:
    with transaction():
        entry = db.session.get(Entry, entry_id)
        entering.end(entry, "expire", by_id=None, now=MONDAY)
        account = db.session.get(Account, mina.id)
        account.password_hash = mina.canary("password")
    with transaction():
        profiles.close(accounts.get_account(mina.id), now=MONDAY + 100 * A_DAY)


def _bytes_of_a_copy() -> str:
    """Return all that stands in the file once free pages are gone; SQLite alone."""
    file = Path(str(db.engine.url.database))
    copy = file.with_suffix(".vacuumed")
    db.session.remove()
    with db.engine.connect() as connection:
        raw = connection.connection.dbapi_connection
        raw.execute("PRAGMA query_only = OFF")
        raw.execute("VACUUM INTO ?", [str(copy)])
    text = copy.read_bytes().decode("utf-8", "replace")
    copy.unlink()
    return text


def s18(app, *, quick: bool) -> dict:
    """Make of each kind one a second before and one after its limit: one goes."""
    told = Telling("S18", quick)
    told.check(set(DAYS) <= set(LIMITS), "a kind is not tried")
    moderator = make_account("mod", role=Role.MODERATOR)
    db.session.remove()
    with closing(Moment(Path(str(db.engine.url.database)))) as moment:
        for kind, limit in sorted(LIMITS.items()):
            kinds = Kinds(db.session.merge(moderator))
            make, run = getattr(kinds, kind), JOBS[JOB[kind]].run
            make(MONDAY - A_SECOND)
            left = make(MONDAY + A_SECOND)
            seen = [left()]
            for _ in range(2):
                run(MONDAY + limit)
                seen.append(left())
            told.check(seen == [2, 1, 1], f"{kind}: {seen}")
            db.session.remove()
            db.engine.dispose()
            moment.back()
    return told.tell(n=2 * len(LIMITS), kinds=len(LIMITS))
