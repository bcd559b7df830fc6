"""appeals, evidence files, claims, the feed, keys for machines, a chained audit log

Revision ID: 0003
Revises: 0002
"""

from collections import Counter, defaultdict
from datetime import timedelta, timezone

import sqlalchemy as sa
from alembic import op

import tradeboard.core.db

revision = '0003'
down_revision = '0002'
branch_labels = None
depends_on = None
alters = ("account", "audit_row", "entry", "evidence")


def upgrade():
    op.create_table('audit_head',
    sa.Column('id', sa.Integer(), autoincrement=False, nullable=False),
    sa.Column('seq', sa.Integer(), nullable=False),
    sa.Column('hash', sa.String(), nullable=False),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_audit_head'))
    )
    op.create_table('feed_head',
    sa.Column('id', sa.Integer(), autoincrement=False, nullable=False),
    sa.Column('seq', sa.Integer(), nullable=False),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_feed_head'))
    )
    op.create_table('api_key',
    sa.Column('id', sa.Integer(), nullable=False),
    sa.Column('account_id', sa.Integer(), nullable=True),
    sa.Column('name', sa.String(), nullable=False),
    sa.Column('key_id', sa.String(), nullable=False),
    sa.Column('secret_hash', sa.String(), nullable=False),
    sa.Column('scopes', sa.String(), nullable=False),
    sa.Column('made_at', tradeboard.core.db.UtcDateTime(timezone=True), nullable=False),
    sa.Column('expires_at', tradeboard.core.db.UtcDateTime(timezone=True), nullable=True),
    sa.Column('last_used_at', tradeboard.core.db.UtcDateTime(timezone=True), nullable=True),
    sa.Column('revoked_at', tradeboard.core.db.UtcDateTime(timezone=True), nullable=True),
    sa.ForeignKeyConstraint(['account_id'], ['account.id'], name=op.f('fk_api_key_account_id')),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_api_key')),
    sa.UniqueConstraint('key_id', name=op.f('uq_api_key_key_id'))
    )
    with op.batch_alter_table('api_key', schema=None) as batch_op:
        batch_op.create_index(batch_op.f('ix_api_key_account_id'), ['account_id'], unique=False)

    op.create_table('appeal',
    sa.Column('id', sa.Integer(), nullable=False),
    sa.Column('entry_id', sa.Integer(), nullable=False),
    sa.Column('by_link', sa.Boolean(), nullable=False),
    sa.Column('words', sa.String(), nullable=False),
    sa.Column('made_at', tradeboard.core.db.UtcDateTime(timezone=True), nullable=False),
    sa.Column('due_at', tradeboard.core.db.UtcDateTime(timezone=True), nullable=False),
    sa.Column('state', sa.Enum('open', 'granted', 'refused', 'closed', name='appealstate', native_enum=False, length=32), nullable=False),
    sa.Column('hidden_at', tradeboard.core.db.UtcDateTime(timezone=True), nullable=True),
    sa.Column('decided_at', tradeboard.core.db.UtcDateTime(timezone=True), nullable=True),
    sa.Column('decided_by_id', sa.Integer(), nullable=True),
    sa.Column('sole', sa.Boolean(), nullable=False),
    sa.Column('sentence', sa.String(), nullable=False),
    sa.Column('version', sa.Integer(), nullable=False),
    sa.ForeignKeyConstraint(['decided_by_id'], ['account.id'], name=op.f('fk_appeal_decided_by_id')),
    sa.ForeignKeyConstraint(['entry_id'], ['entry.id'], name=op.f('fk_appeal_entry_id')),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_appeal'))
    )
    with op.batch_alter_table('appeal', schema=None) as batch_op:
        batch_op.create_index(batch_op.f('ix_appeal_entry_id_id'), ['entry_id', 'id'], unique=False)
        batch_op.create_index('ix_appeal_open', ['due_at', 'id'], unique=False, sqlite_where=sa.text("state = 'open'"), postgresql_where=sa.text("state = 'open'"))
        batch_op.create_index('uq_appeal_one_open', ['entry_id'], unique=True, sqlite_where=sa.text("state = 'open'"), postgresql_where=sa.text("state = 'open'"))

    op.create_table('appeal_link',
    sa.Column('token_hash', sa.String(), nullable=False),
    sa.Column('entry_id', sa.Integer(), nullable=False),
    sa.Column('made_at', tradeboard.core.db.UtcDateTime(timezone=True), nullable=False),
    sa.Column('used_at', tradeboard.core.db.UtcDateTime(timezone=True), nullable=True),
    sa.ForeignKeyConstraint(['entry_id'], ['entry.id'], name=op.f('fk_appeal_link_entry_id')),
    sa.PrimaryKeyConstraint('token_hash', name=op.f('pk_appeal_link'))
    )
    with op.batch_alter_table('appeal_link', schema=None) as batch_op:
        batch_op.create_index(batch_op.f('ix_appeal_link_entry_id'), ['entry_id'], unique=False)

    op.create_table('change',
    sa.Column('seq', sa.Integer(), autoincrement=False, nullable=False),
    sa.Column('at', tradeboard.core.db.UtcDateTime(timezone=True), nullable=False),
    sa.Column('type', sa.Enum('listed', 'upheld', 'appealed', 'appeal_closed', 'amended', 'hidden', 'lifted', 'expired', name='changetype', native_enum=False, length=32), nullable=False),
    sa.Column('entry_id', sa.Integer(), nullable=False),
    sa.Column('body', sa.JSON(), nullable=False),
    sa.ForeignKeyConstraint(['entry_id'], ['entry.id'], name=op.f('fk_change_entry_id')),
    sa.PrimaryKeyConstraint('seq', name=op.f('pk_change'))
    )
    with op.batch_alter_table('change', schema=None) as batch_op:
        batch_op.create_index(batch_op.f('ix_change_entry_id'), ['entry_id'], unique=False)

    op.create_table('claim',
    sa.Column('entry_id', sa.Integer(), nullable=False),
    sa.Column('by_id', sa.Integer(), nullable=False),
    sa.Column('seen_at', tradeboard.core.db.UtcDateTime(timezone=True), nullable=False),
    sa.ForeignKeyConstraint(['by_id'], ['account.id'], name=op.f('fk_claim_by_id')),
    sa.ForeignKeyConstraint(['entry_id'], ['entry.id'], name=op.f('fk_claim_entry_id')),
    sa.PrimaryKeyConstraint('entry_id', name=op.f('pk_claim'))
    )
    with op.batch_alter_table('claim', schema=None) as batch_op:
        batch_op.create_index(batch_op.f('ix_claim_by_id'), ['by_id'], unique=False)

    op.create_table('entry_draft',
    sa.Column('id', sa.Integer(), nullable=False),
    sa.Column('entry_id', sa.Integer(), nullable=False),
    sa.Column('account_id', sa.Integer(), nullable=False),
    sa.Column('kind', sa.String(), nullable=False),
    sa.Column('words', sa.String(), nullable=False),
    sa.Column('changed_at', tradeboard.core.db.UtcDateTime(timezone=True), nullable=False),
    sa.ForeignKeyConstraint(['account_id'], ['account.id'], name=op.f('fk_entry_draft_account_id')),
    sa.ForeignKeyConstraint(['entry_id'], ['entry.id'], name=op.f('fk_entry_draft_entry_id')),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_entry_draft')),
    sa.UniqueConstraint('entry_id', 'account_id', 'kind', name=op.f('uq_entry_draft_entry_id_account_id_kind'))
    )
    with op.batch_alter_table('entry_draft', schema=None) as batch_op:
        batch_op.create_index(batch_op.f('ix_entry_draft_account_id'), ['account_id'], unique=False)

    op.create_table('evidence_request',
    sa.Column('id', sa.Integer(), nullable=False),
    sa.Column('entry_id', sa.Integer(), nullable=False),
    sa.Column('to_id', sa.Integer(), nullable=False),
    sa.Column('by_id', sa.Integer(), nullable=False),
    sa.Column('words', sa.String(), nullable=False),
    sa.Column('made_at', tradeboard.core.db.UtcDateTime(timezone=True), nullable=False),
    sa.Column('due_at', tradeboard.core.db.UtcDateTime(timezone=True), nullable=False),
    sa.Column('answered_at', tradeboard.core.db.UtcDateTime(timezone=True), nullable=True),
    sa.ForeignKeyConstraint(['by_id'], ['account.id'], name=op.f('fk_evidence_request_by_id')),
    sa.ForeignKeyConstraint(['entry_id'], ['entry.id'], name=op.f('fk_evidence_request_entry_id')),
    sa.ForeignKeyConstraint(['to_id'], ['account.id'], name=op.f('fk_evidence_request_to_id')),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_evidence_request'))
    )
    with op.batch_alter_table('evidence_request', schema=None) as batch_op:
        batch_op.create_index(batch_op.f('ix_evidence_request_entry_id'), ['entry_id'], unique=False)
        batch_op.create_index(batch_op.f('ix_evidence_request_to_id'), ['to_id'], unique=False)

    op.create_table('evidence_file',
    sa.Column('id', sa.String(), nullable=False),
    sa.Column('evidence_id', sa.Integer(), nullable=False),
    sa.Column('width', sa.Integer(), nullable=False),
    sa.Column('height', sa.Integer(), nullable=False),
    sa.Column('added_at', tradeboard.core.db.UtcDateTime(timezone=True), nullable=False),
    sa.ForeignKeyConstraint(['evidence_id'], ['evidence.id'], name=op.f('fk_evidence_file_evidence_id')),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_evidence_file'))
    )
    with op.batch_alter_table('evidence_file', schema=None) as batch_op:
        batch_op.create_index(batch_op.f('ix_evidence_file_evidence_id'), ['evidence_id'], unique=False)

    with op.batch_alter_table('account', schema=None) as batch_op:
        batch_op.add_column(sa.Column('erased_at', tradeboard.core.db.UtcDateTime(timezone=True), nullable=True))
        batch_op.create_index(batch_op.f('ix_account_closed_at'), ['closed_at'], unique=False)

    with op.batch_alter_table('audit_row', schema=None) as batch_op:
        batch_op.add_column(sa.Column('kid', sa.String(), nullable=True))
        batch_op.add_column(sa.Column('prev_hash', sa.String(), nullable=True))
        batch_op.add_column(sa.Column('hash', sa.String(), nullable=True))
        batch_op.create_index('uq_audit_row_prev_hash', ['prev_hash'], unique=True)

    with op.batch_alter_table('entry', schema=None) as batch_op:
        batch_op.add_column(sa.Column('appealed_at', tradeboard.core.db.UtcDateTime(timezone=True), nullable=True))
        batch_op.add_column(sa.Column('hidden_at', tradeboard.core.db.UtcDateTime(timezone=True), nullable=True))
        batch_op.add_column(sa.Column('purged_at', tradeboard.core.db.UtcDateTime(timezone=True), nullable=True))

    with op.batch_alter_table('evidence', schema=None) as batch_op:
        batch_op.add_column(sa.Column('appeal_id', sa.Integer(), nullable=True))
        batch_op.create_index(batch_op.f('ix_evidence_appeal_id'), ['appeal_id'], unique=False)
        batch_op.create_foreign_key(batch_op.f('fk_evidence_appeal_id'), 'appeal', ['appeal_id'], ['id'])

    start_counting()


def start_counting():
    """Begin the chain after the rows that have no link, the feed with what is public."""
    last = op.get_bind().scalar(sa.text("SELECT coalesce(max(seq), 0) FROM audit_row"))
    chain = sa.table("audit_head", *map(sa.column, ("id", "seq", "hash")))
    feed = sa.table("feed_head", *map(sa.column, ("id", "seq")))
    op.bulk_insert(chain, [{"id": 1, "seq": last, "hash": "0" * 64}])
    changes = list(changes_of_what_is_public(op.get_bind()))
    op.bulk_insert(feed, [{"id": 1, "seq": len(changes)}])
    for start in range(0, len(changes), 1000):
        op.bulk_insert(CHANGE, changes[start : start + 1000])


JAPAN = timezone(timedelta(hours=9))
UTC_MOMENT = tradeboard.core.db.UtcDateTime
CHANGE = sa.table(
    "change",
    sa.column("seq"),
    sa.column("at", UTC_MOMENT),
    sa.column("type"),
    sa.column("entry_id"),
    sa.column("body", sa.JSON),
)


def changes_of_what_is_public(connection):
    """Yield a `listed` change for each public entry, in the order of listing."""
    codes, counts = defaultdict(list), Counter()
    for entry_id, code in connection.execute(
        sa.text("SELECT entry_id, code FROM entry_device ORDER BY code")
    ):
        codes[entry_id].append(code)
    columns = ("id", "account_id", "handle", "finding", "state")
    moments = ("listed_at", "upheld_at", "expires_at")
    entry = sa.table(
        "entry",
        *map(sa.column, columns),
        *(sa.column(name, UTC_MOMENT) for name in moments),
    )
    public = entry.c.state.in_(["listed", "upheld"])
    rows = connection.execute(
        sa.select(entry).where(public).order_by(entry.c.listed_at, entry.c.id)
    ).all()
    counts.update(row.account_id for row in rows)
    for seq, row in enumerate(rows, start=1):
        ends = row.expires_at
        body = {
            "id": row.id,
            "handle": row.handle,
            "devices": codes[row.id],
            "finding": row.finding,
            "month": f"{row.listed_at.astimezone(JAPAN):%Y-%m}",
            "reviewed": row.upheld_at is not None,
            "under_appeal": False,
            "count": counts[row.account_id],
            "expires": f"{ends.astimezone(JAPAN):%Y-%m-%d}" if ends else None,
        }
        yield {
            "seq": seq,
            "at": row.listed_at,
            "type": "listed",
            "entry_id": row.id,
            "body": body,
        }


def downgrade():
    with op.batch_alter_table('evidence', schema=None) as batch_op:
        batch_op.drop_constraint(batch_op.f('fk_evidence_appeal_id'), type_='foreignkey')
        batch_op.drop_index(batch_op.f('ix_evidence_appeal_id'))
        batch_op.drop_column('appeal_id')

    with op.batch_alter_table('entry', schema=None) as batch_op:
        batch_op.drop_column('purged_at')
        batch_op.drop_column('hidden_at')
        batch_op.drop_column('appealed_at')

    with op.batch_alter_table('audit_row', schema=None) as batch_op:
        batch_op.drop_index('uq_audit_row_prev_hash')
        batch_op.drop_column('hash')
        batch_op.drop_column('prev_hash')
        batch_op.drop_column('kid')

    with op.batch_alter_table('account', schema=None) as batch_op:
        batch_op.drop_index(batch_op.f('ix_account_closed_at'))
        batch_op.drop_column('erased_at')

    with op.batch_alter_table('evidence_file', schema=None) as batch_op:
        batch_op.drop_index(batch_op.f('ix_evidence_file_evidence_id'))

    op.drop_table('evidence_file')
    with op.batch_alter_table('evidence_request', schema=None) as batch_op:
        batch_op.drop_index(batch_op.f('ix_evidence_request_to_id'))
        batch_op.drop_index(batch_op.f('ix_evidence_request_entry_id'))

    op.drop_table('evidence_request')
    with op.batch_alter_table('entry_draft', schema=None) as batch_op:
        batch_op.drop_index(batch_op.f('ix_entry_draft_account_id'))

    op.drop_table('entry_draft')
    with op.batch_alter_table('claim', schema=None) as batch_op:
        batch_op.drop_index(batch_op.f('ix_claim_by_id'))

    op.drop_table('claim')
    with op.batch_alter_table('change', schema=None) as batch_op:
        batch_op.drop_index(batch_op.f('ix_change_entry_id'))

    op.drop_table('change')
    with op.batch_alter_table('appeal_link', schema=None) as batch_op:
        batch_op.drop_index(batch_op.f('ix_appeal_link_entry_id'))

    op.drop_table('appeal_link')
    with op.batch_alter_table('appeal', schema=None) as batch_op:
        batch_op.drop_index('uq_appeal_one_open', sqlite_where=sa.text("state = 'open'"), postgresql_where=sa.text("state = 'open'"))
        batch_op.drop_index('ix_appeal_open', sqlite_where=sa.text("state = 'open'"), postgresql_where=sa.text("state = 'open'"))
        batch_op.drop_index(batch_op.f('ix_appeal_entry_id_id'))

    op.drop_table('appeal')
    with op.batch_alter_table('api_key', schema=None) as batch_op:
        batch_op.drop_index(batch_op.f('ix_api_key_account_id'))

    op.drop_table('api_key')
    op.drop_table('feed_head')
    op.drop_table('audit_head')
