"""Whether the tables are those of this release, and no row misses another."""

from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import CheckConstraint, Connection, Table, inspect, text

from tradeboard.core import fleet
from tradeboard.core.db import db
from tradeboard.keeping import reading
from tradeboard.keeping.doctor.report import Report

SHOWN = 3
RESTORE = "Restore the last good backup beside this database and compare."

TRIGGERS = {
    "sqlite": text(
        "SELECT lower(name) FROM sqlite_master WHERE type = 'trigger' "
        "AND tbl_name = 'audit_row'"
    ),
    "postgresql": text(
        "SELECT tgname FROM pg_trigger WHERE NOT tgisinternal AND tgenabled <> 'D' "
        "AND tgrelid = 'audit_row'::regclass"
    ),
}
GUARDS = {
    "sqlite": {"audit_row_no_update", "audit_row_no_delete"},
    "postgresql": {"audit_row_no_change", "audit_row_no_truncate"},
}
UNCHECKED = text(
    "SELECT conrelid::regclass::text || '.' || conname FROM pg_constraint "
    "WHERE NOT convalidated ORDER BY 1"
)


def look_at_schema(connection: Connection, report: Report) -> None:
    """Compare the revision, and if it is ours every table with its model."""
    there, ours = reading.revision(connection), fleet.revision_of_code()
    report.facts |= {"revision": there, "revision_of_code": ours}
    if there != ours:
        report.find(
            "schema",
            f"The tables are of revision {there}, this release needs {ours}.",
            "Run `flask --app wsgi db upgrade`, or start the release that fits.",
        )
        return
    differences = _differences(connection)
    report.facts["differences"] = len(differences)
    if differences:
        shown = ", ".join(differences[:SHOWN])
        report.find(
            "constraints",
            f"{len(differences)} things differ from the models: {shown}.",
            "Somebody changed the tables by hand: change them back, or restore.",
        )
    kind = connection.dialect.name
    if lost := GUARDS[kind] - set(connection.scalars(TRIGGERS[kind])):
        report.find(
            "constraints",
            f"The audit log is not guarded: {', '.join(sorted(lost))} is missing.",
            "Create the trigger as in the first migration; run `audit verify`.",
        )


def look_at_rows(connection: Connection, report: Report) -> None:
    """Count every table, and look for rows whose parent is missing."""
    report.facts["counts"] = reading.counts(connection)
    for check, wrong in _broken(connection):
        report.find(check, wrong, RESTORE)


def _broken(connection: Connection) -> list[tuple[str, str]]:
    if connection.dialect.name != "sqlite":
        names = connection.scalars(UNCHECKED).all()
        return [("foreign keys", f"{name} was never checked.") for name in names]
    found = []
    whole = connection.scalar(text("PRAGMA quick_check(1)"))
    if whole != "ok":
        found.append(("file", f"The file is not whole: {whole}"))
    rows = connection.execute(text("PRAGMA foreign_key_check")).all()
    if rows:
        pairs = ", ".join(sorted({f"{row[0]} of {row[2]}" for row in rows})[:SHOWN])
        found.append(("foreign keys", f"{len(rows)} rows miss their parent: {pairs}."))
    return found


def _differences(connection: Connection) -> list[str]:
    context = MigrationContext.configure(connection, opts={"compare_type": True})
    found = [_in_words(one) for one in compare_metadata(context, db.metadata)]
    seen = inspect(connection)
    preparer = connection.dialect.identifier_preparer
    for table in db.metadata.sorted_tables:
        if not seen.has_table(table.name):
            continue
        there = {str(check["name"]) for check in seen.get_check_constraints(table.name)}
        ours = {str(preparer.format_constraint(check)) for check in _checks(table)}
        found += [f"check {name} is missing" for name in sorted(ours - there)]
        found += [f"check {name} is new" for name in sorted(there - ours)]
    return found


def _checks(table: Table) -> list[CheckConstraint]:
    return [part for part in table.constraints if isinstance(part, CheckConstraint)]


def _in_words(difference) -> str:
    """Return what would have to be done, and to what; the rest is for a debugger."""
    if isinstance(difference, list):
        difference = difference[0]
    verb, *parts = difference
    names = [one if isinstance(one, str) else getattr(one, "name", "") for one in parts]
    return " ".join([verb.replace("_", " "), *(name for name in names if name)])
