"""Forms of the blacklist: they read what was typed; the services decide."""

from flask_babel import gettext
from flask_babel import lazy_gettext as _l
from wtforms import HiddenField, MultipleFileField, SelectField

from tradeboard.blacklist.rules import appeals
from tradeboard.core.messages import message
from tradeboard.trades.rules import carriers
from tradeboard.trades.services import shipping, texts
from tradeboard.web.fields import (
    AtMost,
    Form,
    LineField,
    OneOf,
    Required,
    TextField,
)
from tradeboard.web.languages import translate

REASON = message("理由の区分を選んでください。").text
SENTENCE = message("理由を一文で書いてください。").text


class LateReceiptForm(Form):
    """When a parcel came after all; the service says when a time is needed."""

    arrived_at = LineField(
        _l("届いた日"), [Required(message("届いた日を入れてください。").text)]
    )
    arrived_time = LineField(_l("届いた時刻（日本時間）"))


class LateDispatchForm(Form):
    """How a parcel was sent after the default."""

    carrier = SelectField(
        _l("送り方"), [OneOf(message("送り方を選んでください。").text)]
    )
    tracking = LineField(_l("追跡番号"), [AtMost(80)])

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.carrier.choices = [
            *((known.code, translate(known.name)) for known in carriers.CARRIERS),
            (shipping.NO_TRACKING, gettext("追跡なし")),
        ]


class AnswerForm(Form):
    """Words, pictures, and which pictures an earlier try has stored."""

    photo = MultipleFileField(_l("写真"))
    kept = HiddenField()


class StatementForm(AnswerForm):
    """What somebody says about an entry."""

    words = TextField(
        _l("説明"),
        [Required(message("説明を書いてください。").text), AtMost(texts.LONGEST_TEXT)],
    )


class AppealForm(AnswerForm):
    """Why the listed person asks for another look; its ids differ, not its names."""

    words = TextField(
        _l("申し立ての理由"),
        [
            Required(message("申し立ての理由を書いてください。").text),
            AtMost(appeals.LONGEST_WORDS),
        ],
    )

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.words.id, self.photo.id = "appeal-words", "appeal-photo"
        for field in (self.words, self.photo):
            field.label.field_id = field.id
