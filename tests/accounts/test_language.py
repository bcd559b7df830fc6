"""Members choose a language, and on which clock they read deadlines."""

from datetime import timedelta

import pytest

from tests import pages
from tests.worlds import make_trade
from tradeboard.accounts.models import Account
from tradeboard.accounts.rules import zones
from tradeboard.accounts.services import profile
from tradeboard.core import clock
from tradeboard.core.db import db
from tradeboard.core.transaction import transaction
from tradeboard.notifications import mailer, services
from tradeboard.notifications.models import OutboxMail

ANSWER = "trades/mail/answer_due.txt"
HONOLULU = "Pacific/Honolulu"


def test_zones_are_places_under_their_part_of_the_world():
    areas = dict(zones.by_area())
    pacific = next(places for area, places in areas.items() if str(area) == "太平洋")

    assert (HONOLULU, "Honolulu") in pacific
    assert zones.place("America/Argentina/Buenos_Aires") == "Buenos Aires (Argentina)"
    assert zones.is_known("UTC")
    assert not zones.is_known("Etc/GMT+5")
    assert not zones.is_known("../../etc/passwd")


def test_a_choice_holds_for_pages_and_account_at_once(log_in, alice):
    client = log_in(alice)
    client.set_cookie("language", "ja")
    page = pages.get(client, "/me/language")
    assert '<optgroup label="太平洋">' in page
    assert '<option selected value="Asia/Tokyo">日本時間' in page

    chosen = {"language": "en", "time_zone": HONOLULU}
    done = pages.submit(client, "/me/language", "/me/language", **chosen)
    assert done.status_code == 303
    assert '<html lang="en"' in pages.get(client, done.location)

    db.session.rollback()
    kept = db.session.get(Account, alice.id)
    assert (kept.language, kept.time_zone) == ("en", HONOLULU)


@pytest.mark.parametrize("wrong", [{"language": "xx"}, {"time_zone": "Mars/Olympus"}])
def test_what_was_not_offered_is_refused_beside_its_field(log_in, alice, wrong):
    answer = pages.submit(log_in(alice), "/me/language", "/me/language", **wrong)

    assert answer.status_code == 422
    assert "選べません" in answer.text


def test_deadlines_stand_on_both_clocks_on_pages_and_in_mails(log_in, alice, bob):
    now = clock.now()
    make_trade(alice, bob, sent_by=[bob], at=now - timedelta(days=1))
    for person, zone in ((alice, HONOLULU), (bob, "Asia/Seoul")):
        with transaction():
            kept = db.session.get(Account, person.id)
            profile.choose(kept, "ja", zone, now=now)
            told = {"trade": 3, "partner": "x", "answer_by": now}
            services.queue_mail(kept, ANSWER, key=zone, now=now, **told)
    hers = pages.get(log_in(alice), "/todo")
    his = pages.get(log_in(bob), "/todo")
    mails = db.session.query(OutboxMail).filter_by(template=ANSWER)
    to_her, to_him = (mailer.render(mail)[1] for mail in mails.order_by(OutboxMail.id))

    assert "（あなたの時間 " in hers
    assert "（日本時間、あなたの時間では" in to_her
    # Seoul keeps Japan's time.
    assert "あなたの時間" not in his + to_him
    assert "（日本時間）" in to_him
