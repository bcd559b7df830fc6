"""what is watched for, holds, device names, change of address

Revision ID: 0002
Revises: 0001
"""

import json
from datetime import UTC, datetime, timedelta

import sqlalchemy as sa
from alembic import op

import tradeboard.core.db

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None
alters = ("account", "mailed_token", "trade")

# Going back drops links that change an address, which the older schema has not.
may_shrink = ("mailed_token",)

PURPOSES = "purpose IN ({})"
PUBLIC_ENTRIES = """
SELECT entry.id, entry.account_id, entry.email_hash, entry.email_kid,
       entry.phone_hashes, entry.listed_at, trade.phone_confirmed_at
FROM entry LEFT JOIN trade ON trade.id = entry.trade_id
WHERE entry.state IN ('listed', 'upheld')
"""
NUMBER_COUNTS_FOR = timedelta(days=365)
MOMENT = tradeboard.core.db.UtcDateTime()


def upgrade():
    op.create_table(
        "tally",
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("day", sa.Date(), nullable=False),
        sa.Column("count", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("name", "day", name=op.f("pk_tally")),
    )
    op.create_table(
        "device_name",
        sa.Column("account_id", sa.Integer(), nullable=False),
        sa.Column("device_id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(
            ["account_id"], ["account.id"], name=op.f("fk_device_name_account_id")
        ),
        sa.ForeignKeyConstraint(
            ["device_id"], ["device.id"], name=op.f("fk_device_name_device_id")
        ),
        sa.PrimaryKeyConstraint("account_id", "device_id", name=op.f("pk_device_name")),
    )
    op.create_table(
        "domain_rule",
        sa.Column("domain", sa.String(), nullable=False),
        sa.Column(
            "verdict",
            sa.Enum(
                "relay",
                "disposable",
                "allow",
                name="domainverdict",
                native_enum=False,
                length=32,
            ),
            nullable=False,
        ),
        sa.Column("reason", sa.String(), nullable=False),
        sa.Column("by_id", sa.Integer(), nullable=False),
        sa.Column("at", tradeboard.core.db.UtcDateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["by_id"], ["account.id"], name=op.f("fk_domain_rule_by_id")
        ),
        sa.PrimaryKeyConstraint("domain", name=op.f("pk_domain_rule")),
    )
    op.create_table(
        "hold",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("account_id", sa.Integer(), nullable=False),
        sa.Column("other_id", sa.Integer(), nullable=False),
        sa.Column("low_id", sa.Integer(), nullable=False),
        sa.Column("high_id", sa.Integer(), nullable=False),
        sa.Column("cause", sa.String(), nullable=False),
        sa.Column(
            "signal",
            sa.Enum(
                "mailbox",
                "phone",
                "device",
                name="signal",
                native_enum=False,
                length=32,
            ),
            nullable=False,
        ),
        sa.Column("device_id", sa.Integer(), nullable=True),
        sa.Column(
            "made_at", tradeboard.core.db.UtcDateTime(timezone=True), nullable=False
        ),
        sa.Column(
            "until", tradeboard.core.db.UtcDateTime(timezone=True), nullable=True
        ),
        sa.Column("statement", sa.String(), nullable=False),
        sa.Column(
            "stated_at", tradeboard.core.db.UtcDateTime(timezone=True), nullable=True
        ),
        sa.Column(
            "decision",
            sa.Enum(
                "unrelated",
                "allowed",
                "evasion",
                name="holddecision",
                native_enum=False,
                length=32,
            ),
            nullable=True,
        ),
        sa.Column(
            "decided_at", tradeboard.core.db.UtcDateTime(timezone=True), nullable=True
        ),
        sa.Column("decided_by_id", sa.Integer(), nullable=True),
        sa.Column("sentence", sa.String(), nullable=False),
        sa.Column(
            "ended_at", tradeboard.core.db.UtcDateTime(timezone=True), nullable=True
        ),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.CheckConstraint("low_id < high_id", name=op.f("ck_hold_pair_in_order")),
        sa.ForeignKeyConstraint(
            ["account_id"], ["account.id"], name=op.f("fk_hold_account_id")
        ),
        sa.ForeignKeyConstraint(
            ["decided_by_id"], ["account.id"], name=op.f("fk_hold_decided_by_id")
        ),
        sa.ForeignKeyConstraint(
            ["device_id"], ["device.id"], name=op.f("fk_hold_device_id")
        ),
        sa.ForeignKeyConstraint(
            ["other_id"], ["account.id"], name=op.f("fk_hold_other_id")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_hold")),
        sa.UniqueConstraint("low_id", "high_id", name=op.f("uq_hold_low_id_high_id")),
    )
    with op.batch_alter_table("hold", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_hold_account_id"), ["account_id"], unique=False
        )
        batch_op.create_index(
            batch_op.f("ix_hold_device_id"), ["device_id"], unique=False
        )
        batch_op.create_index(
            "ix_hold_open",
            ["made_at", "id"],
            unique=False,
            sqlite_where=sa.text("decided_at IS NULL AND ended_at IS NULL"),
            postgresql_where=sa.text("decided_at IS NULL AND ended_at IS NULL"),
        )
        batch_op.create_index(
            batch_op.f("ix_hold_other_id"), ["other_id"], unique=False
        )
        batch_op.create_index(
            "ix_hold_until",
            ["until", "id"],
            unique=False,
            sqlite_where=sa.text("ended_at IS NULL"),
            postgresql_where=sa.text("ended_at IS NULL"),
        )

    op.create_table(
        "staff_note",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column(
            "kind",
            sa.Enum(
                "email",
                "phone",
                "keys_meet",
                name="notekind",
                native_enum=False,
                length=32,
            ),
            nullable=False,
        ),
        sa.Column("account_id", sa.Integer(), nullable=False),
        sa.Column("other_id", sa.Integer(), nullable=True),
        sa.Column("detail", sa.String(), nullable=False),
        sa.Column(
            "made_at", tradeboard.core.db.UtcDateTime(timezone=True), nullable=False
        ),
        sa.Column(
            "seen_at", tradeboard.core.db.UtcDateTime(timezone=True), nullable=True
        ),
        sa.Column("seen_by_id", sa.Integer(), nullable=True),
        sa.ForeignKeyConstraint(
            ["account_id"], ["account.id"], name=op.f("fk_staff_note_account_id")
        ),
        sa.ForeignKeyConstraint(
            ["other_id"], ["account.id"], name=op.f("fk_staff_note_other_id")
        ),
        sa.ForeignKeyConstraint(
            ["seen_by_id"], ["account.id"], name=op.f("fk_staff_note_seen_by_id")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_staff_note")),
    )
    with op.batch_alter_table("staff_note", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_staff_note_account_id"), ["account_id"], unique=False
        )
        batch_op.create_index(
            "ix_staff_note_open",
            ["made_at", "id"],
            unique=False,
            sqlite_where=sa.text("seen_at IS NULL"),
            postgresql_where=sa.text("seen_at IS NULL"),
        )
        batch_op.create_index(
            batch_op.f("ix_staff_note_other_id"), ["other_id"], unique=False
        )

    op.create_table(
        "watch",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("account_id", sa.Integer(), nullable=False),
        sa.Column("cause", sa.String(), nullable=False),
        sa.Column(
            "signal",
            sa.Enum(
                "mailbox",
                "phone",
                "device",
                name="signal",
                native_enum=False,
                length=32,
            ),
            nullable=False,
        ),
        sa.Column("hash", sa.String(), nullable=True),
        sa.Column("kid", sa.String(), nullable=True),
        sa.Column("device_id", sa.Integer(), nullable=True),
        sa.Column(
            "since", tradeboard.core.db.UtcDateTime(timezone=True), nullable=False
        ),
        sa.Column(
            "until", tradeboard.core.db.UtcDateTime(timezone=True), nullable=True
        ),
        sa.CheckConstraint(
            "(hash IS NULL) <> (device_id IS NULL)", name=op.f("ck_watch_one_value")
        ),
        sa.CheckConstraint(
            "(hash IS NULL) = (kid IS NULL)", name=op.f("ck_watch_hash_has_kid")
        ),
        sa.ForeignKeyConstraint(
            ["account_id"], ["account.id"], name=op.f("fk_watch_account_id")
        ),
        sa.ForeignKeyConstraint(
            ["device_id"], ["device.id"], name=op.f("fk_watch_device_id")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_watch")),
    )
    with op.batch_alter_table("watch", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_watch_account_id"), ["account_id"], unique=False
        )
        batch_op.create_index(batch_op.f("ix_watch_cause"), ["cause"], unique=False)
        batch_op.create_index(
            batch_op.f("ix_watch_device_id"), ["device_id"], unique=False
        )
        batch_op.create_index(batch_op.f("ix_watch_hash"), ["hash"], unique=False)

    with op.batch_alter_table("account", schema=None) as batch_op:
        batch_op.add_column(sa.Column("email_kept_rules", sa.Integer(), nullable=True))

    with op.batch_alter_table("mailed_token", schema=None) as batch_op:
        batch_op.add_column(sa.Column("email", sa.String(), nullable=True))

    with op.batch_alter_table("trade", schema=None) as batch_op:
        batch_op.add_column(sa.Column("words_kid", sa.String(), nullable=True))

    let_purposes("'confirm', 'reset', 'change'")
    make_mailboxes_unique("email_confirmed_at IS NOT NULL AND closed_at IS NULL")
    watch_public_entries()


def let_purposes(names):
    """Say what a mailed link can be for."""
    with op.batch_alter_table("mailed_token", schema=None) as batch_op:
        batch_op.drop_constraint(op.f("ck_mailed_token_purpose"), type_="check")
        batch_op.create_check_constraint(
            op.f("ck_mailed_token_purpose"), PURPOSES.format(names)
        )


def make_mailboxes_unique(where):
    """Say among whom a mailbox is one person's."""
    op.drop_index("uq_account_email_key_confirmed", table_name="account")
    op.create_index(
        "uq_account_email_key_confirmed",
        "account",
        ["email_key"],
        unique=True,
        sqlite_where=sa.text(where),
        postgresql_where=sa.text(where),
    )


def watch_public_entries():
    """Watch for whoever is listed already, as new entries do from now on."""
    watch = sa.table(
        "watch",
        *(sa.column(name) for name in ("account_id", "cause", "signal", "hash", "kid")),
        sa.column("device_id"),
        sa.column("since", MOMENT),
        sa.column("until", MOMENT),
    )
    columns = {"listed_at": MOMENT, "phone_confirmed_at": MOMENT}
    entries = op.get_bind().execute(sa.text(PUBLIC_ENTRIES).columns(**columns)).all()
    rows = [row for entry in entries for row in watched(entry)]
    if rows:
        op.bulk_insert(watch, rows)


def watched(entry):
    """Return what one entry watches for."""
    row = {
        "account_id": entry.account_id,
        "cause": f"entry:{entry.id}",
        "hash": None,
        "kid": None,
        "device_id": None,
        "since": entry.listed_at or datetime.now(UTC),
        "until": None,
    }
    if entry.email_hash:
        mailbox = {"hash": entry.email_hash, "kid": entry.email_kid}
        yield row | mailbox | {"signal": "mailbox"}
    phones = entry.phone_hashes
    for phone in json.loads(phones) if isinstance(phones, str) else phones or []:
        confirmed = entry.phone_confirmed_at
        if confirmed is not None:
            until = {"until": confirmed + NUMBER_COUNTS_FOR}
            number = {"hash": phone["hash"], "kid": phone["kid"]}
            yield row | number | until | {"signal": "phone"}
    devices = op.get_bind().execute(
        sa.text("SELECT device_id FROM entry_device WHERE entry_id = :id"),
        {"id": entry.id},
    )
    for device_id in devices.scalars():
        yield row | {"device_id": device_id, "signal": "device"}


def downgrade():
    op.execute("DELETE FROM mailed_token WHERE purpose = 'change'")
    let_purposes("'confirm', 'reset'")
    make_mailboxes_unique("email_confirmed_at IS NOT NULL")
    with op.batch_alter_table("trade", schema=None) as batch_op:
        batch_op.drop_column("words_kid")

    with op.batch_alter_table("mailed_token", schema=None) as batch_op:
        batch_op.drop_column("email")

    with op.batch_alter_table("account", schema=None) as batch_op:
        batch_op.drop_column("email_kept_rules")

    with op.batch_alter_table("watch", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_watch_hash"))
        batch_op.drop_index(batch_op.f("ix_watch_device_id"))
        batch_op.drop_index(batch_op.f("ix_watch_cause"))
        batch_op.drop_index(batch_op.f("ix_watch_account_id"))

    op.drop_table("watch")
    with op.batch_alter_table("staff_note", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_staff_note_other_id"))
        batch_op.drop_index(
            "ix_staff_note_open",
            sqlite_where=sa.text("seen_at IS NULL"),
            postgresql_where=sa.text("seen_at IS NULL"),
        )
        batch_op.drop_index(batch_op.f("ix_staff_note_account_id"))

    op.drop_table("staff_note")
    with op.batch_alter_table("hold", schema=None) as batch_op:
        batch_op.drop_index(
            "ix_hold_until",
            sqlite_where=sa.text("ended_at IS NULL"),
            postgresql_where=sa.text("ended_at IS NULL"),
        )
        batch_op.drop_index(batch_op.f("ix_hold_other_id"))
        batch_op.drop_index(
            "ix_hold_open",
            sqlite_where=sa.text("decided_at IS NULL AND ended_at IS NULL"),
            postgresql_where=sa.text("decided_at IS NULL AND ended_at IS NULL"),
        )
        batch_op.drop_index(batch_op.f("ix_hold_device_id"))
        batch_op.drop_index(batch_op.f("ix_hold_account_id"))

    op.drop_table("hold")
    op.drop_table("domain_rule")
    op.drop_table("device_name")
    op.drop_table("tally")
