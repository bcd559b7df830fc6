"""Charts of the desk: drawn on the server, with a table and a file of the numbers."""

from flask import Response, render_template, request
from flask_babel import gettext as _

from tradeboard.accounts.rules.permissions import Act
from tradeboard.blacklist.rules import wording
from tradeboard.core import clock, sheets
from tradeboard.core.errors import NotFound
from tradeboard.moderation import queries
from tradeboard.moderation.rules import charts as rules
from tradeboard.moderation.staff.blueprint import bp
from tradeboard.trades.rules.findings import Finding
from tradeboard.web import access
from tradeboard.web.languages import translate
from tradeboard.web.readable import whole


@bp.get("/stats")
@access.permits(Act.READ_STATS)
def stats():
    """Show every chart over some weeks."""
    weeks, now = _weeks(), clock.now()
    return render_template(
        "moderation/stats.html",
        charts=[chart(now, weeks) for chart in queries.CHARTS.values()],
        weeks=weeks,
        rules=rules,
        titles=_titles(),
        units=_units(),
        words=_words(),
    )


@bp.get("/stats/<name>.csv")
@access.permits(Act.READ_STATS)
def stats_file(name):
    """Give the numbers of one chart as a file."""
    if name not in queries.CHARTS:
        raise NotFound("このグラフはありません。")
    chart = queries.CHARTS[name](clock.now(), _weeks())
    words = _words()
    heads = [words.get(series.code, series.code) for series in chart.series]
    rows = [[_titles()[name], *heads]]
    for place, label in enumerate(chart.labels):
        shown = label if chart.is_weekly else words.get(str(label), label)
        rows.append([shown, *(series.values[place] for series in chart.series)])
    return Response(
        sheets.write(rows),
        mimetype="text/csv",
        headers={"Content-Disposition": f'attachment; filename="{name}.csv"'},
    )


def _weeks():
    asked = whole(request.args.get("weeks"))
    return asked if asked in rules.PERIODS else rules.PERIODS[0]


def _titles():
    return {
        "trades": _("取引の終わり方（週ごと）"),
        "steps": _("段階ごとにかかった日数（中央値）"),
        "on_time": _("期限内に終わった割合（週ごと）"),
        "entries": _("記録の状態"),
        "findings": _("記録の区分"),
        "lifted": _("14日以内に解除された記録（週ごと）"),
        "appeals": _("待っている異議の日数"),
        "sign_ups": _("新しい登録（週ごと）"),
        "bounces": _("届けられなかったメール（週ごと）"),
        "scheduler": _("自動処理が最後にうまくいってから"),
    }


def _units():
    return {
        "count": _("単位：件"),
        "days": _("単位：日"),
        "percent": _("単位：％"),
        "minutes": _("単位：分"),
    }


def _words():
    """Say what a series or a label is called; names of jobs stay as they are."""
    return {
        "received": _("受取完了"),
        "defaulted": _("期限超過"),
        "cancelled": _("取り消し"),
        "declined": _("見送り"),
        "withdrawn": _("取り下げ"),
        "lapsed": _("返事なしで終了"),
        "agree": _("申し込みから合意まで"),
        "call": _("合意から電話確認まで"),
        "dispatch": _("電話確認から発送まで"),
        "receive": _("最初の発送から受け取りまで"),
        "median": _("中央値"),
        "rate": _("期限内の割合"),
        "every": _("発送のあった取引"),
        "state": _("件数"),
        "finding": _("件数"),
        "held": _("保留・非公開"),
        "listed": _("登録あり・自動・審査待ち"),
        "upheld": _("登録あり・確認済み"),
        "expired": _("期間満了"),
        "lifted": _("解除"),
        "entered": _("すべての記録"),
        "open": _("件数"),
        "days_3": _("3日まで"),
        "days_7": _("7日まで"),
        "days_14": _("14日まで"),
        "longer": _("14日より長い"),
        "registered": _("登録した人"),
        "confirmed": _("アドレスを確認した人"),
        "dead": _("件数"),
        "ago": _("分"),
        **{found.value: translate(wording.FINDINGS[found]) for found in Finding},
    }
