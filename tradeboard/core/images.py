"""Pictures from strangers: checked and drawn anew in a child process of few means.

The original is never stored, and nothing that travelled with it comes along.
"""

import json
import re
import subprocess
import sys
import threading
import unicodedata
from pathlib import Path

from tradeboard.core.errors import RuleBroken, TooMany
from tradeboard.core.image_child import WIDTHS
from tradeboard.core.messages import Message, message
from tradeboard.core.photo_store import Store
from tradeboard.core.records import dataclass

LARGEST_FILE = 8 * 1024 * 1024
SECONDS = 10
PATIENCE = 30
CHILD = Path(__file__).with_name("image_child.py")

_two_at_once = threading.BoundedSemaphore(2)

_UNSEEN = {"Cc", "Cf", "Cs", "Zl", "Zp"}


@dataclass(frozen=True)
class Encoded:
    """The size of the larger picture that was written, and how the picture looks."""

    width: int
    height: int
    digest: str = ""


def encode(data: bytes, store: Store, name: str, *, file: str = "") -> Encoded:
    """Store `<name>-2048.jpg` and `<name>-480.jpg`, or say why the file is refused.

    `file` is what its owner called it: it is only shown, never used as a path.
    """
    if not data:
        raise _refused(file, "empty")
    if len(data) > LARGEST_FILE:
        raise _refused(file, "too_large")
    store.make_room()
    head, bodies = _ask_child(data, file)
    if "refused" in head:
        raise _refused(file, head["refused"])
    for width, body in zip(WIDTHS, bodies, strict=True):
        store.put(name, width, body)
    return Encoded(head["width"], head["height"], head["digest"])


def shown_name(file: str) -> str:
    """Return a file's name as it can be shown: no path, nothing unseen, not long."""
    last = re.split(r"[/\\]", file)[-1]
    plain = "".join(c for c in last if unicodedata.category(c) not in _UNSEEN)
    plain = " ".join(plain.split())
    return plain if len(plain) <= 60 else f"{plain[:40]}…{plain[-12:]}"


def _ask_child(data: bytes, file: str) -> tuple[dict, list[bytes]]:
    if not _two_at_once.acquire(timeout=PATIENCE):
        raise TooMany("写真の処理が混みあっています。少し待ってから送ってください。")
    try:
        done = subprocess.run(
            [sys.executable, "-I", str(CHILD)],
            input=data,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={},
            cwd="/",
            timeout=SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise _refused(file, "too_heavy") from None
    finally:
        _two_at_once.release()
    line, _, rest = done.stdout.partition(b"\n")
    if done.returncode != 0 or not line:
        # The child was ended by its limits, in the middle of the file.
        raise _refused(file, "too_heavy")
    head = json.loads(line)
    return head, _cut(rest, head["lengths"])


def _cut(rest: bytes, lengths: list[int]) -> list[bytes]:
    bodies = []
    for length in lengths:
        bodies.append(rest[:length])
        rest = rest[length:]
    return bodies


def _refused(file: str, code: str) -> RuleBroken:
    name = shown_name(file) or message("写真")
    return RuleBroken(_why(code, name), field="photo")


def _why(code: str, name: str | Message) -> Message:
    sentences = {
        "empty": message("%(name)s：中身のないファイルでした。", name=name),
        "too_large": message(
            "%(name)s：8MBより大きいので受け取れません。小さくして送ってください。",
            name=name,
        ),
        "too_many_pixels": message(
            "%(name)s：画素数が多すぎます。縮小して送ってください。", name=name
        ),
        "animated": message(
            "%(name)s：動く画像は使えません。静止画を送ってください。", name=name
        ),
        "too_heavy": message(
            "%(name)s：処理に時間がかかりすぎました。縮小して送ってください。",
            name=name,
        ),
    }
    unread = message(
        "%(name)s：画像として読めませんでした。JPEG・PNG・WebP・HEICを送ってください。",
        name=name,
    )
    return sentences.get(code, unread)
