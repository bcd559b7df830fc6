"""Trades that have ended, and what came of those that fell due."""

from datetime import datetime, timedelta

from tradeboard.accounts.models import Account
from tradeboard.blacklist import queries as blacklist
from tradeboard.blacklist.rules.entries import LiftReason, UpholdReason
from tradeboard.blacklist.services import receipts, review, statements
from tradeboard.demo import people as who
from tradeboard.demo.deal import Deal
from tradeboard.demo.rated import begun, hidden, rated, revealed
from tradeboard.demo.scene import Scene
from tradeboard.trades.rules import clock
from tradeboard.trades.rules.states import ProposalKind
from tradeboard.trades.services import closing, negotiation, proposals

HOUR, DAY = timedelta(hours=1), timedelta(days=1)


def tell(scene: Scene) -> None:
    """Tell of all of them."""
    for story in (
        _received,
        _without_agreement,
        _cancelled,
        _listed,
        _upheld,
        _held,
        _lifted,
    ):
        story(scene)


def _received(scene: Scene) -> None:
    """Everything came as agreed."""
    ago = scene.ago
    for key, proposer, given, days in (
        ("みなと/rose", who.HARU, {"verdant": 2}, 20),
        ("つばめ/steel", who.NONOKA, {"siren": 1}, 22),
        ("K.Nakao/hats", who.TSUBAME, {"fox": 1}, 19),
    ):
        deal = Deal(scene, key, proposer, given)
        deal.first_sent(deal.poster, ago(days))
        deal.sent(proposer, ago(days - 1))
        deal.arrived(proposer, ago(days - 3))
        deal.arrived(deal.poster, ago(days - 4))
        deal.said(proposer, ago(days - 3), _thanks(proposer))
        _rated(scene, deal)


def _rated(scene: Scene, deal: Deal) -> None:
    """One is shown for both, one by time, one waits for the partner's."""
    ago = scene.ago
    if deal.key == "みなと/rose":
        rated(deal, who.HARU, ago(16), "good", "Great trade.", "packing", "quick")
        rated(deal, who.MINATO, ago(15), "good", "また交換しましょう。", "replies")
        hidden(scene, deal, who.HARU, ago(1))
    elif deal.key == "つばめ/steel":
        rated(deal, who.NONOKA, ago(18), "fair", "発送まで少しかかりました。", "slow")
        revealed(deal, ago(4))
    else:
        rated(deal, who.NAKAO, ago(5), "good", "角まできれいなカードでした。")
        begun(deal, who.TSUBAME, ago(1, 5), "good", "連絡がていねいでした。")


def _thanks(handle: str) -> str:
    if who.BY_HANDLE[handle].language == "en":
        return "It has arrived, thank you for packing it so well."
    return "届きました。ていねいな梱包をありがとうございました。"


def _without_agreement(scene: Scene) -> None:
    """Declined, withdrawn, lapsed."""
    ago, let = scene.ago, scene.let
    no = Deal(scene, "みなと/gate", who.SORA, {"storm": 1})
    no.offered(ago(7))
    let(who.MINATO, ago(6), lambda by, now: negotiation.decline(no.id, by=by, now=now))

    back = Deal(scene, "tsukimi/gold", who.MINATO, {"crimson": 1})
    back.offered(ago(16))
    let(
        who.MINATO,
        ago(15),
        lambda by, now: negotiation.withdraw(back.id, by=by, now=now),
    )

    silent = Deal(scene, "Haru/aegis", who.RIN, {"sand": 1})
    silent.offered(ago(4))
    scene.diary.on(
        ago(4) + clock.TO_ANSWER, lambda now: negotiation.lapse(silent.id, now=now)
    )


def _cancelled(scene: Scene) -> None:
    """By consent, by silence, without a call, without a dispatch, settled."""
    ago, on = scene.ago, scene.diary.on
    consent = Deal(scene, "ののか/gate", who.SHIRATAMA, {"azure": 1})
    consent.agreed(ago(20))
    consent.proposed(who.SHIRATAMA, ProposalKind.CANCEL, ago(19))
    consent.consented(who.NONOKA, ProposalKind.CANCEL, ago(18))

    uncalled = Deal(scene, "みなと/hour", who.MIDORI, {"gold": 1})
    uncalled.agreed(ago(20))
    on(
        ago(20) + clock.TO_CALL,
        lambda now: closing.cancel_quiet(uncalled.id, now=now),
    )

    unsent = Deal(scene, "tsukimi/gold", who.NAKAO, {"crimson": 1})
    unsent.called(ago(12))
    on(
        ago(12) + clock.TO_DISPATCH,
        lambda now: closing.cancel_quiet(unsent.id, now=now),
    )

    silence = Deal(scene, "つばめ/violet", who.SHIRATAMA, {"azure": 1})
    silence.agreed(ago(9))
    silence.proposed(who.TSUBAME, ProposalKind.CANCEL, ago(8))
    on(ago(8) + clock.SILENCE_CANCELS, lambda now: _settle_silent(silence, now))

    settled = Deal(scene, "Haru/storm", who.TSUKIMI, {"hour": 1})
    settled.first_sent(who.TSUKIMI, ago(36))
    words = "I send the card back at my own cost, and you keep yours."
    settled.proposed(who.HARU, ProposalKind.SETTLE, ago(30), words)
    settled.consented(who.TSUKIMI, ProposalKind.SETTLE, ago(29))


def _settle_silent(deal: Deal, now: datetime) -> None:
    [proposal] = deal.trade.proposals
    proposals.settle_silent(proposal.id, now=now)


def _listed(scene: Scene) -> None:
    """黒翼 never sent and is listed; あおい's parcel is unconfirmed and held."""
    ago = scene.ago
    deal = Deal(scene, "黒翼/crimson", who.AOI, {"violet": 1})
    deal.first_sent(who.AOI, ago(14, 20), photo=True)
    deal.said(who.AOI, ago(14, 19), "発送しました。追跡番号を入れてあります。")
    deal.said(who.KUROBANE, ago(9), "今週は忙しいので、来週送ります。")
    deal.said(who.AOI, ago(4), "追跡では配達完了になっています。届いていますか。")
    deal.said(who.KUROBANE, ago(3), "来週送ります。")
    deal.fell_due(ago(0, 20))
    words = "追跡では、発送の3日後に配達完了になっています。"
    scene.let(
        who.AOI,
        ago(0, 12),
        lambda by, now: statements.state(_entry_of(by), words, by=by, now=now),
    )


def _upheld(scene: Scene) -> None:
    """銀狼 sent without tracking, it never came, and a moderator upheld it."""
    ago = scene.ago
    deal = Deal(scene, "銀狼/gate", who.SORA, {"siren": 1})
    deal.first_sent(who.SORA, ago(98))
    deal.sent(who.GINRO, ago(94), tracked=False)
    deal.arrived(who.GINRO, ago(93))
    deal.said(who.SORA, ago(86), "It has not arrived yet. Do you have a receipt?")
    deal.fell_due(ago(84))
    words = "期限までに受け取りが確認されず、配達を示すものも出ていません。"

    def uphold(by: Account, now: datetime) -> None:
        entry = blacklist.get_entry(_entry_of(scene.person(who.GINRO)))
        review.uphold(
            entry.id, entry.version, UpholdReason.RECORD, words, by=by, now=now
        )

    scene.let(who.HIIRAGI, ago(80), uphold)


def _held(scene: Scene) -> None:
    """霧島 contested in time; Sora held back, 犬丸 the other way round."""
    ago = scene.ago
    contested = Deal(scene, "霧島/hour", who.NONOKA, {"steel": 1})
    contested.first_sent(who.KIRISHIMA, ago(16))
    contested.sent(who.NONOKA, ago(15))
    contested.arrived(who.KIRISHIMA, ago(12))
    contested.said(who.NONOKA, ago(6), "まだ届いていません。")
    contested.contested(who.KIRISHIMA, ago(2, 3), delivered=ago(13))
    contested.fell_due(ago(2))

    withheld = Deal(scene, "犬丸/crimson", who.SORA, {"aegis": 1})
    withheld.first_sent(who.INUMARU, ago(17), tracked=False)
    withheld.said(who.SORA, ago(8), "Nothing has come so far. I will wait with mine.")
    withheld.withheld(who.SORA, ago(7))
    withheld.fell_due(ago(3))


def _lifted(scene: Scene) -> None:
    """Lifted because it had come in time, and by a moderator after a look."""
    ago = scene.ago
    late = Deal(scene, "みなと/hour", who.HARU, {"sand": 1}, {"sand": 1})
    late.first_sent(who.HARU, ago(17, 2))
    late.sent(who.MINATO, ago(16, 2))
    late.arrived(who.HARU, ago(10))
    late.fell_due(ago(3, 2))

    def confirm(by: Account, now: datetime) -> None:
        leg = late.trade.leg_from(scene.person(who.HARU).id)
        receipts.confirm_late(leg.id, arrived_at=now - 2 * DAY, by=by, now=now)

    scene.let(who.MINATO, ago(2, 2), confirm)

    moved = Deal(scene, "みどり池/fox", who.NAKAO, {"tide": 1})
    moved.offered(ago(18))
    moved.said(who.NAKAO, ago(17, 20), "よろしくお願いします。")
    scene.let(
        who.MIDORI,
        ago(17, 18),
        lambda by, now: negotiation.decline(moved.id, by=by, now=now),
    )

    proven = Deal(scene, "つばめ/steel", who.KIRISHIMA, {"sand": 1}, {"steel": 1})
    proven.first_sent(who.TSUBAME, ago(20, 5))
    proven.arrived(who.KIRISHIMA, ago(17))
    proven.sent(who.KIRISHIMA, ago(16))
    proven.fell_due(ago(6, 5))
    words = "追跡で、期限の前の日に配達されたことを確かめました。"

    def lift(by: Account, now: datetime) -> None:
        [entry] = [
            one
            for one in blacklist.entries_of(scene.person(who.KIRISHIMA).id)
            if one.trade_id == proven.id
        ]
        review.lift_by_moderator(
            entry.id, entry.version, LiftReason.DELIVERED, words, by=by, now=now
        )

    scene.let(who.MORGAN, ago(5), lift)


def _entry_of(account: Account) -> int:
    [entry] = blacklist.entries_of(account.id)
    return entry.id
