"""A device that keeps passkeys, in software: it answers as a browser would."""

import hashlib
import json
import secrets

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from webauthn.helpers import (
    base64url_to_bytes,
    bytes_to_base64url,
    encode_cbor,
)

from tests import pages

PRESENT, VERIFIED, HAS_KEY = 0x01, 0x04, 0x40
ES256, ON_P256 = -7, 1


class Device:
    """Holds one passkey; what it says can be bent, to try what is refused."""

    def __init__(self, origin="http://localhost"):
        self.origin, self.host = origin, "localhost"
        self.key = ec.generate_private_key(ec.SECP256R1())
        self.id = secrets.token_bytes(32)
        self.count, self.user = 0, b""
        self.flags = PRESENT | VERIFIED

    def make(self, options):
        """Answer to options of a new passkey."""
        self.user = base64url_to_bytes(options["user"]["id"])
        numbers = self.key.public_key().public_numbers()
        point = {-2: numbers.x.to_bytes(32, "big"), -3: numbers.y.to_bytes(32, "big")}
        public = encode_cbor({1: 2, 3: ES256, -1: ON_P256, **point})
        length = len(self.id).to_bytes(2, "big")
        data = self._data(HAS_KEY) + bytes(16) + length + self.id + public
        statement = {"fmt": "none", "attStmt": {}, "authData": data}
        return self._answer(
            clientDataJSON=self._client("webauthn.create", options),
            attestationObject=encode_cbor(statement),
        )

    def show(self, options):
        """Answer to options of a passkey to show."""
        self.count += 1
        client, data = self._client("webauthn.get", options), self._data(0)
        signed = data + hashlib.sha256(client).digest()
        return self._answer(
            clientDataJSON=client,
            authenticatorData=data,
            signature=self.key.sign(signed, ec.ECDSA(hashes.SHA256())),
            userHandle=self.user,
        )

    def _data(self, more):
        host = hashlib.sha256(self.host.encode()).digest()
        return host + bytes([self.flags | more]) + self.count.to_bytes(4, "big")

    def _client(self, kind, options):
        said = {"type": kind, "challenge": options["challenge"], "origin": self.origin}
        return json.dumps(said).encode()

    def _answer(self, **response):
        name = bytes_to_base64url(self.id)
        said = {part: bytes_to_base64url(value) for part, value in response.items()}
        return json.dumps(
            {"id": name, "rawId": name, "type": "public-key", "response": said}
        )


def ask(client, page, purpose):
    """Ask the board what a device has to answer to, with the token of a page."""
    forms = pages.forms(pages.get(client, page))
    token = next(f.values()["csrf_token"] for f in forms if "csrf_token" in f.names)
    data = {"csrf_token": token, "for": purpose}
    answer = client.post("/passkey/options", data=data)
    assert answer.status_code == 200, answer.status_code
    return answer.get_json()


def register(client, device, name="iPhone"):
    """Add a passkey on the page of the own ways in."""
    options = ask(client, "/me/security", "add")
    answer = device.make(options)
    return pages.submit(
        client, "/me/security", "/me/passkeys", name=name, answer=answer
    )


def sign_in(client, device, **fields):
    """Come in by a passkey alone."""
    answer = device.show(ask(client, "/login", "enter"))
    fields = {"answer": answer} | fields
    return pages.submit(client, "/login", "/login/passkey", **fields)


def prove(client, device, page):
    """Show a passkey on a page that asks a signed-in person for one."""
    answer = device.show(ask(client, page, "prove"))
    forms = pages.forms(pages.get(client, page))
    form = next(f for f in forms if "answer" in f.names)
    return client.post(form.action, data=form.values() | {"answer": answer})
