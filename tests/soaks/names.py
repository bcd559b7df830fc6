"""S13: nobody is called what a listed person could be taken for, honest names pass."""

import json
from pathlib import Path

from sqlalchemy import select

from tests.factories import make_account
from tests.soaks.telling import Telling
from tradeboard.accounts.models import Handle
from tradeboard.accounts.rules.handles import Verdict, check_handle, skeleton
from tradeboard.core.db import db

VECTORS = Path(__file__).parents[1] / "vectors" / "handle.json"

# What a listed person is called, and what somebody would be called in his place.
PAIRS = """
サトウ さとう|サトウ ｻﾄｳ|サト一 サトー|ユーザー ユーザーー|ヴィオラ う゛ぃおら
たなかけん タナカケン|たなかけん たなか・けん|たなかけん たなか_けん
たなかけん たなか けん|山田太郎 山田太郎_|山田太郎 山田.太郎
Ken_Yamada ken.yamada|Ken_Yamada KENYAMADA|Ken_Yamada Ｋｅｎ＿Ｙａｍａｄａ
Ken_Yamada ken-yamada|wolfgang vvolfgang|modern rnodern|Modern modern
oliver 0liver|oliver OLIVER|oliver o1iver|oliver oIiver|illinois i11inois
alice аlice|alice a1ice|alice aIice|alice Alice|alice ＡＬＩＣＥ|peter рeter
cosmo сosmo|cosmo c0smo|cosmo соsmo|xenia хenia|bob b0b|bob BOB|bob вов
Ёлка елка|Ёлка ЁЛКА|Москва МОСКВА|Москва москва|Москва Mocква
ヶ丘さん け丘さん|八一ト はーと|ﾎﾟﾁ ポチ|ﾎﾟﾁ ぽち|ポチ2 ポチ２
たろう タロウ|たろう たろぅ|ガンダ カ゛ンダ|パンダ ハ゜ンダ|ぎんが ギンガ
𠮷野家 吉野家|髙橋 高橋|café cafe|café CAFÉ|naïve naive
dragon drag0n|dragon DRAGON|dragon dгаgon|mirror mirr0r|kumo kum0
taro_1 taro_l|taro_1 taro_I|zoo z00|zoo zоо|summer surnmer|savvy sawy
민수 민수_|민수 민.수|小明 小明.|小明 小_明|лена ЛЕНА|лена лeна
"""
# Names of people in five languages, as they would type them.
HONEST = """
さとう みなと はるか ゆうき そら ひなた りく あおい さくら つばめ
サトシ ミサキ カナデ レン リン コハク ツムギ ヒナタ ユズ ナギ
山田 佐藤太郎 高橋 中村さん 小林 渡辺健 伊藤 木村 林檎 鈴木
Taro Emma Oliver Sophie Liam Grace Henry Lucas Chloe Maxwell
Müller Zoë François Søren Jürgen Renée Ångström Łukasz José Anaïs
민수 지우 서연 하준 도윤 小明 志强 美玲 建国 雅婷
"""


def s13(app, *, quick: bool) -> dict:
    """Compare the pairs by what reads alike; register the honest names."""
    told = Telling("S13", quick)
    pairs, vectors = _pairs(), json.loads(VECTORS.read_text(encoding="utf-8"))
    pairs += [(v["a"], v["b"]) for v in vectors if v.get("relation") == "same"]
    accepted = [pair for pair in pairs if not _is_refused(*pair)]
    told.check(not accepted, f"accepted beside each other: {accepted}")
    honest = HONEST.split() + [v["input"] for v in vectors if v.get("code") == "ok"]
    refused = [
        (name, check_handle(name).code)
        for name in honest
        if check_handle(name).verdict is Verdict.REFUSE
    ]
    told.check(not refused, f"refused: {refused}")
    _register(told)
    return told.tell(
        n=len(pairs) + len(honest),
        pairs=len(pairs),
        honest=len(honest),
        false_accept=len(accepted),
        false_reject=len(refused),
    )


def _pairs() -> list[tuple[str, str]]:
    """Return who is listed, and who would like to be called so."""
    lines = PAIRS.strip().replace("\n", "|").split("|")
    return [(one, other) for one, _, other in (line.partition(" ") for line in lines)]


def _is_refused(one: str, other: str) -> bool:
    """Tell whether the second cannot be had while the first is somebody's."""
    found = check_handle(other)
    return found.verdict is Verdict.REFUSE or skeleton(one) == skeleton(other)


def _register(told: Telling) -> None:
    """The table itself lets nobody have a name that reads like another."""
    make_account("oliver")
    found = select(Handle).where(Handle.skeleton == skeleton("0LIVER"))
    told.check(db.session.scalars(found).one_or_none() is not None, "not by skeleton")
