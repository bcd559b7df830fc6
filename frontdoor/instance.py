"""The folder `instance/`: settings, keys, database and photos of one board."""

import contextlib
import os
import runpy
import secrets
import shutil
from collections.abc import Iterator

from frontdoor.ground import ROOT, Trouble

try:
    import fcntl
except ImportError:  # Windows has none; there a reset cannot see a running demo.
    fcntl = None  # type: ignore[assignment]  # the module or nothing

FOLDER = ROOT / "instance"
CONFIG = FOLDER / "config.py"
DATABASE = FOLDER / "demo.sqlite3"
ACCOUNTS = FOLDER / "demo-accounts.json"
LOG = FOLDER / "demo.log"
OUTSIDE = ("TRADEBOARD_DATABASE_URL", "TRADEBOARD_SECRET_KEY")

DEMO_CONFIG = '''\
"""Settings of the demo, written by run.py. For real use see config.example.py."""

from pathlib import Path

DEMO = True
SECRET_KEY = "{key}"
DATABASE_URL = f"sqlite:///{{Path(__file__).absolute().with_name('demo.sqlite3')}}"
'''


def allow_demo() -> None:
    """Refuse to fill a board with invented people unless it says that it is a demo."""
    by_hand = os.environ.get("TRADEBOARD_DEMO")
    if by_hand is not None:
        is_demo = by_hand.strip().lower() in ("true", "1")
    elif CONFIG.exists():
        is_demo = _settings().get("DEMO") is True
    else:
        is_demo = not any(name in os.environ for name in OUTSIDE)
    if not is_demo:
        raise Trouble(
            "The settings of this board do not say DEMO = True, so no demo is made of "
            "it; look into instance/config.py and the TRADEBOARD_ variables."
        )


def prepare() -> None:
    """Make the folder private and write the demo's settings, if there are none."""
    os.umask(0o077)
    FOLDER.mkdir(exist_ok=True)
    FOLDER.chmod(0o700)
    if CONFIG.exists():
        return
    part = CONFIG.with_suffix(".part")
    part.write_text(DEMO_CONFIG.format(key=secrets.token_hex(32)), encoding="utf-8")
    part.replace(CONFIG)


def reset() -> None:
    """Remove what the demo has gathered; the settings and the keys stay."""
    url = os.environ.get("TRADEBOARD_DATABASE_URL") or _settings().get("DATABASE_URL")
    if url and url != f"sqlite:///{DATABASE}":
        raise Trouble(
            "--reset removes instance/demo.sqlite3 alone, but this demo keeps its data "
            "in another database: empty that one yourself."
        )
    for name in ("", "-wal", "-shm", "-journal"):
        DATABASE.with_name(DATABASE.name + name).unlink(missing_ok=True)
    ACCOUNTS.unlink(missing_ok=True)
    (FOLDER / "audit-anchors.jsonl").unlink(missing_ok=True)
    uploads = FOLDER / "uploads"
    if uploads.exists():
        shutil.rmtree(uploads)


@contextlib.contextmanager
def in_use(alone: bool) -> Iterator[None]:
    """Hold the folder while a demo runs; alone, while it is being reset."""
    if fcntl is None:
        yield
        return
    with CONFIG.open("rb") as held:
        how = fcntl.LOCK_EX if alone else fcntl.LOCK_SH
        try:
            fcntl.flock(held, how | fcntl.LOCK_NB)
        except BlockingIOError:
            raise Trouble(
                "A demo is running from this folder: stop it, then start again."
            ) from None
        yield


def _settings() -> dict[str, object]:
    if not CONFIG.exists():
        return {}
    try:
        return runpy.run_path(str(CONFIG))
    except Exception as error:  # The file is the operator's: anything may be in it.
        raise Trouble(f"instance/config.py cannot be read: {error}") from None
