"""Trades that are under way: one in every state and sub-state."""

from tradeboard.demo import people as who
from tradeboard.demo.deal import Deal
from tradeboard.demo.scene import Scene
from tradeboard.trades.rules.states import ProposalKind


def tell(scene: Scene) -> None:
    """Tell of all of them."""
    for story in (_negotiating, _calling, _ready, _sending, _marked, _near):
        story(scene)


def _negotiating(scene: Scene) -> None:
    """Whose turn it is: みなと after two counters, Haru, tsukimi."""
    ago = scene.ago
    deal = Deal(scene, "みなと/storm", who.NAKAO, {"hour": 1})
    deal.offered(ago(2), "時告げの番人は美品です。")
    deal.countered(
        who.MINATO, ago(1, 6), asked={"storm": 2}, note="2枚までなら出せます。"
    )
    deal.countered(
        who.NAKAO,
        ago(0, 21),
        asked={"storm": 3},
        given={"hour": 1, "sand": 2},
        note="3枚お願いできれば、砂時計の旅人を2枚つけます。",
    )
    Deal(scene, "Haru/aegis", who.MINATO, {"gate": 1, "fox": 1}).offered(
        ago(1, 3), "日本の住所に送っていただけますか。"
    )
    Deal(scene, "つばめ/violet", who.RIN, {"azure": 1}).offered(
        ago(0, 9), "My card is near mint, I can send photos of every corner."
    )
    Deal(scene, "ののか/siren", who.TSUKIMI, {"lantern": 1}).offered(ago(0, 5))


def _calling(scene: Scene) -> None:
    """Agreed, then sealed by one, revealed, and closed after three rounds."""
    ago = scene.ago
    Deal(scene, "つばめ/gold", who.SHIRATAMA, {"hats": 1}).agreed(ago(0, 14))

    sealed = Deal(scene, "白玉/hats", who.MINATO, {"gold": 1})
    sealed.agreed(ago(1, 4))
    sealed.sealed(who.SHIRATAMA, ago(0, 22))
    sealed.said(
        who.SHIRATAMA, ago(0, 21), "番号を入れました。平日は20時以降に出られます。"
    )

    revealed = Deal(scene, "みなと/gate", who.TSUKIMI, {"aegis": 1})
    revealed.agreed(ago(1, 20))
    revealed.sealed(who.TSUKIMI, ago(1, 2))
    revealed.sealed(who.MINATO, ago(0, 6))
    revealed.said(who.TSUKIMI, ago(0, 4), "今夜21時ごろ、こちらからお電話します。")

    abroad = Deal(scene, "K.Nakao/crimson", who.HARU, {"rose": 2})
    abroad.agreed(ago(3, 8))
    abroad.sealed(who.HARU, ago(2, 12))
    abroad.sealed(who.NAKAO, ago(2, 6))
    abroad.said(who.HARU, ago(2, 5), "Could we talk on Sunday evening, Japan time?")

    closed = Deal(scene, "K.Nakao/rose", who.MIDORI, {"lantern": 1})
    closed.agreed(ago(4))
    closed.sealed(who.NAKAO, ago(3, 20))
    closed.sealed(who.MIDORI, ago(3, 18))
    for n in range(15):
        closed.typed(who.MIDORI, ago(1, 2, 30 - n), "うみ さくら")
    closed.said(who.MIDORI, ago(1, 1), "電話の音が遠くて聞き取れませんでした。")


def _ready(scene: Scene) -> None:
    """The call is confirmed: nothing sent yet; a cancellation is proposed."""
    ago = scene.ago
    ready = Deal(scene, "みなと/tide", who.NONOKA, {"rose": 1})
    ready.called(ago(2, 3))
    ready.said(who.NONOKA, ago(2, 2), "お電話ありがとうございました。週末に出します。")

    asked = Deal(scene, "Rin/gold", who.NAKAO, {"hats": 1})
    asked.called(ago(3, 1))
    asked.proposed(
        who.NAKAO,
        ProposalKind.CANCEL,
        ago(1, 8),
        "カードに折れが見つかりました。今回は取り消しをお願いします。",
    )


def _sending(scene: Scene) -> None:
    """One parcel is on its way, then both, then one has come."""
    ago = scene.ago
    one = Deal(scene, "みなと/azure", who.TSUBAME, {"violet": 1})
    one.first_sent(who.TSUBAME, ago(2, 5, 20), photo=True)
    one.said(who.TSUBAME, ago(2, 5), "発送しました。到着は火曜の予定です。", photo=True)
    one.said(who.MINATO, ago(0, 2), "ありがとうございます。こちらは明日出します。")
    one.phrased(who.TSUBAME, ago(0, 1), "thanks")

    both = Deal(scene, "つばめ/tide", who.HARU, {"verdant": 1})
    both.first_sent(who.HARU, ago(6, 2))
    both.sent(who.TSUBAME, ago(5, 1))
    both.said(who.HARU, ago(6), "It takes about ten days from here.")
    both.phrased(who.TSUBAME, ago(3), "not_yet")
    both.phrased(who.HARU, ago(0, 20), "nudge")

    half = Deal(scene, "tsukimi/tide", who.SHIRATAMA, {"verdant": 1})
    half.first_sent(who.TSUKIMI, ago(4, 20))
    half.sent(who.SHIRATAMA, ago(4, 2), photo=True)
    half.arrived(who.SHIRATAMA, ago(1, 1))


def _marked(scene: Scene) -> None:
    """Extended, an extension proposed, contested, withheld, not as agreed."""
    ago = scene.ago
    longer = Deal(scene, "Haru/violet", who.TSUKIMI, {"azure": 1})
    longer.first_sent(who.TSUKIMI, ago(11))
    longer.proposed(who.HARU, ProposalKind.EXTEND, ago(6), "Customs takes a while.")
    longer.consented(who.TSUKIMI, ProposalKind.EXTEND, ago(5, 12))
    longer.sent(who.HARU, ago(4))

    asked = Deal(scene, "みどり池/verdant", who.NONOKA, {"gate": 1})
    asked.first_sent(who.MIDORI, ago(9))
    asked.proposed(
        who.NONOKA,
        ProposalKind.EXTEND,
        ago(0, 20),
        "出張で発送が遅れます。7日の延長をお願いできますか。",
    )

    contested = Deal(scene, "tsukimi/aegis", who.KIRISHIMA, {"gate": 1})
    contested.first_sent(who.TSUKIMI, ago(8, 3))
    contested.sent(who.KIRISHIMA, ago(7, 2))
    contested.arrived(who.TSUKIMI, ago(5))
    contested.contested(who.TSUKIMI, ago(1), delivered=ago(5))

    withheld = Deal(scene, "白玉/verdant", who.TSUBAME, {"storm": 2}, {"verdant": 2})
    withheld.first_sent(who.TSUBAME, ago(9, 4), tracked=False)
    withheld.withheld(who.SHIRATAMA, ago(0, 16))
    withheld.said(
        who.SHIRATAMA,
        ago(0, 15),
        "荷物がまだ届かないので、こちらの発送を見合わせています。",
    )

    differs = Deal(scene, "ののか/rose", who.NAKAO, {"crimson": 1})
    differs.first_sent(who.NONOKA, ago(10))
    differs.sent(who.NAKAO, ago(9, 12))
    differs.arrived(
        who.NONOKA, ago(6), differs="左上の角に白い欠けがあります。合意は状態Aでした。"
    )
    differs.arrived(who.NAKAO, ago(5))


def _near(scene: Scene) -> None:
    """Due tomorrow, and due three minutes from now."""
    ago = scene.ago
    soon = Deal(scene, "みどり池/fox", who.MINATO, {"tide": 1})
    soon.first_sent(who.MIDORI, ago(14, -36, 10))
    soon.sent(who.MINATO, ago(11, 3))
    soon.arrived(who.MIDORI, ago(9))
    soon.said(who.MIDORI, ago(8, 20), "届きました。きれいな状態で安心しました。")

    due = Deal(scene, "みなと/fox", who.INUMARU, {"hats": 1})
    due.first_sent(who.MINATO, ago(14, 0, -3))
    due.arrived(who.INUMARU, ago(11))
    due.said(who.INUMARU, ago(11), "届きました。こちらは来週送ります。")
    due.said(who.MINATO, ago(4), "発送はいつごろになりますか。")
    due.said(who.INUMARU, ago(3, 12), "すみません、明日出します。")
