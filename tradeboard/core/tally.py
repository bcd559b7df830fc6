"""How often something odd came in, by day; numbers only, nobody is named."""

from datetime import date, datetime

from sqlalchemy import Date, select
from sqlalchemy.orm import Mapped, mapped_column

from tradeboard.core.db import INSERT, db


class Tally(db.Model):
    """One count of one (UTC) day."""

    name: Mapped[str] = mapped_column(primary_key=True)
    day: Mapped[date] = mapped_column(Date, primary_key=True)
    count: Mapped[int]


def count(name: str, *, now: datetime) -> None:
    """Count once more."""
    row = INSERT[db.engine.dialect.name](Tally)
    row = row.values(name=name, day=now.date(), count=1)
    more = {"count": Tally.count + 1}
    db.session.execute(
        row.on_conflict_do_update(index_elements=["name", "day"], set_=more)
    )


def newest(limit: int = 100) -> list[Tally]:
    """Return the counts of the last days, the newest first."""
    return list(
        db.session.scalars(
            select(Tally).order_by(Tally.day.desc(), Tally.name).limit(limit)
        )
    )
