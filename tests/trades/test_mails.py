"""Every mail of trades, as it is read in both languages."""

from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.factories import DUE
from tests.trades import rooms
from tradeboard.core.db import db
from tradeboard.notifications import mailer
from tradeboard.notifications.models import OutboxMail

FOLDER = Path(__file__).parents[2] / "templates" / "trades" / "mail"
TEMPLATES = sorted(file.name for file in FOLDER.glob("*.txt"))
WHYS = ("consent", "silence", "settled", "quiet_agreed", "quiet_phone_confirmed")
KINDS = ("extend", "cancel", "settle")


def facts(**more):
    instants = ("answer_by", "call_by", "dispatch_by", "due_at", "latest")
    return (
        dict.fromkeys((*instants, "silent_until"), {"instant": DUE.isoformat()})
        | {"trade": 3, "partner": "山田", "sender": "山田", "number": 2, "days": 7}
        | {"mine": True, "why": "consent", "kind": "extend"}
        | more
    )


def rendered(template, language, **more):
    return mailer.render(
        SimpleNamespace(
            template=f"trades/mail/{template}",
            account_id=None,
            language=language,
            time_zone="Asia/Tokyo",
            facts=facts(**more),
        )
    )


@pytest.mark.parametrize("language", ["ja", "en"])
@pytest.mark.parametrize("template", TEMPLATES)
def test_a_mail_has_a_subject_and_one_link(app, template, language):
    for more in [{"why": why} for why in WHYS] + [{"kind": kind} for kind in KINDS]:
        subject, body = rendered(template, language, **more)

        assert subject
        assert "\n" not in subject
        assert body.count("http") == 1
        assert "%(" not in subject + body


def test_the_mails_of_a_trade_name_no_number_word_or_address(log_in, alice, bob):
    hers, his = log_in(alice), log_in(bob)
    trade_id = rooms.propose(alice, his)
    rooms.accept(hers, trade_id)
    rooms.seal_both(trade_id, hers, his)
    words = rooms.words_on(hers, trade_id) + rooms.words_on(his, trade_id)
    rooms.confirm_call(trade_id, hers, his)
    for client in (hers, his):
        rooms.dispatch(client, trade_id)
    for client in (hers, his):
        rooms.receive(client, trade_id)

    db.session.rollback()
    mails = db.session.query(OutboxMail).all()
    told = {mail.template.rpartition("/")[2] for mail in mails}
    for mail in mails:
        text = " ".join(mailer.render(mail))
        for secret in (*rooms.NUMBERS, *rooms.ADDRESSES, *words):
            assert secret not in text, mail.template
    assert {"offer.txt", "accepted.txt", "revealed.txt", "first_dispatch.txt"} <= told
    assert {"phone_confirmed.txt", "second_dispatch.txt", "all_received.txt"} <= told
