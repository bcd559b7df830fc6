import pytest
from sqlalchemy import select

from tests.factories import A_MOMENT, make_account
from tests.trades.stages import ADDRESS, AGREED_AT, CALLED_AT, DAY, HOUR, NUMBERS, Stage
from tests.trades.test_negotiation import mails
from tradeboard.audit.models import AuditRow
from tradeboard.core.db import db
from tradeboard.core.errors import Conflict, RuleBroken, TooMany
from tradeboard.notifications.models import OutboxMail
from tradeboard.trades import jobs, queries
from tradeboard.trades.rules.states import TradeState
from tradeboard.trades.services import phone
from tradeboard.trades.services.phone import Tried

LATER = AGREED_AT + 2 * HOUR


def side(stage, person):
    return next(s for s in stage.trade.phones if s.account_id == person.id)


def test_a_number_and_an_address_are_kept_only_sealed(write, alice, bob):
    stage = Stage(alice, bob).one_sealed()
    own = side(stage, alice)

    stored = " ".join([own.number, own.address, own.number_hash, own.number_masked])

    assert "31234567" not in stored
    assert "3123-4567" not in stored
    assert "千代田" not in stored
    assert own.number_masked.endswith("67")
    assert stage.trade.revealed_at is None
    assert mails("partner_sealed") == [bob.email]


def test_the_second_seal_reveals_both_and_is_audited_for_each(write, alice, bob):
    stage = Stage(alice, bob).revealed()
    db.session.flush()

    rows = db.session.scalars(
        select(AuditRow).where(AuditRow.action == "reveal number")
    )
    seen = {(row.body["viewer"], row.object) for row in rows}

    assert stage.trade.revealed_at == AGREED_AT + HOUR
    assert seen == {
        (alice.id, f"account:{bob.id}"),
        (bob.id, f"account:{alice.id}"),
    }
    assert mails("revealed") == [alice.email, bob.email]


@pytest.mark.parametrize("number", ["090-123", "0120-123-456", "call me"])
def test_a_number_that_cannot_be_called_is_refused_beside_its_field(
    write, alice, bob, number
):
    stage = Stage(alice, bob).agreed()

    with pytest.raises(RuleBroken) as refusal:
        phone.seal(stage.id, number, "JP", ADDRESS, by=alice, now=AGREED_AT)

    assert refusal.value.field == "number"


def test_without_an_address_nobody_seals(write, alice, bob):
    stage = Stage(alice, bob).agreed()

    with pytest.raises(RuleBroken) as refusal:
        phone.seal(stage.id, NUMBERS["alice"], "JP", " ", by=alice, now=AGREED_AT)

    assert refusal.value.field == "address"


def test_the_partners_number_proves_nothing(write, alice, bob):
    stage = Stage(alice, bob).one_sealed()

    with pytest.raises(RuleBroken):
        phone.seal(stage.id, NUMBERS["alice"], "JP", ADDRESS, by=bob, now=AGREED_AT)


def test_both_right_words_confirm_the_call(write, alice, bob):
    stage = Stage(alice, bob).revealed()

    assert stage.type_words(alice) is Tried.RIGHT
    assert stage.trade.state is TradeState.AGREED
    assert stage.type_words(bob) is Tried.CONFIRMED

    assert stage.trade.state is TradeState.PHONE_CONFIRMED
    assert stage.trade.phone_confirmed_at == CALLED_AT
    assert stage.trade.dispatch_by == CALLED_AT + 7 * DAY
    assert mails("phone_confirmed") == [alice.email, bob.email]


def test_katakana_and_commas_are_read_as_the_same_words(write, alice, bob):
    stage = Stage(alice, bob).revealed()
    heard = stage.words_for(bob)
    katakana = "".join(
        chr(ord(c) + 0x60) if "ぁ" <= c <= "ん" else c for c in heard
    ).replace(" ", "、")

    assert stage.type_words(bob, katakana) is Tried.RIGHT


def test_ones_own_words_are_no_proof(write, alice, bob):
    stage = Stage(alice, bob).revealed()
    own = " ".join(phone.words_of(stage.trade, bob.id))

    assert stage.type_words(bob, own) is Tried.WRONG


def test_five_wrong_tries_of_both_together_give_new_words_for_both(write, alice, bob):
    stage = Stage(alice, bob).revealed()
    before = phone.words_of(stage.trade, alice.id)
    stage.type_words(alice)

    tries = [stage.type_words(bob, "ちがう ことば") for _ in range(5)]

    assert tries == [Tried.WRONG] * 4 + [Tried.NEW_WORDS]
    assert phone.words_of(stage.trade, alice.id) != before
    assert side(stage, alice).words_right_at is None


def test_the_third_used_up_round_waits_for_a_moderator(write, alice, bob, moderator):
    stage = Stage(alice, bob).closed_call()

    assert stage.trade.call_closed_at is not None
    with pytest.raises(Conflict):
        stage.type_words(alice)

    phone.open_round(stage.id, by=moderator, now=CALLED_AT)
    stage.type_words(alice)
    assert stage.type_words(bob) is Tried.CONFIRMED


def test_a_changed_number_breaks_both_seals_and_the_partner_is_told(write, alice, bob):
    stage = Stage(alice, bob).revealed()
    before = phone.words_of(stage.trade, bob.id)

    phone.seal(stage.id, "070-3123-4567", "JP", ADDRESS, by=alice, now=CALLED_AT)

    assert stage.trade.revealed_at is None
    assert side(stage, bob).sealed_at is None
    assert mails("number_changed") == [bob.email]

    stage.seal(bob, CALLED_AT)
    assert phone.words_of(stage.trade, bob.id) != before


def test_the_word_list_is_chosen_before_the_first_try(write, alice, bob):
    stage = Stage(alice, bob).revealed()

    phone.choose_words(stage.id, "en", by=alice, now=CALLED_AT)
    assert all(word.isascii() for word in phone.words_of(stage.trade, alice.id))

    stage.type_words(bob, "wrong words")
    with pytest.raises(Conflict):
        phone.choose_words(stage.id, "ja", by=alice, now=CALLED_AT)


def test_words_of_a_round_that_is_over_are_not_a_try(write, alice, bob):
    stage = Stage(alice, bob).revealed()
    old = stage.trade.words_round
    for _ in range(5):
        stage.type_words(bob, "ちがう ことば")

    for typed in ("ちがう ことば", stage.words_for(bob)):
        outcome = phone.try_words(
            stage.id, typed, called=False, shown_round=old, by=bob, now=CALLED_AT
        )
        assert outcome is Tried.REPLACED

    assert stage.trade.words_tries == 0
    assert side(stage, bob).words_right_at is None


def test_words_are_never_stored_or_mailed(write, alice, bob):
    stage = Stage(alice, bob).revealed()
    spoken = {
        *phone.words_of(stage.trade, alice.id),
        *phone.words_of(stage.trade, bob.id),
    }
    db.session.flush()

    told = [str(mail.facts) for mail in db.session.scalars(select(OutboxMail))]
    kept = [s.words_hash for s in stage.trade.phones]

    assert not any(word in text for word in spoken for text in told + kept)


def test_numbers_are_not_collected_by_agreeing(write, alice):
    for number, name in enumerate(("dora", "emil", "finn")):
        collected(alice, name, number)
    fourth = Stage(alice, make_account("gina")).agreed()

    with pytest.raises(TooMany):
        phone.seal(fourth.id, NUMBERS["alice"], "JP", ADDRESS, by=alice, now=AGREED_AT)


def test_breaking_the_seals_again_gives_no_numbers_more(write, alice):
    for number, name in enumerate(("dora", "emil", "finn")):
        stage = collected(alice, name, number)
        other = f"070-3123-457{number}"
        phone.seal(stage.id, other, "JP", ADDRESS, by=alice, now=LATER)
        assert stage.trade.revealed_at is None
    fourth = Stage(alice, make_account("gina")).agreed()

    with pytest.raises(TooMany):
        phone.seal(fourth.id, NUMBERS["alice"], "JP", ADDRESS, by=alice, now=LATER)


def collected(alice, name, number):
    stage = Stage(alice, make_account(name)).agreed()
    stage.seal(alice)
    phone.seal(
        stage.id, f"080-3123-450{number}", "JP", ADDRESS, by=stage.bob, now=AGREED_AT
    )
    return stage


@pytest.mark.parametrize("stage_name", ["agreed", "one_sealed", "revealed"])
def test_seven_days_without_a_call_cancel_and_blame_nobody(
    committed, alice, bob, stage_name
):
    stage = committed(lambda: getattr(Stage(alice, bob), stage_name)())
    limit = AGREED_AT + 7 * DAY

    assert jobs.cancel_quiet_trades(limit - A_MOMENT).done == 0
    assert jobs.cancel_quiet_trades(limit).done == 1
    assert jobs.cancel_quiet_trades(limit + DAY).done == 0

    assert stage.trade.state is TradeState.CANCELLED
    assert stage.trade.legs[0].finding is None
    assert mails("cancelled") == [alice.email, bob.email]


def test_numbers_are_erased_thirty_days_after_the_end(committed, alice, bob):
    stage = committed(lambda: Stage(alice, bob).received())
    limit = stage.trade.ended_at + 30 * DAY

    assert jobs.erase_numbers(limit - A_MOMENT).done == 0
    assert jobs.erase_numbers(limit).done == 1
    assert jobs.erase_numbers(limit).done == 0

    own = side(stage, alice)
    assert (own.number, own.number_hash, own.address) == (None, None, None)
    assert queries.confirmed_phone_hashes(alice.id) == set()
