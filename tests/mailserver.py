"""A real mail server in this process, which keeps what it was told."""

import ssl
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from email import message_from_bytes
from email.policy import default
from ipaddress import ip_address

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID


class Inbox:
    """What came in: raw recipients, parsed mails; `answers` refuses some of them."""

    def __init__(self):
        self.recipients: list[str] = []
        self.mails = []
        self.answers: dict[str, str] = {}
        self.encrypted: list[bool] = []

    async def handle_DATA(self, server, session, envelope):
        """Keep a mail, or answer as the test wishes."""
        mail = message_from_bytes(envelope.content, policy=default)
        for address, answer in self.answers.items():
            if address in envelope.rcpt_tos:
                return answer
        self.encrypted.append(session.ssl is not None)
        self.mails.append(mail)
        return "250 kept"

    def subjects(self) -> list[str]:
        """Return the subjects that came in, in order."""
        return [mail["Subject"] for mail in self.mails]


class Listener(SMTP):
    """Notes each recipient exactly as it stood on the wire."""

    async def smtp_RCPT(self, arg):
        """Take one recipient."""
        self.event_handler.recipients.append(arg)
        await super().smtp_RCPT(arg)


class Server(Controller):
    """Listens on a free port of loopback."""

    def factory(self):
        """Make the listener of one conversation."""
        return Listener(self.handler, **self.SMTP_kwargs)

    def _trigger_server(self):
        self.port = self.server.sockets[0].getsockname()[1]
        super()._trigger_server()


@contextmanager
def running(tls: ssl.SSLContext | None = None):
    """Serve until the block ends: `with running() as (inbox, settings)`."""
    inbox = Inbox()
    options = {"tls_context": tls, "require_starttls": True} if tls else {}
    server = Server(inbox, hostname="127.0.0.1", port=0, **options)
    server.start()
    settings = {
        "SMTP_HOST": "127.0.0.1",
        "SMTP_PORT": server.port,
        "SMTP_STARTTLS": tls is not None,
    }
    try:
        yield inbox, settings
    finally:
        server.stop()


def self_signed(folder):
    """Make a certificate for loopback: (context of the server, file to trust)."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "127.0.0.1")])
    now = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(hours=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(
            x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))]),
            critical=False,
        )
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .sign(key, hashes.SHA256())
    )
    trusted, private = folder / "server.pem", folder / "server.key"
    pem = serialization.Encoding.PEM
    trusted.write_bytes(certificate.public_bytes(pem))
    private.write_bytes(
        key.private_bytes(
            pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
    )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(trusted, private)
    return context, trusted
