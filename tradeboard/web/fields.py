"""Forms and fields that pages share; no field is ever emptied by a mistake."""

import secrets
import unicodedata

from flask import request
from flask_babel import gettext
from flask_wtf import FlaskForm
from wtforms import HiddenField, StringField, TextAreaField
from wtforms.csrf.core import CSRFTokenField
from wtforms.validators import ValidationError

from tradeboard.core.errors import Refusal
from tradeboard.web.languages import translate
from tradeboard.web.readable import whole

DASHES = str.maketrans("", "", "‐‑–—―−ー－-")


class LateToken(CSRFTokenField):
    """A token that is made once it is shown; a form that only leads on shows none."""

    def process(self, *given, **named):
        """Read what was sent."""
        super(CSRFTokenField, self).process(*given, **named)

    def _value(self):
        return self.csrf_impl.generate_csrf_token(self)


class LateTokens(FlaskForm.Meta.csrf_class):
    """Guards forms as Flask-WTF does."""

    field_class = LateToken


class Form(FlaskForm):
    """A form that has one effect, however often it is sent."""

    submit_id = HiddenField(default=lambda: secrets.token_urlsafe(16))

    class Meta:
        """Say WTForms' own sentences in the reader's language."""

        locales = ["en"]
        csrf_class = LateTokens

        def get_translations(self, form):
            """Leave translating to our own messages."""
            return

    def refuse(self, refusal: Refusal) -> None:
        """Show a refusal beside its field, or above the form."""
        text = translate(refusal.message)
        field = self._fields.get(refusal.field or "")
        if field is None:
            self.form_errors.append(text)
        else:
            field.errors = [*field.errors, text]


class ButtonForm(Form):
    """A form that is a button alone."""


def submit_id() -> str | None:
    """Return the id of the form that was sent, without making a form of it."""
    return request.form.get("submit_id")


class Required:
    """Refuse an empty field, in words of the field's own."""

    field_flags = {"required": True}

    def __init__(self, text: str):
        self.text = text

    def __call__(self, form, field):
        if not (field.data or "").strip():
            raise ValidationError(gettext(self.text))


class AtMost:
    """Refuse a text that is too long; what was typed stays."""

    def __init__(self, length: int):
        self.length = length
        self.field_flags: dict[str, bool] = {}

    def __call__(self, form, field):
        if len(field.data or "") > self.length:
            text = gettext("%(n)s字までです。", n=self.length)
            raise ValidationError(text)


class OneOf:
    """Refuse a choice that was not offered."""

    def __init__(self, text: str):
        self.text = text

    def __call__(self, form, field):
        if field.data not in {value for value, *_ in field.iter_choices()}:
            raise ValidationError(gettext(self.text))


def trim(text: str | None) -> str:
    """Return a text without outer space; a missing one is empty."""
    return (text or "").strip()


def one_line(text: str | None) -> str:
    """Fold width, trim, and make single spaces: for names and numbers."""
    return " ".join(unicodedata.normalize("NFKC", text or "").split())


def single_spaces(text: str | None) -> str:
    """Return a line as it was typed, but for outer and doubled spaces."""
    return " ".join((text or "").split())


def same_ends(text: str | None) -> str:
    """Return several lines with one kind of line end, without outer space."""
    return (text or "").replace("\r\n", "\n").strip()


class LineField(StringField):
    """One line of text; outer and doubled spaces do not count."""

    data: str

    def process_formdata(self, valuelist):
        """Keep what was typed, but for spaces."""
        if valuelist or self.data is None:  # A field that was not sent is empty.
            self.data = single_spaces("".join(valuelist[:1]))


class TextField(TextAreaField):
    """Several lines; line ends are made the same everywhere."""

    data: str

    def process_formdata(self, valuelist):
        """Keep what was typed."""
        if valuelist or self.data is None:  # A field that was not sent is empty.
            self.data = same_ends("".join(valuelist[:1]))


class CountField(StringField):
    """A whole number: `type=text inputmode=numeric`, full-width digits welcome."""

    number: int | None = None

    def __init__(self, label="", least: int = 1, most: int = 99, **kwargs):
        super().__init__(label, **kwargs)
        self.least, self.most = least, most

    def post_validate(self, form, stopped):
        """Read the number, or say which numbers are possible."""
        folded = one_line(str(self.data or ""))
        number = whole(folded)
        if number is None or not self.least <= number <= self.most:
            gaps = {"least": self.least, "most": self.most}
            text = gettext("%(least)sから%(most)sまでの数を入れてください。", **gaps)
            raise ValidationError(text)
        self.number = number
