"""What the page of keys accepts."""

from flask_babel import lazy_gettext as _l
from wtforms import PasswordField, RadioField, SelectMultipleField
from wtforms.fields.choices import SelectChoice
from wtforms.widgets import CheckboxInput

from tradeboard.api import rules
from tradeboard.api.rules import Scope
from tradeboard.web.fields import AtMost, Form, LineField, OneOf, Required
from tradeboard.web.languages import translate

FOR_EVER = "0"


class KeyForm(Form):
    """A new key: what it is for, what it may do, how long; the password again."""

    name = LineField(
        _l("鍵の名前"),
        [Required("鍵の名前を入れてください。"), AtMost(rules.LONGEST_NAME)],
        description=_l("どのボットやサイトで使うかがわかる名前にします。"),
        render_kw={"autocomplete": "off"},
    )
    scopes = SelectMultipleField(
        _l("鍵でできること"),
        option_widget=CheckboxInput(),
        default=[Scope.BULK.value],
        choices=[],
    )
    lasts = RadioField(
        _l("有効な期間"),
        [OneOf("有効な期間を選んでください。")],
        default=FOR_EVER,
        choices=[
            SelectChoice(FOR_EVER, _l("無効にするまで")),
            *(SelectChoice(str(n), _l("%(n)s日間", n=n)) for n in rules.LASTING),
        ],
    )
    password = PasswordField(
        _l("いまのパスワード"),
        [Required("パスワードを入力してください"), AtMost(1024)],
        render_kw={"autocomplete": "current-password"},
    )

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.scopes.choices = [
            SelectChoice(scope.value, translate(words))
            for scope, words in rules.SCOPES.items()
        ]

    @property
    def days(self) -> int | None:
        """Return how long the key is to last, None for ever."""
        return None if self.lasts.data == FOR_EVER else int(self.lasts.data)
