"""Forms about reports: they read what was chosen; the services decide."""

from flask_babel import lazy_gettext as _l
from wtforms import RadioField, SelectField
from wtforms.fields.choices import SelectChoice

from tradeboard.core.messages import message
from tradeboard.reports import rules
from tradeboard.reports.rules import Reason
from tradeboard.web.fields import AtMost, Form, OneOf, Required, TextField
from tradeboard.web.languages import translate

NO_SENTENCE = message("理由を一文で書いてください。").text


def in_words(texts):
    """Return the choices that a table of words offers."""
    return [(code.value, translate(words)) for code, words in texts.items()]


class ReportForm(Form):
    """What a member reports; nothing is chosen beforehand."""

    reason = RadioField(
        _l("どのようなことですか"),
        [OneOf(message("どれかを選んでください。").text)],
        validate_choice=False,
    )
    words = TextField(_l("くわしく"), [AtMost(rules.LONGEST_WORDS)])

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.reason.choices = in_words(rules.REASONS)


class SettleForm(Form):
    """What a moderator decides about a report."""

    outcome = RadioField(
        _l("判断"),
        [OneOf(message("どうするかを選んでください。").text)],
        validate_choice=False,
    )
    days = SelectField(
        _l("停止の期間"),
        [OneOf(message("停止の期間を選んでください。").text)],
        choices=[
            SelectChoice("", _l("選んでください")),
            SelectChoice("7", _l("7日間")),
            SelectChoice("30", _l("30日間")),
            SelectChoice("90", _l("90日間")),
        ],
        validate_choice=False,
    )
    sentence = TextField(
        _l("理由の一文"), [Required(NO_SENTENCE), AtMost(rules.LONGEST_SENTENCE)]
    )

    def __init__(self, subject, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.outcome.choices = [
            (outcome.value, translate(rules.OUTCOMES[outcome]))
            for outcome in rules.possible(subject)
        ]


class WarnForm(Form):
    """What a moderator tells a member."""

    reason = SelectField(
        _l("理由"),
        [OneOf(message("理由を選んでください").text)],
        validate_choice=False,
        id="warn-reason",
    )
    sentence = TextField(
        _l("理由の一文"),
        [Required(NO_SENTENCE), AtMost(rules.LONGEST_SENTENCE)],
        id="warn-sentence",
    )

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.reason.choices = [
            ("", translate(message("選んでください"))),
            *((code, words) for code, words in in_words(rules.REASONS)),
        ]

    @property
    def chosen(self) -> Reason | None:
        """Return the reason, if one was chosen."""
        known = self.reason.data in set(Reason)
        return Reason(self.reason.data) if known else None


class RemarkForm(Form):
    """What a moderator writes down."""

    words = TextField(
        _l("メモ"),
        [
            Required(message("書く内容を入れてください。").text),
            AtMost(rules.LONGEST_REMARK),
        ],
        id="remark-words",
    )
