"""What the limit writes to, beside the tables of the board."""

from sqlalchemy import Column, Index, Integer, MetaData, String, Table, text

tables = MetaData()
plain = Table(
    "bench_plain",
    tables,
    Column("id", Integer, primary_key=True),
    Column("text", String, nullable=False),
)
trades = Table(
    "bench_limit_trade",
    tables,
    Column("id", Integer, primary_key=True),
    Column("state", String, nullable=False),
    Column("due_s", Integer, nullable=False),
    Index(
        "ix_bench_limit_trade_due",
        "due_s",
        "id",
        sqlite_where=text("state = 'shipped'"),
        postgresql_where=text("state = 'shipped'"),
    ),
)
sanctions = Table(
    "bench_limit_sanction",
    tables,
    Column("id", Integer, primary_key=True),
    Column("trade_id", Integer, nullable=False),
)
