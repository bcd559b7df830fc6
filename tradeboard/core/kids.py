"""Count which keys the rows name, so that a key goes only when none does."""

from collections import Counter

from sqlalchemy import Select, TableValuedAlias, func, select
from sqlalchemy.sql.elements import ColumnElement

from tradeboard.core.db import db


def counted(*named: Select) -> Counter[str]:
    """Count selections of key ids, one statement each; an empty one names no key."""
    counts: Counter[str] = Counter()
    for selection in named:
        rows = selection.subquery()
        [kid] = rows.columns
        found = select(kid, func.count()).where(kid.is_not(None)).group_by(kid)
        for name, count in db.session.execute(found):
            counts[name] += count
    return counts


def in_sealed(column) -> ColumnElement[str]:
    """Return the key id in a sealed value, in the SQL of the database."""
    if db.engine.dialect.name == "postgresql":
        return func.split_part(column, ":", 2)
    rest = func.substr(column, len("v1:") + 1)
    return func.substr(rest, 1, func.instr(rest, ":") - 1)


def in_list(column) -> tuple[ColumnElement[str], TableValuedAlias]:
    """Return the key ids in a JSON list of objects, and what to join for them."""
    if db.engine.dialect.name == "postgresql":
        one = func.json_array_elements(column).table_valued("value")
        return one.c.value.op("->>")("kid"), one
    one = func.json_each(column).table_valued("value")
    return func.json_extract(one.c.value, "$.kid"), one
