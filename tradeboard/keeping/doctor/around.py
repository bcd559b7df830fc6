"""Whether photos, keys and the audit log belong to the rows."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from sqlalchemy import Connection

from tradeboard.accounts.queries import keys as accounts
from tradeboard.audit import anchors as anchored
from tradeboard.audit import queries as audit
from tradeboard.audit.rules import Wrong
from tradeboard.blacklist.queries import keys as blacklist
from tradeboard.core import keyring
from tradeboard.core.image_child import WIDTHS
from tradeboard.core.keyring import KeyMissing
from tradeboard.core.photo_store import Store
from tradeboard.keeping import pictures
from tradeboard.keeping.doctor.report import Report
from tradeboard.keeping.pictures import Picture
from tradeboard.trades.queries import keys as trades

# The jobs remove what no row has named for a day; an hour more, and they do not run.
UNNAMED_FOR = timedelta(hours=26)
SHOWN = 3


def look_at_photos(
    connection: Connection, store: Store, now: datetime, report: Report
) -> None:
    """Look for rows without their files, and for files without a row."""
    named = pictures.named(connection)
    there: dict[Picture, int] = {}
    left: set[Picture] = set()
    for picture, _, since in pictures.stored(store):
        there[picture] = there.get(picture, 0) + 1
        if picture not in named and since < now - UNNAMED_FOR:
            left.add(picture)
    lost = sorted(one for one in named if there.get(one, 0) < len(WIDTHS))
    report.facts |= {
        "photos": len(named),
        "photos_lost": len(lost),
        "photos_unnamed": len(left),
    }
    if lost:
        shown = ", ".join("/".join(one) for one in lost[:SHOWN])
        report.find(
            "photos",
            f"{len(lost)} photos that rows name have no file: {shown}.",
            "Bring the files back from a backup; see which disk lost them.",
        )
    if left:
        report.find(
            "photos",
            f"{len(left)} files have had no row for more than a day.",
            "See in `jobs list` why clean-photos, -proofs and -evidence do not run.",
        )


def look_at_keys(report: Report) -> None:
    """Look whether the keyring has every key that a row names."""
    try:
        ring = keyring.ring(at_once=True)
        known = {
            purpose: set(ring.keys.get(purpose, ())) for purpose in keyring.PURPOSES
        }
        missing = sorted(
            f"{kid} for {purpose}"
            for purpose in keyring.PURPOSES
            for feature in (accounts, trades, blacklist)
            for kid in feature.rows_by_key(purpose)
            if kid not in known[purpose]
        )
    except KeyMissing as wrong:
        missing = [str(wrong)]
    report.facts["keys_missing"] = len(missing)
    if missing:
        report.find(
            "keys",
            f"The keyring is not complete: {', '.join(missing[:SHOWN])}.",
            "Bring the keyring of that time back; never make a new one in its place.",
        )


def look_at_log(path: Path, until: int | None, report: Report) -> None:
    """Check the audit log, and compare it with anchors up to a row."""
    anchors = (
        anchor
        for anchor in anchored.read(path)
        if until is None or anchor is None or anchor.seq <= until
    )
    found = audit.verify(anchors)
    report.facts |= {
        "audit_seq": found.seq,
        "audit_rows": found.rows,
        "audit_anchors": found.anchors,
    }
    if found.broken is None:
        return
    older = found.broken.wrong is Wrong.OLDER
    report.find(
        "audit log",
        f"Row {found.broken.seq} is wrong: {found.broken.wrong.value}.",
        "After a restore move the file of anchors aside, keep it and note why; else "
        "restore beside and compare."
        if older
        else "Restore the last good backup beside, and compare the rows.",
    )


def look_at_settings(config: Mapping[str, Any], report: Report) -> None:
    """Say why the board would not start with its settings, all reasons at once."""
    reasons = config.get("UNSAFE", [])
    report.facts["settings_unsafe"] = len(reasons)
    for reason in reasons:
        report.find("settings", reason, "No server starts until this is so.")
