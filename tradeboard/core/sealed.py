"""Personal data at rest: AES-256-GCM, bound to its cell, key id in front.

A sealed value reads `v1:kid:nonce:ciphertext` in base64url. The cell (such as
`phone_side.number:3:7`) is authenticated with it, so that a value moved to another row
does not open.
"""

import base64
import secrets
from typing import TYPE_CHECKING

from tradeboard.core import keyring
from tradeboard.core.late import Late

if TYPE_CHECKING:
    from cryptography import exceptions
    from cryptography.hazmat.primitives.ciphers import aead
else:
    exceptions = Late("cryptography.exceptions")
    aead = Late("cryptography.hazmat.primitives.ciphers.aead")


def seal(text: str, *, cell: str, purpose: str = "personal-data") -> str:
    """Encrypt a value for its cell."""
    ring = keyring.ring()
    kid = ring.kid(purpose)
    nonce = secrets.token_bytes(12)
    sealed = aead.AESGCM(ring.key(purpose, kid)).encrypt(
        nonce, text.encode(), cell.encode()
    )
    return f"{prefix(kid)}{_to_text(nonce)}:{_to_text(sealed)}"


def unseal(value: str, *, cell: str, purpose: str = "personal-data") -> str:
    """Decrypt a value of that cell; raise InvalidTag if it was moved or changed."""
    _, kid, nonce, sealed = value.split(":")
    opened = aead.AESGCM(keyring.key(purpose, kid)).decrypt(
        _to_bytes(nonce), _to_bytes(sealed), cell.encode()
    )
    return opened.decode()


def reseal(value: str, *, cell: str, purpose: str = "personal-data") -> str:
    """Encrypt a value of that cell anew, with the key in use."""
    return seal(unseal(value, cell=cell, purpose=purpose), cell=cell, purpose=purpose)


def prefix(kid: str) -> str:
    """Return how every value begins that was sealed with a key."""
    return f"v1:{kid}:"


def _to_text(value: bytes) -> str:
    return base64.urlsafe_b64encode(value).decode()


def _to_bytes(value: str) -> bytes:
    return base64.urlsafe_b64decode(value)
