"""Short texts that stand signed in a link: nobody else can make one."""

import base64
import hmac

from tradeboard.core import keyring

LENGTH = 16
LONGEST = 200


def sign(purpose: str, text: str) -> str:
    """Return a text with its signature, as it stands in a link."""
    sealed = keyring.mac(purpose, text)[:LENGTH] + text.encode()
    return base64.urlsafe_b64encode(sealed).decode().rstrip("=")


def read(purpose: str, token: str) -> str | None:
    """Return the text of a link that one of our keys signed; else nothing."""
    if len(token) > LONGEST:
        return None
    try:
        sealed = base64.urlsafe_b64decode(token + "=" * (-len(token) % 4))
        text = sealed[LENGTH:].decode()
    except (ValueError, UnicodeError):
        return None
    ring = keyring.ring(at_once=True)
    signed = any(
        hmac.compare_digest(ring.mac(purpose, text, kid)[:LENGTH], sealed[:LENGTH])
        for kid in ring.kids(purpose)
    )
    return text if signed else None
