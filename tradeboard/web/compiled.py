"""Compiled templates, kept for the next worker that starts.

To compile those of the first page takes a third of a second. What is read here is run,
so only a folder that nobody but this user can write to is read: one beside the keys.
"""

import os
import stat
from pathlib import Path
from pickle import UnpicklingError
from tempfile import mkstemp

import jinja2
from flask import Flask
from jinja2 import BytecodeCache
from jinja2.bccache import Bucket

NAME = "compiled"


class Compiled(BytecodeCache):
    """Keeps compiled templates as files; where it may not write, it keeps none."""

    def __init__(self, folder: Path):
        self.folder = folder

    def load_bytecode(self, bucket: Bucket) -> None:
        """Read what was compiled of this source, if it was."""
        try:
            with self._file(bucket).open("rb") as file:
                bucket.load_bytecode(file)
        except OSError:
            return
        except (EOFError, ValueError, UnpicklingError):  # Cut short: made anew.
            bucket.reset()

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Write it whole or not at all, whoever else does at the same moment."""
        try:
            number, part = mkstemp(dir=self.folder)
        except OSError:
            return
        try:
            with os.fdopen(number, "wb") as file:
                bucket.write_bytecode(file)
            Path(part).replace(self._file(bucket))
        except OSError:
            Path(part).unlink(missing_ok=True)

    def _file(self, bucket: Bucket) -> Path:
        return self.folder / f"{bucket.key}-{jinja2.__version__}"


def init_app(app: Flask) -> None:
    """Keep compiled templates beside the keys, if only this user can write there."""
    folder = app.config["KEYRING"].parent / NAME
    if not app.testing and _is_ours(folder):
        app.jinja_env.bytecode_cache = Compiled(folder)


def _is_ours(folder: Path) -> bool:
    """Make the folder if there is none, and tell whether nobody else can write."""
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        found = folder.lstat()
    except OSError:
        return False
    if not stat.S_ISDIR(found.st_mode):
        return False
    who = getattr(os, "geteuid", lambda: found.st_uid)()
    return found.st_uid == who and not found.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
