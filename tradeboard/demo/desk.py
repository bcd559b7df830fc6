"""What the desk has to do: reports, a warning, twins of a listing, an announcement."""

from datetime import datetime, timedelta

from tradeboard.accounts.models import Account
from tradeboard.demo import people as who
from tradeboard.demo.scene import Act, Scene
from tradeboard.listings import services as listings
from tradeboard.listings.rules import LineData, ListingData
from tradeboard.moderation import services as desk
from tradeboard.reports import queries as reports
from tradeboard.reports import services
from tradeboard.reports.rules import Outcome, Reason
from tradeboard.site.rules import Level

SAME = "まとめて交換します。返事は早いです。気になる人は申し込んでください。"
COPIED = ((who.TSUKIMI, 2.2), (who.MIDORI, 1.9))


def tell(scene: Scene) -> None:
    """Members report, a moderator warns, an admin tells everybody something."""
    ago = scene.ago
    for handle, days in COPIED:
        scene.let(handle, ago(days), _post)
    scene.let(
        who.AOI, ago(6), _report(who.INUMARU, Reason.SPAM, "何度も同じ連絡です。")
    )
    scene.let(who.HIIRAGI, ago(5), _warn)
    scene.let(
        who.RIN,
        ago(1.5),
        _report(who.TSUKIMI, Reason.SPAM, "Seen twice by two people."),
    )
    scene.let(who.NONOKA, ago(0, 9), _report(who.KIRISHIMA, Reason.CONTACT, ""))
    scene.let(who.HIIRAGI, ago(3), _note)
    scene.let(who.KUSUNOKI, ago(1), _announce)


def _post(by: Account, now: datetime) -> None:
    draft = listings.start({}, by=by, now=now)
    data = ListingData(
        have=(LineData("星詠みの魔導師", 1, condition="B", language="ja"),),
        want=(LineData("銀鱗の海竜", 1),),
        note=SAME,
        ships_from="13",
        ships_to="domestic",
    )
    listings.post(draft.id, data, by=by, now=now)


def _report(handle: str, reason: Reason, words: str) -> Act:
    def report(by: Account, now: datetime) -> None:
        target = reports.target_of_person(handle)
        services.report(target, reason, words, by=by, now=now)

    return report


def _warn(by: Account, now: datetime) -> None:
    sentence = "同じ文を何度も送らないでください。"
    services.settle(1, Outcome.WARNED, sentence, by=by, now=now)


def _note(by: Account, now: datetime) -> None:
    person = reports.target_of_person(who.INUMARU)
    words = "警告のあと、連絡は落ち着いた。"
    services.remark(person.account_id, words, by=by, now=now)


def _announce(by: Account, now: datetime) -> None:
    desk.announce(
        Level.INFO,
        "年末年始も期限は止まりません。早めに発送してください。",
        "Due times do not stop over the turn of the year. Please send early.",
        "年末に発送が遅れる人が多いため",
        starts_at=now,
        ends_at=now + timedelta(days=21),
        by=by,
        now=now,
    )
