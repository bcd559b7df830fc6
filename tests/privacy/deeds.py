"""What somebody looks for, keeps, is told and says of others, with known words."""

import hashlib

from sqlalchemy import select

from tests.factories import MONDAY, make_account
from tradeboard.accounts.models import Block
from tradeboard.cards.models import Card, MatchNews
from tradeboard.cards.rules.sides import CardSide
from tradeboard.core import drafts
from tradeboard.core.db import db
from tradeboard.feedback.models import Feedback
from tradeboard.feedback.rules import Grade
from tradeboard.listings.models import ListingToken, SavedSearch
from tradeboard.notifications.models import DigestMark, MailChoice, Notice
from tradeboard.notifications.rules import MailMode
from tradeboard.reports.models import MemberWarning, Remark, Report
from tradeboard.reports.rules import Reason, Subject
from tradeboard.trades.models import Message, MessagePhoto


def look_around(life):
    """Let somebody search, keep cards, block, begin a form, and be told."""
    own = {"account_id": life.id}
    blocked = make_account(f"blocked{life.id}")
    drafts.keep(life.id, "feedback", 1, {"words": life.canary("begun")}, now=MONDAY)
    db.session.add_all(
        [
            SavedSearch(
                **own,
                asked=f"q={life.canary('search')}",
                made_at=MONDAY,
                told_until=MONDAY,
            ),
            Card(
                **own,
                side=CardSide.HAVE,
                key=life.canary("card key"),
                name=life.canary("card"),
                quantity=1,
                added_at=MONDAY,
            ),
            MatchNews(**own, told_at=MONDAY, partners=[life.canary("match")]),
            Block(**own, blocked_id=blocked.id, since=MONDAY),
            Block(account_id=blocked.id, blocked_id=life.id, since=MONDAY),
            Notice(
                **own,
                key=f"notice:{life.id}",
                template="trades/mail/accepted.txt",
                facts={"x": life.canary("notice fact")},
                path=f"/trades/{life.canary('path')}",
                at=MONDAY,
            ),
            MailChoice(**own, kind="message", mode=MailMode.OFF, changed_at=MONDAY),
            DigestMark(**own, told_notice=1, told_at=MONDAY),
            MemberWarning(
                **own,
                by_id=blocked.id,
                reason=Reason.SPAM,
                sentence=life.canary("warning"),
                at=MONDAY,
            ),
            Remark(**own, by_id=blocked.id, words=life.canary("remark"), at=MONDAY),
        ]
    )


def judge(life, trade, partner):
    """Let somebody say of a trade how it was, and report the partner's message."""
    message = db.session.scalars(
        select(Message).where(
            Message.trade_id == trade.id, Message.author_id == partner.id
        )
    ).one()
    own = db.session.scalars(
        select(Message).where(
            Message.trade_id == trade.id, Message.author_id == life.id
        )
    ).one()
    db.session.add_all(
        [
            Feedback(
                trade_id=trade.id,
                by_id=life.id,
                about_id=partner.id,
                grade=Grade.GOOD,
                tags=["packing"],
                words=f"about {partner.canary('praise')}",
                written_at=MONDAY,
                reveal_at=MONDAY,
                shown_at=MONDAY,
            ),
            Report(
                subject=Subject.MESSAGE,
                message_id=message.id,
                account_id=partner.id,
                reporter_id=life.id,
                reason=Reason.CONTACT,
                words=life.canary("report"),
                sentence=life.canary("report sentence"),
                made_at=MONDAY,
            ),
            MessagePhoto(
                id=hashlib.md5(f"{life.who} message".encode()).hexdigest(),
                message_id=own.id,
                by_id=life.id,
                width=1,
                height=1,
                added_at=MONDAY,
            ),
        ]
    )


def index(life, listing_id):
    """Index a listing by a piece of what it says."""
    token = life.canary("token piece")
    db.session.add(ListingToken(token=token, listing_id=listing_id))
