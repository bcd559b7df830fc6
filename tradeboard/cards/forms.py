"""What the pages of the lists accept."""

from flask_babel import lazy_gettext as _l
from flask_wtf.file import FileField
from wtforms import HiddenField, RadioField, SelectField, TextAreaField
from wtforms.fields.choices import SelectChoice

from tradeboard.cards.rules import files, limits, lines, words
from tradeboard.cards.rules.lines import CardLine
from tradeboard.cards.rules.merging import Mode
from tradeboard.cards.rules.sides import CardSide
from tradeboard.web.fields import (
    AtMost,
    CountField,
    Form,
    LineField,
    OneOf,
    Required,
)
from tradeboard.web.languages import translate

UNKNOWN_CHOICE = "一覧から選んでください。"


class ChoiceField(SelectField):
    """One of several codes, said in the reader's language; a made-up one is kept."""

    def __init__(self, label, said, **kwargs):
        super().__init__(label, validate_choice=False, choices=[], **kwargs)
        self.validators = [OneOf(UNKNOWN_CHOICE)]
        self.offer(said)

    def offer(self, said) -> None:
        """Say which codes there are to choose from."""
        codes = [(code, translate(text)) for code, text in said.items()]
        self.choices = [("", translate("問わない")), *codes]


class CardForm(Form):
    """One card of a list; everything but the name may be left open."""

    name = LineField(
        _l("カード名"),
        [Required("カード名を書いてください。"), AtMost(limits.LONGEST_NAME)],
    )
    quantity = CountField(_l("枚数"), most=limits.MOST_COPIES, default="1")
    set_code = LineField(_l("型番"), [AtMost(limits.LONGEST_CODE)])
    rarity = LineField(_l("レアリティ"), [AtMost(limits.LONGEST_CODE)])
    condition = ChoiceField(_l("カードの状態"), words.CONDITIONS, default="")
    language = ChoiceField(_l("カードの言語"), words.LANGUAGES, default="")
    game = LineField(_l("ゲーム"), [AtMost(limits.LONGEST_GAME)])

    def line(self) -> CardLine:
        """Return the card as it was read."""
        return CardLine(
            name=lines.tidy(self.name.data or ""),
            quantity=self.quantity.number or 1,
            set_code=lines.tidy_code(self.set_code.data or ""),
            rarity=lines.tidy(self.rarity.data or ""),
            language=self.language.data or "",
            condition=self.condition.data or "",
            game=lines.tidy(self.game.data or ""),
        )


def card_form(side: CardSide, **filled) -> CardForm:
    """Return the form of a card on a list."""
    form = CardForm(**filled)
    form.condition.offer(words.conditions(side))
    return form


class PastedField(TextAreaField):
    """A text as it was pasted; only line ends are made the same everywhere."""

    def process_formdata(self, valuelist):
        """Keep what was pasted."""
        if valuelist:
            self.data = valuelist[0].replace("\r\n", "\n").replace("\r", "\n")


class PasteForm(Form):
    """Many cards at once: a text, or a file."""

    text = PastedField(_l("カードの一覧"))
    file = FileField(_l("ファイル"))
    form = RadioField(
        _l("形式"),
        choices=[
            SelectChoice(files.AUTO, _l("自動で見わける")),
            SelectChoice("text", _l("ふつうの文章")),
            SelectChoice("csv", _l("CSV")),
            SelectChoice("ydk", _l("デッキファイル（.ydk）")),
        ],
        default=files.AUTO,
        validate_choice=False,
    )


class ImportForm(Form):
    """How what was understood meets the list; `seen` names what was shown."""

    seen = HiddenField()
    mode = RadioField(
        _l("同じカードがあるとき"),
        choices=[
            SelectChoice(Mode.SET.value, _l("枚数を書きかえる")),
            SelectChoice(Mode.SUM.value, _l("枚数を足す")),
            SelectChoice(Mode.WHOLE.value, _l("一覧ぜんぶを入れかえる")),
        ],
        default=Mode.SET.value,
        validators=[OneOf(UNKNOWN_CHOICE)],
    )
