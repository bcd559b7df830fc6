"""What the page of one's own mails accepts."""

from flask_babel import lazy_gettext as _l
from wtforms import SelectField
from wtforms.fields.choices import SelectChoice

from tradeboard.notifications.rules import Kind, MailMode
from tradeboard.web.fields import Form, OneOf

MODES = [
    SelectChoice(MailMode.NOW.value, _l("すぐに受け取る")),
    SelectChoice(MailMode.DAILY.value, _l("1日1回まとめて受け取る")),
    SelectChoice(MailMode.OFF.value, _l("受け取らない")),
]


class ChoicesForm(Form):
    """One choice for each kind of mail that may be switched off."""


for _kind in Kind:
    _field = SelectField(
        choices=MODES,
        validate_choice=False,
        validators=[OneOf("受け取り方を選んでください。")],
    )
    setattr(ChoicesForm, _kind.value, _field)
