"""Ask the identity rules: pure, without a database and without keys."""

import functools
import json
import sys
from collections.abc import Callable, Iterator

import click
from flask.cli import AppGroup, with_appcontext

from tradeboard.accounts.rules.email import check_email
from tradeboard.accounts.rules.handles import check_handle
from tradeboard.accounts.rules.phone import check_phone
from tradeboard.cli.speaking import as_json
from tradeboard.core.messages import Message
from tradeboard.web.languages import translate_to

STANDARD_INPUT = "-"

identity = AppGroup("identity", help="What the rules say of addresses and names.")


@identity.command("check-email")
@as_json
@click.argument("addresses", nargs=-1, required=True)
@with_appcontext
def email(as_json, addresses):
    """Say for each address (or line of `-`) whether it can be registered."""
    _answer(addresses, as_json, lambda typed: _verdict(typed, check_email(typed)))


@identity.command("check-phone")
@click.option("--region", default="JP", help="Where the number is dialled from.")
@as_json
@click.argument("numbers", nargs=-1, required=True)
@with_appcontext
def phone(region, as_json, numbers):
    """Say for each number (or line of `-`) whether a call can be confirmed on it."""
    _answer(numbers, as_json, lambda typed: _verdict(typed, check_phone(typed, region)))


@identity.command("fold-handle")
@click.argument("handles", nargs=-1, required=True)
@with_appcontext
def handle(handles):
    """Say for each handle (or line of `-`) whether it is one, and how it reads."""
    _answer(handles, True, _read)


def _answer(typed, as_json: bool, ask: Callable[[str], dict]) -> None:
    """Write one line for each input, in their order."""
    for text in _inputs(typed):
        found = ask(text)
        line = json.dumps(found, ensure_ascii=False) if as_json else _in_words(found)
        sys.stdout.write(line + "\n")
    sys.stdout.flush()


def _inputs(typed) -> Iterator[str]:
    """Return the arguments; `-` stands for the lines of standard input.

    An empty line is an empty input; only the line end is removed.
    """
    for text in typed:
        if text != STANDARD_INPUT:
            yield text
            continue
        for line in sys.stdin.buffer:
            bare = line.removesuffix(b"\n").removesuffix(b"\r")
            yield bare.decode("utf-8", "surrogateescape")


def _verdict(typed: str, found) -> dict:
    japanese, english = _said(found.message) if found.message else ("", "")
    return {
        "input": _shown(typed),
        "verdict": found.verdict.value,
        "code": found.code,
        "key": found.key,
        "message_ja": japanese,
        "message_en": english,
    }


def _read(typed: str) -> dict:
    found = check_handle(typed)
    return {
        "input": _shown(typed),
        "verdict": found.verdict.value,
        "code": found.code,
        "skeleton": found.skeleton,
    }


def _said(message: Message) -> tuple[str, str]:
    gaps = tuple(sorted((name, str(gap)) for name, gap in message.gaps.items()))
    return str(message), _in_english(message.text, gaps)


@functools.lru_cache(maxsize=1_000)
def _in_english(text: str, gaps: tuple[tuple[str, str], ...]) -> str:
    return translate_to("en", Message(text, dict(gaps)))


def _shown(typed: str) -> str:
    """Return the input as JSON can carry it; bytes that are no text are marked."""
    return typed.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def _in_words(found: dict) -> str:
    told = [found["input"], found["verdict"], found["code"]]
    told += [text for text in (found["key"], found["message_en"]) if text]
    return "\t".join(told)
