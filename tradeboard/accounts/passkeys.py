"""Passkeys: what a device is asked, and whether its answer is good.

For which host they are good comes from PUBLIC_URL alone, never from a request.
"""

import json
import logging
import secrets
from collections.abc import Iterable
from dataclasses import dataclass
from ipaddress import ip_address
from urllib.parse import urlsplit

from tradeboard.core.errors import RuleBroken

log = logging.getLogger(__name__)

PORTS = {"http": 80, "https": 443}
WRONG = "このパスキーでは確かめられませんでした。もう一度お試しください。"


@dataclass(frozen=True)
class Place:
    """Where passkeys are good: on one host, for pages of one origin."""

    host: str
    origin: str


@dataclass(frozen=True)
class Made:
    """What a device says about a new passkey."""

    credential_id: str
    public_key: str
    sign_count: int


@dataclass(frozen=True)
class Shown:
    """What a device says that shows a passkey."""

    credential_id: str
    user_handle: str | None
    answer: str


def place_of(public_url: str) -> Place | None:
    """Return where passkeys are good; no browser keeps them for a bare number."""
    parts = urlsplit(public_url)
    host = parts.hostname or ""
    try:
        ip_address(host)
    except ValueError:
        is_usual = parts.port in (None, PORTS.get(parts.scheme))
        port = "" if is_usual else f":{parts.port}"
        return Place(host, f"{parts.scheme}://{host}{port}")
    return None


def new_challenge() -> str:
    """Return 256 random bits for a device to sign."""
    return secrets.token_urlsafe(32)


def new_user_handle() -> str:
    """Return what devices call an account: random, it says nothing of the person."""
    return secrets.token_urlsafe(32)


def options_to_make(
    place: Place,
    challenge: str,
    *,
    user_handle: str,
    handle: str,
    site: str,
    known: Iterable[str],
) -> str:
    """Return, as JSON, what makes a device keep a new passkey that it finds itself."""
    import webauthn
    from webauthn.helpers import structs

    return webauthn.options_to_json(
        webauthn.generate_registration_options(
            rp_id=place.host,
            rp_name=site,
            user_id=_bytes(user_handle),
            user_name=handle,
            user_display_name=handle,
            challenge=_bytes(challenge),
            exclude_credentials=_named(known),
            authenticator_selection=structs.AuthenticatorSelectionCriteria(
                resident_key=structs.ResidentKeyRequirement.REQUIRED,
                user_verification=structs.UserVerificationRequirement.REQUIRED,
            ),
        )
    )


def options_to_show(place: Place, challenge: str, known: Iterable[str] = ()) -> str:
    """Return, as JSON, what makes a device show a passkey, one of those if named."""
    import webauthn
    from webauthn.helpers.structs import UserVerificationRequirement

    return webauthn.options_to_json(
        webauthn.generate_authentication_options(
            rp_id=place.host,
            challenge=_bytes(challenge),
            allow_credentials=_named(known),
            user_verification=UserVerificationRequirement.REQUIRED,
        )
    )


def check_made(place: Place, challenge: str, answer: str) -> Made:
    """Return the passkey that a device made for this challenge, or raise RuleBroken."""
    import webauthn

    try:
        found = webauthn.verify_registration_response(
            credential=answer,
            expected_challenge=_bytes(challenge),
            expected_rp_id=place.host,
            expected_origin=place.origin,
            require_user_verification=True,
        )
    except Exception as error:  # Whatever foreign bytes bring about.
        raise _refusal(error) from None
    return Made(
        _text(found.credential_id), _text(found.credential_public_key), found.sign_count
    )


def read_shown(answer: str) -> Shown:
    """Return which passkey an answer is about, or raise RuleBroken."""
    try:
        read = json.loads(answer)
        name, user = read["id"], read["response"].get("userHandle")
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise _refusal(error) from None
    if not isinstance(name, str) or not isinstance(user, str | None):
        raise RuleBroken(WRONG)
    return Shown(name, user, answer)


def check_shown(
    place: Place, challenge: str, shown: Shown, *, public_key: str, sign_count: int
) -> int:
    """Return the new count of a passkey if its answer is good, or raise RuleBroken.

    The device has made sure who holds it; a count that does not grow is a copy.
    """
    import webauthn

    try:
        found = webauthn.verify_authentication_response(
            credential=shown.answer,
            expected_challenge=_bytes(challenge),
            expected_rp_id=place.host,
            expected_origin=place.origin,
            credential_public_key=_bytes(public_key),
            credential_current_sign_count=sign_count,
            require_user_verification=True,
        )
    except Exception as error:  # Whatever foreign bytes bring about.
        raise _refusal(error) from None
    return found.new_sign_count


def _refusal(error: Exception) -> RuleBroken:
    log.info("passkey: %s", type(error).__name__)
    return RuleBroken(WRONG)


def _named(known: Iterable[str]):
    from webauthn.helpers.structs import PublicKeyCredentialDescriptor

    return [PublicKeyCredentialDescriptor(id=_bytes(name)) for name in known]


def _bytes(text: str) -> bytes:
    from webauthn.helpers import base64url_to_bytes

    return base64url_to_bytes(text)


def _text(value: bytes) -> str:
    from webauthn.helpers import bytes_to_base64url

    return bytes_to_base64url(value)
