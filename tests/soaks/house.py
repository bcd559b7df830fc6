"""A board with one of everything, whose it is, and everybody who tries its doors.

It is the world of the canaries, with the lives of the copies in it: what belongs to
mina, whose partner is kuro, and what is known of lost, who is listed.
"""

import hashlib
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path

from sqlalchemy import delete, select

from tests.factories import make_session
from tests.page_forms import forms
from tests.pages import get as page_of
from tests.privacy import lives
from tests.reports.cases import report_person
from tests.soaks.moment import Moment
from tests.test_canaries import World
from tests.worlds import make_listing
from tradeboard.accounts.models import (
    Account,
    Device,
    DeviceUse,
    Hold,
    Passkey,
    StaffNote,
    Totp,
)
from tradeboard.accounts.rules.standing import Role, Standing
from tradeboard.api.models import ApiKey
from tradeboard.blacklist.jobs import sweep_overdue_trades
from tradeboard.blacklist.models import Appeal, Entry
from tradeboard.blacklist.rules.appeals import AppealState
from tradeboard.cards.models import Card
from tradeboard.core import photo_store
from tradeboard.core.db import db
from tradeboard.core.transaction import transaction
from tradeboard.feedback.models import Feedback
from tradeboard.listings.models import SavedSearch
from tradeboard.listings.rules import ListingState
from tradeboard.moderation import services as moderation
from tradeboard.notifications.models import Notice, OutboxMail
from tradeboard.reports.models import MemberWarning
from tradeboard.site.rules import Level
from tradeboard.trades.models import Message, Proposal, Trade
from tradeboard.trades.rules.states import ProposalKind

HOST = "http://localhost"
STRANGER, MEMBER, COUNTERPARTY, OWNER = "stranger", "member", "counterparty", "owner"
LISTED, MODERATOR, ADMIN, INVOLVED = "listed", "moderator", "admin", "involved"
COLUMNS = (STRANGER, MEMBER, COUNTERPARTY, OWNER, LISTED, MODERATOR, ADMIN, INVOLVED)


# What fits into gaps that are nobody's.
ANY = {"slug": "rules", "name": "trades", "number": 1, "width": 480}
ANY |= {"passkey_id": 999}


@dataclass
class Thing:
    """Something whose pages are tried: what fits into their addresses, and whose."""

    owner: str = "mina"
    partner: str = "kuro"
    listed: str = "lost"
    gaps: dict = field(default_factory=dict)


class House(World):
    """Everybody with a browser of the own, and one thing of each kind."""

    def __init__(self, app):
        super().__init__(app)
        for handle in ("mina", "kuro", "lost", "barred"):
            life = lives.Life(handle, handle, device=f"D-{handle}")
            setattr(self, handle, life)
            self.accounts[handle] = life.account
        for handle in ("nagi", "held"):
            self.person(handle)
        self.person("moda", role=Role.MODERATOR)
        self.person("boss", role=Role.ADMIN)
        self.things: dict[str, Thing] = {"none": Thing(gaps=dict(ANY))}
        self.cookies: dict[str | None, str] = {}
        self._trade()
        self._list()
        self._ask()
        self._keep()
        for handle in self.accounts:
            self.browser(handle)
        used = (
            select(Device.code)
            .join(DeviceUse)
            .where(DeviceUse.account_id == self.mina.id, Device.code != "D-mina")
        )
        self.thing("device", code=db.session.scalars(used).one())
        self.hold("held", "lost")
        held = db.session.scalars(
            select(Hold.id).where(Hold.account_id == self.accounts["held"].id)
        ).one()
        self.thing("hold", owner="held", partner="lost", listed="barred", hold_id=held)
        self.things["hold"].gaps["device_id"] = db.session.get(Hold, held).device_id
        self.clients[None] = app.test_client()
        with transaction():  # Words of the lives that no template has facts for.
            made_up = delete(Notice).where(Notice.key.startswith("notice:"))
            db.session.execute(made_up)
            db.session.execute(delete(Totp))
        self.ids = {handle: account.id for handle, account in self.accounts.items()}
        db.session.remove()
        self.moment = Moment(Path(db.engine.url.database))

    def _have_factors(self, handle):
        """Let nobody have an app for codes: it would stand before what is tried."""

    def close(self):
        """Let the database go."""
        self.moment.close()

    def thing(self, kind, *, owner="mina", partner="kuro", listed="lost", **gaps):
        """Remember whose something is, and what stands for it in an address."""
        self.things[kind] = Thing(owner, partner, listed, gaps)

    def _trade(self):
        two = ("mina", "kuro")
        self.ship("defaulted", "mina", "lost", 20, senders=1)
        self.receive("received", *two, 6)
        self.ship("shipped", *two, 5)
        self.confirm("confirmed", *two, 4)
        self.reveal("revealed", *two, 3)
        self.agree("agreed", *two, 2)
        self.propose("negotiating", *two, 1)
        assert sweep_overdue_trades(self.now).done == 1
        told = lives.trade_between(self.mina, self.kuro, ended_at=self.now)
        self.trades["told"] = told
        for name, trade_id in self.trades.items():
            trade = db.session.get(Trade, trade_id)
            gaps = {"trade_id": trade_id, "listing_id": trade.listing_id}
            if trade.legs:
                gaps["leg_id"] = trade.leg_from(self.mina.id).id
            self.thing(name, **gaps)
        self.things["defaulted"].partner, self.things["defaulted"].listed = (
            "lost",
            "barred",
        )
        late = db.session.get(Trade, self.trades["defaulted"]).leg_from(self.lost.id)
        self.things["defaulted"].gaps["leg_id"] = late.id
        with transaction():
            row = Proposal(
                trade_id=self.trades["shipped"],
                kind=ProposalKind.CANCEL,
                by_id=self.mina.id,
                words="やめませんか",
                made_at=self.now,
            )
            db.session.add(row)
            db.session.flush()
            self.thing("proposal", proposal_id=row.id)

    def _list(self):
        with transaction():
            found = select(Entry.id).where(Entry.account_id == self.lost.id)
            lost = db.session.scalars(found).one()
        self.thing(
            "entry", owner="lost", partner="mina", listed="barred", entry_id=lost
        )
        mine = db.session.get(Trade, self.trades["defaulted"]).leg_from(self.mina.id)
        self.things["entry"].gaps["leg_id"] = mine.id
        hand = lives.list_by_hand(self.barred)
        with transaction():
            barred = db.session.get(Account, self.barred.id)
            barred.standing = Standing.LISTED
            appeal = db.session.scalars(select(Appeal)).one()
            appeal.state, appeal.decided_at = AppealState.OPEN, None
            number = appeal.id
        by = {"owner": "barred", "partner": "kuro", "listed": "lost"}
        self.thing("appeal", **by, appeal_id=number, entry_id=hand)
        lives.draw(self.app.config["UPLOADS"], self.mina, self.barred)
        self._picture("evidence", lives.picture_name("barred", "evidence"), **by)
        self._picture("proof", lives.picture_name("mina", "proofs"))
        self._picture("photo", lives.picture_name("mina", "listings"))
        self._picture("message photo", hashlib.md5(b"mina message").hexdigest())

    def _picture(self, kind, name, **whose):
        known = {"file_id": name, "proof_id": name, "photo_id": name, "width": 2048}
        self.thing(kind, **whose, **known)
        if kind == "message photo":
            folder = self.app.config["UPLOADS"] / "proofs"
            other = photo_store.path(folder, lives.picture_name("mina", "proofs"), 2048)
            photo_store.path(folder, name, 2048).write_bytes(other.read_bytes())

    def _ask(self):
        report = report_person(self.accounts["mina"], self.accounts["kuro"])
        self.thing("report", report_id=report)
        with transaction():
            made = moderation.announce(
                Level.INFO,
                "お知らせ",
                "News",
                "Somebody asked.",
                starts_at=self.now,
                ends_at=self.now + timedelta(days=1),
                by=self.accounts["boss"],
                now=self.now,
            )
            self.thing("announcement", owner="boss", announcement_id=made.id)

    def _keep(self):
        open_one = make_listing(self.mina.account, at=self.now)
        draft = make_listing(self.mina.account, at=self.now, state=ListingState.DRAFT)
        hidden = make_listing(
            self.mina.account,
            at=self.now,
            state=ListingState.HIDDEN,
            hidden_from=ListingState.OPEN,
            hidden_reason="写真がありません",
        )
        self.thing("listing", listing_id=open_one.id)
        self.thing("draft", listing_id=draft.id)
        self.thing("hidden", listing_id=hidden.id)
        self.thing("person", account_id=self.mina.id, handle="mina")
        self.thing("profile", handle="mina")
        for kind, gap, model, column in (
            ("card", "card_id", Card, Card.account_id),
            ("search", "search_id", SavedSearch, SavedSearch.account_id),
            ("key", "key_id", ApiKey, ApiKey.account_id),
            ("warning", "warning_id", MemberWarning, MemberWarning.account_id),
            ("passkey", "passkey_id", Passkey, Passkey.account_id),
            ("note", "note_id", StaffNote, StaffNote.account_id),
            ("mail", "mail_id", OutboxMail, OutboxMail.account_id),
            ("feedback", "feedback_id", Feedback, Feedback.by_id),
            ("message", "message_id", Message, Message.author_id),
        ):
            found = select(model.id).where(column == self.mina.id).order_by(model.id)
            self.thing(kind, **{gap: db.session.scalars(found).first()})
        told = select(Message.id).where(Message.trade_id == self.trades["told"])
        own = told.where(Message.author_id == self.mina.id)
        self.things["message"].gaps["message_id"] = db.session.scalars(own).one()

    def who(self, column, thing):
        """Return whose browser a column of the table means, for a thing."""
        return {
            STRANGER: None,
            MEMBER: "nagi",
            COUNTERPARTY: thing.partner,
            OWNER: thing.owner,
            LISTED: thing.listed,
            MODERATOR: "moda",
            ADMIN: "boss",
            INVOLVED: f"{thing.owner} as moderator",
        }[column]

    def client(self, name):
        """Return the browser of somebody; an owner may have become a moderator."""
        if name in self.clients:
            return self.clients[name]
        handle = name.removesuffix(" as moderator")
        token = make_session(db.session.get(Account, self.ids[handle]))
        client = self.app.test_client()
        with client.session_transaction() as session:
            session["_user_id"] = token
        self.clients[name] = client
        return client

    def promote(self, handle, role):
        """Give somebody a role, past every rule."""
        with transaction():
            db.session.get(Account, self.ids[handle]).role = role

    def sign_in_again(self, name):
        """Give a browser its session back, whatever an answer made of it."""
        named = self.app.config["SESSION_COOKIE_NAME"]
        if name in self.cookies:
            self.clients[name].set_cookie(named, self.cookies[name])

    def token_of(self, name):
        """Return a form token of somebody's session, which is kept with it."""
        token = self._read_token(name)
        cookie = self.clients[name].get_cookie(self.app.config["SESSION_COOKIE_NAME"])
        self.cookies[name] = cookie.value
        return token

    def _read_token(self, name):
        page = page_of(self.client(name), "/me/language" if name else "/login")
        fields = [dict(form.fields) for form in forms(page)]
        return next(found["csrf_token"] for found in fields if "csrf_token" in found)
