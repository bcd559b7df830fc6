"""What the pages of feedback accept."""

from flask_babel import lazy_gettext as _l
from wtforms import RadioField, SelectMultipleField
from wtforms.widgets import CheckboxInput, ListWidget

from tradeboard.feedback import rules
from tradeboard.web.fields import AtMost, Form, OneOf, TextField
from tradeboard.web.languages import translate


class FeedbackForm(Form):
    """How a trade was: one grade, a few tags, some words."""

    grade = RadioField(
        _l("評価"), [OneOf("評価を選んでください。")], validate_choice=False
    )
    tags = SelectMultipleField(
        _l("あてはまること"),
        validate_choice=False,
        option_widget=CheckboxInput(),
        widget=ListWidget(prefix_label=False),
    )
    words = TextField(_l("ひとこと"), [AtMost(rules.LONGEST_WORDS)])

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.grade.choices = _worded(rules.GRADES)
        self.tags.choices = _worded(rules.TAGS)

    def typed(self) -> dict:
        """Return what was typed, to be kept as a draft."""
        longest = 10 * rules.LONGEST_WORDS
        return {
            "grade": self.grade.data if self.grade.data in rules.GRADES else "",
            "tags": [tag for tag in self.tags.data or () if tag in rules.TAGS],
            "words": (self.words.data or "")[:longest],
        }


class HideForm(Form):
    """Why moderators hide words."""

    reason = RadioField(
        _l("理由"), [OneOf("理由を選んでください")], validate_choice=False
    )

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.reason.choices = _worded(rules.HIDE_REASONS)


def _worded(table):
    return [(str(code), translate(said)) for code, said in table.items()]
