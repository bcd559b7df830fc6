"""Write what was changed of several rows at once; a flush takes them one by one."""

from collections import defaultdict
from collections.abc import Iterable
from functools import lru_cache
from typing import Any, cast

from sqlalchemy import Table, Update, bindparam, update
from sqlalchemy import inspect as sa_inspect
from sqlalchemy.orm import Mapper
from sqlalchemy.orm.attributes import set_committed_value
from sqlalchemy.orm.exc import StaleDataError

from tradeboard.core.db import Base, id_of, unflushed_connection, writing

# The names of what a statement looks for; no column begins so.
_ID, _VERSION = "of_id", "of_version"


def write_together(rows: Iterable[Base]) -> None:
    """Write the changed columns of loaded rows of one model, in a statement for all.

    Rows of which other columns were changed take another one. A flush writes each row
    alone that has a version; as there, StaleDataError tells that somebody else wrote
    one meanwhile, and nothing may be committed then. What is new, or has changed in
    more than its columns, is left to the flush.
    """
    if not writing.get():
        raise RuntimeError("a change outside of a transaction")
    alike: dict[tuple[str, ...], list[Base]] = defaultdict(list)
    for row in dict.fromkeys(rows):  # Each once.
        alike[_changed(row)].append(row)
    for names, some in alike.items():
        if names:
            _write(names, sorted(some, key=id_of))


def _write(names: tuple[str, ...], rows: list[Base]) -> None:
    mapper = sa_inspect(type(rows[0]))
    version = _version(mapper)
    values = [_values(row, names, version) for row in rows]
    found = unflushed_connection().execute(_statement(mapper, names), values)
    if found.rowcount != len(rows):
        raise StaleDataError(f"{mapper.local_table}: somebody else wrote a row")
    for row in rows:
        for name in names:
            set_committed_value(row, name, getattr(row, name))
        if version is not None:
            set_committed_value(row, version, getattr(row, version) + 1)


def _changed(row: Base) -> tuple[str, ...]:
    """Return the changed columns, or none if a flush has to look at the row."""
    state = sa_inspect(row)
    # What was set, with what was there before.
    touched, columns = state.committed_state, state.mapper.column_attrs
    if not state.persistent or any(name not in columns for name in touched):
        return ()
    changed = (name for name in touched if state.attrs[name].history.has_changes())
    return tuple(sorted(changed))


def _values(row: Base, names: tuple[str, ...], version: str | None) -> dict[str, Any]:
    values = {name: getattr(row, name) for name in names} | {_ID: id_of(row)}
    return values if version is None else values | {_VERSION: getattr(row, version)}


@lru_cache(maxsize=128)
def _statement(mapper: Mapper[Any], names: tuple[str, ...]) -> Update:
    """Return a statement that changes these columns of a row, and its version."""
    columns, table = mapper.columns, cast(Table, mapper.local_table)
    key, version = mapper.primary_key[0], mapper.version_id_col
    values: dict[Any, Any] = {
        columns[name]: bindparam(name, type_=columns[name].type) for name in names
    }
    statement = update(table).where(key == bindparam(_ID, type_=key.type))
    if version is not None:
        statement = statement.where(version == bindparam(_VERSION, type_=version.type))
        values[version] = version + 1
    return statement.values(values)


def _version(mapper: Mapper[Any]) -> str | None:
    column = mapper.version_id_col
    return None if column is None else mapper.get_property_by_column(column).key
