"""What the pages of accounts accept; nothing typed is ever emptied but passwords."""

from flask_babel import lazy_gettext as _l
from wtforms import HiddenField, PasswordField, SelectField, StringField
from wtforms.fields.choices import SelectChoice

from tradeboard.accounts.rules.holds import LONGEST_STATEMENT
from tradeboard.accounts.services.reasons import LONGEST as LONGEST_WHY
from tradeboard.web.fields import (
    AtMost,
    Form,
    LineField,
    OneOf,
    Required,
    TextField,
)
from tradeboard.web.strangers import StrangerForm

EMAIL = {"autocomplete": "email", "inputmode": "email", "spellcheck": "false"}
LOGIN = {"autocomplete": "username", "spellcheck": "false", "autocapitalize": "none"}
CODE = {
    "autocomplete": "one-time-code",
    "spellcheck": "false",
    "autocapitalize": "characters",
}
OLD = {"autocomplete": "current-password"}
NEW = {"autocomplete": "new-password"}

EMPTY_EMAIL = "メールアドレスを入力してください"
EMPTY_PASSWORD = "パスワードを入力してください"
EMPTY_CODE = "コードを入力してください"


class RegisterForm(StrangerForm):
    """Who somebody wants to be here; the rules alone tidy a handle."""

    handle = StringField(
        _l("ハンドル"),
        [Required("ハンドルを入力してください")],
        render_kw={"autocomplete": "nickname", "spellcheck": "false"},
    )
    email = StringField(_l("メールアドレス"), [Required(EMPTY_EMAIL)], render_kw=EMAIL)
    password = PasswordField(
        _l("パスワード"), [Required(EMPTY_PASSWORD)], render_kw=NEW
    )
    next = HiddenField()


class LoginForm(Form):
    """Name and password; `carried` is a form that was sent while signed out."""

    email = StringField(
        _l("メールアドレスまたはハンドル"),
        [Required("メールアドレスかハンドルを入力してください"), AtMost(320)],
        render_kw=LOGIN,
    )
    password = PasswordField(
        _l("パスワード"), [Required(EMPTY_PASSWORD), AtMost(1024)], render_kw=OLD
    )
    next = HiddenField()
    carried = HiddenField()


class CodeForm(Form):
    """A code of the app, or a recovery code; `carried` as at the log-in."""

    code = StringField(
        _l("確認コード"), [Required(EMPTY_CODE), AtMost(100)], render_kw=CODE
    )
    next = HiddenField()
    carried = HiddenField()


class ProveForm(Form):
    """Password or code once more; `carried` is the form that waits for it."""

    password = PasswordField(
        _l("いまのパスワード"), [Required(EMPTY_PASSWORD), AtMost(1024)], render_kw=OLD
    )
    code = StringField(
        _l("確認コード"), [Required(EMPTY_CODE), AtMost(100)], render_kw=CODE
    )
    next = HiddenField()
    carried = HiddenField()


class PasskeyForm(Form):
    """What a device answers; script fills it in."""

    answer = HiddenField(validators=[AtMost(20_000)])
    next = HiddenField()
    carried = HiddenField()


class NewPasskeyForm(Form):
    """A passkey that a device has made, and what its owner calls it."""

    name = LineField(
        _l("パスキーの名前"), [AtMost(40)], render_kw={"autocomplete": "off"}
    )
    answer = HiddenField(validators=[AtMost(20_000)])


class EmailForm(StrangerForm):
    """An address to write to."""

    email = StringField(
        _l("メールアドレス"), [Required(EMPTY_EMAIL), AtMost(320)], render_kw=EMAIL
    )


class ChangeEmailForm(Form):
    """A new primary address, and the password that proves who asks."""

    email = StringField(
        _l("新しいメールアドレス"), [Required(EMPTY_EMAIL)], render_kw=EMAIL
    )
    password = PasswordField(
        _l("いまのパスワード"), [Required(EMPTY_PASSWORD), AtMost(1024)], render_kw=OLD
    )


class NewPasswordForm(Form):
    """A new password, typed once: the button shows it."""

    new_password = PasswordField(
        _l("新しいパスワード"), [Required(EMPTY_PASSWORD)], render_kw=NEW
    )


class PasswordForm(NewPasswordForm):
    """The same, by somebody who is signed in."""

    password = PasswordField(
        _l("いまのパスワード"), [Required(EMPTY_PASSWORD), AtMost(1024)], render_kw=OLD
    )


class LanguageForm(Form):
    """In which language somebody reads, and on which clock; the page fills in both."""

    language = SelectField(
        _l("言語"), [OneOf("この言語は選べません。")], validate_choice=False
    )
    time_zone = SelectField(
        _l("時間帯"), [OneOf("この時間帯は選べません。")], validate_choice=False
    )


class DeviceNameForm(Form):
    """What one calls a browser of the own."""

    name = LineField(_l("端末の名前"), [AtMost(40)], render_kw={"autocomplete": "off"})


class ConfirmForm(Form):
    """The button that confirms an address."""


class SuspendForm(Form):
    """Why and for how long an account is suspended."""

    reason = SelectField(
        _l("理由"),
        [OneOf("理由を選んでください")],
        choices=[
            SelectChoice("", _l("選んでください")),
            SelectChoice("terms", _l("利用規約に反する投稿や取引")),
            SelectChoice("record", _l("事実と違う記録")),
            SelectChoice("harassment", _l("ほかの会員への迷惑行為")),
            SelectChoice("safety", _l("安全を確かめるための一時停止")),
        ],
        validate_choice=False,
    )
    days = SelectField(
        _l("期間"),
        [OneOf("期間を選んでください")],
        choices=[
            SelectChoice("7", _l("7日間")),
            SelectChoice("30", _l("30日間")),
            SelectChoice("", _l("期限なし")),
        ],
        validate_choice=False,
    )
    why = LineField(_l("担当者に伝える理由"), [AtMost(LONGEST_WHY)])


class HoldStatementForm(Form):
    """What a person says about the own hold."""

    statement = TextField(
        _l("説明"), [Required("説明を書いてください。"), AtMost(LONGEST_STATEMENT)]
    )


class DomainRuleForm(Form):
    """What the operator says of a domain, and why."""

    domain = StringField(
        _l("ドメイン"),
        [Required("ドメインを入力してください"), AtMost(320)],
        render_kw=LOGIN | {"autocomplete": "off", "inputmode": "url"},
    )
    verdict = SelectField(
        _l("扱い"),
        [OneOf("扱いを選んでください")],
        choices=[
            SelectChoice("disposable", _l("使い捨て：登録できません")),
            SelectChoice("relay", _l("転送用：登録できません")),
            SelectChoice("allow", _l("本アドレス：登録できます")),
        ],
        validate_choice=False,
    )
    reason = LineField(
        _l("理由"), [Required("理由を入力してください")], render_kw={"maxlength": 300}
    )


class TryAddressForm(Form):
    """An address of which somebody wants to know what it would get."""

    address = StringField(
        _l("メールアドレス"),
        [Required(EMPTY_EMAIL)],
        render_kw=EMAIL | {"autocomplete": "off"},
    )


class RemoveDomainForm(Form):
    """The button that takes a line off the list, and why."""

    domain = HiddenField()
    why = LineField(_l("理由"), [AtMost(LONGEST_WHY)])
