import pytest

from tests.factories import MONDAY
from tradeboard.core.db import db
from tradeboard.core.transaction import transaction
from tradeboard.notifications import mailer, services
from tradeboard.notifications.models import OutboxMail


def letter(**changes):
    return OutboxMail(
        **{
            "to": "alice@example.com",
            "language": "ja",
            "template": "test/mail/plain.txt",
            "facts": {"handle": "alice", "due": {"instant": MONDAY.isoformat()}},
            "message_id": "m1",
            "queued_at": MONDAY,
            **changes,
        }
    )


def test_the_first_line_is_the_subject(app):
    subject, body = mailer.render(letter())

    assert subject.startswith("alice — ")
    assert body.startswith("2026年6月1日")


def test_instants_are_named_with_their_zone(app):
    _, body = mailer.render(letter(language="en"))

    assert "Mon 1 Jun 2026, 21:00 Japan time" in body


@pytest.mark.parametrize("facts", ["a\rBcc: x@example.com", "a\x00", "a\x1b[1m"])
def test_control_characters_are_refused_in_the_end(app, facts):
    changed = letter()
    changed.facts = {**changed.facts, "handle": facts}

    with pytest.raises(ValueError, match="control"):
        mailer.compose(changed)


@pytest.mark.parametrize("sign", ["\n", "\r", "\x00", "\x1b", "\u2028"])
def test_control_characters_are_taken_out_of_facts_when_queued(app, alice, sign):
    with transaction():
        services.queue_mail(alice, "t", key="k", now=MONDAY, handle=f"a{sign}b")

    assert db.session.scalar(db.select(OutboxMail.facts)) == {"handle": "a b"}


def test_an_address_with_a_line_end_is_never_queued(app):
    address = "alice@example.com\nBcc: bob@example.com"

    with pytest.raises(ValueError, match="address"), transaction():
        services.queue_mail_to(address, "ja", "t", key="k", now=MONDAY)


def test_staff_read_a_mail_without_what_its_link_is_good_for():
    text = "http://127.0.0.1:8000/reset/" + "aB3_-" * 8 + "\n3件"

    assert mailer.without_secrets(text) == "http://127.0.0.1:8000/reset/…\n3件"
