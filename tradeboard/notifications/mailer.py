"""The outside world of mail: render a text for its reader, hand it to a server."""

import re
import smtplib
import ssl
import unicodedata
from collections.abc import Mapping
from datetime import datetime
from email.headerregistry import (
    Address,
    BaseHeader,
    HeaderRegistry,
    UnstructuredHeader,
)
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime
from types import SimpleNamespace
from typing import Any, Protocol
from urllib.parse import urlsplit

from flask import current_app
from flask_babel import force_locale, gettext
from jinja2 import Template

from tradeboard.core import signed
from tradeboard.notifications import rules
from tradeboard.web import moments

UNSUBSCRIBE = "unsubscribe"


class LinkHeader(UnstructuredHeader, BaseHeader):
    """A header whose value is one link, which is never broken over lines."""

    def fold(self, *, policy):
        """Return the one line."""
        return f"{self.name}: {self}{policy.linesep}"


_headers = HeaderRegistry()
_headers.map_to_type("list-unsubscribe", LinkHeader)
WIRE = SMTP.clone(header_factory=_headers)


class Letter(Protocol):
    """What is needed of a queued mail."""

    account_id: int | None
    to: str
    language: str
    time_zone: str
    template: str
    facts: Mapping[str, Any]
    message_id: str
    queued_at: datetime


class Unreachable(Exception):
    """The server takes no mail at all now; each mail waits for it."""


class Rejected(Exception):
    """The server will never take this mail; trying again would change nothing."""


class Told(Protocol):
    """What is needed of a notice."""

    template: str
    facts: Mapping[str, Any]


def render(mail: Letter) -> tuple[str, str]:
    """Return subject and body in the language of the recipient."""
    with force_locale(mail.language), moments.read_in(mail.time_zone):
        template = current_app.jinja_env.get_template(mail.template)
        text = template.render(
            **_known(mail.facts), link=link, sentence_of=_sentence_in_mail
        )
        subject, _, body = text.strip().partition("\n")
        return subject.strip(), body.strip() + "\n" + _footer(mail)


def sentence(notice: Told) -> str:
    """Return a notice in the language of whoever reads: the subject of its mail."""
    template: Template = current_app.jinja_env.get_template(notice.template)
    said = ""
    # The body is never made: it may name what a notice does not know.
    for part in template.generate(**_known(notice.facts), link=link):
        said += part
        if "\n" in said.lstrip():
            break
    return said.strip().partition("\n")[0].strip()


def _sentence_in_mail(told: Mapping[str, Any]) -> str:
    return sentence(SimpleNamespace(**told))


def _known(facts: Mapping[str, Any]) -> dict[str, Any]:
    named = {name: _fact(value) for name, value in facts.items()}
    return {**named, "site_name": current_app.config["SITE_NAME"]}


def _footer(mail: Letter) -> str:
    """Say how to stop a mail that may be stopped."""
    url = unsubscribe_link(mail)
    if url is None:
        return ""
    return f"\n-- \n{gettext('この種類のメールを止める：')}\n{url}\n"


def unsubscribe_link(mail: Letter) -> str | None:
    """Return the link that stops mail of this kind; None if it may not be stopped."""
    what = rules.stopped_by(mail.template)
    if what is None or mail.account_id is None:
        return None
    token = signed.sign(UNSUBSCRIBE, f"{mail.account_id}:{what}")
    return link(f"/unsubscribe/{token}")


def link(path: str) -> str:
    """Return the whole address of a path of this board."""
    return current_app.config["PUBLIC_URL"] + path


def without_secrets(text: str) -> str:
    """Blank what a mailed link is good for: staff may read a mail, not use it."""
    return re.sub(r"[A-Za-z0-9_-]{20,}", "…", text)


def _fact(value: Any) -> Any:
    """Turn `{"instant": ISO}` back into an instant."""
    if isinstance(value, dict) and set(value) == {"instant"}:
        return datetime.fromisoformat(value["instant"])
    return value


def on_the_wire(address: str) -> str:
    """Return an address as a server is told it.

    Carriers once gave out local parts with double or outer dots; unquoted, they are
    no address, and some servers refuse them.
    """
    local, _, domain = address.rpartition("@")
    if local.startswith('"'):
        return address
    odd = ".." in local or local.startswith(".") or local.endswith(".")
    return f'"{local}"@{domain}' if odd else address


def compose(mail: Letter) -> EmailMessage:
    """Return the mail as it is sent; control characters anywhere are refused."""
    subject, body = render(mail)
    if any(unicodedata.category(sign) == "Cc" for sign in subject + mail.to):
        raise ValueError("a control character in the head of a mail")
    if any(unicodedata.category(sign) == "Cc" for sign in body if sign not in "\n\t"):
        raise ValueError("a control character in the text of a mail")
    config = current_app.config
    message = EmailMessage(policy=WIRE)
    message["From"] = Address(config["SITE_NAME"], addr_spec=config["MAIL_FROM"])
    message["To"] = on_the_wire(mail.to)
    message["Subject"] = subject
    message["Date"] = format_datetime(mail.queued_at)
    host = urlsplit(config["PUBLIC_URL"]).hostname
    message["Message-ID"] = f"<{mail.message_id}@{host}>"
    message["Auto-Submitted"] = "auto-generated"
    stop = unsubscribe_link(mail)
    if stop is not None:
        message["List-Unsubscribe"] = f"<{stop}>"
        message["List-Unsubscribe-Post"] = "List-Unsubscribe=One-Click"
    message.set_content(body)
    return message


class Post:
    """A conversation with the mail server, begun when the first mail is sent."""

    def __init__(self):
        self._server: smtplib.SMTP | None = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self._server is not None:
            self._hang_up(self._server)

    def send(self, mail: Letter) -> None:
        """Hand one mail over, or raise Unreachable, Rejected, or why not this time."""
        message = compose(mail)
        wire = on_the_wire(mail.to)
        server = self._server or self._call()
        try:
            server.send_message(message, to_addrs=[wire])
        except smtplib.SMTPRecipientsRefused as refused:
            code, words = next(iter(refused.recipients.values()))
            raise _reason(code, words) from None
        except smtplib.SMTPDataError as refused:
            raise _reason(refused.smtp_code, refused.smtp_error) from None
        except (smtplib.SMTPServerDisconnected, OSError) as error:
            self._hang_up(server)
            raise Unreachable(_said(error)) from error

    def _call(self) -> smtplib.SMTP:
        config = current_app.config
        host, port = config["SMTP_HOST"], config["SMTP_PORT"]
        try:
            server = smtplib.SMTP(host, port, timeout=config["SMTP_TIMEOUT"])
            self._server = server
            if config["SMTP_STARTTLS"]:
                trust = ssl.create_default_context(cafile=config["SMTP_CA_FILE"])
                server.starttls(context=trust)
            if config["SMTP_USER"]:
                server.login(config["SMTP_USER"], config["SMTP_PASSWORD"])
        except (smtplib.SMTPException, OSError) as error:
            if self._server is not None:
                self._hang_up(self._server)
            raise Unreachable(_said(error)) from error
        return server

    def _hang_up(self, server: smtplib.SMTP) -> None:
        self._server = None
        try:
            server.quit()
        except (smtplib.SMTPException, OSError):
            server.close()


def _reason(code: int, words: bytes | str) -> Exception:
    """Say why a mail was not taken; 5xx is for good, all else for now."""
    text = words.decode(errors="replace") if isinstance(words, bytes) else words
    said = f"{code} {text}"
    return Rejected(said) if 500 <= code < 600 else smtplib.SMTPException(said)


def _said(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"
