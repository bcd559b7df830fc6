"""Forms of trades: they read what was typed; the services decide."""

from datetime import date

from flask_babel import gettext
from flask_babel import lazy_gettext as _l
from flask_babel.speaklater import LazyString
from wtforms import (
    BooleanField,
    DateField,
    FieldList,
    FormField,
    HiddenField,
    MultipleFileField,
    RadioField,
    SelectField,
)
from wtforms import Form as PlainForm
from wtforms.validators import ValidationError

from tradeboard.listings.rules import Side
from tradeboard.listings.rules.wording import CONDITIONS, LANGUAGES
from tradeboard.trades.rules import carriers, offers
from tradeboard.trades.rules.offers import Item
from tradeboard.trades.rules.states import Condition, Party
from tradeboard.trades.services import numbers, shipping, texts
from tradeboard.web.fields import (
    AtMost,
    CountField,
    Form,
    LineField,
    OneOf,
    Required,
    TextField,
    one_line,
)
from tradeboard.web.languages import translate

MOST_GIVEN = offers.MOST_ITEMS
REGIONS = (
    ("JP", _l("日本（+81）")),
    ("US", _l("アメリカ（+1）")),
    ("GB", _l("イギリス（+44）")),
    ("KR", _l("韓国（+82）")),
    ("TW", _l("台湾（+886）")),
    ("HK", _l("香港（+852）")),
    ("SG", _l("シンガポール（+65）")),
    ("AU", _l("オーストラリア（+61）")),
    ("CA", _l("カナダ（+1）")),
    ("DE", _l("ドイツ（+49）")),
    ("FR", _l("フランス（+33）")),
)


def _worded(table):
    """Return choices whose words are said when the page is shown, not before."""
    return [(code, LazyString(translate, said)) for code, said in table.items()]


CARD_CONDITIONS = [("", "—"), *_worded(CONDITIONS)]
CARD_LANGUAGES = [("", "—"), *_worded(LANGUAGES)]
WAYS = _worded({one.code: one.name for one in carriers.CARRIERS})
WAYS.append((shipping.NO_TRACKING, _l("追跡なし")))


class DayField(DateField):
    """A day; full-width digits and slashes are welcome where there is no picker."""

    def process_formdata(self, valuelist):
        """Read the day; what cannot be read stays in the field."""
        self.data = None
        self.raw_data = valuelist
        typed = one_line(valuelist[0] if valuelist else "").replace("/", "-")
        parts = typed.split("-")
        if len(parts) == 3 and all(
            part.isdecimal() and len(part) <= 4 for part in parts
        ):
            try:
                self.data = date(*(int(part) for part in parts))
            except ValueError:
                self.data = None

    def post_validate(self, form, stopped):
        """Say how a day is written."""
        if self.data is None:
            raise ValidationError(gettext("日付を 2026-12-01 のように入れてください。"))


class CopiesRow(PlainForm):
    """How many copies of one of the listing's cards are asked for."""

    line_id = HiddenField()
    quantity = CountField(_l("枚数"), least=0, most=offers.MOST_COPIES)


class CardRow(PlainForm):
    """One card that the proposer gives; a row without a name does not count."""

    name = LineField(_l("カード名"), [AtMost(80)])
    set_code = LineField(_l("型番"), [AtMost(40)])
    condition = SelectField(_l("カードの状態"), [OneOf("状態を選んでください。")])
    language = SelectField(_l("言語"), [OneOf("言語を選んでください。")])
    quantity = CountField(_l("枚数"), least=1, most=offers.MOST_COPIES, default="1")

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.condition.choices = CARD_CONDITIONS
        self.language.choices = CARD_LANGUAGES

    def validate(self, extra_validators=None):
        """Check a row that somebody has begun to fill."""
        blank = not (self.form_name or self.set_code.data)
        return True if blank else super().validate(extra_validators)

    @property
    def form_name(self) -> str:
        """Return the card's name; `name` is the field of that name."""
        return self["name"].data or ""

    def validate_name(self, field):
        """Refuse a card without a name."""
        if not field.data:
            raise ValidationError(gettext("カード名を書いてください。"))


class OfferForm(Form):
    """What each side gives; the listing's cards by number, the others by name."""

    number = HiddenField()
    poster = FieldList(FormField(CopiesRow), _l("募集した側が渡すもの"))
    proposer = FieldList(
        FormField(CardRow), _l("申し込んだ側が渡すもの"), max_entries=MOST_GIVEN
    )
    note = TextField(_l("ひとこと"), [AtMost(texts.LONGEST_TEXT)])

    def fill(self, listing, given=None):
        """Put the listing's lines in, or those of a version that is answered."""
        copies = {
            item.line_id: item.quantity
            for item in given or ()
            if item.giver == Party.POSTER
        }
        haves = listing.on(Side.HAVE)
        only = len(haves) == 1 and given is None
        for line in haves:
            quantity = copies.get(line.id, 1 if only and line.free else 0)
            self.poster.append_entry({"line_id": line.id, "quantity": str(quantity)})
        cards = listing.on(Side.WANT)
        if given is not None:
            cards = [item for item in given if item.giver == Party.PROPOSER]
        for card in cards[:MOST_GIVEN]:
            self.add_row(card)
        if len(self.proposer.entries) < MOST_GIVEN:
            self.add_row()

    def add_lines(self, listing):
        """Add a row for each of the listing's cards that has none yet."""
        known = {row.line_id.data for row in self.poster}
        for line in listing.on(Side.HAVE):
            if str(line.id) not in known:
                self.poster.append_entry({"line_id": line.id, "quantity": "0"})

    def add_row(self, card=None):
        """Add a row for one more card, empty or filled."""
        if len(self.proposer.entries) >= MOST_GIVEN:
            return
        row = {"quantity": "1"}
        if card is not None:
            row = {
                "name": card.name,
                "set_code": card.set_code,
                "condition": card.condition,
                "language": card.language,
                "quantity": str(card.quantity),
            }
        self.proposer.append_entry(row)

    def items(self, listing) -> list[Item]:
        """Return the offer; what the listing says of its cards is taken from there."""
        lines = {str(line.id): line for line in listing.on(Side.HAVE)}
        asked = [
            _copies(lines[row.line_id.data], row.quantity.number)
            for row in self.poster
            if row.quantity.number and row.line_id.data in lines
        ]
        given = [
            Item(
                giver=Party.PROPOSER,
                name=row.form.form_name,
                quantity=row.quantity.number or 0,
                set_code=row.set_code.data or "",
                condition=row.condition.data or "",
                language=row.language.data or "",
            )
            for row in self.proposer
            if row.form.form_name
        ]
        return asked + given


def _copies(line, quantity):
    return Item(
        giver=Party.POSTER,
        name=line.name,
        quantity=quantity,
        line_id=line.id,
        set_code=line.set_code,
        condition=line.condition,
        language=line.language,
    )


class SayForm(Form):
    """A message to the partner; photos can go without words."""

    text = TextField(_l("メッセージを書く"), [AtMost(texts.LONGEST_TEXT)])
    photo = MultipleFileField(_l("写真をつける"))
    kept = HiddenField()
    seen = HiddenField()


class SealForm(Form):
    """A number and where parcels go."""

    number = LineField(_l("電話番号"), [Required("電話番号を入れてください。")])
    region = SelectField(_l("番号の国・地域"), [OneOf("国・地域を選んでください。")])
    address = TextField(
        _l("荷物を受け取る住所と氏名"),
        [
            Required("荷物を受け取る住所と氏名を書いてください。"),
            AtMost(numbers.LONGEST_ADDRESS),
        ],
    )

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.region.choices = list(REGIONS)


class WordsForm(Form):
    """The partner's two words, as they were heard."""

    first = LineField(
        _l("1つめの言葉"), [Required("聞こえた言葉を入れてください。"), AtMost(40)]
    )
    second = LineField(
        _l("2つめの言葉"), [Required("聞こえた言葉を入れてください。"), AtMost(40)]
    )
    called = BooleanField(_l("自分から電話をかけた"))
    shown_round = HiddenField()


class DispatchForm(Form):
    """How a parcel travels."""

    carrier = SelectField(_l("送り方"), [OneOf("送り方を選んでください。")])
    tracking = LineField(_l("お問い合わせ番号"), [AtMost(80)])
    photo = MultipleFileField(_l("発送の写真"))
    kept = HiddenField()
    sure = HiddenField()

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.carrier.choices = WAYS


class ReceiptForm(Form):
    """When a parcel arrived, and how it was found."""

    arrived_on = DayField(_l("届いた日"))
    condition = RadioField(
        _l("中身"),
        [OneOf("中身がどうだったかを選んでください。")],
        validate_choice=False,
    )
    words = TextField(_l("何が違うか"), [AtMost(texts.LONGEST_TEXT)])
    photo = MultipleFileField(_l("届いたものの写真"))
    kept = HiddenField()

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.condition.choices = [
            (str(Condition.AS_AGREED), gettext("合意のとおり")),
            (str(Condition.DIFFERS), gettext("合意と違う")),
        ]


class ContestForm(Form):
    """When the carrier delivered, and a photo that shows it."""

    delivered_on = DayField(_l("配達された日"))
    photo = MultipleFileField(_l("配達を示す写真"))
    kept = HiddenField()


class ProposalForm(Form):
    """A proposal in the words of its author."""

    words = TextField(_l("ひとこと"), [AtMost(texts.LONGEST_TEXT)])
