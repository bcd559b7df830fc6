"""The second factor: codes of an app, each good once, and recovery codes."""

import hmac
import io
import re
import secrets
import unicodedata
from datetime import datetime
from typing import TYPE_CHECKING

from tradeboard.core import sealed
from tradeboard.core.late import Late

if TYPE_CHECKING:
    import pyotp
    import segno
else:
    pyotp, segno = Late("pyotp"), Late("segno")

STEP = 30
HOW_MANY_RECOVERY_CODES = 10
ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
RECOVERY = re.compile(r"[0-9A-Z]{4}-[0-9A-Z]{4}-[0-9A-Z]{4}")
DASHES = str.maketrans(dict.fromkeys("‐‑‒–—―−ー", "-"))


def new_secret() -> str:
    """Return a new secret for an app."""
    return pyotp.random_base32()


def seal(secret: str, account_id: int) -> str:
    """Return the secret as it is stored."""
    return sealed.seal(secret, cell=f"totp.secret:{account_id}", purpose="totp")


def unseal(stored: str, account_id: int) -> str:
    """Return the secret that was stored."""
    return sealed.unseal(stored, cell=f"totp.secret:{account_id}", purpose="totp")


def uri(secret: str, *, handle: str, site: str) -> str:
    """Return what an app reads from the picture."""
    return pyotp.TOTP(secret).provisioning_uri(name=handle, issuer_name=site)


def picture(secret: str, *, handle: str, site: str) -> str:
    """Return the picture as SVG, without any style attribute."""
    out = io.BytesIO()
    segno.make(uri(secret, handle=handle, site=site), error="m").save(
        out, kind="svg", xmldecl=False, svgns=True, border=2, light="#fff", scale=4
    )
    return out.getvalue().decode()


def digits_of(typed: str) -> str:
    """Return the digits of a pasted text, such as 「コード：１２３ ４５６」."""
    plain = unicodedata.normalize("NFKC", typed)
    return "".join(c for c in plain if c.isascii() and c.isdigit())


def recovery_code_of(typed: str) -> str | None:
    """Return the recovery code in a pasted text, or None."""
    plain = unicodedata.normalize("NFKC", typed).upper().translate(DASHES)
    found = RECOVERY.search(plain)
    return found[0].translate(str.maketrans("OIL", "011")) if found else None


def step_of(secret: str, typed: str, now: datetime) -> int | None:
    """Return the step that a code belongs to, one before or after included."""
    code = digits_of(typed)
    if len(code) != 6:
        return None
    app = pyotp.TOTP(secret)
    current = int(now.timestamp()) // STEP
    for step in (current, current - 1, current + 1):
        if hmac.compare_digest(app.at(step * STEP), code):
            return step
    return None


def code_at(secret: str, now: datetime) -> str:
    """Return the code that an app shows at that moment."""
    return pyotp.TOTP(secret).at(now)


def new_recovery_codes() -> list[str]:
    """Return codes of 60 bits each."""

    def quarter():
        return "".join(secrets.choice(ALPHABET) for _ in range(4))

    return [
        f"{quarter()}-{quarter()}-{quarter()}" for _ in range(HOW_MANY_RECOVERY_CODES)
    ]
