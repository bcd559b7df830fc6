"""Forms of the desk: they read what was typed; the services decide."""

from enum import StrEnum

from flask_babel import gettext
from flask_babel import lazy_gettext as _l
from wtforms import HiddenField, RadioField, SelectField
from wtforms.validators import ValidationError

from tradeboard.blacklist.rules import arrivals, desk, wording
from tradeboard.blacklist.rules import entries as rules
from tradeboard.blacklist.rules.entries import UpholdReason
from tradeboard.blacklist.services import hand, review
from tradeboard.core.errors import RuleBroken
from tradeboard.core.messages import message
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
CONTENT = message("内容を書いてください。").text


def lift_reasons():
    """Return the reasons for which a moderator lifts, as choices."""
    return [(r.value, translate(wording.LIFT[r])) for r in rules.BY_MODERATORS]


class DecisionForm(Form):
    """What a moderator decides; nothing is chosen beforehand.

    `opened` is the mark of the linked entry. A fresh form about one that was reviewed,
    and of which nothing new is known, only offers to lift it.
    """

    version = HiddenField()
    opened = HiddenField()
    decision = RadioField(
        _l("判断"),
        [OneOf(message("維持か解除かを選んでください。").text)],
        validate_choice=False,
    )
    reason = SelectField(_l("理由の区分"), [OneOf(REASON), Required(REASON)])
    sentence = TextField(
        _l("理由の一文"), [Required(SENTENCE), AtMost(review.LONGEST_SENTENCE)]
    )

    def __init__(self, entry, *args, fresh=False, **kwargs):
        super().__init__(*args, **kwargs)
        held = entry.state is rules.EntryState.HELD
        keep = gettext("公開する") if held else gettext("登録を維持する")
        lift = ("lift", gettext("登録を解除する"))
        done = fresh and entry.upheld_at is not None and entry.review_by is None
        self.decision.choices = [lift] if done else [("uphold", keep), lift]
        upholding = [
            (reason.value, translate(wording.UPHOLD[reason])) for reason in UpholdReason
        ]
        self.reason.choices = {
            "": [("", gettext("選んでください"))],
            **({} if done else {gettext("維持・公開の理由"): upholding}),
            gettext("解除の理由"): lift_reasons(),
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


class AppealForm(Form):
    """What a moderator decides about an appeal; a reason is needed to grant it."""

    version = HiddenField()
    decision = RadioField(
        _l("判断"),
        [OneOf(message("認めるか認めないかを選んでください。").text)],
        validate_choice=False,
    )
    reason = SelectField(_l("認めるときの理由の区分"), [OneOf(REASON)])
    sentence = TextField(
        _l("理由の一文"), [Required(SENTENCE), AtMost(review.LONGEST_SENTENCE)]
    )

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.decision.choices = [
            ("grant", gettext("申し立てを認める")),
            ("refuse", gettext("申し立てを認めない")),
        ]
        self.reason.choices = [("", gettext("選んでください")), *lift_reasons()]

    def validate_reason(self, field):
        """Ask for a reason where the entry would be lifted, and only there."""
        if self.decision.data == "grant" and not field.data:
            raise ValidationError(gettext("理由の区分を選んでください。"))
        if self.decision.data == "refuse" and field.data:
            raise ValidationError(
                gettext("認めないときは、理由の区分を選ばないでください。")
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


class AskForm(Form):
    """Whom a moderator asks for what, and by which day."""

    to = RadioField(
        _l("だれに聞くか"),
        [OneOf(message("だれに聞くかを選んでください。").text)],
        validate_choice=False,
    )
    words = TextField(
        _l("聞くこと"), [Required(CONTENT), AtMost(desk.LONGEST_QUESTION)]
    )
    due_on = LineField(_l("答えてもらう日"))

    def __init__(self, people, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.to.choices = [(str(person.id), person.handle) for person in people]

    def validate_due_on(self, field):
        """Read the day, so that a wrong one is said beside its field."""
        try:
            self.day = arrivals.read_day(field.data or "")
        except RuleBroken as refusal:
            raise ValidationError(translate(refusal.message)) from None


class CarrierPageForm(Form):
    """What a carrier's page says of a parcel; one form for each parcel."""

    words = TextField(
        _l("運送会社のページの内容"),
        [Required(CONTENT), AtMost(desk.LONGEST_QUESTION)],
    )

    def __init__(self, leg_id, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.words.id = f"carrier-{leg_id}"
