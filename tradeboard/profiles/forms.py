"""What the pages of one's own name and of leaving accept."""

from flask_babel import lazy_gettext as _l
from wtforms import PasswordField, StringField

from tradeboard.web.fields import AtMost, Form, Required

HANDLE = {"autocomplete": "nickname", "spellcheck": "false"}
OLD = {"autocomplete": "current-password"}


class RenameForm(Form):
    """Another name; the rules judge it exactly as it was typed."""

    handle = StringField(
        _l("新しいハンドル"),
        [Required("ハンドルを入力してください")],
        render_kw=HANDLE,
    )


class CloseForm(Form):
    """The password, so that nobody else closes the account."""

    password = PasswordField(
        _l("いまのパスワード"),
        [Required("パスワードを入力してください"), AtMost(1024)],
        render_kw=OLD,
    )
