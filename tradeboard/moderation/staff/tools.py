"""The pages of the desk that hold no queue, in one list."""

from flask import current_app, render_template, url_for
from flask_babel import gettext as _
from flask_login import current_user

from tradeboard.accounts.rules.permissions import Act
from tradeboard.moderation.staff.blueprint import bp
from tradeboard.web import access


@bp.get("/tools")
@access.permits(Act.OPEN_DESK)
def tools():
    """Show the way to every other page of the desk."""
    groups = [
        (
            _("見回る"),
            [
                ("desk.signals", "alert", _("気になる投稿")),
                ("desk.notes", "flag", _("確認メモ")),
                ("desk.stats", "chart", _("数の移り変わり")),
            ],
        ),
        (
            _("動きを確かめる"),
            [
                ("desk.system", "server", _("システム")),
                ("desk.outbox", "mail", _("メール")),
                ("desk.audit", "lock", _("監査ログ")),
            ],
        ),
        (
            _("サイトを整える"),
            [
                ("desk.announcements", "bell", _("お知らせ")),
                ("desk.site_settings", "settings", _("サイトの設定")),
                ("desk.help_pages", "help", _("ヘルプの文章")),
                ("desk.terms_versions", "list", _("利用規約の版")),
                ("accounts_staff.domains", "globe", _("メールのドメインの一覧")),
            ],
        ),
    ]
    return render_template("moderation/tools.html", groups=_known(groups))


def _known(groups):
    """Leave out what the reader may not open; a group without a page goes, too."""
    found = [
        (
            heading,
            [
                (url_for(endpoint), drawing, words)
                for endpoint, drawing, words in links
                if _may_open(endpoint)
            ],
        )
        for heading, links in groups
    ]
    return [group for group in found if group[1]]


def _may_open(endpoint):
    act = access.act_of(current_app, endpoint)
    return act is not None and current_user.may(act)
