"""what many nodes and a million rows need: indexes, backups that were tried

Revision ID: 0006
Revises: 0005
"""

import sqlalchemy as sa
from alembic import op

import tradeboard.core.db

revision = '0006'
down_revision = '0005'
branch_labels = None
depends_on = None
alters = ("listing_token", "throttle_bucket")


def upgrade():
    let_counts_go()
    place_tokens()
    op.create_table('backup_run',
    sa.Column('id', sa.Integer(), nullable=False),
    sa.Column('kind', sa.Enum('backup', 'proof', name='kind', native_enum=False, length=32), nullable=False),
    sa.Column('at', tradeboard.core.db.UtcDateTime(timezone=True), nullable=False),
    sa.Column('ok', sa.Boolean(), nullable=False),
    sa.Column('bytes', sa.BigInteger(), nullable=False),
    sa.Column('seconds', sa.Double(), nullable=False),
    sa.Column('name', sa.String(), nullable=False),
    sa.Column('note', sa.String(), nullable=False),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_backup_run'))
    )
    with op.batch_alter_table('backup_run', schema=None) as batch_op:
        batch_op.create_index(batch_op.f('ix_backup_run_kind_at'), ['kind', 'at'], unique=False)
    op.create_table('node',
    sa.Column('name', sa.String(), nullable=False),
    sa.Column('kind', sa.String(), nullable=False),
    sa.Column('version', sa.String(), nullable=False),
    sa.Column('revision', sa.String(), nullable=False),
    sa.Column('keys', sa.JSON(), nullable=False),
    sa.Column('prints', sa.String(), nullable=False),
    sa.Column('apart_ms', sa.Integer(), nullable=False),
    sa.Column('started_at', tradeboard.core.db.UtcDateTime(timezone=True), nullable=False),
    sa.Column('seen_at', tradeboard.core.db.UtcDateTime(timezone=True), nullable=False),
    sa.PrimaryKeyConstraint('name', name=op.f('pk_node'))
    )
    with op.batch_alter_table('node', schema=None) as batch_op:
        batch_op.create_index(batch_op.f('ix_node_seen_at'), ['seen_at'], unique=False)
    op.create_index('ix_proposal_trade_id_id', 'proposal', ['trade_id', 'id'])


def downgrade():
    op.drop_index('ix_proposal_trade_id_id', 'proposal')
    with op.batch_alter_table('node', schema=None) as batch_op:
        batch_op.drop_index(batch_op.f('ix_node_seen_at'))
    op.drop_table('node')
    keep_counts()
    forget_places()
    with op.batch_alter_table('backup_run', schema=None) as batch_op:
        batch_op.drop_index(batch_op.f('ix_backup_run_kind_at'))
    op.drop_table('backup_run')


def place_tokens():
    """Let each token lead along the board, newest first."""
    with op.batch_alter_table('listing_token', schema=None) as batch_op:
        batch_op.add_column(
            sa.Column('posted', sa.BigInteger(), server_default='0', nullable=False)
        )
        batch_op.drop_constraint(batch_op.f('pk_listing_token'), type_='primary')
        batch_op.create_primary_key(
            batch_op.f('pk_listing_token'), ['token', 'posted', 'listing_id']
        )
    micros = '(EXTRACT(EPOCH FROM listing.posted_at) * 1000000)::bigint'
    if op.get_bind().dialect.name == 'sqlite':
        micros = (
            "CAST(strftime('%s', listing.posted_at) AS INTEGER) * 1000000"
            ' + CAST(substr(listing.posted_at, 21, 6) AS INTEGER)'
        )
    place = (
        sa.select(sa.literal_column(micros))
        .select_from(sa.table('listing'))
        .where(sa.text('listing.id = listing_token.listing_id'))
        .scalar_subquery()
    )
    token = sa.table('listing_token', sa.column('posted'))
    op.execute(sa.update(token).values(posted=sa.func.coalesce(place, 0)))


def forget_places():
    """Keep tokens without places."""
    with op.batch_alter_table('listing_token', schema=None) as batch_op:
        batch_op.drop_constraint(batch_op.f('pk_listing_token'), type_='primary')
        batch_op.drop_column('posted')
        batch_op.create_primary_key(
            batch_op.f('pk_listing_token'), ['token', 'listing_id']
        )


def let_counts_go():
    if op.get_bind().dialect.name == 'postgresql':
        op.execute('ALTER TABLE throttle_bucket SET UNLOGGED')
        # Room in each page, so that a count is changed where it lies.
        op.execute('ALTER TABLE throttle_bucket SET (fillfactor = 50)')


def keep_counts():
    if op.get_bind().dialect.name == 'postgresql':
        op.execute('ALTER TABLE throttle_bucket RESET (fillfactor)')
        op.execute('ALTER TABLE throttle_bucket SET LOGGED')
