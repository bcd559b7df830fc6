"""Make one row of each kind of data, as if its time had begun at a moment."""

from datetime import timedelta

from sqlalchemy import select

from tests.blacklist import cases
from tests.factories import MONDAY, count, in_transaction, make_account
from tests.worlds import make_trade
from tradeboard.accounts import tokens
from tradeboard.accounts.models import Account, Device, MailedToken, Session
from tradeboard.blacklist.models import Entry, Evidence
from tradeboard.blacklist.rules.entries import EntryState
from tradeboard.core import drafts
from tradeboard.core.db import db
from tradeboard.core.once import Submission
from tradeboard.notifications.models import Notice, OutboxMail
from tradeboard.trades.models import Message, PhoneSide
from tradeboard.trades.rules.findings import Finding
from tradeboard.trades.services import closing

A_SECOND, A_DAY = timedelta(seconds=1), timedelta(days=1)


class Kinds:
    """Knows for each kind how to make it, and how many are left.

    Of two that are made, the first and the second are different people's.
    """

    def __init__(self, moderator):
        self.moderator = moderator
        self.made = 0
        self.firsts = []

    def people(self):
        """Return two who have nothing to do with the others."""
        self.made += 1
        return [make_account(f"{name}{self.made}") for name in ("alice", "bob")]

    def ended_trade(self, at):
        """Cancel a trade at that moment, since nobody sent anything."""
        trade = make_trade(*self.people(), at=at - 6 * A_DAY)
        with in_transaction():
            closing.cancel_quiet(trade.id, now=at)
        return trade

    def numbers(self, at):
        """A number and an address, whose trade ended then."""
        self.ended_trade(at)
        return lambda: count(PhoneSide, PhoneSide.number.is_not(None)) // 2

    def evidence(self, at):
        """A message, whose trade ended then."""
        trade = self.ended_trade(at)
        with in_transaction():
            note = {"text": "こんにちは", "sent_at": at}
            author = trade.poster_id
            db.session.add(Message(trade_id=trade.id, author_id=author, **note))
        return lambda: count(Message)

    def statement(self, at):
        """A statement about an entry that no trade belongs to, which ended then."""
        _, bob = self.people()
        add_entry(bob, state=EntryState.LIFTED, ended_at=at)
        return lambda: count(Evidence)

    def devices(self, at):
        """A browser that was last seen then."""
        self.made += 1
        code = f"D-{self.made}"
        with in_transaction():
            db.session.add(
                Device(key=code, kid="k", code=code, first_seen=at, last_seen=at)
            )
        return lambda: count(Device)

    def sessions(self, at):
        """A session that ended then."""
        alice, _ = self.people()
        times = ("created_at", "last_seen_at", "expires_at", "ends_at", "signed_in_at")
        with in_transaction():
            row = dict.fromkeys(times, at)
            hash = f"token of {alice.handle}"
            db.session.add(Session(token_hash=hash, account_id=alice.id, **row))
        return lambda: count(Session)

    def mails(self, at):
        """A mail that was queued then, and sent."""
        self.made += 1
        key = f"key {self.made}"
        with in_transaction():
            db.session.add(
                OutboxMail(
                    key=key,
                    to="somebody@example.com",
                    language="ja",
                    template="accounts/mail/closed.txt",
                    facts={},
                    message_id=key,
                    queued_at=at,
                    next_try_at=at,
                    sent_at=at,
                )
            )
        return lambda: count(OutboxMail, OutboxMail.to != "")

    def links(self, at):
        """A mailed link that was used then."""
        alice, _ = self.people()
        with in_transaction():
            tokens.issue(alice, "reset", now=at)
            db.session.flush()
            found = select(MailedToken).where(MailedToken.account_id == alice.id)
            db.session.scalars(found).one().used_at = at
        return lambda: count(MailedToken)

    def entries(self, at):
        """An entry that was upheld then, the only one of its person."""
        alice, bob = self.people()
        entry = cases.listed(alice, bob, at=at - 20 * A_DAY)
        cases.uphold(entry, self.moderator, now=at)
        return named_entries

    def several(self, at):
        """The same of somebody with another entry, which was upheld later."""
        alice, bob = self.people()
        first = cases.listed(alice, bob, at=at - 20 * A_DAY)
        other = cases.listed(alice, bob, at=at - 20 * A_DAY)
        cases.uphold(first, self.moderator, now=at)
        cases.uphold(other, self.moderator, now=at + A_DAY)
        self.firsts.append(first.id)
        return lambda: count(Entry, Entry.id.in_(self.firsts), Entry.handle != "")

    def unconfirmed(self, at):
        """An account that was made then and never confirmed."""
        self.made += 1
        name = f"dora{self.made}"
        make_account(name, confirmed=False, agreed=False, created_at=at)
        return lambda: count(Account, Account.email_confirmed_at.is_(None))

    def closed(self, at):
        """An account that was closed then."""
        self.made += 1
        make_account(f"emil{self.made}", closed_at=at)
        closed = Account.closed_at.is_not(None)
        return lambda: count(Account, closed, Account.email != "")

    def forms(self, at):
        """A form that was sent then."""
        self.made += 1
        with in_transaction():
            row = Submission(account_id=1, submit_id=f"{self.made}", target="/", at=at)
            db.session.add(row)
        return lambda: count(Submission)

    def drafts(self, at):
        """A form that was begun, and changed last then."""
        self.made += 1
        with in_transaction():
            drafts.keep(1, "offer", self.made, {}, now=at)
        return lambda: count(drafts.FormDraft)

    def notices(self, at):
        """A notice that was given then."""
        self.made += 1
        with in_transaction():
            facts = {"template": "t", "facts": {}, "path": "/"}
            key = f"notice:{self.made}"
            db.session.add(Notice(account_id=1, key=key, at=at, **facts))
        return lambda: count(Notice)


def named_entries():
    """Return how many entries name a person."""
    return count(Entry, Entry.handle != "")


def add_entry(person, *, state=EntryState.LISTED, ended_at=None, **columns):
    """Add an entry without a trade, with a statement."""
    with in_transaction():
        entry = Entry(
            account_id=person.id,
            handle=person.handle,
            finding=Finding.BY_HAND,
            state=state,
            entered_at=MONDAY,
            listed_at=MONDAY,
            ended_at=ended_at,
            phone_hashes=[],
            facts={},
            **columns,
        )
        db.session.add(entry)
        db.session.flush()
        said = {"kind": "statement", "words": "遅れました", "at": MONDAY}
        db.session.add(Evidence(entry_id=entry.id, by_id=person.id, **said))
    return entry
