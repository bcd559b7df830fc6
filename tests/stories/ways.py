"""A listed person, and everybody who is like that person in one way alone."""

from datetime import timedelta

from flask import current_app
from sqlalchemy import select, update

from tests import factories, pages
from tests.factories import PASSWORD, look_anew, make_account, make_session
from tests.trades import stages
from tests.worlds import make_listing
from tradeboard.accounts import passwords
from tradeboard.accounts.models import Account, DeviceUse, Hold
from tradeboard.accounts.rules.standing import Role, Standing
from tradeboard.blacklist.jobs import sweep_overdue_trades
from tradeboard.core import clock
from tradeboard.core.db import db
from tradeboard.core.transaction import transaction
from tradeboard.notifications import mailer
from tradeboard.notifications.models import OutboxMail
from tradeboard.trades.models import Trade
from tradeboard.trades.services import negotiation, phone, shipping

LISTED, MAILBOX, NUMBER = "ookami", "ookamitaro@gmail.com", "090-3172-4646"
A_DAY, AN_HOUR = timedelta(days=1), timedelta(hours=1)
ADDRESS = "東京都千代田区一番"
DONE = (303, "/register/done")


class Ways:
    """Ookami never sent a parcel to Mina, and stands on the list for it."""

    def __init__(self):
        self.now = clock.now()
        self.mina = self.member("mina")
        self.ookami = self.member(LISTED, email=MAILBOX)
        self.browser = self.sign_in(LISTED)
        self.device = self.browser.get_cookie("device").value
        self._default()

    def _default(self):
        """Let twenty days pass in which nothing was sent."""
        at = self.now - 20 * A_DAY
        with transaction():
            db.session.execute(update(DeviceUse).values(used_at=at + 2 * A_DAY))
        trade_id = self.agree(self.mina, self.ookami, at)
        with transaction():
            phone.seal(
                trade_id, "080-3172-1111", "JP", ADDRESS, by=self.mina, now=at + AN_HOUR
            )
            phone.seal(
                trade_id, NUMBER, "JP", ADDRESS, by=self.ookami, now=at + AN_HOUR
            )
        with transaction():
            self._speak(trade_id, at + 2 * AN_HOUR)
            leg = db.session.get(Trade, trade_id).leg_from(self.mina.id)
            shipping.dispatch(leg.id, by=self.mina, now=at + A_DAY, **stages.YAMATO)
        assert sweep_overdue_trades(self.now).done == 1
        assert self.standing(LISTED) is Standing.LISTED

    def _speak(self, trade_id, at):
        trade = db.session.get(Trade, trade_id)
        for typist in (self.mina, self.ookami):
            heard = " ".join(phone.words_of(trade, trade.partner_of(typist.id).id))
            phone.try_words(trade_id, heard, called=False, by=typist, now=at)

    def agree(self, one, other, at):
        """Let two agree on a trade; return its id."""
        listing = make_listing(one, at=at)
        with transaction():
            items = stages.items(listing)
            trade = negotiation.propose(listing.id, items, "", by=other, now=at)
            negotiation.accept(trade.id, 1, by=one, now=at)
            return trade.id

    def member(self, handle, **columns):
        """Make somebody who may trade and knows the password."""
        hashed = passwords.hash_password(PASSWORD)
        return make_account(handle, password_hash=hashed, **columns)

    def new_browser(self, device=None):
        """Open a browser: a new one, or one that has been here."""
        client = current_app.test_client()
        if device is not None:
            client.set_cookie("device", device)
        return client

    def sign_in(self, handle, device=None):
        """Let somebody sign in, perhaps in somebody's browser."""
        client = self.new_browser(device)
        email = self.account(handle).email
        answer = pages.submit(
            client, "/login", "/login", email=email, password=PASSWORD
        )
        assert answer.status_code == 303, pages.text(answer.text)
        return client

    def register(self, handle, email, device=None):
        """Register by the form; return what the page answered."""
        fields = {"handle": handle, "email": email, "password": PASSWORD}
        client = self.new_browser(device)
        return pages.submit(client, "/register", "/register", **fields)

    def has_link(self, address, start="/confirm/"):
        """Press the newest link that an address was mailed; tell whether it had one."""
        texts = [body for _, body in self.letters(address)]
        links = [
            "/" + part.split("/", 3)[3]
            for body in texts
            for part in body.split()
            if part.startswith("http") and start in part
        ]
        if not links:
            return False
        client = self.new_browser()
        return pages.submit(client, links[-1], links[-1]).status_code in (200, 303)

    def letters(self, address):
        """Return the mails to an address."""
        db.session.rollback()
        found = select(OutboxMail).where(OutboxMail.to == address)
        mails = db.session.scalars(found.order_by(OutboxMail.id)).all()
        return [mailer.render(mail) for mail in mails]

    def mails(self, template):
        """Return the mails of a kind."""
        db.session.rollback()
        kind = OutboxMail.template == f"accounts/mail/{template}.txt"
        return db.session.scalars(select(OutboxMail).where(kind)).all()

    def account(self, handle):
        """Return somebody as the database has it now; None if there is nobody."""
        look_anew()
        return db.session.scalar(select(Account).where(Account.handle == handle))

    def standing(self, handle):
        """Return how somebody stands now."""
        return self.account(handle).standing

    def agree_to_terms(self, handle):
        """Let somebody who registered agree, and so be able to trade."""
        with transaction():
            factories.agree(self.account(handle))

    def is_confirmed(self, handle):
        """Tell whether somebody may trade as far as the address goes."""
        return self.account(handle).is_confirmed

    def holds_of(self, handle):
        """Return the pairs in which somebody was held or noted."""
        account = self.account(handle)
        return db.session.scalars(select(Hold).filter_by(account_id=account.id)).all()

    def decide(self, handle, decision):
        """Let a moderator decide about the only pair of somebody, at the desk."""
        (hold,) = self.holds_of(handle)
        if self.account("mod") is None:
            make_account("mod", role=Role.MODERATOR)
        url = f"/desk/holds/{hold.id}"
        answer = pages.submit(
            self._desk(),
            url,
            f"{url}/decide",
            decision=decision,
            sentence="見て判断しました。",
        )
        assert answer.status_code == 303, pages.text(answer.text)

    def _desk(self):
        """Let the moderator, who has shown the second factor, come to the desk."""
        client = current_app.test_client()
        with client.session_transaction() as session:
            session["_user_id"] = make_session(self.account("mod"))
        return client
