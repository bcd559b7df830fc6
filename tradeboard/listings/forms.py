"""What the pages of the board accept; drafts keep it as it was typed."""

from typing import Any

from flask_babel import gettext as _
from flask_babel import lazy_gettext as _l
from werkzeug.datastructures import MultiDict
from wtforms import FieldList, FormField, HiddenField, SelectField
from wtforms import Form as PlainForm
from wtforms.validators import ValidationError

from tradeboard.listings.rules import LineData, ListingData, states, wording
from tradeboard.web.fields import (
    AtMost,
    CountField,
    Form,
    LineField,
    OneOf,
    TextField,
    one_line,
)
from tradeboard.web.languages import translate
from tradeboard.web.readable import whole

UNKNOWN_CHOICE = "一覧から選んでください。"
SIDES = ("have", "want")
LINE_FIELDS = (
    "id",
    "name",
    "set_code",
    "rarity",
    "language",
    "condition",
    "quantity",
)
OTHER_FIELDS = ("game", "ships_from", "ships_to", "note")


class ChoiceField(SelectField):
    """One of several codes, said in the reader's language; a made-up one is kept."""

    def __init__(self, label, words, empty=None, **kwargs):
        super().__init__(label, validate_choice=False, choices=[], **kwargs)
        self.validators = [OneOf(UNKNOWN_CHOICE)]
        first = [] if empty is None else [("", str(empty))]
        self.choices = first + [(code, translate(said)) for code, said in words.items()]


class LineForm(PlainForm):
    """One card; a card without any text is no card."""

    id = HiddenField(default="")
    name = LineField(_l("カード名"), [AtMost(states.LONGEST_NAME)])
    set_code = LineField(_l("型番"), [AtMost(states.LONGEST_CODE)])
    rarity = LineField(_l("レアリティ"), [AtMost(states.LONGEST_CODE)])
    language = ChoiceField(
        _l("カードの言語"), wording.LANGUAGES, empty=_l("問わない"), default=""
    )
    quantity = CountField(_l("枚数"), most=states.MOST_COPIES, default="1")

    def is_blank(self) -> bool:
        """Tell whether nothing was typed."""
        typed = (self.name.data, self.set_code.data, self.rarity.data)
        return not any(one_line(text) for text in typed)

    def validate(self, extra_validators=None):
        """Check a card that somebody began to write."""
        return True if self.is_blank() else super().validate(extra_validators)

    def validate_name(self, field):
        """Refuse a card without a name."""
        if not one_line(field.data):
            raise ValidationError(_("カード名を書いてください。"))

    def line(self) -> LineData:
        """Return the card as it was read."""
        return LineData(
            id=whole(self.id.data),
            name=one_line(self.name.data),
            set_code=one_line(self.set_code.data),
            rarity=one_line(self.rarity.data),
            language=self.language.data or "",
            condition=self.condition.data or "",
            quantity=self.quantity.number or 1,
        )


class HaveForm(LineForm):
    """A card that is offered."""

    condition = ChoiceField(_l("カードの状態"), wording.CONDITIONS, default="A")


class WantForm(LineForm):
    """A card that is asked for."""

    condition = ChoiceField(_l("カードの状態"), wording.LEAST_CONDITIONS, default="")


class Lines(FieldList):
    """Some cards, of which one at least must be written."""

    def __init__(self, form, missing, **kwargs):
        super().__init__(
            FormField(form), min_entries=1, max_entries=states.MOST_LINES, **kwargs
        )
        self.missing = missing

    def validate(self, form, extra_validators=()):
        """Check each card, and that there is one."""
        valid = super().validate(form, extra_validators)
        if all(entry.form.is_blank() for entry in self.entries):
            self.entries[0].form.name.errors = [str(self.missing)]
            self.errors = [entry.errors for entry in self.entries]
            return False
        return valid

    def written(self) -> tuple[LineData, ...]:
        """Return the cards that were written."""
        return tuple(
            entry.form.line() for entry in self.entries if not entry.form.is_blank()
        )


class ListingForm(Form):
    """A whole listing."""

    have = Lines(
        HaveForm, _l("出すカードを1枚以上書いてください。"), label=_l("出すもの")
    )
    want = Lines(
        WantForm, _l("ほしいカードを1枚以上書いてください。"), label=_l("求めるもの")
    )
    game = LineField(_l("ゲーム"), [AtMost(states.LONGEST_CODE)])
    ships_from = ChoiceField(
        _l("発送元"), wording.PLACES, empty=_l("選んでください"), default=""
    )
    ships_to = ChoiceField(_l("送れる範囲"), wording.REACH, default="domestic")
    note = TextField(_l("ひとこと"), [AtMost(states.LONGEST_NOTE)])

    def validate_ships_from(self, field):
        """Refuse a listing that does not say where it ships from."""
        if not field.data:
            raise ValidationError(_("発送元を選んでください。"))

    def written(self, photos=()) -> ListingData:
        """Return what was read, and what its photos say; only without mistakes."""
        return ListingData(
            have=self.have.written(),
            want=self.want.written(),
            game=one_line(self.game.data),
            note=self.note.data or "",
            ships_from=self.ships_from.data or "",
            ships_to=self.ships_to.data or "",
            captions=tuple(photo.caption for photo in photos if photo.caption),
        )

    def typed(self) -> dict[str, Any]:
        """Return what was typed, mistakes included, as a draft keeps it."""
        draft: dict[str, Any] = {
            side: [_typed_line(entry.form) for entry in self[side].entries]
            for side in SIDES
        }
        for name in OTHER_FIELDS:
            draft[name] = self[name].data or ""
        return draft


class HideForm(Form):
    """Why a moderator takes a listing off the board."""

    reason = TextField(_l("理由（持ち主に見えます）"), [AtMost(states.LONGEST_REASON)])


def of_draft(draft: dict[str, Any], *, token: bool = True) -> ListingForm:
    """Return a form filled with what a draft keeps; without a token to read only."""
    meta = {} if token else {"csrf": False}
    return ListingForm(formdata=_flat(draft), meta=meta)


def of_listing(listing) -> dict[str, Any]:
    """Return what the form of a posted listing says, as a draft would keep it."""
    draft: dict[str, Any] = {name: getattr(listing, name) for name in OTHER_FIELDS}
    for side in SIDES:
        draft[side] = [
            {name: str(getattr(line, name)) for name in LINE_FIELDS}
            for line in listing.lines
            if line.side == side
        ]
    return draft


def with_row(draft: dict[str, Any], side: str) -> dict[str, Any]:
    """Return what was typed with an empty card more."""
    rows = draft[side]
    return draft if len(rows) >= states.MOST_LINES else {**draft, side: [*rows, {}]}


def without_row(draft: dict[str, Any], side: str, at: int) -> dict[str, Any]:
    """Return what was typed without one card."""
    return {**draft, side: [row for n, row in enumerate(draft[side]) if n != at]}


def by_photo(prefix: str, sent: MultiDict) -> dict[str, str]:
    """Return what was sent of each photo under names that begin alike."""
    return {
        name.removeprefix(prefix): value
        for name, value in sent.items()
        if name.startswith(prefix)
    }


def _typed_line(form: LineForm) -> dict[str, str]:
    return {name: form[name].data or "" for name in LINE_FIELDS}


def _flat(draft: dict[str, Any]) -> MultiDict:
    fields = MultiDict((name, draft.get(name, "")) for name in OTHER_FIELDS)
    for side in SIDES:
        for at, row in enumerate(draft.get(side, [])):
            for name, value in row.items():
                fields[f"{side}-{at}-{name}"] = value
            # A row is there although nothing was typed in it.
            fields.setdefault(f"{side}-{at}-id", "")
    return fields
