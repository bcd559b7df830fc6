"""Carriers: how their numbers look, what their check digit says, where to look."""

import re
import unicodedata
from collections.abc import Callable, Mapping

from tradeboard.core.messages import Message, message
from tradeboard.core.records import dataclass

_DROPPED = re.compile(r"[-‐‑‒–—―−ー\s]+")


@dataclass(frozen=True)
class Form:
    """One shape of a number, and the lengths of the groups in which it is written."""

    pattern: re.Pattern[str]
    groups: tuple[int, ...] = ()
    between: str = " "


@dataclass(frozen=True)
class Carrier:
    """Who carries a parcel; `check` names the function for its check digit.

    The tracking pages are the carriers' own and change without notice: an operator
    may put others in their place.
    """

    code: str
    name: Message
    forms: tuple[Form, ...] = ()
    check: str | None = None
    tracking: str | None = None
    needs_number: bool = True


def _form(pattern: str, *groups: int, between: str = " ") -> Form:
    return Form(re.compile(pattern), groups, between)


_DOMESTIC = _form(r"[0-9]{12}", 4, 4, 4, between="-")
_JAPAN_POST = (
    "https://trackings.post.japanpost.jp/services/srv/search/direct"
    "?searchKind=S002&locale=ja&reqCodeNo1={number}"
)

CARRIERS: tuple[Carrier, ...] = (
    Carrier(
        "yamato",
        message("ヤマト運輸（宅急便・ネコポス）"),
        (_DOMESTIC,),
        "mod7",
        "https://jizen.kuronekoyamato.co.jp/jizen/servlet/crjz.b.NQ0010?id={number}",
    ),
    Carrier(
        "sagawa",
        message("佐川急便"),
        (_DOMESTIC,),
        "mod7",
        "https://k2k.sagawa-exp.co.jp/p/web/okurijosearch.do?okurijoNo={number}",
    ),
    Carrier(
        "japanpost",
        message("日本郵便（ゆうパック・レターパック・ゆうパケット）"),
        (_DOMESTIC,),
        "mod7",
        _JAPAN_POST,
    ),
    Carrier(
        "japanpost_registered",
        message("日本郵便（書留・特定記録）"),
        (
            _form(r"[0-9]{11}", 3, 2, 5, 1, between="-"),
            _DOMESTIC,
            _form(r"[0-9]{13}"),
        ),
        "mod7",
        _JAPAN_POST,
    ),
    Carrier(
        "s10",
        message("国際郵便（EMS・海外の郵便）"),
        (_form(r"[A-Z]{2}[0-9]{9}[A-Z]{2}", 2, 3, 3, 3, 2),),
        "s10",
        _JAPAN_POST,
    ),
    Carrier(
        "usps",
        message("USPS（米国郵便）"),
        (
            _form(r"[0-9]{20}", *[4] * 5),
            _form(r"[0-9]{22}", *[4] * 5, 2),
            _form(r"[0-9]{26,34}", *[4] * 9),
        ),
        "mod10_31",
        "https://tools.usps.com/go/TrackConfirmAction?tLabels={number}",
    ),
    Carrier(
        "ups",
        message("UPS"),
        (_form(r"1Z[0-9A-Z]{15}[0-9]", 2, 3, 3, 2, 4, 4),),
        "ups",
        "https://www.ups.com/track?tracknum={number}",
    ),
    Carrier(
        "fedex",
        message("FedEx"),
        (
            _form(r"[0-9]{12}", 4, 4, 4),
            _form(r"[0-9]{15}", *[5] * 3),
            _form(r"[0-9]{22}", *[4] * 6),
            _form(r"[0-9]{34}", *[4] * 9),
        ),
        "fedex",
        "https://www.fedex.com/fedextrack/?trknbr={number}",
    ),
    Carrier("other", message("そのほかの運送会社"), needs_number=False),
)

_BY_CODE = {carrier.code: carrier for carrier in CARRIERS}


def find_carrier(code: str) -> Carrier | None:
    """Return the carrier with this code, if there is one."""
    return _BY_CODE.get(code)


def normalise(number: str) -> str:
    """Return a number without width, case, dashes and spaces."""
    return _DROPPED.sub("", unicodedata.normalize("NFKC", number).upper())


def has_form(carrier_code: str, number: str) -> bool:
    """Tell whether a number looks like one of this carrier's."""
    return _form_of(carrier_code, normalise(number)) is not None


def check(carrier_code: str, number: str) -> bool | None:
    """Tell whether the check digit is right; None where that cannot be told."""
    bare = normalise(number)
    carrier = find_carrier(carrier_code)
    if carrier is None or carrier.check is None or _form_of(carrier_code, bare) is None:
        return None
    return _CHECKS[carrier.check](bare)


def pretty(carrier_code: str, number: str) -> str:
    """Return a number in the groups in which its carrier writes it.

    A number of another shape stays as it was typed, without outer spaces.
    """
    bare = normalise(number)
    form = _form_of(carrier_code, bare)
    if form is None:
        return number.strip()
    if not form.groups:
        return bare
    starts = [sum(form.groups[:n]) for n in range(len(form.groups))]
    groups = (bare[s : s + g] for s, g in zip(starts, form.groups, strict=True))
    return form.between.join(group for group in groups if group)


def tracking_url(
    carrier_code: str, number: str, *, templates: Mapping[str, str] | None = None
) -> str | None:
    """Return where the carrier tells about a number of the right shape.

    `templates` are the operator's own, by carrier code; `{number}` is the gap.
    """
    bare = normalise(number)
    carrier = find_carrier(carrier_code)
    if carrier is None or _form_of(carrier_code, bare) is None:
        return None
    template = (templates or {}).get(carrier_code, carrier.tracking)
    return template.replace("{number}", bare) if template else None


def for_browsers() -> dict[str, dict[str, object]]:
    """Return what a page needs to hint at slips while somebody types."""
    return {
        carrier.code: {
            "forms": [form.pattern.pattern for form in carrier.forms],
            "check": carrier.check,
        }
        for carrier in CARRIERS
    }


def _form_of(carrier_code: str, bare: str) -> Form | None:
    carrier = find_carrier(carrier_code)
    forms = carrier.forms if carrier else ()
    return next((form for form in forms if form.pattern.fullmatch(bare)), None)


def _mod7(number: str) -> bool:
    return int(number[:-1]) % 7 == int(number[-1])


def _s10(number: str) -> bool:
    weights = (8, 6, 4, 2, 3, 5, 9, 7)
    total = sum(w * int(d) for w, d in zip(weights, number[2:10], strict=True))
    # 10 and 11 do not fit into one digit.
    return {10: 0, 11: 5}.get(11 - total % 11, 11 - total % 11) == int(number[10])


# The postcode of the recipient may stand in front; it is not part of the number.
_ROUTED = re.compile(r"420[0-9]{5}(?:[0-9]{4})?(9(?:[0-9]{19}|[0-9]{21}|[0-9]{25}))")


def _mod10_31(number: str) -> bool:
    routed = _ROUTED.fullmatch(number)
    *digits, last = [int(digit) for digit in (routed[1] if routed else number)]
    total = sum(d * (1 if n % 2 else 3) for n, d in enumerate(reversed(digits)))
    return -total % 10 == last


def _ups(number: str) -> bool:
    values = [int(c) if c.isdigit() else (ord(c) - 63) % 10 for c in number[2:]]
    *values, last = values
    total = sum(value * (2 if n % 2 else 1) for n, value in enumerate(values))
    return -total % 10 == last


def _fedex(number: str) -> bool | None:
    if len(number) != 12:
        return None  # The longer ones have other rules.
    weights = (3, 1, 7) * 4
    total = sum(w * int(d) for w, d in zip(weights, number[:-1], strict=False))
    return total % 11 % 10 == int(number[-1])


_CHECKS: dict[str, Callable[[str], bool | None]] = {
    "mod7": _mod7,
    "s10": _s10,
    "mod10_31": _mod10_31,
    "ups": _ups,
    "fedex": _fedex,
}
