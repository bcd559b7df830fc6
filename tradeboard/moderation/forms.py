"""Forms of the desk: they read what was chosen; the services decide."""

from datetime import datetime

from flask_babel import lazy_gettext as _l
from wtforms import HiddenField, RadioField
from wtforms.fields.choices import SelectChoice
from wtforms.validators import ValidationError

from tradeboard.accounts.rules.holds import LONGEST_SENTENCE
from tradeboard.accounts.services.holds import DECISIONS
from tradeboard.accounts.services.reasons import LONGEST as LONGEST_REASON
from tradeboard.core.messages import message
from tradeboard.moderation.services.site import LONGEST_TERMS
from tradeboard.site import rules as site
from tradeboard.site.rules import Key, Level
from tradeboard.web.fields import (
    AtMost,
    ButtonForm,
    Form,
    LineField,
    OneOf,
    Required,
    TextField,
)
from tradeboard.web.languages import translate
from tradeboard.web.moments import JST

BOTH = message("両方の言語で書いてください。").text
NO_TIME = message("日付と時刻を入れてください。").text


class HoldForm(Form):
    """What a moderator found about a pair; nothing is chosen beforehand."""

    version = HiddenField()
    decision = RadioField(
        _l("判断"),
        [OneOf(message("判断を選んでください。").text)],
        validate_choice=False,
    )
    sentence = TextField(
        _l("理由の一文"),
        [
            Required(message("理由を一文で書いてください。").text),
            AtMost(LONGEST_SENTENCE),
        ],
    )

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.decision.choices = [
            (decision.value, translate(words)) for decision, words in DECISIONS.items()
        ]


class FindForm(Form):
    """Whom to find."""

    typed = LineField(
        _l("だれを"),
        [Required(message("探すものを入れてください。").text), AtMost(320)],
    )


class SignalForm(Form):
    """The button that puts a signal away."""

    key = HiddenField()


class MomentField(LineField):
    """An instant by the clock of Japan, as a browser's own field gives it."""

    def instant(self) -> datetime:
        """Return it with its zone."""
        return datetime.fromisoformat(self.data or "").replace(tzinfo=JST)

    def post_validate(self, form, stopped):
        """Refuse what is no date with a time."""
        try:
            whole = datetime.fromisoformat(self.data or "")
        except ValueError:
            raise ValidationError(translate(message(NO_TIME))) from None
        if whole.tzinfo is not None:
            raise ValidationError(translate(message(NO_TIME)))


def _moment(label) -> MomentField:
    return MomentField(label, render_kw={"type": "datetime-local"})


class AnnouncementForm(Form):
    """What stands above every page, and how long."""

    level = RadioField(
        _l("見た目"),
        [OneOf(message("どれかを選んでください。").text)],
        choices=[
            SelectChoice(Level.INFO, _l("ふつうのお知らせ")),
            SelectChoice(Level.WARN, _l("注意")),
        ],
        default=Level.INFO,
        validate_choice=False,
    )
    text_ja = TextField(
        _l("日本語"), [Required(BOTH), AtMost(site.LONGEST_ANNOUNCEMENT)]
    )
    text_en = TextField(_l("英語"), [Required(BOTH), AtMost(site.LONGEST_ANNOUNCEMENT)])
    starts = _moment(_l("始まり（日本時間）"))
    ends = _moment(_l("終わり（日本時間）"))
    why = LineField(_l("知らせる理由"), [AtMost(LONGEST_REASON)])


class SettingsForm(Form):
    """Every setting of the site; fields bear the names of the keys."""

    name = LineField(_l("サイトの名前"), [AtMost(site.LONGEST_NAME)])
    contact_ja = TextField(_l("連絡先（日本語）"), [AtMost(site.LONGEST_WORDS)])
    contact_en = TextField(_l("連絡先（英語）"), [AtMost(site.LONGEST_WORDS)])
    registration = RadioField(
        _l("新しい登録"),
        [OneOf(message("どれかを選んでください。").text)],
        choices=[
            SelectChoice("open", _l("受け付ける")),
            SelectChoice("closed", _l("受け付けない")),
        ],
        validate_choice=False,
    )
    greeting_ja = TextField(
        _l("募集一覧のあいさつ（日本語）"), [AtMost(site.LONGEST_WORDS)]
    )
    greeting_en = TextField(
        _l("募集一覧のあいさつ（英語）"), [AtMost(site.LONGEST_WORDS)]
    )
    language = RadioField(
        _l("はじめての人に見せる言語"),
        [OneOf(message("どれかを選んでください。").text)],
        choices=[SelectChoice("ja", "日本語"), SelectChoice("en", "English")],
        validate_choice=False,
    )

    why = LineField(_l("変える理由"), [AtMost(LONGEST_REASON)])

    def values(self) -> dict[Key, str]:
        """Return what was typed, by setting."""
        return {key: self[key.value].data or "" for key in Key}


class HelpForm(Form):
    """The text of a help page in one language."""

    text = TextField(_l("本文（Markdown）"), [AtMost(site.LONGEST_HELP)])
    why = LineField(_l("変える理由"), [AtMost(LONGEST_REASON)])


class TermsForm(Form):
    """The next version of the terms, in both languages."""

    text_ja = TextField(_l("日本語"), [Required(BOTH), AtMost(LONGEST_TERMS)])
    text_en = TextField(_l("英語"), [Required(BOTH), AtMost(LONGEST_TERMS)])
    why = LineField(_l("変える理由"), [AtMost(LONGEST_REASON)])


class WhyForm(ButtonForm):
    """A button that needs a reason."""

    why = LineField(_l("理由"), [AtMost(LONGEST_REASON)])
