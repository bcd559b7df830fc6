"""Forms of the desk: they read what was chosen; the services decide."""

from flask_babel import lazy_gettext as _l
from wtforms import HiddenField, RadioField

from tradeboard.accounts.rules.holds import LONGEST_SENTENCE
from tradeboard.accounts.services.holds import DECISIONS
from tradeboard.core.messages import message
from tradeboard.web.fields import AtMost, Form, OneOf, Required, TextField
from tradeboard.web.languages import translate


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
