"""what log-ins and members need to keep strangers out

Revision ID: 0007
Revises: 0006
"""

import sqlalchemy as sa
from alembic import op

import tradeboard.core.db

revision = '0007'
down_revision = '0006'
branch_labels = None
depends_on = None
alters = ("listing", "session")


def upgrade():
    op.create_table('staff_reason',
    sa.Column('id', sa.Integer(), nullable=False),
    sa.Column('at', tradeboard.core.db.UtcDateTime(timezone=True), nullable=False),
    sa.Column('by_id', sa.Integer(), nullable=True),
    sa.Column('act', sa.String(), nullable=False),
    sa.Column('thing', sa.String(), nullable=False),
    sa.Column('words', sa.String(), nullable=False),
    sa.ForeignKeyConstraint(['by_id'], ['account.id'], name=op.f('fk_staff_reason_by_id')),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_staff_reason'))
    )
    op.create_table('passkey',
    sa.Column('id', sa.Integer(), nullable=False),
    sa.Column('account_id', sa.Integer(), nullable=False),
    sa.Column('credential_id', sa.String(), nullable=False),
    sa.Column('user_handle', sa.String(), nullable=False),
    sa.Column('public_key', sa.String(), nullable=False),
    sa.Column('sign_count', sa.BigInteger(), nullable=False),
    sa.Column('name', sa.String(), nullable=False),
    sa.Column('made_at', tradeboard.core.db.UtcDateTime(timezone=True), nullable=False),
    sa.Column('used_at', tradeboard.core.db.UtcDateTime(timezone=True), nullable=True),
    sa.ForeignKeyConstraint(['account_id'], ['account.id'], name=op.f('fk_passkey_account_id')),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_passkey')),
    sa.UniqueConstraint('credential_id', name=op.f('uq_passkey_credential_id'))
    )
    with op.batch_alter_table('passkey', schema=None) as batch_op:
        batch_op.create_index(batch_op.f('ix_passkey_account_id'), ['account_id'], unique=False)
    with op.batch_alter_table('session', schema=None) as batch_op:
        batch_op.add_column(sa.Column('proved_at', tradeboard.core.db.UtcDateTime(timezone=True), nullable=True))
        batch_op.add_column(sa.Column('awaits_factor', sa.Boolean(), server_default=sa.false(), nullable=False))
    with op.batch_alter_table('listing', schema=None) as batch_op:
        batch_op.add_column(sa.Column('held_for', sa.String(), server_default='', nullable=False))
        batch_op.create_index('ix_listing_held', ['owner_id', 'id'], unique=False, sqlite_where=sa.text("held_for != ''"), postgresql_where=sa.text("held_for != ''"))


def downgrade():
    with op.batch_alter_table('listing', schema=None) as batch_op:
        batch_op.drop_index('ix_listing_held', sqlite_where=sa.text("held_for != ''"), postgresql_where=sa.text("held_for != ''"))
        batch_op.drop_column('held_for')
    with op.batch_alter_table('session', schema=None) as batch_op:
        batch_op.drop_column('awaits_factor')
        batch_op.drop_column('proved_at')
    with op.batch_alter_table('passkey', schema=None) as batch_op:
        batch_op.drop_index(batch_op.f('ix_passkey_account_id'))
    op.drop_table('passkey')
    op.drop_table('staff_reason')
