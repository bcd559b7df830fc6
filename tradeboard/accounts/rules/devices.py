"""What a device is called, and the shape of the cookie that it carries."""

import hmac
import re
import unicodedata
from base64 import b32encode, urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable

from tradeboard.core.records import dataclass

DEVICE_ID_BYTES = 16
SIGNATURE_BYTES = 16
RE_SIGN_AFTER_DAYS = 30
COOKIE_MAX_AGE = 34_560_000

Sign = Callable[[str], bytes]

_TO_CROCKFORD = bytes.maketrans(
    b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", b"0123456789ABCDEFGHJKMNPQRSTVWXYZ"
)
_HYPHENS = "-‐‑‒–—―−ーｰ"
_NO_HYPHENS = str.maketrans("", "", _HYPHENS)
_READ_AS = str.maketrans("OIL", "011")
_EIGHT = re.compile(r"[0-9A-HJKMNP-TV-Z]{8}")
_LONGEST_CODE = 40
_LONGEST_COOKIE = 200

_KID = r"[A-Za-z0-9_-]{1,32}"
_SIXTEEN_BYTES = r"[A-Za-z0-9_-]{22}"
_COOKIE = re.compile(
    rf"v1\.({_KID})\.({_SIXTEEN_BYTES})\.(0|[1-9][0-9]{{0,6}})\.({_SIXTEEN_BYTES})"
)


@dataclass(frozen=True)
class DeviceCookie:
    """What a well signed cookie says; the day counts from 1970-01-01."""

    device_id: bytes
    day: int
    kid: str


def code_from(mac: bytes) -> str:
    """Return a public code such as `D-7F3K-9QXM` from the first 40 bits."""
    if len(mac) < 5:
        raise ValueError("a device code needs 40 bits")
    return _shown(b32encode(mac[:5]).translate(_TO_CROCKFORD).decode())


def parse_code(typed: str) -> str | None:
    """Return the code as it is written, or None if this has not its shape."""
    if len(typed) > _LONGEST_CODE:
        return None
    plain = unicodedata.normalize("NFKC", typed).strip().translate(_NO_HYPHENS)
    # Only ASCII, since `ß` in capitals would become two letters of the alphabet.
    letters = plain.upper().translate(_READ_AS) if plain.isascii() else ""
    if len(letters) == 9:
        letters = letters.removeprefix("D")
    return _shown(letters) if _EIGHT.fullmatch(letters) else None


def _shown(letters: str) -> str:
    return f"D-{letters[:4]}-{letters[4:]}"


def build_cookie(device_id: bytes, day: int, kid: str, sign: Sign) -> str:
    """Return `v1.<kid>.<id>.<day>.<signature>`; `sign` gives the MAC of a text."""
    if len(device_id) != DEVICE_ID_BYTES or not re.fullmatch(_KID, kid) or day < 0:
        raise ValueError("a device cookie needs 128 bits, a day and a key id")
    body = f"v1.{kid}.{_text(device_id)}.{day}"
    return f"{body}.{_text(sign(body)[:SIGNATURE_BYTES])}"


def read_cookie(
    value: str, sign_with: Callable[[str], Sign | None]
) -> DeviceCookie | None:
    """Return what the cookie says, or None; `sign_with` finds a key by its id."""
    match = _COOKIE.fullmatch(value) if len(value) <= _LONGEST_COOKIE else None
    sign = sign_with(match[1]) if match else None
    if match is None or sign is None:
        return None
    device_id = urlsafe_b64decode(match[2] + "==")
    cookie = DeviceCookie(device_id, int(match[3]), match[1])
    # Building it again also refuses a second spelling of the same bytes.
    right = build_cookie(device_id, cookie.day, cookie.kid, sign)
    return cookie if hmac.compare_digest(right, value) else None


def needs_new_signature(cookie: DeviceCookie, today: int) -> bool:
    """Tell whether the same id should be signed again with today's day."""
    return today - cookie.day > RE_SIGN_AFTER_DAYS


def _text(raw: bytes) -> str:
    return urlsafe_b64encode(raw).rstrip(b"=").decode()
