"""Small rules of trades in full, without a database."""

from datetime import timedelta, timezone

import pytest

from tests.factories import A_MOMENT, DUE, MONDAY
from tradeboard.core.errors import RuleBroken
from tradeboard.trades.rules import (
    calendar,
    carriers,
    clock,
    next_step,
    offers,
    phrases,
    records,
    words,
)
from tradeboard.trades.rules.calendar import Entry
from tradeboard.trades.rules.findings import Parcel as Found
from tradeboard.trades.rules.findings import in_default
from tradeboard.trades.rules.next_step import Asked, Code, Facts, Parcel, Step, Who
from tradeboard.trades.rules.offers import Change, ChangeKind, Item
from tradeboard.trades.rules.states import LegState, Party, ProposalKind, TradeState

S, L = TradeState, LegState
A_DAY = timedelta(days=1)
THERE = timezone(timedelta(hours=9))


def test_every_deadline_is_as_it_is_written():
    assert clock.due_at(MONDAY.astimezone(THERE)) == DUE
    assert clock.due_at(MONDAY.astimezone(THERE)).utcoffset() == timedelta(0)
    assert clock.due_at(MONDAY, 2) == DUE + 14 * A_DAY
    assert clock.latest_sensible_dispatch(DUE) == DUE - 4 * A_DAY
    assert clock.may_contest_from(MONDAY) == MONDAY + 2 * A_DAY
    assert not clock.is_over(None, MONDAY)
    assert [clock.is_over(DUE, at) for at in (DUE - A_MOMENT, DUE)] == [False, True]


@pytest.mark.parametrize(
    ("left", "notice"),
    [
        (timedelta(days=7) + A_MOMENT, None),
        (timedelta(days=7), timedelta(days=7)),
        (timedelta(days=3) + A_MOMENT, timedelta(days=7)),
        (timedelta(days=3), timedelta(days=3)),
        (timedelta(days=1), timedelta(days=1)),
        (A_MOMENT, timedelta(days=1)),
        (timedelta(0), None),
        (-A_MOMENT, None),
    ],
)
def test_the_most_recent_notice_is_due_before_the_instant(left, notice):
    assert clock.notice_due(DUE, DUE - left) == notice


def test_a_slip_is_undone_within_an_hour_a_receipt_not_in_the_last_two_days():
    hour = timedelta(hours=1)

    assert clock.may_undo(MONDAY, MONDAY + hour - A_MOMENT)
    assert not clock.may_undo(MONDAY, MONDAY + hour)
    assert not clock.may_undo_receipt(None, DUE, MONDAY)
    assert not clock.may_undo_receipt(MONDAY, DUE, MONDAY + hour)
    assert clock.may_undo_receipt(MONDAY, None, MONDAY)
    limit = DUE - 2 * A_DAY
    assert clock.may_undo_receipt(limit - hour / 2, DUE, limit - A_MOMENT)
    assert not clock.may_undo_receipt(limit - hour / 2, DUE, limit)


def test_who_has_nothing_to_show_for_a_missing_parcel_is_in_default():
    assert in_default(Found(sent=False, received=False))
    assert in_default(Found(sent=False, received=False, withheld=True))
    assert in_default(Found(sent=False, received=False, contested=True))
    assert in_default(Found(sent=True, received=False))
    assert not in_default(Found(sent=True, received=False, contested=True))
    assert not in_default(Found(sent=True, received=True))


def test_rows_of_one_partner_are_counted_apart_after_thirty_days_from_the_first():
    rows = [
        (1, MONDAY + 40 * A_DAY, "d"),
        (1, MONDAY + 30 * A_DAY - A_MOMENT, "b"),
        (2, MONDAY, "other"),
        (1, MONDAY, "a"),
        (1, MONDAY + 30 * A_DAY, "c"),
    ]

    assert records.groups(rows) == [["a", "b"], ["other"], ["c", "d"]]
    assert records.groups([(2, MONDAY, object()), (1, MONDAY, "a")])[0] == ["a"]


def test_a_share_needs_five_cases_and_a_wait_is_never_negative():
    assert records.share(4, 4) is None
    assert records.share(5, 5) == 100
    assert records.share(2, 6) == 33
    assert records.days_between([]) is None
    assert records.days_between([-3 * A_DAY]) == 0
    assert records.days_between([A_MOMENT]) == 1
    assert records.days_between([A_DAY, 2 * A_DAY]) == 2


def test_sentences_fit_the_state_and_the_two_parcels():
    none = Parcel()

    assert phrases.offered(S.NEGOTIATING, none, none) == (
        "photos",
        "thinking",
        "thanks",
    )
    assert phrases.offered(S.AGREED, none, none) == (
        "call_when",
        "call_now",
        "call_later",
        "call_missed",
        "thanks",
    )
    assert phrases.offered(S.PHONE_CONFIRMED, none, none) == (
        "send_soon",
        "send_late",
        "thanks",
    )
    assert phrases.offered(S.DECLINED, none, none) == ("thanks",)
    for state in (S.SHIPPED, S.DEFAULTED, S.RECEIVED):
        sent, came = Parcel(L.DISPATCHED), Parcel(L.RECEIVED)
        assert phrases.offered(state, none, none) == (
            "send_soon",
            "send_late",
            "thanks",
        )
        assert phrases.offered(state, sent, sent) == (
            "nudge",
            "sent",
            "not_yet",
            "thanks",
        )
        assert phrases.offered(state, came, came) == ("came", "thanks")


def test_a_partner_is_asked_again_after_two_days():
    assert phrases.nudge_again(None) is None
    assert phrases.nudge_again(MONDAY) == MONDAY + 2 * A_DAY


OWL = Item(Party.POSTER, "竜", 2, set_code="AB-1", condition="A", language="ja")
FOX = Item(Party.PROPOSER, "虎", 1)


def test_what_an_offer_lacks_is_said_with_its_field_and_its_limit():
    for items, field, said in (
        ([OWL], "items", "1点以上"),
        ([OWL] * 20 + [FOX], "items", "20点まで"),
        ([OWL, Item(Party.PROPOSER, "虎", 0)], "quantity", "「虎」の枚数は1から99"),
        ([OWL, Item(Party.PROPOSER, "虎", 100)], "quantity", "「虎」の枚数は1から99"),
    ):
        with pytest.raises(RuleBroken, match=said) as refused:
            offers.check_offer(items)
        assert refused.value.field == field


def test_differences_count_copies_of_a_card_wherever_they_stand():
    fewer = Item(Party.POSTER, "竜", 1, set_code="AB-1", condition="A", language="ja")

    assert offers.difference([OWL, FOX], [fewer, fewer, fewer]) == [
        Change(ChangeKind.QUANTITY, "poster", "竜", 2, 3, ("AB-1", "A", "ja")),
        Change(ChangeKind.REMOVED, "proposer", "虎", 1, 0),
    ]
    assert offers.difference([], [FOX]) == [
        Change(ChangeKind.ADDED, "proposer", "虎", 0, 1)
    ]


def test_a_change_is_said_to_a_reader_by_who_gives():
    def said(kind, giver, reader):
        change = Change(kind, giver, "竜", 1, 2, ("A", "ja"))
        return str(offers.in_words(change, reader))

    assert said("added", "poster", Party.POSTER) == (
        "あなたが渡すもの：竜（A / ja） ×2 を追加しました"
    )
    assert said("removed", "poster", Party.PROPOSER) == (
        "あなたが受け取るもの：竜（A / ja） ×1 を外しました"
    )
    assert said("quantity", "proposer", None) == (
        "申し込んだ側：竜（A / ja） の枚数を 1 から 2 に変えました"
    )


def facts(state, **more):
    return Facts(state, MONDAY, **more)


def test_each_state_has_its_own_deadline():
    limits = {"answer_by": 1, "call_by": 2, "dispatch_by": 3, "due_at": 4}
    days = {name: MONDAY + n * A_DAY for name, n in limits.items()}

    for state, name in (
        (S.NEGOTIATING, "answer_by"),
        (S.AGREED, "call_by"),
        (S.PHONE_CONFIRMED, "dispatch_by"),
        (S.SHIPPED, "due_at"),
    ):
        seen = facts(state, **days)
        assert seen.limit() == days[name]
        assert {step.deadline for step in next_step.steps(seen)} == {days[name]}
    for more in ({"my_turn": True}, {"sealed": True}, {"call_closed": True}):
        for state, limit in ((S.NEGOTIATING, 1), (S.AGREED, 2)):
            (step,) = next_step.steps(facts(state, **days, **more))
            assert step.deadline == MONDAY + limit * A_DAY
    assert facts(S.RECEIVED, **days).limit() is None
    spoken = {"sealed": True, "partner_sealed": True}
    for right in (False, True):
        seen = facts(S.AGREED, **days, **spoken, words_right=right)
        assert next_step.next_step(seen).deadline == days["call_by"]


@pytest.mark.parametrize(
    ("out", "back", "steps"),
    [
        (Parcel(), Parcel(), ["send_second", "wait_send"]),
        (Parcel(), Parcel(L.DISPATCHED), ["send_second"]),
        (Parcel(withheld=True), Parcel(L.DISPATCHED), ["confirm"]),
        (Parcel(withheld=True), Parcel(), ["send_second", "wait_send"]),
        (Parcel(L.DISPATCHED), Parcel(), ["wait_receipt", "wait_send"]),
        (Parcel(L.DISPATCHED), Parcel(L.DISPATCHED), ["confirm", "wait_receipt"]),
        (Parcel(), Parcel(L.RECEIVED, differs=True), ["solve", "send_second"]),
        (
            Parcel(L.RECEIVED, differs=True),
            Parcel(L.DISPATCHED),
            ["confirm", "wait_solve"],
        ),
        (Parcel(L.RECEIVED), Parcel(L.RECEIVED), ["checking"]),
    ],
)
def test_two_parcels_ask_for_these_steps(out, back, steps):
    seen = facts(S.SHIPPED, due_at=DUE, out=out, back=back)

    found = next_step.steps(seen)

    assert [step.code for step in found] == steps
    for step in found:
        theirs = Who.PARTNER if step.code.startswith("wait") else Who.YOU
        who = Who.TIME if step.code is Code.CHECKING else theirs
        assert (step.deadline, step.who) == (DUE, who)


@pytest.mark.parametrize(
    ("out", "back", "steps"),
    [
        (Parcel(), Parcel(), ["late_send", "late_confirm"]),
        (Parcel(L.DISPATCHED), Parcel(L.DISPATCHED), ["late_confirm", "late_wait"]),
        (Parcel(L.RECEIVED), Parcel(L.RECEIVED), ["over"]),
    ],
)
def test_after_the_due_instant_parcels_can_still_come(out, back, steps):
    found = next_step.steps(facts(S.DEFAULTED, due_at=DUE, out=out, back=back))

    assert [step.code for step in found] == steps
    for step in found:
        whose = {"late_wait": Who.PARTNER, "over": Who.NOBODY}
        assert step == Step(step.code, None, whose.get(step.code, Who.YOU))


def test_without_a_due_instant_no_parcel_is_near():
    coming = Parcel(L.DISPATCHED)

    found = next_step.own_steps(facts(S.SHIPPED, back=coming))

    assert [step.code for step in found] == [Code.SEND_SECOND]


def test_answers_are_asked_for_until_their_own_end_or_that_of_the_trade():
    ends = MONDAY + A_DAY
    asked = (
        Asked(ProposalKind.EXTEND),
        Asked(ProposalKind.CANCEL, MONDAY),
        Asked(ProposalKind.SETTLE, ends),
    )

    first, second, *_ = next_step.own_steps(facts(S.SHIPPED, due_at=DUE, asked=asked))

    assert first == Step(Code.ANSWER_EXTEND, DUE, Who.YOU)
    assert second == Step(Code.ANSWER_SETTLE, ends, Who.YOU)


def test_due_soon_ends_at_the_due_instant():
    for now, soon in ((DUE - A_MOMENT, True), (DUE, False)):
        assert next_step.is_due_soon(Facts(S.SHIPPED, now, due_at=DUE)) is soon


def test_a_calendar_is_written_line_by_line():
    entry = Entry("k", DUE.astimezone(THERE), "a;b", "c\nd", "https://b.example/1")

    written = calendar.render([entry], version=3, host="b.example", now=MONDAY)

    assert written.split("\r\n") == [
        "BEGIN:VCALENDAR",
        "VERSION:2.0",
        "PRODID:-//Tradeboard//Deadlines//EN",
        "CALSCALE:GREGORIAN",
        "METHOD:PUBLISH",
        "BEGIN:VEVENT",
        "UID:k@b.example",
        "SEQUENCE:3",
        "DTSTAMP:20260601T120000Z",
        "DTSTART:20260615T120000Z",
        "DTEND:20260615T120000Z",
        "SUMMARY:a\\;b",
        "DESCRIPTION:c\\nd",
        "URL:https://b.example/1",
        "TRANSP:TRANSPARENT",
        "BEGIN:VALARM",
        "ACTION:DISPLAY",
        "TRIGGER:-P1D",
        "DESCRIPTION:a\\;b",
        "END:VALARM",
        "END:VEVENT",
        "END:VCALENDAR",
        "",
    ]


def test_a_line_is_folded_when_it_is_longer_than_seventy_five_octets():
    assert calendar.fold("") == ""
    assert calendar.fold("a" * 75) == "a" * 75
    assert calendar.fold("a" * 76) == "a" * 75 + "\r\n a"
    assert calendar.fold("a" * 150) == "\r\n ".join(["a" * 75, "a" * 74, "a"])
    assert calendar.fold("あ" * 26) == "あ" * 25 + "\r\n あ"
    assert calendar.escape("a\\,b\x7f\t") == "a\\\\\\,b"


def test_two_words_stand_for_the_first_eighteen_bits():
    listed = words.word_list("ja")
    mac = (0b000000001_000000010_111111).to_bytes(3, "big")

    assert words.word_pair(mac, "ja") == (listed[1], listed[2])
    assert words.word_pair(b"\xff\xff\xc0", "ja") == (listed[511], listed[511])
    assert words.word_pair(b"\x00\x00\x3f more", "en")[0] == words.word_list("en")[0]
    with pytest.raises(ValueError, match=r"^A MAC of at least three"):
        words.word_pair(b"\x00\x00", "ja")
    assert words.fold_words("、 カ・ラ,ス　 ") == "か ら す"
    assert words.same_words("アイ, うえ", ("あい", "うえ"))
    assert not words.same_words("うえ あい", ("あい", "うえ"))
    assert not words.same_words("あい \ud800", ("あい", "うえ"))


@pytest.mark.parametrize(
    ("carrier", "number", "right"),
    [
        ("ups", "1Z999AA10123456784", True),
        ("ups", "1Z999AA10123456785", False),
        ("ups", "1Z879E930346834440", True),
        ("ups", "1Z410E7W0392751591", True),
        ("ups", "1ZXX3150YW44070023", True),
        ("fedex", "477179081230", True),
        ("fedex", "790535312317", True),
        ("fedex", "799531274483", True),
        ("fedex", "974367662710", True),
        ("usps", "71123456789123456787", True),
        ("usps", "9505511069605048600624", True),
        ("s10", "RR473124829FI", True),
        ("s10", "RR473124820FI", False),
    ],
)
def test_check_digits_of_published_examples(carrier, number, right):
    assert carriers.check(carrier, number) is right


def test_browsers_learn_every_form_and_its_check():
    told = carriers.for_browsers()

    assert told["yamato"] == {"forms": ["[0-9]{12}"], "check": "mod7"}
    assert told["other"] == {"forms": [], "check": None}
    assert set(told) == {carrier.code for carrier in carriers.CARRIERS}
    assert carriers.has_form("yamato", "4444-1375-8703")
    assert not carriers.has_form("yamato", "4444-1375-870")
    assert not carriers.has_form("pigeon", "4444-1375-8703")
    no_page = {"yamato": ""}
    assert carriers.tracking_url("yamato", "444413758703", templates=no_page) is None
