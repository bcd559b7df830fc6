"""What the page of one's own data accepts."""

from flask_babel import lazy_gettext as _l
from wtforms import PasswordField

from tradeboard.web.fields import AtMost, Form, Required


class ExportForm(Form):
    """The password, so that nobody else takes the data away."""

    password = PasswordField(
        _l("いまのパスワード"),
        [Required("パスワードを入力してください"), AtMost(1024)],
        render_kw={"autocomplete": "current-password"},
    )
