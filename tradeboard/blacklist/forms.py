"""Forms of the blacklist: they read what was typed; the services decide."""

from enum import StrEnum

from flask_babel import gettext
from flask_babel import lazy_gettext as _l
from wtforms import HiddenField, MultipleFileField, RadioField, SelectField
from wtforms.validators import ValidationError

from tradeboard.blacklist.rules import appeals
from tradeboard.blacklist.rules import entries as rules
from tradeboard.blacklist.rules import wording
from tradeboard.blacklist.rules.entries import LiftReason, UpholdReason
from tradeboard.blacklist.services import hand, review
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
    one_line,
)
from tradeboard.web.languages import translate
from tradeboard.web.readable import whole

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


class DecisionForm(Form):
    """What a moderator decides; nothing is chosen beforehand."""

    version = HiddenField()
    decision = RadioField(
        _l("判断"),
        [OneOf(message("維持か解除かを選んでください。").text)],
        validate_choice=False,
    )
    reason = SelectField(_l("理由の区分"), [OneOf(REASON), Required(REASON)])
    sentence = TextField(
        _l("理由の一文"), [Required(SENTENCE), AtMost(review.LONGEST_SENTENCE)]
    )

    def __init__(self, *args, held=False, **kwargs):
        super().__init__(*args, **kwargs)
        keep = gettext("公開する") if held else gettext("登録を維持する")
        self.decision.choices = [("uphold", keep), ("lift", gettext("登録を解除する"))]
        self.reason.choices = {
            "": [("", gettext("選んでください"))],
            gettext("維持・公開の理由"): [
                (reason.value, translate(wording.UPHOLD[reason]))
                for reason in UpholdReason
            ],
            gettext("解除の理由"): [
                (reason.value, translate(wording.LIFT[reason]))
                for reason in rules.BY_MODERATORS
            ],
        }

    def validate_reason(self, field):
        """Refuse a reason that belongs to the other decision."""
        ours: dict[str, tuple[StrEnum, ...]] = {
            "uphold": tuple(UpholdReason),
            "lift": rules.BY_MODERATORS,
        }
        fitting = ours.get(self.decision.data, ())
        if field.data and self.decision.data and field.data not in fitting:
            raise ValidationError(gettext("この判断に合う理由を選んでください。"))

    @property
    def reason_code(self) -> UpholdReason | LiftReason:
        """Return the reason as its code."""
        code = self.reason.data
        return (
            UpholdReason(code) if self.decision.data == "uphold" else LiftReason(code)
        )


class HandForm(Form):
    """Whom a moderator lists, for what, and on which evidence."""

    handle = LineField(
        _l("ハンドル"), [Required(message("ハンドルを入れてください。").text)]
    )
    finding = SelectField(_l("所見"), [OneOf(message("所見を選んでください。").text)])
    trade = LineField(_l("取引の番号"), [AtMost(18)])
    evidence = TextField(
        _l("証拠"),
        [
            Required(message("証拠を書いてください。").text),
            AtMost(hand.LONGEST_EVIDENCE),
        ],
    )
    sentence = TextField(
        _l("理由の一文"), [Required(SENTENCE), AtMost(review.LONGEST_SENTENCE)]
    )

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.finding.choices = [
            ("", gettext("選んでください")),
            *(
                (finding.value, translate(wording.FINDINGS[finding]))
                for finding in rules.FINDINGS_BY_HAND
            ),
        ]

    def validate_finding(self, field):
        """Ask for a choice."""
        if not field.data:
            raise ValidationError(gettext("所見を選んでください。"))

    def validate_trade(self, field):
        """Read the number, if there is one."""
        if field.data and self.trade_id is None:
            raise ValidationError(gettext("取引の番号は数字です。"))

    @property
    def trade_id(self) -> int | None:
        """Return which trade it is about, if any."""
        return whole(one_line(self.trade.data))
