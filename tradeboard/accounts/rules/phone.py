"""Which telephone numbers can prove a call, and how they are shown."""

import re
import unicodedata
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from tradeboard.accounts.rules.verdicts import Verdict
from tradeboard.core.late import Late
from tradeboard.core.messages import Message, message
from tradeboard.core.records import dataclass

if TYPE_CHECKING:
    import phonenumbers
else:
    phonenumbers = Late("phonenumbers")

LONGEST = 40
HOME = "JP"
HOME_CODE = "+81"

_DASHES = str.maketrans(dict.fromkeys("ー〜~−─", "-"))
_LABEL = re.compile(
    r"(?:携帯電話|携帯|電話番号|電話|自宅|tel|phone) *[:.]?", re.IGNORECASE
)
_EXTENSION = re.compile(r" *(?:内線|ext\.?|x|#) *([0-9]{1,6})\Z", re.IGNORECASE)
_CHARS = re.compile(r"\+?[0-9()\-. ]+")
# 184 and 186 say whether the own number is shown; they are no part of the number.
_CALLER_ID_PREFIX = re.compile(r"\(?18[46]\)?[-. ]*(?=\(?0)")

_ACCEPTED = frozenset({"mobile", "fixed_line", "fixed_line_or_mobile"})
_REVIEWED = frozenset({"voip", "personal_number"})
_IN_EXAMPLES = frozenset(f"+81{start}12345678" for start in (90, 80, 70, 60, 3))


@dataclass(frozen=True)
class PhoneVerdict:
    """The answer: `key` is E.164, and the extension stays out of it."""

    verdict: Verdict
    code: str
    key: str | None
    extension: str | None
    message: Message | None


class _Typed(NamedTuple):
    number: str
    extension: str | None


def check_phone(typed: str, region: str = HOME) -> PhoneVerdict:
    """Say whether a call to this number can be confirmed; the region is chosen."""
    if len(typed) > LONGEST:
        return _refuse("length")
    text = _tidied(typed)
    if not _CHARS.fullmatch(text.number):
        return _refuse("chars")
    number = _parsed(text.number, region.upper())
    if number is None:
        return _refuse("parse")
    if not phonenumbers.is_valid_number(number):
        return _refuse("invalid")
    if phonenumbers.region_code_for_number(number) == "001":
        return _refuse("type.nongeo")
    return _by_type(number, text.extension)


def _tidied(typed: str) -> _Typed:
    text = unicodedata.normalize("NFKC", typed).translate(_DASHES)
    text = "".join(map(_plain, text)).strip()
    label = _LABEL.match(text)
    text = text[label.end() :].strip() if label else text
    extension = _EXTENSION.search(text)
    if extension is None:
        return _Typed(text, None)
    return _Typed(text[: extension.start()], extension[1])


def _plain(character: str) -> str:
    category = unicodedata.category(character)
    if category in ("Cf", "Cc"):
        return ""
    return "-" if category == "Pd" else character


def _parsed(text: str, region: str) -> "phonenumbers.PhoneNumber | None":
    if region == HOME and (prefix := _CALLER_ID_PREFIX.match(text)):
        text = text[prefix.end() :]
    try:
        return phonenumbers.parse(text, region)
    except phonenumbers.NumberParseException:
        return None


def _by_type(number: "phonenumbers.PhoneNumber", extension: str | None) -> PhoneVerdict:
    kind = _kinds()[phonenumbers.number_type(number)]
    if kind not in _ACCEPTED | _REVIEWED:
        return _refuse(f"type.{kind}")
    if kind == "mobile" and extension:
        return _refuse("ext_on_mobile")
    key = phonenumbers.format_number(number, phonenumbers.PhoneNumberFormat.E164)
    code = "dummy" if kind in _ACCEPTED and _is_dummy(number, key) else kind
    if code in _ACCEPTED:
        return PhoneVerdict(Verdict.ACCEPT, code, key, extension, None)
    return PhoneVerdict(Verdict.REVIEW, code, key, extension, _MESSAGES[code])


@cache
def _kinds() -> dict[int, str]:
    kinds = vars(phonenumbers.PhoneNumberType).items()
    return {value: name.lower() for name, value in kinds if isinstance(value, int)}


def _is_dummy(number: "phonenumbers.PhoneNumber", key: str) -> bool:
    last = phonenumbers.national_significant_number(number)[-7:]
    return key in _IN_EXAMPLES or (len(last) == 7 and len(set(last)) == 1)


def _refuse(code: str) -> PhoneVerdict:
    text = _MESSAGES["type" if code.startswith("type.") else code]
    return PhoneVerdict(Verdict.REFUSE, code, None, None, text)


_MESSAGES = {
    "length": message(
        "電話番号は%(longest)s文字以内で入力してください", longest=LONGEST
    ),
    "chars": message("電話番号は数字とハイフンだけで、番号は1つ入力してください"),
    "parse": message(
        "電話番号を読み取れませんでした。市外局番から入力してください。"
        "海外の番号は「+」と国番号から入力してください"
    ),
    "invalid": message(
        "電話番号の桁数を確認してください。"
        "海外の番号は「+」と国番号から入力してください"
    ),
    "type": message(
        "この種類の番号では通話を確認できません。"
        "携帯電話か固定電話の番号を入力してください"
    ),
    "ext_on_mobile": message(
        "携帯電話の番号に内線番号は付けられません。内線番号を除いて入力してください"
    ),
    "voip": message("IP電話の番号です。登録できますが、運営が確認することがあります"),
    "personal_number": message(
        "転送される番号です。登録できますが、運営が確認することがあります"
    ),
    "dummy": message(
        "見本によく使われる番号です。お間違いがなければそのままお使いください。"
        "運営が確認することがあります"
    ),
}


def display(key: str, extension: str | None = None) -> str:
    """Return the number as it is dialled: national for Japan, else international."""
    form, word = phonenumbers.PhoneNumberFormat.INTERNATIONAL, "ext. "
    if is_japanese(key):
        form, word = phonenumbers.PhoneNumberFormat.NATIONAL, "内線"
    shown = phonenumbers.format_number(phonenumbers.parse(key), form)
    return f"{shown} {word}{extension}" if extension else shown


def is_japanese(key: str) -> bool:
    """Tell whether the number is one of Japan, for the note on calls abroad."""
    return key.startswith(HOME_CODE)


def masked(key: str) -> str:
    """Return a form that only its owner knows again, such as `090-****-**67`."""
    shown = display(key)
    first = re.match(r"\+?[0-9]+", shown)
    kept = first.end() if first else 0
    hidden = re.sub("[0-9]", "*", shown[kept:-2])
    return shown[:kept] + hidden + shown[-2:]
