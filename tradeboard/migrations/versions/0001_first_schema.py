"""first schema

Revision ID: 0001
Revises:
"""

from datetime import UTC, datetime
from pathlib import Path

import sqlalchemy as sa
from alembic import op

import tradeboard.core.db

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

TERMS = Path(tradeboard.core.db.__file__).parents[1] / "terms" / "texts"
FIRST_TERMS_AT = datetime(2026, 11, 30, tzinfo=UTC)

SQLITE_GUARD = """
CREATE TRIGGER audit_row_no_{verb} BEFORE {verb} ON audit_row
BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END
"""

POSTGRESQL_GUARD = (
    """
    CREATE FUNCTION refuse_audit_change() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN RAISE EXCEPTION 'the audit log is append-only'; END $$
    """,
    """
    CREATE TRIGGER audit_row_no_change BEFORE UPDATE OR DELETE ON audit_row
    FOR EACH ROW EXECUTE FUNCTION refuse_audit_change()
    """,
    """
    CREATE TRIGGER audit_row_no_truncate BEFORE TRUNCATE ON audit_row
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_change()
    """,
)


def guard_audit():
    """Let nobody change or delete what was recorded, on either database."""
    if op.get_bind().dialect.name == "sqlite":
        for verb in ("UPDATE", "DELETE"):
            op.execute(SQLITE_GUARD.format(verb=verb))
    else:
        for statement in POSTGRESQL_GUARD:
            op.execute(statement)


def publish_first_terms():
    """Put the terms that come with the board in force."""
    texts = {
        f"text_{language}": (TERMS / f"1.{language}.md").read_text(encoding="utf-8")
        for language in ("ja", "en")
    }
    table = sa.table(
        "terms_version",
        sa.column("number", sa.Integer()),
        sa.column("published_at", tradeboard.core.db.UtcDateTime()),
        sa.column("text_ja", sa.String()),
        sa.column("text_en", sa.String()),
    )
    op.bulk_insert(table, [{"number": 1, "published_at": FIRST_TERMS_AT, **texts}])


def release_audit():
    """Remove the guards, so that the table can go."""
    if op.get_bind().dialect.name != "sqlite":
        op.execute("DROP TRIGGER audit_row_no_truncate ON audit_row")
        op.execute("DROP TRIGGER audit_row_no_change ON audit_row")
        op.execute("DROP FUNCTION refuse_audit_change()")


def upgrade():
    op.create_table(
        "account",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("handle", sa.String(), nullable=False),
        sa.Column("email", sa.String(), nullable=False),
        sa.Column("email_wire", sa.String(), nullable=False),
        sa.Column("email_login", sa.String(), nullable=False),
        sa.Column("email_key", sa.String(), nullable=False),
        sa.Column("email_kid", sa.String(), nullable=False),
        sa.Column("email_rules", sa.Integer(), nullable=False),
        sa.Column(
            "email_confirmed_at",
            tradeboard.core.db.UtcDateTime(timezone=True),
            nullable=True,
        ),
        sa.Column("password_hash", sa.String(), nullable=False),
        sa.Column(
            "role",
            sa.Enum(
                "member",
                "moderator",
                "admin",
                name="role",
                native_enum=False,
                length=32,
            ),
            nullable=False,
        ),
        sa.Column(
            "standing",
            sa.Enum(
                "good",
                "held",
                "listed",
                "suspended",
                "closed",
                name="standing",
                native_enum=False,
                length=32,
            ),
            nullable=False,
        ),
        sa.Column("language", sa.String(), nullable=False),
        sa.Column("prefecture", sa.String(), nullable=False),
        sa.Column(
            "created_at", tradeboard.core.db.UtcDateTime(timezone=True), nullable=False
        ),
        sa.Column(
            "closed_at", tradeboard.core.db.UtcDateTime(timezone=True), nullable=True
        ),
        sa.Column("completed_count", sa.Integer(), nullable=False),
        sa.Column("partner_count", sa.Integer(), nullable=False),
        sa.Column("on_time_count", sa.Integer(), nullable=False),
        sa.Column("ended_count", sa.Integer(), nullable=False),
        sa.Column("late_count", sa.Integer(), nullable=False),
        sa.Column("cancelled_count", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_account")),
    )
    with op.batch_alter_table("account", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_account_created_at_id"), ["created_at", "id"], unique=False
        )
        batch_op.create_index(
            batch_op.f("ix_account_email_key"), ["email_key"], unique=False
        )
        batch_op.create_index(
            batch_op.f("ix_account_email_login"), ["email_login"], unique=False
        )
        batch_op.create_index(
            "uq_account_email_key_confirmed",
            ["email_key"],
            unique=True,
            sqlite_where=sa.text("email_confirmed_at IS NOT NULL"),
            postgresql_where=sa.text("email_confirmed_at IS NOT NULL"),
        )

    op.create_table(
        "audit_row",
        sa.Column("seq", sa.Integer(), nullable=False),
        sa.Column("at", tradeboard.core.db.UtcDateTime(timezone=True), nullable=False),
        sa.Column("actor_id", sa.Integer(), nullable=True),
        sa.Column("action", sa.String(), nullable=False),
        sa.Column("object", sa.String(), nullable=False),
        sa.Column("body", sa.JSON(), nullable=False),
        sa.PrimaryKeyConstraint("seq", name=op.f("pk_audit_row")),
    )
    with op.batch_alter_table("audit_row", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_audit_row_actor_id_seq"), ["actor_id", "seq"], unique=False
        )
        batch_op.create_index(
            batch_op.f("ix_audit_row_object_seq"), ["object", "seq"], unique=False
        )

    op.create_table(
        "device",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("key", sa.String(), nullable=False),
        sa.Column("kid", sa.String(), nullable=False),
        sa.Column("code", sa.String(), nullable=False),
        sa.Column(
            "first_seen", tradeboard.core.db.UtcDateTime(timezone=True), nullable=False
        ),
        sa.Column(
            "last_seen", tradeboard.core.db.UtcDateTime(timezone=True), nullable=False
        ),
        sa.Column("shared", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_device")),
        sa.UniqueConstraint("code", name=op.f("uq_device_code")),
        sa.UniqueConstraint("key", name=op.f("uq_device_key")),
    )
    with op.batch_alter_table("device", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_device_last_seen"), ["last_seen"], unique=False
        )

    op.create_table(
        "job_run",
        sa.Column("name", sa.String(), nullable=False),
        sa.Column(
            "started_at", tradeboard.core.db.UtcDateTime(timezone=True), nullable=True
        ),
        sa.Column(
            "ok_at", tradeboard.core.db.UtcDateTime(timezone=True), nullable=True
        ),
        sa.Column(
            "claimed_until",
            tradeboard.core.db.UtcDateTime(timezone=True),
            nullable=True,
        ),
        sa.Column("error", sa.String(), nullable=True),
        sa.Column("host", sa.String(), nullable=True),
        sa.Column("done", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_job_run")),
    )
    op.create_table(
        "outbox_mail",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("key", sa.String(), nullable=False),
        sa.Column("account_id", sa.Integer(), nullable=True),
        sa.Column("to", sa.String(), nullable=False),
        sa.Column("language", sa.String(), nullable=False),
        sa.Column("template", sa.String(), nullable=False),
        sa.Column("facts", sa.JSON(), nullable=False),
        sa.Column("message_id", sa.String(), nullable=False),
        sa.Column(
            "queued_at", tradeboard.core.db.UtcDateTime(timezone=True), nullable=False
        ),
        sa.Column(
            "next_try_at", tradeboard.core.db.UtcDateTime(timezone=True), nullable=False
        ),
        sa.Column("tries", sa.Integer(), nullable=False),
        sa.Column("error", sa.String(), nullable=True),
        sa.Column(
            "sent_at", tradeboard.core.db.UtcDateTime(timezone=True), nullable=True
        ),
        sa.Column(
            "dead_at", tradeboard.core.db.UtcDateTime(timezone=True), nullable=True
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_outbox_mail")),
        sa.UniqueConstraint("key", name=op.f("uq_outbox_mail_key")),
    )
    with op.batch_alter_table("outbox_mail", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_outbox_mail_account_id"), ["account_id"], unique=False
        )
        batch_op.create_index(
            "ix_outbox_mail_queued", ["queued_at", "id"], unique=False
        )
        batch_op.create_index(
            "ix_outbox_mail_waiting",
            ["next_try_at", "id"],
            unique=False,
            sqlite_where=sa.text("sent_at IS NULL AND dead_at IS NULL"),
            postgresql_where=sa.text("sent_at IS NULL AND dead_at IS NULL"),
        )

    op.create_table(
        "submission",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("account_id", sa.Integer(), nullable=False),
        sa.Column("submit_id", sa.String(), nullable=False),
        sa.Column("target", sa.String(), nullable=False),
        sa.Column("at", tradeboard.core.db.UtcDateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_submission")),
        sa.UniqueConstraint(
            "account_id", "submit_id", name=op.f("uq_submission_account_id_submit_id")
        ),
    )
    with op.batch_alter_table("submission", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_submission_at"), ["at"], unique=False)

    op.create_table(
        "terms_version",
        sa.Column("number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column(
            "published_at",
            tradeboard.core.db.UtcDateTime(timezone=True),
            nullable=False,
        ),
        sa.Column("text_ja", sa.String(), nullable=False),
        sa.Column("text_en", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("number", name=op.f("pk_terms_version")),
    )
    op.create_table(
        "throttle_bucket",
        sa.Column("key", sa.String(), nullable=False),
        sa.Column("count", sa.Integer(), nullable=False),
        sa.Column(
            "expires_at", tradeboard.core.db.UtcDateTime(timezone=True), nullable=False
        ),
        sa.PrimaryKeyConstraint("key", name=op.f("pk_throttle_bucket")),
    )
    with op.batch_alter_table("throttle_bucket", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_throttle_bucket_expires_at"), ["expires_at"], unique=False
        )

    op.create_table(
        "agreement",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("account_id", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column(
            "agreed_at", tradeboard.core.db.UtcDateTime(timezone=True), nullable=False
        ),
        sa.ForeignKeyConstraint(
            ["account_id"], ["account.id"], name=op.f("fk_agreement_account_id")
        ),
        sa.ForeignKeyConstraint(
            ["number"], ["terms_version.number"], name=op.f("fk_agreement_number")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_agreement")),
        sa.UniqueConstraint(
            "account_id", "number", name=op.f("uq_agreement_account_id_number")
        ),
    )
    op.create_table(
        "device_use",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("account_id", sa.Integer(), nullable=False),
        sa.Column("device_id", sa.Integer(), nullable=False),
        sa.Column(
            "used_at", tradeboard.core.db.UtcDateTime(timezone=True), nullable=False
        ),
        sa.ForeignKeyConstraint(
            ["account_id"], ["account.id"], name=op.f("fk_device_use_account_id")
        ),
        sa.ForeignKeyConstraint(
            ["device_id"], ["device.id"], name=op.f("fk_device_use_device_id")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_device_use")),
    )
    with op.batch_alter_table("device_use", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_device_use_account_id_used_at"),
            ["account_id", "used_at"],
            unique=False,
        )
        batch_op.create_index(
            batch_op.f("ix_device_use_device_id_account_id_used_at"),
            ["device_id", "account_id", "used_at"],
            unique=False,
        )

    op.create_table(
        "handle",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("account_id", sa.Integer(), nullable=False),
        sa.Column("shown", sa.String(), nullable=False),
        sa.Column("skeleton", sa.String(), nullable=False),
        sa.Column(
            "since", tradeboard.core.db.UtcDateTime(timezone=True), nullable=False
        ),
        sa.Column("current", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(
            ["account_id"], ["account.id"], name=op.f("fk_handle_account_id")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_handle")),
        sa.UniqueConstraint("skeleton", name=op.f("uq_handle_skeleton")),
    )
    with op.batch_alter_table("handle", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_handle_account_id"), ["account_id"], unique=False
        )

    op.create_table(
        "listing",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("owner_id", sa.Integer(), nullable=False),
        sa.Column(
            "state",
            sa.Enum(
                "draft",
                "awaiting_email",
                "open",
                "reserved",
                "traded",
                "expired",
                "withdrawn",
                "hidden",
                name="listingstate",
                native_enum=False,
                length=32,
            ),
            nullable=False,
        ),
        sa.Column("form", sa.JSON(), nullable=False),
        sa.Column("game", sa.String(), nullable=False),
        sa.Column("note", sa.String(), nullable=False),
        sa.Column("ships_from", sa.String(), nullable=False),
        sa.Column("ships_to", sa.String(), nullable=False),
        sa.Column("search_key", sa.String(), nullable=False),
        sa.Column("terms_number", sa.Integer(), nullable=True),
        sa.Column(
            "created_at", tradeboard.core.db.UtcDateTime(timezone=True), nullable=False
        ),
        sa.Column(
            "changed_at", tradeboard.core.db.UtcDateTime(timezone=True), nullable=False
        ),
        sa.Column(
            "posted_at", tradeboard.core.db.UtcDateTime(timezone=True), nullable=True
        ),
        sa.Column(
            "expires_at", tradeboard.core.db.UtcDateTime(timezone=True), nullable=True
        ),
        sa.Column(
            "end_told_at", tradeboard.core.db.UtcDateTime(timezone=True), nullable=True
        ),
        sa.Column(
            "hidden_from",
            sa.Enum(
                "draft",
                "awaiting_email",
                "open",
                "reserved",
                "traded",
                "expired",
                "withdrawn",
                "hidden",
                name="listingstate",
                native_enum=False,
                length=32,
            ),
            nullable=True,
        ),
        sa.Column("hidden_reason", sa.String(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["owner_id"], ["account.id"], name=op.f("fk_listing_owner_id")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_listing")),
    )
    with op.batch_alter_table("listing", schema=None) as batch_op:
        batch_op.create_index(
            "ix_listing_board",
            [sa.literal_column("posted_at DESC"), sa.literal_column("id DESC")],
            unique=False,
            sqlite_where=sa.text("state IN ('open', 'reserved')"),
            postgresql_where=sa.text("state IN ('open', 'reserved')"),
        )
        batch_op.create_index(
            "ix_listing_expiry",
            ["expires_at", "id"],
            unique=False,
            sqlite_where=sa.text("state = 'open'"),
            postgresql_where=sa.text("state = 'open'"),
        )
        batch_op.create_index(
            batch_op.f("ix_listing_owner_id_id"), ["owner_id", "id"], unique=False
        )

    op.create_table(
        "mailed_token",
        sa.Column("token_hash", sa.String(), nullable=False),
        sa.Column("purpose", sa.String(), nullable=False),
        sa.Column("account_id", sa.Integer(), nullable=False),
        sa.Column("email_wire", sa.String(), nullable=False),
        sa.Column(
            "made_at", tradeboard.core.db.UtcDateTime(timezone=True), nullable=False
        ),
        sa.Column(
            "expires_at", tradeboard.core.db.UtcDateTime(timezone=True), nullable=False
        ),
        sa.Column(
            "used_at", tradeboard.core.db.UtcDateTime(timezone=True), nullable=True
        ),
        sa.CheckConstraint(
            "purpose IN ('confirm', 'reset')", name=op.f("ck_mailed_token_purpose")
        ),
        sa.ForeignKeyConstraint(
            ["account_id"], ["account.id"], name=op.f("fk_mailed_token_account_id")
        ),
        sa.PrimaryKeyConstraint("token_hash", name=op.f("pk_mailed_token")),
    )
    with op.batch_alter_table("mailed_token", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_mailed_token_account_id"), ["account_id"], unique=False
        )
        batch_op.create_index(
            batch_op.f("ix_mailed_token_expires_at"), ["expires_at"], unique=False
        )

    op.create_table(
        "recovery_code",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("account_id", sa.Integer(), nullable=False),
        sa.Column("code_hash", sa.String(), nullable=False),
        sa.Column(
            "used_at", tradeboard.core.db.UtcDateTime(timezone=True), nullable=True
        ),
        sa.ForeignKeyConstraint(
            ["account_id"], ["account.id"], name=op.f("fk_recovery_code_account_id")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_recovery_code")),
        sa.UniqueConstraint("code_hash", name=op.f("uq_recovery_code_code_hash")),
    )
    with op.batch_alter_table("recovery_code", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_recovery_code_account_id"), ["account_id"], unique=False
        )

    op.create_table(
        "restriction",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("account_id", sa.Integer(), nullable=False),
        sa.Column("cause", sa.String(), nullable=False),
        sa.Column(
            "standing",
            sa.Enum(
                "good",
                "held",
                "listed",
                "suspended",
                "closed",
                name="standing",
                native_enum=False,
                length=32,
            ),
            nullable=False,
        ),
        sa.Column(
            "since", tradeboard.core.db.UtcDateTime(timezone=True), nullable=False
        ),
        sa.Column(
            "until", tradeboard.core.db.UtcDateTime(timezone=True), nullable=True
        ),
        sa.Column(
            "ended_at", tradeboard.core.db.UtcDateTime(timezone=True), nullable=True
        ),
        sa.ForeignKeyConstraint(
            ["account_id"], ["account.id"], name=op.f("fk_restriction_account_id")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_restriction")),
        sa.UniqueConstraint(
            "account_id", "cause", name=op.f("uq_restriction_account_id_cause")
        ),
    )
    with op.batch_alter_table("restriction", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_restriction_until"), ["until"], unique=False
        )

    op.create_table(
        "session",
        sa.Column("token_hash", sa.String(), nullable=False),
        sa.Column("account_id", sa.Integer(), nullable=False),
        sa.Column("device_id", sa.Integer(), nullable=True),
        sa.Column(
            "created_at", tradeboard.core.db.UtcDateTime(timezone=True), nullable=False
        ),
        sa.Column(
            "last_seen_at",
            tradeboard.core.db.UtcDateTime(timezone=True),
            nullable=False,
        ),
        sa.Column(
            "expires_at", tradeboard.core.db.UtcDateTime(timezone=True), nullable=False
        ),
        sa.Column(
            "ends_at", tradeboard.core.db.UtcDateTime(timezone=True), nullable=False
        ),
        sa.Column(
            "signed_in_at",
            tradeboard.core.db.UtcDateTime(timezone=True),
            nullable=False,
        ),
        sa.Column(
            "second_factor_at",
            tradeboard.core.db.UtcDateTime(timezone=True),
            nullable=True,
        ),
        sa.Column("label", sa.String(), nullable=False),
        sa.Column("network", sa.String(), nullable=False),
        sa.Column(
            "revoked_at", tradeboard.core.db.UtcDateTime(timezone=True), nullable=True
        ),
        sa.ForeignKeyConstraint(
            ["account_id"], ["account.id"], name=op.f("fk_session_account_id")
        ),
        sa.ForeignKeyConstraint(
            ["device_id"], ["device.id"], name=op.f("fk_session_device_id")
        ),
        sa.PrimaryKeyConstraint("token_hash", name=op.f("pk_session")),
    )
    with op.batch_alter_table("session", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_session_account_id"), ["account_id"], unique=False
        )
        batch_op.create_index(
            batch_op.f("ix_session_expires_at"), ["expires_at"], unique=False
        )

    op.create_table(
        "totp",
        sa.Column("account_id", sa.Integer(), nullable=False),
        sa.Column("secret", sa.String(), nullable=False),
        sa.Column(
            "confirmed_at", tradeboard.core.db.UtcDateTime(timezone=True), nullable=True
        ),
        sa.Column("last_step", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["account_id"], ["account.id"], name=op.f("fk_totp_account_id")
        ),
        sa.PrimaryKeyConstraint("account_id", name=op.f("pk_totp")),
    )
    op.create_table(
        "line",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("listing_id", sa.Integer(), nullable=False),
        sa.Column(
            "side",
            sa.Enum("have", "want", name="side", native_enum=False, length=32),
            nullable=False,
        ),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("set_code", sa.String(), nullable=False),
        sa.Column("rarity", sa.String(), nullable=False),
        sa.Column("language", sa.String(), nullable=False),
        sa.Column("condition", sa.String(), nullable=False),
        sa.Column("quantity", sa.Integer(), nullable=False),
        sa.Column("free", sa.Integer(), nullable=False),
        sa.Column("traded", sa.Integer(), nullable=False),
        sa.CheckConstraint(
            "free + traded <= quantity", name=op.f("ck_line_never_more_than_there_are")
        ),
        sa.CheckConstraint(
            "free >= 0 AND traded >= 0", name=op.f("ck_line_never_negative")
        ),
        sa.ForeignKeyConstraint(
            ["listing_id"], ["listing.id"], name=op.f("fk_line_listing_id")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_line")),
    )
    with op.batch_alter_table("line", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_line_listing_id"), ["listing_id"], unique=False
        )

    op.create_table(
        "photo",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("listing_id", sa.Integer(), nullable=False),
        sa.Column("owner_id", sa.Integer(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("alt", sa.String(), nullable=False),
        sa.Column("width", sa.Integer(), nullable=False),
        sa.Column("height", sa.Integer(), nullable=False),
        sa.Column(
            "added_at", tradeboard.core.db.UtcDateTime(timezone=True), nullable=False
        ),
        sa.ForeignKeyConstraint(
            ["listing_id"], ["listing.id"], name=op.f("fk_photo_listing_id")
        ),
        sa.ForeignKeyConstraint(
            ["owner_id"], ["account.id"], name=op.f("fk_photo_owner_id")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_photo")),
    )
    with op.batch_alter_table("photo", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_photo_listing_id"), ["listing_id"], unique=False
        )
        batch_op.create_index(
            batch_op.f("ix_photo_owner_id_added_at"),
            ["owner_id", "added_at"],
            unique=False,
        )

    op.create_table(
        "trade",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("listing_id", sa.Integer(), nullable=False),
        sa.Column("poster_id", sa.Integer(), nullable=False),
        sa.Column("proposer_id", sa.Integer(), nullable=False),
        sa.Column(
            "state",
            sa.Enum(
                "negotiating",
                "agreed",
                "phone_confirmed",
                "shipped",
                "received",
                "defaulted",
                "cancelled",
                "declined",
                "withdrawn",
                "lapsed",
                name="tradestate",
                native_enum=False,
                length=32,
            ),
            nullable=False,
        ),
        sa.Column(
            "turn",
            sa.Enum("poster", "proposer", name="party", native_enum=False, length=32),
            nullable=True,
        ),
        sa.Column("offer_number", sa.Integer(), nullable=False),
        sa.Column("terms_number", sa.Integer(), nullable=False),
        sa.Column(
            "started_at", tradeboard.core.db.UtcDateTime(timezone=True), nullable=False
        ),
        sa.Column(
            "answer_by", tradeboard.core.db.UtcDateTime(timezone=True), nullable=True
        ),
        sa.Column(
            "agreed_at", tradeboard.core.db.UtcDateTime(timezone=True), nullable=True
        ),
        sa.Column(
            "call_by", tradeboard.core.db.UtcDateTime(timezone=True), nullable=True
        ),
        sa.Column(
            "phone_confirmed_at",
            tradeboard.core.db.UtcDateTime(timezone=True),
            nullable=True,
        ),
        sa.Column(
            "dispatch_by", tradeboard.core.db.UtcDateTime(timezone=True), nullable=True
        ),
        sa.Column(
            "first_dispatched_at",
            tradeboard.core.db.UtcDateTime(timezone=True),
            nullable=True,
        ),
        sa.Column(
            "due_at", tradeboard.core.db.UtcDateTime(timezone=True), nullable=True
        ),
        sa.Column("extensions", sa.Integer(), nullable=False),
        sa.Column(
            "ended_at", tradeboard.core.db.UtcDateTime(timezone=True), nullable=True
        ),
        sa.Column("ended_by_id", sa.Integer(), nullable=True),
        sa.Column(
            "numbers_until",
            tradeboard.core.db.UtcDateTime(timezone=True),
            nullable=True,
        ),
        sa.Column("words_language", sa.String(), nullable=False),
        sa.Column("words_round", sa.Integer(), nullable=False),
        sa.Column("words_tries", sa.Integer(), nullable=False),
        sa.Column(
            "revealed_at", tradeboard.core.db.UtcDateTime(timezone=True), nullable=True
        ),
        sa.Column(
            "call_closed_at",
            tradeboard.core.db.UtcDateTime(timezone=True),
            nullable=True,
        ),
        sa.Column("caller_id", sa.Integer(), nullable=True),
        sa.Column(
            "moved_at", tradeboard.core.db.UtcDateTime(timezone=True), nullable=False
        ),
        sa.Column(
            "next_try_at", tradeboard.core.db.UtcDateTime(timezone=True), nullable=True
        ),
        sa.Column("sweep_errors", sa.Integer(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.CheckConstraint(
            "due_at IS NULL OR first_dispatched_at IS NOT NULL",
            name=op.f("ck_trade_clock"),
        ),
        sa.CheckConstraint(
            "extensions BETWEEN 0 AND 2", name=op.f("ck_trade_extensions")
        ),
        sa.CheckConstraint(
            "poster_id <> proposer_id", name=op.f("ck_trade_two_people")
        ),
        sa.ForeignKeyConstraint(
            ["listing_id"], ["listing.id"], name=op.f("fk_trade_listing_id")
        ),
        sa.ForeignKeyConstraint(
            ["poster_id"], ["account.id"], name=op.f("fk_trade_poster_id")
        ),
        sa.ForeignKeyConstraint(
            ["proposer_id"], ["account.id"], name=op.f("fk_trade_proposer_id")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_trade")),
    )
    with op.batch_alter_table("trade", schema=None) as batch_op:
        batch_op.create_index(
            "ix_trade_answer",
            ["answer_by", "id"],
            unique=False,
            sqlite_where=sa.text("state = 'negotiating'"),
            postgresql_where=sa.text("state = 'negotiating'"),
        )
        batch_op.create_index(
            "ix_trade_call",
            ["call_by", "id"],
            unique=False,
            sqlite_where=sa.text("state = 'agreed'"),
            postgresql_where=sa.text("state = 'agreed'"),
        )
        batch_op.create_index(
            "ix_trade_dispatch",
            ["dispatch_by", "id"],
            unique=False,
            sqlite_where=sa.text("state = 'phone_confirmed'"),
            postgresql_where=sa.text("state = 'phone_confirmed'"),
        )
        batch_op.create_index(
            batch_op.f("ix_trade_listing_id"), ["listing_id"], unique=False
        )
        batch_op.create_index(
            batch_op.f("ix_trade_numbers_until"), ["numbers_until"], unique=False
        )
        batch_op.create_index(
            "ix_trade_overdue",
            ["due_at", "id"],
            unique=False,
            sqlite_where=sa.text("state = 'shipped'"),
            postgresql_where=sa.text("state = 'shipped'"),
        )
        batch_op.create_index(
            batch_op.f("ix_trade_poster_id_id"), ["poster_id", "id"], unique=False
        )
        batch_op.create_index(
            batch_op.f("ix_trade_proposer_id_id"), ["proposer_id", "id"], unique=False
        )

    op.create_table(
        "entry",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("trade_id", sa.Integer(), nullable=True),
        sa.Column("account_id", sa.Integer(), nullable=False),
        sa.Column("handle", sa.String(), nullable=False),
        sa.Column(
            "finding",
            sa.Enum(
                "never_dispatched",
                "withheld",
                "not_received_untracked",
                "not_received_tracked",
                "contested",
                "counterparty_in_default",
                "not_as_agreed",
                "by_hand",
                name="finding",
                native_enum=False,
                length=32,
            ),
            nullable=False,
        ),
        sa.Column(
            "state",
            sa.Enum(
                "held",
                "listed",
                "upheld",
                "lifted",
                "expired",
                name="entrystate",
                native_enum=False,
                length=32,
            ),
            nullable=False,
        ),
        sa.Column(
            "due_at", tradeboard.core.db.UtcDateTime(timezone=True), nullable=True
        ),
        sa.Column(
            "entered_at", tradeboard.core.db.UtcDateTime(timezone=True), nullable=False
        ),
        sa.Column(
            "listed_at", tradeboard.core.db.UtcDateTime(timezone=True), nullable=True
        ),
        sa.Column(
            "upheld_at", tradeboard.core.db.UtcDateTime(timezone=True), nullable=True
        ),
        sa.Column(
            "ended_at", tradeboard.core.db.UtcDateTime(timezone=True), nullable=True
        ),
        sa.Column(
            "list_at", tradeboard.core.db.UtcDateTime(timezone=True), nullable=True
        ),
        sa.Column(
            "undecided_at", tradeboard.core.db.UtcDateTime(timezone=True), nullable=True
        ),
        sa.Column(
            "expires_at", tradeboard.core.db.UtcDateTime(timezone=True), nullable=True
        ),
        sa.Column(
            "review_by", tradeboard.core.db.UtcDateTime(timezone=True), nullable=True
        ),
        sa.Column(
            "warned_at", tradeboard.core.db.UtcDateTime(timezone=True), nullable=True
        ),
        sa.Column(
            "lift_reason",
            sa.Enum(
                "error",
                "identity_theft",
                "delivered",
                "settled",
                "evidence_unavailable",
                "received_in_time",
                "cured_late",
                "undecided",
                name="liftreason",
                native_enum=False,
                length=32,
            ),
            nullable=True,
        ),
        sa.Column("email_hash", sa.String(), nullable=True),
        sa.Column("email_kid", sa.String(), nullable=True),
        sa.Column("phone_hashes", sa.JSON(), nullable=False),
        sa.Column("facts", sa.JSON(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["account_id"], ["account.id"], name=op.f("fk_entry_account_id")
        ),
        sa.ForeignKeyConstraint(
            ["trade_id"], ["trade.id"], name=op.f("fk_entry_trade_id")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_entry")),
        sa.UniqueConstraint(
            "trade_id", "account_id", name=op.f("uq_entry_trade_id_account_id")
        ),
    )
    with op.batch_alter_table("entry", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_entry_account_id_id"), ["account_id", "id"], unique=False
        )
        batch_op.create_index(
            batch_op.f("ix_entry_email_hash"), ["email_hash"], unique=False
        )
        batch_op.create_index(
            batch_op.f("ix_entry_expires_at"), ["expires_at"], unique=False
        )
        batch_op.create_index(batch_op.f("ix_entry_list_at"), ["list_at"], unique=False)
        batch_op.create_index(
            "ix_entry_public",
            [sa.literal_column("listed_at DESC"), sa.literal_column("id DESC")],
            unique=False,
            sqlite_where=sa.text("state IN ('listed', 'upheld')"),
            postgresql_where=sa.text("state IN ('listed', 'upheld')"),
        )
        batch_op.create_index(
            "ix_entry_review",
            ["review_by", "id"],
            unique=False,
            sqlite_where=sa.text("review_by IS NOT NULL"),
            postgresql_where=sa.text("review_by IS NOT NULL"),
        )
        batch_op.create_index(
            batch_op.f("ix_entry_undecided_at"), ["undecided_at"], unique=False
        )

    op.create_table(
        "leg",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("trade_id", sa.Integer(), nullable=False),
        sa.Column("sender_id", sa.Integer(), nullable=False),
        sa.Column("recipient_id", sa.Integer(), nullable=False),
        sa.Column(
            "state",
            sa.Enum(
                "not_sent",
                "dispatched",
                "received",
                name="legstate",
                native_enum=False,
                length=32,
            ),
            nullable=False,
        ),
        sa.Column("carrier", sa.String(), nullable=False),
        sa.Column("tracking", sa.String(), nullable=False),
        sa.Column(
            "dispatched_at",
            tradeboard.core.db.UtcDateTime(timezone=True),
            nullable=True,
        ),
        sa.Column("arrived_on", sa.Date(), nullable=True),
        sa.Column(
            "received_at", tradeboard.core.db.UtcDateTime(timezone=True), nullable=True
        ),
        sa.Column(
            "condition",
            sa.Enum(
                "as_agreed", "differs", name="condition", native_enum=False, length=32
            ),
            nullable=True,
        ),
        sa.Column("differs_words", sa.String(), nullable=False),
        sa.Column(
            "solved_at", tradeboard.core.db.UtcDateTime(timezone=True), nullable=True
        ),
        sa.Column(
            "contested_at", tradeboard.core.db.UtcDateTime(timezone=True), nullable=True
        ),
        sa.Column("delivered_on", sa.Date(), nullable=True),
        sa.Column(
            "withheld_at", tradeboard.core.db.UtcDateTime(timezone=True), nullable=True
        ),
        sa.Column(
            "defaulted_at", tradeboard.core.db.UtcDateTime(timezone=True), nullable=True
        ),
        sa.Column(
            "finding",
            sa.Enum(
                "never_dispatched",
                "withheld",
                "not_received_untracked",
                "not_received_tracked",
                "contested",
                "counterparty_in_default",
                "not_as_agreed",
                "by_hand",
                name="finding",
                native_enum=False,
                length=32,
            ),
            nullable=True,
        ),
        sa.Column(
            "excused_at", tradeboard.core.db.UtcDateTime(timezone=True), nullable=True
        ),
        sa.CheckConstraint(
            "received_at IS NULL OR received_at >= dispatched_at",
            name=op.f("ck_leg_order"),
        ),
        sa.ForeignKeyConstraint(
            ["recipient_id"], ["account.id"], name=op.f("fk_leg_recipient_id")
        ),
        sa.ForeignKeyConstraint(
            ["sender_id"], ["account.id"], name=op.f("fk_leg_sender_id")
        ),
        sa.ForeignKeyConstraint(
            ["trade_id"], ["trade.id"], name=op.f("fk_leg_trade_id")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_leg")),
        sa.UniqueConstraint(
            "trade_id", "sender_id", name=op.f("uq_leg_trade_id_sender_id")
        ),
    )
    with op.batch_alter_table("leg", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_leg_recipient_id"), ["recipient_id"], unique=False
        )
        batch_op.create_index(
            batch_op.f("ix_leg_sender_id"), ["sender_id"], unique=False
        )

    op.create_table(
        "message",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("trade_id", sa.Integer(), nullable=False),
        sa.Column("author_id", sa.Integer(), nullable=False),
        sa.Column("text", sa.String(), nullable=False),
        sa.Column(
            "sent_at", tradeboard.core.db.UtcDateTime(timezone=True), nullable=False
        ),
        sa.Column(
            "read_at", tradeboard.core.db.UtcDateTime(timezone=True), nullable=True
        ),
        sa.ForeignKeyConstraint(
            ["author_id"], ["account.id"], name=op.f("fk_message_author_id")
        ),
        sa.ForeignKeyConstraint(
            ["trade_id"], ["trade.id"], name=op.f("fk_message_trade_id")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_message")),
    )
    with op.batch_alter_table("message", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_message_trade_id_id"), ["trade_id", "id"], unique=False
        )

    op.create_table(
        "offer_version",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("trade_id", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("by_id", sa.Integer(), nullable=False),
        sa.Column("note", sa.String(), nullable=False),
        sa.Column(
            "made_at", tradeboard.core.db.UtcDateTime(timezone=True), nullable=False
        ),
        sa.ForeignKeyConstraint(
            ["by_id"], ["account.id"], name=op.f("fk_offer_version_by_id")
        ),
        sa.ForeignKeyConstraint(
            ["trade_id"], ["trade.id"], name=op.f("fk_offer_version_trade_id")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_offer_version")),
        sa.UniqueConstraint(
            "trade_id", "number", name=op.f("uq_offer_version_trade_id_number")
        ),
    )
    op.create_table(
        "phone_side",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("trade_id", sa.Integer(), nullable=False),
        sa.Column("account_id", sa.Integer(), nullable=False),
        sa.Column("number", sa.String(), nullable=True),
        sa.Column("number_hash", sa.String(), nullable=True),
        sa.Column("number_kid", sa.String(), nullable=True),
        sa.Column("number_masked", sa.String(), nullable=False),
        sa.Column("number_code", sa.String(), nullable=False),
        sa.Column("address", sa.String(), nullable=True),
        sa.Column(
            "sealed_at", tradeboard.core.db.UtcDateTime(timezone=True), nullable=True
        ),
        sa.Column("words_hash", sa.String(), nullable=True),
        sa.Column(
            "words_right_at",
            tradeboard.core.db.UtcDateTime(timezone=True),
            nullable=True,
        ),
        sa.ForeignKeyConstraint(
            ["account_id"], ["account.id"], name=op.f("fk_phone_side_account_id")
        ),
        sa.ForeignKeyConstraint(
            ["trade_id"], ["trade.id"], name=op.f("fk_phone_side_trade_id")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_phone_side")),
        sa.UniqueConstraint(
            "trade_id", "account_id", name=op.f("uq_phone_side_trade_id_account_id")
        ),
    )
    with op.batch_alter_table("phone_side", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_phone_side_account_id"), ["account_id"], unique=False
        )
        batch_op.create_index(
            batch_op.f("ix_phone_side_number_hash"), ["number_hash"], unique=False
        )

    op.create_table(
        "proposal",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("trade_id", sa.Integer(), nullable=False),
        sa.Column(
            "kind",
            sa.Enum(
                "extend",
                "cancel",
                "settle",
                name="proposalkind",
                native_enum=False,
                length=32,
            ),
            nullable=False,
        ),
        sa.Column("by_id", sa.Integer(), nullable=False),
        sa.Column("words", sa.String(), nullable=False),
        sa.Column(
            "made_at", tradeboard.core.db.UtcDateTime(timezone=True), nullable=False
        ),
        sa.Column(
            "silent_until", tradeboard.core.db.UtcDateTime(timezone=True), nullable=True
        ),
        sa.Column(
            "answered_at", tradeboard.core.db.UtcDateTime(timezone=True), nullable=True
        ),
        sa.Column(
            "answer",
            sa.Enum(
                "agreed",
                "declined",
                "withdrawn",
                "silence",
                "overtaken",
                name="answer",
                native_enum=False,
                length=32,
            ),
            nullable=True,
        ),
        sa.ForeignKeyConstraint(
            ["by_id"], ["account.id"], name=op.f("fk_proposal_by_id")
        ),
        sa.ForeignKeyConstraint(
            ["trade_id"], ["trade.id"], name=op.f("fk_proposal_trade_id")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_proposal")),
    )
    with op.batch_alter_table("proposal", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_proposal_silent_until"), ["silent_until"], unique=False
        )
        batch_op.create_index(
            "uq_proposal_open",
            ["trade_id", "kind"],
            unique=True,
            sqlite_where=sa.text("answered_at IS NULL"),
            postgresql_where=sa.text("answered_at IS NULL"),
        )

    op.create_table(
        "trade_event",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("trade_id", sa.Integer(), nullable=False),
        sa.Column("at", tradeboard.core.db.UtcDateTime(timezone=True), nullable=False),
        sa.Column("actor_id", sa.Integer(), nullable=True),
        sa.Column("event", sa.String(), nullable=False),
        sa.Column("facts", sa.JSON(), nullable=False),
        sa.ForeignKeyConstraint(
            ["trade_id"], ["trade.id"], name=op.f("fk_trade_event_trade_id")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_trade_event")),
    )
    with op.batch_alter_table("trade_event", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_trade_event_trade_id_id"), ["trade_id", "id"], unique=False
        )

    op.create_table(
        "decision",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("entry_id", sa.Integer(), nullable=False),
        sa.Column("by_id", sa.Integer(), nullable=True),
        sa.Column("at", tradeboard.core.db.UtcDateTime(timezone=True), nullable=False),
        sa.Column("decision", sa.String(), nullable=False),
        sa.Column("reason", sa.String(), nullable=False),
        sa.Column("sentence", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(
            ["by_id"], ["account.id"], name=op.f("fk_decision_by_id")
        ),
        sa.ForeignKeyConstraint(
            ["entry_id"], ["entry.id"], name=op.f("fk_decision_entry_id")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_decision")),
    )
    with op.batch_alter_table("decision", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_decision_entry_id"), ["entry_id"], unique=False
        )

    op.create_table(
        "entry_device",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("entry_id", sa.Integer(), nullable=False),
        sa.Column("device_id", sa.Integer(), nullable=False),
        sa.Column("code", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(
            ["device_id"], ["device.id"], name=op.f("fk_entry_device_device_id")
        ),
        sa.ForeignKeyConstraint(
            ["entry_id"], ["entry.id"], name=op.f("fk_entry_device_entry_id")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_entry_device")),
        sa.UniqueConstraint(
            "entry_id", "device_id", name=op.f("uq_entry_device_entry_id_device_id")
        ),
    )
    with op.batch_alter_table("entry_device", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_entry_device_code"), ["code"], unique=False
        )
        batch_op.create_index(
            batch_op.f("ix_entry_device_device_id"), ["device_id"], unique=False
        )

    op.create_table(
        "evidence",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("entry_id", sa.Integer(), nullable=False),
        sa.Column("by_id", sa.Integer(), nullable=False),
        sa.Column("at", tradeboard.core.db.UtcDateTime(timezone=True), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("words", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(
            ["by_id"], ["account.id"], name=op.f("fk_evidence_by_id")
        ),
        sa.ForeignKeyConstraint(
            ["entry_id"], ["entry.id"], name=op.f("fk_evidence_entry_id")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_evidence")),
    )
    with op.batch_alter_table("evidence", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_evidence_entry_id"), ["entry_id"], unique=False
        )

    op.create_table(
        "offer_line",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("offer_id", sa.Integer(), nullable=False),
        sa.Column(
            "giver",
            sa.Enum("poster", "proposer", name="party", native_enum=False, length=32),
            nullable=False,
        ),
        sa.Column("line_id", sa.Integer(), nullable=True),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("set_code", sa.String(), nullable=False),
        sa.Column("condition", sa.String(), nullable=False),
        sa.Column("language", sa.String(), nullable=False),
        sa.Column("quantity", sa.Integer(), nullable=False),
        sa.CheckConstraint("quantity > 0", name=op.f("ck_offer_line_some")),
        sa.ForeignKeyConstraint(
            ["line_id"],
            ["line.id"],
            name=op.f("fk_offer_line_line_id"),
            ondelete="SET NULL",
        ),
        sa.ForeignKeyConstraint(
            ["offer_id"], ["offer_version.id"], name=op.f("fk_offer_line_offer_id")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_offer_line")),
    )
    with op.batch_alter_table("offer_line", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_offer_line_offer_id"), ["offer_id"], unique=False
        )

    op.create_table(
        "proof",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("leg_id", sa.Integer(), nullable=False),
        sa.Column("by_id", sa.Integer(), nullable=False),
        sa.Column("purpose", sa.String(), nullable=False),
        sa.Column("width", sa.Integer(), nullable=False),
        sa.Column("height", sa.Integer(), nullable=False),
        sa.Column(
            "added_at", tradeboard.core.db.UtcDateTime(timezone=True), nullable=False
        ),
        sa.ForeignKeyConstraint(["by_id"], ["account.id"], name=op.f("fk_proof_by_id")),
        sa.ForeignKeyConstraint(["leg_id"], ["leg.id"], name=op.f("fk_proof_leg_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_proof")),
    )
    with op.batch_alter_table("proof", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_proof_leg_id"), ["leg_id"], unique=False)
    guard_audit()
    publish_first_terms()


def downgrade():
    release_audit()
    with op.batch_alter_table("proof", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_proof_leg_id"))

    op.drop_table("proof")
    with op.batch_alter_table("offer_line", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_offer_line_offer_id"))

    op.drop_table("offer_line")
    with op.batch_alter_table("evidence", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_evidence_entry_id"))

    op.drop_table("evidence")
    with op.batch_alter_table("entry_device", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_entry_device_device_id"))
        batch_op.drop_index(batch_op.f("ix_entry_device_code"))

    op.drop_table("entry_device")
    with op.batch_alter_table("decision", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_decision_entry_id"))

    op.drop_table("decision")
    with op.batch_alter_table("trade_event", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_trade_event_trade_id_id"))

    op.drop_table("trade_event")
    with op.batch_alter_table("proposal", schema=None) as batch_op:
        batch_op.drop_index(
            "uq_proposal_open",
            sqlite_where=sa.text("answered_at IS NULL"),
            postgresql_where=sa.text("answered_at IS NULL"),
        )
        batch_op.drop_index(batch_op.f("ix_proposal_silent_until"))

    op.drop_table("proposal")
    with op.batch_alter_table("phone_side", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_phone_side_number_hash"))
        batch_op.drop_index(batch_op.f("ix_phone_side_account_id"))

    op.drop_table("phone_side")
    op.drop_table("offer_version")
    with op.batch_alter_table("message", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_message_trade_id_id"))

    op.drop_table("message")
    with op.batch_alter_table("leg", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_leg_sender_id"))
        batch_op.drop_index(batch_op.f("ix_leg_recipient_id"))

    op.drop_table("leg")
    with op.batch_alter_table("entry", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_entry_undecided_at"))
        batch_op.drop_index(
            "ix_entry_review",
            sqlite_where=sa.text("review_by IS NOT NULL"),
            postgresql_where=sa.text("review_by IS NOT NULL"),
        )
        batch_op.drop_index(
            "ix_entry_public",
            sqlite_where=sa.text("state IN ('listed', 'upheld')"),
            postgresql_where=sa.text("state IN ('listed', 'upheld')"),
        )
        batch_op.drop_index(batch_op.f("ix_entry_list_at"))
        batch_op.drop_index(batch_op.f("ix_entry_expires_at"))
        batch_op.drop_index(batch_op.f("ix_entry_email_hash"))
        batch_op.drop_index(batch_op.f("ix_entry_account_id_id"))

    op.drop_table("entry")
    with op.batch_alter_table("trade", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_trade_proposer_id_id"))
        batch_op.drop_index(batch_op.f("ix_trade_poster_id_id"))
        batch_op.drop_index(
            "ix_trade_overdue",
            sqlite_where=sa.text("state = 'shipped'"),
            postgresql_where=sa.text("state = 'shipped'"),
        )
        batch_op.drop_index(batch_op.f("ix_trade_numbers_until"))
        batch_op.drop_index(batch_op.f("ix_trade_listing_id"))
        batch_op.drop_index(
            "ix_trade_dispatch",
            sqlite_where=sa.text("state = 'phone_confirmed'"),
            postgresql_where=sa.text("state = 'phone_confirmed'"),
        )
        batch_op.drop_index(
            "ix_trade_call",
            sqlite_where=sa.text("state = 'agreed'"),
            postgresql_where=sa.text("state = 'agreed'"),
        )
        batch_op.drop_index(
            "ix_trade_answer",
            sqlite_where=sa.text("state = 'negotiating'"),
            postgresql_where=sa.text("state = 'negotiating'"),
        )

    op.drop_table("trade")
    with op.batch_alter_table("photo", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_photo_owner_id_added_at"))
        batch_op.drop_index(batch_op.f("ix_photo_listing_id"))

    op.drop_table("photo")
    with op.batch_alter_table("line", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_line_listing_id"))

    op.drop_table("line")
    op.drop_table("totp")
    with op.batch_alter_table("session", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_session_expires_at"))
        batch_op.drop_index(batch_op.f("ix_session_account_id"))

    op.drop_table("session")
    with op.batch_alter_table("restriction", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_restriction_until"))

    op.drop_table("restriction")
    with op.batch_alter_table("recovery_code", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_recovery_code_account_id"))

    op.drop_table("recovery_code")
    with op.batch_alter_table("mailed_token", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_mailed_token_expires_at"))
        batch_op.drop_index(batch_op.f("ix_mailed_token_account_id"))

    op.drop_table("mailed_token")
    with op.batch_alter_table("listing", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_listing_owner_id_id"))
        batch_op.drop_index(
            "ix_listing_expiry",
            sqlite_where=sa.text("state = 'open'"),
            postgresql_where=sa.text("state = 'open'"),
        )
        batch_op.drop_index(
            "ix_listing_board",
            sqlite_where=sa.text("state IN ('open', 'reserved')"),
            postgresql_where=sa.text("state IN ('open', 'reserved')"),
        )

    op.drop_table("listing")
    with op.batch_alter_table("handle", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_handle_account_id"))

    op.drop_table("handle")
    with op.batch_alter_table("device_use", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_device_use_device_id_account_id_used_at"))
        batch_op.drop_index(batch_op.f("ix_device_use_account_id_used_at"))

    op.drop_table("device_use")
    op.drop_table("agreement")
    with op.batch_alter_table("throttle_bucket", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_throttle_bucket_expires_at"))

    op.drop_table("throttle_bucket")
    op.drop_table("terms_version")
    with op.batch_alter_table("submission", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_submission_at"))

    op.drop_table("submission")
    with op.batch_alter_table("outbox_mail", schema=None) as batch_op:
        batch_op.drop_index(
            "ix_outbox_mail_waiting",
            sqlite_where=sa.text("sent_at IS NULL AND dead_at IS NULL"),
            postgresql_where=sa.text("sent_at IS NULL AND dead_at IS NULL"),
        )
        batch_op.drop_index("ix_outbox_mail_queued")
        batch_op.drop_index(batch_op.f("ix_outbox_mail_account_id"))

    op.drop_table("outbox_mail")
    op.drop_table("job_run")
    with op.batch_alter_table("device", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_device_last_seen"))

    op.drop_table("device")
    with op.batch_alter_table("audit_row", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_audit_row_object_seq"))
        batch_op.drop_index(batch_op.f("ix_audit_row_actor_id_seq"))

    op.drop_table("audit_row")
    with op.batch_alter_table("account", schema=None) as batch_op:
        batch_op.drop_index(
            "uq_account_email_key_confirmed",
            sqlite_where=sa.text("email_confirmed_at IS NOT NULL"),
            postgresql_where=sa.text("email_confirmed_at IS NOT NULL"),
        )
        batch_op.drop_index(batch_op.f("ix_account_email_login"))
        batch_op.drop_index(batch_op.f("ix_account_email_key"))
        batch_op.drop_index(batch_op.f("ix_account_created_at_id"))

    op.drop_table("account")
