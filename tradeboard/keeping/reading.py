"""Read of a database what a backup must hold, by one connection."""

from sqlalchemy import Connection, column, func, inspect, select, table

from tradeboard.audit.models import AuditHead
from tradeboard.keeping.manifest import Facts

REVISION = table("alembic_version", column("version_num"))


def facts(connection: Connection) -> Facts:
    """Return revision, number of rows and the end of the audit log."""
    head = connection.execute(select(AuditHead.seq, AuditHead.hash)).first()
    seq, hash = head if head else (0, "")
    return Facts(revision(connection), counts(connection), seq, hash)


def revision(connection: Connection) -> str | None:
    """Return the revision of the tables; None where no migration ever ran."""
    if not inspect(connection).has_table(REVISION.name):
        return None
    return connection.scalar(select(REVISION.c.version_num))


def counts(connection: Connection) -> dict[str, int]:
    """Return how many rows each table has."""
    names = sorted(inspect(connection).get_table_names())
    return {
        name: connection.scalar(select(func.count()).select_from(table(name))) or 0
        for name in names
        if name != REVISION.name
    }
