"""S8: of what strangers send as photos nothing travels along, and none is costly."""

import random
import resource
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory
from types import SimpleNamespace

from PIL import Image

from tests import pictures
from tests.soaks import guarantees, hostile
from tests.soaks.telling import Telling
from tradeboard.core import images
from tradeboard.core.errors import RuleBroken
from tradeboard.core.photo_store import FolderStore

NAME = "0123456789abcdef0123456789abcdef"
QUICK = 20
MOST_MEMORY, MOST_SECONDS = 400 * 1024 * 1024, 5.0
UNWANTED = (pictures.CANARY, b"Exif", b"<script", b"<?php", b"PK\x03\x04", b"8BIM")
PLAIN = {"jfif", "jfif_version", "jfif_unit", "jfif_density"}


def s8(_app, *, quick: bool) -> dict:
    """Send the whole corpus, then names of files that try to lead elsewhere.

    In a process of its own: a child counts what its parent held when it began.
    """
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as own:
        return own.submit(_send_all, quick=quick).result()


def _send_all(*, quick: bool) -> dict:
    told = Telling("S8", quick)
    worst = SimpleNamespace(seconds=0.0)
    files = hostile.corpus(quick=quick)
    seed = guarantees.seed()
    if quick:  # Each file starts a child; another twenty are tried each time.
        files = random.Random(seed).sample(files, QUICK)
    with TemporaryDirectory() as folder:
        for sent in files:
            _send(Path(folder), sent, told, worst)
        for file in hostile.NAMES:
            _name(Path(folder), file, told)
    memory = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024
    told.check(memory <= MOST_MEMORY, f"a child took {memory} bytes")
    return told.tell(
        n=len(files) + len(hostile.NAMES),
        touches_database=False,
        files=len(files),
        seed=seed,
        max_rss=memory,
        max_cpu_s=round(worst.seconds, 2),
    )


def _send(folder: Path, sent: hostile.Sent, told: Telling, worst) -> None:
    before = _child_seconds()
    try:
        images.encode(sent.data, FolderStore(folder), NAME, file=f"{sent.name}.jpg")
    except RuleBroken:
        taken = False
    else:
        taken = True
    took = _child_seconds() - before
    worst.seconds = max(worst.seconds, took)
    told.check(took <= MOST_SECONDS + 0.5, f"{sent.name}: {took} s")
    told.check(sent.taken in (None, taken), f"{sent.name}: taken is {taken}")
    written = sorted(folder.rglob("*.*"))
    told.check(len(written) == (2 if taken else 0), f"{sent.name}: {written}")
    for file in written:
        told.check(_is_plain(file), f"{sent.name}: something travelled along")
        file.unlink()


def _is_plain(file: Path) -> bool:
    data = file.read_bytes()
    if any(unwanted in data for unwanted in UNWANTED):
        return False
    with Image.open(file) as image:
        alike = image.format == "JPEG" and image.mode == "RGB"
        return alike and not image.getexif() and set(image.info) <= PLAIN


def _name(folder: Path, file: str, told: Telling) -> None:
    """Send no picture under a name, which is shown without its tricks."""
    try:
        images.encode(b"no picture", FolderStore(folder), NAME, file=file)
    except RuleBroken as refused:
        shown = str(refused).partition("：")[0]
    else:
        shown = ""
    told.check(0 < len(shown) <= 60, f"{file!r} is shown as {shown!r}")
    tricks = [c for c in shown if c in "/\\\0\r\n\u202e"]
    told.check(not tricks, f"{file!r} is shown as {shown!r}")
    told.check(not list(folder.rglob("*.*")), f"{file!r} wrote a file")


def _child_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
