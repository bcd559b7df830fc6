"""haves and wants, feedback, reports, notices, what the operator says of the site

Revision ID: 0004
Revises: 0003
"""

import sqlalchemy as sa
from alembic import op

import tradeboard.core.db

revision = '0004'
down_revision = '0003'
branch_labels = None
depends_on = None
alters = ("account", "line", "listing", "message", "outbox_mail", "photo")


def upgrade():
    op.create_table('announcement',
    sa.Column('id', sa.Integer(), nullable=False),
    sa.Column('level', sa.Enum('info', 'warn', name='level', native_enum=False, length=32), nullable=False),
    sa.Column('text_ja', sa.String(), nullable=False),
    sa.Column('text_en', sa.String(), nullable=False),
    sa.Column('starts_at', tradeboard.core.db.UtcDateTime(timezone=True), nullable=False),
    sa.Column('ends_at', tradeboard.core.db.UtcDateTime(timezone=True), nullable=False),
    sa.Column('by_id', sa.Integer(), nullable=False),
    sa.Column('made_at', tradeboard.core.db.UtcDateTime(timezone=True), nullable=False),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_announcement'))
    )
    with op.batch_alter_table('announcement', schema=None) as batch_op:
        batch_op.create_index(batch_op.f('ix_announcement_ends_at'), ['ends_at'], unique=False)

    op.create_table('digest_mark',
    sa.Column('account_id', sa.Integer(), autoincrement=False, nullable=False),
    sa.Column('told_notice', sa.Integer(), nullable=False),
    sa.Column('told_at', tradeboard.core.db.UtcDateTime(timezone=True), nullable=False),
    sa.PrimaryKeyConstraint('account_id', name=op.f('pk_digest_mark'))
    )
    op.create_table('form_draft',
    sa.Column('account_id', sa.Integer(), autoincrement=False, nullable=False),
    sa.Column('kind', sa.String(), nullable=False),
    sa.Column('object_number', sa.Integer(), autoincrement=False, nullable=False),
    sa.Column('fields', sa.JSON(), nullable=False),
    sa.Column('changed_at', tradeboard.core.db.UtcDateTime(timezone=True), nullable=False),
    sa.PrimaryKeyConstraint('account_id', 'kind', 'object_number', name=op.f('pk_form_draft'))
    )
    with op.batch_alter_table('form_draft', schema=None) as batch_op:
        batch_op.create_index(batch_op.f('ix_form_draft_changed_at'), ['changed_at'], unique=False)

    op.create_table('help_version',
    sa.Column('id', sa.Integer(), nullable=False),
    sa.Column('slug', sa.String(), nullable=False),
    sa.Column('language', sa.String(), nullable=False),
    sa.Column('number', sa.Integer(), nullable=False),
    sa.Column('text', sa.String(), nullable=False),
    sa.Column('by_id', sa.Integer(), nullable=False),
    sa.Column('at', tradeboard.core.db.UtcDateTime(timezone=True), nullable=False),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_help_version')),
    sa.UniqueConstraint('slug', 'language', 'number', name=op.f('uq_help_version_slug_language_number'))
    )
    op.create_table('mail_choice',
    sa.Column('account_id', sa.Integer(), autoincrement=False, nullable=False),
    sa.Column('kind', sa.String(), nullable=False),
    sa.Column('mode', sa.Enum('now', 'daily', 'off', name='mailmode', native_enum=False, length=32), nullable=False),
    sa.Column('changed_at', tradeboard.core.db.UtcDateTime(timezone=True), nullable=False),
    sa.PrimaryKeyConstraint('account_id', 'kind', name=op.f('pk_mail_choice'))
    )
    op.create_table('notice',
    sa.Column('id', sa.Integer(), nullable=False),
    sa.Column('account_id', sa.Integer(), nullable=False),
    sa.Column('key', sa.String(), nullable=False),
    sa.Column('template', sa.String(), nullable=False),
    sa.Column('facts', sa.JSON(), nullable=False),
    sa.Column('path', sa.String(), nullable=False),
    sa.Column('at', tradeboard.core.db.UtcDateTime(timezone=True), nullable=False),
    sa.Column('read_at', tradeboard.core.db.UtcDateTime(timezone=True), nullable=True),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_notice')),
    sa.UniqueConstraint('key', name=op.f('uq_notice_key'))
    )
    with op.batch_alter_table('notice', schema=None) as batch_op:
        batch_op.create_index('ix_notice_at', ['at', 'id'], unique=False)
        batch_op.create_index('ix_notice_newest', ['account_id', 'id'], unique=False)
        batch_op.create_index('ix_notice_unread', ['account_id'], unique=False, sqlite_where=sa.text('read_at IS NULL'), postgresql_where=sa.text('read_at IS NULL'))

    op.create_table('setting_change',
    sa.Column('id', sa.Integer(), nullable=False),
    sa.Column('key', sa.String(), nullable=False),
    sa.Column('value', sa.String(), nullable=False),
    sa.Column('by_id', sa.Integer(), nullable=False),
    sa.Column('at', tradeboard.core.db.UtcDateTime(timezone=True), nullable=False),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_setting_change'))
    )
    with op.batch_alter_table('setting_change', schema=None) as batch_op:
        batch_op.create_index(batch_op.f('ix_setting_change_key_id'), ['key', 'id'], unique=False)

    op.create_table('block',
    sa.Column('account_id', sa.Integer(), nullable=False),
    sa.Column('blocked_id', sa.Integer(), nullable=False),
    sa.Column('since', tradeboard.core.db.UtcDateTime(timezone=True), nullable=False),
    sa.ForeignKeyConstraint(['account_id'], ['account.id'], name=op.f('fk_block_account_id')),
    sa.ForeignKeyConstraint(['blocked_id'], ['account.id'], name=op.f('fk_block_blocked_id')),
    sa.PrimaryKeyConstraint('account_id', 'blocked_id', name=op.f('pk_block'))
    )
    with op.batch_alter_table('block', schema=None) as batch_op:
        batch_op.create_index(batch_op.f('ix_block_blocked_id'), ['blocked_id'], unique=False)

    op.create_table('card',
    sa.Column('id', sa.Integer(), nullable=False),
    sa.Column('account_id', sa.Integer(), nullable=False),
    sa.Column('side', sa.Enum('have', 'want', name='cardside', native_enum=False, length=32), nullable=False),
    sa.Column('key', sa.String(), nullable=False),
    sa.Column('name', sa.String(), nullable=False),
    sa.Column('game', sa.String(), nullable=False),
    sa.Column('set_code', sa.String(), nullable=False),
    sa.Column('rarity', sa.String(), nullable=False),
    sa.Column('language', sa.String(), nullable=False),
    sa.Column('condition', sa.String(), nullable=False),
    sa.Column('quantity', sa.Integer(), nullable=False),
    sa.Column('added_at', tradeboard.core.db.UtcDateTime(timezone=True), nullable=False),
    sa.CheckConstraint('quantity > 0', name=op.f('ck_card_some')),
    sa.ForeignKeyConstraint(['account_id'], ['account.id'], name=op.f('fk_card_account_id')),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_card')),
    sa.UniqueConstraint('account_id', 'side', 'key', 'set_code', 'rarity', 'language', 'condition', name='uq_card_same')
    )
    with op.batch_alter_table('card', schema=None) as batch_op:
        batch_op.create_index('ix_card_key', ['side', 'key', 'account_id'], unique=False)

    op.create_table('match_news',
    sa.Column('account_id', sa.Integer(), nullable=False),
    sa.Column('told_at', tradeboard.core.db.UtcDateTime(timezone=True), nullable=False),
    sa.Column('partners', sa.JSON(), nullable=False),
    sa.ForeignKeyConstraint(['account_id'], ['account.id'], name=op.f('fk_match_news_account_id')),
    sa.PrimaryKeyConstraint('account_id', name=op.f('pk_match_news'))
    )
    with op.batch_alter_table('match_news', schema=None) as batch_op:
        batch_op.create_index(batch_op.f('ix_match_news_told_at'), ['told_at'], unique=False)

    op.create_table('member_warning',
    sa.Column('id', sa.Integer(), nullable=False),
    sa.Column('account_id', sa.Integer(), nullable=False),
    sa.Column('by_id', sa.Integer(), nullable=False),
    sa.Column('reason', sa.Enum('rules', 'spam', 'harassment', 'contact', 'photo', 'other', name='reason', native_enum=False, length=32), nullable=False),
    sa.Column('sentence', sa.String(), nullable=False),
    sa.Column('at', tradeboard.core.db.UtcDateTime(timezone=True), nullable=False),
    sa.Column('seen_at', tradeboard.core.db.UtcDateTime(timezone=True), nullable=True),
    sa.ForeignKeyConstraint(['account_id'], ['account.id'], name=op.f('fk_member_warning_account_id')),
    sa.ForeignKeyConstraint(['by_id'], ['account.id'], name=op.f('fk_member_warning_by_id')),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_member_warning'))
    )
    with op.batch_alter_table('member_warning', schema=None) as batch_op:
        batch_op.create_index(batch_op.f('ix_member_warning_account_id'), ['account_id'], unique=False)

    op.create_table('remark',
    sa.Column('id', sa.Integer(), nullable=False),
    sa.Column('account_id', sa.Integer(), nullable=False),
    sa.Column('by_id', sa.Integer(), nullable=False),
    sa.Column('words', sa.String(), nullable=False),
    sa.Column('at', tradeboard.core.db.UtcDateTime(timezone=True), nullable=False),
    sa.ForeignKeyConstraint(['account_id'], ['account.id'], name=op.f('fk_remark_account_id')),
    sa.ForeignKeyConstraint(['by_id'], ['account.id'], name=op.f('fk_remark_by_id')),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_remark'))
    )
    with op.batch_alter_table('remark', schema=None) as batch_op:
        batch_op.create_index(batch_op.f('ix_remark_account_id'), ['account_id'], unique=False)

    op.create_table('saved_search',
    sa.Column('id', sa.Integer(), nullable=False),
    sa.Column('account_id', sa.Integer(), nullable=False),
    sa.Column('asked', sa.String(), nullable=False),
    sa.Column('mail', sa.Boolean(), nullable=False),
    sa.Column('made_at', tradeboard.core.db.UtcDateTime(timezone=True), nullable=False),
    sa.Column('told_until', tradeboard.core.db.UtcDateTime(timezone=True), nullable=False),
    sa.ForeignKeyConstraint(['account_id'], ['account.id'], name=op.f('fk_saved_search_account_id')),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_saved_search')),
    sa.UniqueConstraint('account_id', 'asked', name=op.f('uq_saved_search_account_id_asked'))
    )
    with op.batch_alter_table('saved_search', schema=None) as batch_op:
        batch_op.create_index('ix_saved_search_mail', ['told_until', 'id'], unique=False, sqlite_where=sa.text('mail'), postgresql_where=sa.text('mail'))

    op.create_table('signal_seen',
    sa.Column('key', sa.String(), nullable=False),
    sa.Column('by_id', sa.Integer(), nullable=False),
    sa.Column('at', tradeboard.core.db.UtcDateTime(timezone=True), nullable=False),
    sa.ForeignKeyConstraint(['by_id'], ['account.id'], name=op.f('fk_signal_seen_by_id')),
    sa.PrimaryKeyConstraint('key', name=op.f('pk_signal_seen'))
    )
    op.create_table('listing_token',
    sa.Column('token', sa.String(), nullable=False),
    sa.Column('listing_id', sa.Integer(), nullable=False),
    sa.ForeignKeyConstraint(['listing_id'], ['listing.id'], name=op.f('fk_listing_token_listing_id'), ondelete='CASCADE'),
    sa.PrimaryKeyConstraint('token', 'listing_id', name=op.f('pk_listing_token'))
    )
    with op.batch_alter_table('listing_token', schema=None) as batch_op:
        batch_op.create_index(batch_op.f('ix_listing_token_listing_id'), ['listing_id'], unique=False)

    op.create_table('feedback',
    sa.Column('id', sa.Integer(), nullable=False),
    sa.Column('trade_id', sa.Integer(), nullable=False),
    sa.Column('by_id', sa.Integer(), nullable=False),
    sa.Column('about_id', sa.Integer(), nullable=False),
    sa.Column('grade', sa.Enum('good', 'fair', 'bad', name='grade', native_enum=False, length=32), nullable=False),
    sa.Column('tags', sa.JSON(), nullable=False),
    sa.Column('words', sa.String(), nullable=False),
    sa.Column('written_at', tradeboard.core.db.UtcDateTime(timezone=True), nullable=False),
    sa.Column('reveal_at', tradeboard.core.db.UtcDateTime(timezone=True), nullable=False),
    sa.Column('shown_at', tradeboard.core.db.UtcDateTime(timezone=True), nullable=True),
    sa.Column('hidden_at', tradeboard.core.db.UtcDateTime(timezone=True), nullable=True),
    sa.Column('hidden_reason', sa.Enum('personal', 'insult', 'unrelated', name='hidereason', native_enum=False, length=32), nullable=True),
    sa.CheckConstraint('by_id <> about_id', name=op.f('ck_feedback_not_of_oneself')),
    sa.ForeignKeyConstraint(['about_id'], ['account.id'], name=op.f('fk_feedback_about_id')),
    sa.ForeignKeyConstraint(['by_id'], ['account.id'], name=op.f('fk_feedback_by_id')),
    sa.ForeignKeyConstraint(['trade_id'], ['trade.id'], name=op.f('fk_feedback_trade_id')),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_feedback')),
    sa.UniqueConstraint('trade_id', 'by_id', name=op.f('uq_feedback_trade_id_by_id'))
    )
    with op.batch_alter_table('feedback', schema=None) as batch_op:
        batch_op.create_index('ix_feedback_about', ['about_id', 'shown_at', 'id'], unique=False)
        batch_op.create_index(batch_op.f('ix_feedback_by_id'), ['by_id'], unique=False)
        batch_op.create_index('ix_feedback_waiting', ['reveal_at', 'id'], unique=False, sqlite_where=sa.text('shown_at IS NULL'), postgresql_where=sa.text('shown_at IS NULL'))

    op.create_table('message_photo',
    sa.Column('id', sa.String(), nullable=False),
    sa.Column('message_id', sa.Integer(), nullable=False),
    sa.Column('by_id', sa.Integer(), nullable=False),
    sa.Column('width', sa.Integer(), nullable=False),
    sa.Column('height', sa.Integer(), nullable=False),
    sa.Column('added_at', tradeboard.core.db.UtcDateTime(timezone=True), nullable=False),
    sa.ForeignKeyConstraint(['by_id'], ['account.id'], name=op.f('fk_message_photo_by_id')),
    sa.ForeignKeyConstraint(['message_id'], ['message.id'], name=op.f('fk_message_photo_message_id')),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_message_photo'))
    )
    with op.batch_alter_table('message_photo', schema=None) as batch_op:
        batch_op.create_index(batch_op.f('ix_message_photo_by_id_added_at'), ['by_id', 'added_at'], unique=False)
        batch_op.create_index(batch_op.f('ix_message_photo_message_id'), ['message_id'], unique=False)

    op.create_table('report',
    sa.Column('id', sa.Integer(), nullable=False),
    sa.Column('subject', sa.Enum('listing', 'message', 'person', name='subject', native_enum=False, length=32), nullable=False),
    sa.Column('listing_id', sa.Integer(), nullable=True),
    sa.Column('message_id', sa.Integer(), nullable=True),
    sa.Column('account_id', sa.Integer(), nullable=False),
    sa.Column('reporter_id', sa.Integer(), nullable=False),
    sa.Column('reason', sa.Enum('rules', 'spam', 'harassment', 'contact', 'photo', 'other', name='reason', native_enum=False, length=32), nullable=False),
    sa.Column('words', sa.String(), nullable=False),
    sa.Column('made_at', tradeboard.core.db.UtcDateTime(timezone=True), nullable=False),
    sa.Column('state', sa.Enum('open', 'settled', name='reportstate', native_enum=False, length=32), nullable=False),
    sa.Column('claimed_by_id', sa.Integer(), nullable=True),
    sa.Column('claimed_at', tradeboard.core.db.UtcDateTime(timezone=True), nullable=True),
    sa.Column('settled_at', tradeboard.core.db.UtcDateTime(timezone=True), nullable=True),
    sa.Column('settled_by_id', sa.Integer(), nullable=True),
    sa.Column('outcome', sa.Enum('nothing', 'hidden', 'warned', 'suspended', name='outcome', native_enum=False, length=32), nullable=True),
    sa.Column('sentence', sa.String(), nullable=False),
    sa.Column('version', sa.Integer(), nullable=False),
    sa.ForeignKeyConstraint(['account_id'], ['account.id'], name=op.f('fk_report_account_id')),
    sa.ForeignKeyConstraint(['claimed_by_id'], ['account.id'], name=op.f('fk_report_claimed_by_id')),
    sa.ForeignKeyConstraint(['listing_id'], ['listing.id'], name=op.f('fk_report_listing_id')),
    sa.ForeignKeyConstraint(['message_id'], ['message.id'], name=op.f('fk_report_message_id')),
    sa.ForeignKeyConstraint(['reporter_id'], ['account.id'], name=op.f('fk_report_reporter_id')),
    sa.ForeignKeyConstraint(['settled_by_id'], ['account.id'], name=op.f('fk_report_settled_by_id')),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_report'))
    )
    with op.batch_alter_table('report', schema=None) as batch_op:
        batch_op.create_index(batch_op.f('ix_report_account_id'), ['account_id'], unique=False)
        batch_op.create_index(batch_op.f('ix_report_listing_id'), ['listing_id'], unique=False)
        batch_op.create_index(batch_op.f('ix_report_message_id'), ['message_id'], unique=False)
        batch_op.create_index('ix_report_open', ['made_at', 'id'], unique=False, sqlite_where=sa.text("state = 'open'"), postgresql_where=sa.text("state = 'open'"))
        batch_op.create_index(batch_op.f('ix_report_reporter_id_made_at'), ['reporter_id', 'made_at'], unique=False)

    with op.batch_alter_table('account', schema=None) as batch_op:
        batch_op.add_column(sa.Column('time_zone', sa.String(), nullable=False, server_default='Asia/Tokyo'))
        batch_op.add_column(sa.Column('shows_cards', sa.Boolean(), nullable=False, server_default=sa.true()))
        batch_op.add_column(sa.Column('good_count', sa.Integer(), nullable=False, server_default='0'))
        batch_op.add_column(sa.Column('fair_count', sa.Integer(), nullable=False, server_default='0'))
        batch_op.add_column(sa.Column('bad_count', sa.Integer(), nullable=False, server_default='0'))

    with op.batch_alter_table('line', schema=None) as batch_op:
        batch_op.add_column(sa.Column('key', sa.String(), nullable=False, server_default=''))
        batch_op.create_index(batch_op.f('ix_line_key'), ['key'], unique=False)

    with op.batch_alter_table('listing', schema=None) as batch_op:
        batch_op.add_column(sa.Column('text_digest', sa.String(), nullable=False, server_default=''))
        batch_op.create_index(batch_op.f('ix_listing_text_digest'), ['text_digest'], unique=False)

    with op.batch_alter_table('message', schema=None) as batch_op:
        batch_op.add_column(sa.Column('phrase', sa.String(), nullable=False, server_default=''))
        batch_op.create_index('ix_message_unread', ['trade_id'], unique=False, sqlite_where=sa.text('read_at IS NULL'), postgresql_where=sa.text('read_at IS NULL'))

    with op.batch_alter_table('outbox_mail', schema=None) as batch_op:
        batch_op.add_column(sa.Column('time_zone', sa.String(), nullable=False, server_default='Asia/Tokyo'))

    with op.batch_alter_table('photo', schema=None) as batch_op:
        batch_op.add_column(sa.Column('digest', sa.String(), nullable=False, server_default=''))
        batch_op.add_column(sa.Column('caption', sa.String(), nullable=False, server_default=''))
        batch_op.add_column(sa.Column('dropped_at', tradeboard.core.db.UtcDateTime(timezone=True), nullable=True))
        batch_op.create_index(batch_op.f('ix_photo_digest'), ['digest'], unique=False)
        batch_op.create_index('ix_photo_dropped', ['dropped_at'], unique=False, sqlite_where=sa.text('dropped_at IS NOT NULL'), postgresql_where=sa.text('dropped_at IS NOT NULL'))



def downgrade():
    with op.batch_alter_table('photo', schema=None) as batch_op:
        batch_op.drop_index('ix_photo_dropped', sqlite_where=sa.text('dropped_at IS NOT NULL'), postgresql_where=sa.text('dropped_at IS NOT NULL'))
        batch_op.drop_index(batch_op.f('ix_photo_digest'))
        batch_op.drop_column('dropped_at')
        batch_op.drop_column('caption')
        batch_op.drop_column('digest')

    with op.batch_alter_table('outbox_mail', schema=None) as batch_op:
        batch_op.drop_column('time_zone')

    with op.batch_alter_table('message', schema=None) as batch_op:
        batch_op.drop_index('ix_message_unread', sqlite_where=sa.text('read_at IS NULL'), postgresql_where=sa.text('read_at IS NULL'))
        batch_op.drop_column('phrase')

    with op.batch_alter_table('listing', schema=None) as batch_op:
        batch_op.drop_index(batch_op.f('ix_listing_text_digest'))
        batch_op.drop_column('text_digest')

    with op.batch_alter_table('line', schema=None) as batch_op:
        batch_op.drop_index(batch_op.f('ix_line_key'))
        batch_op.drop_column('key')

    with op.batch_alter_table('account', schema=None) as batch_op:
        batch_op.drop_column('bad_count')
        batch_op.drop_column('fair_count')
        batch_op.drop_column('good_count')
        batch_op.drop_column('shows_cards')
        batch_op.drop_column('time_zone')

    with op.batch_alter_table('report', schema=None) as batch_op:
        batch_op.drop_index(batch_op.f('ix_report_reporter_id_made_at'))
        batch_op.drop_index('ix_report_open', sqlite_where=sa.text("state = 'open'"), postgresql_where=sa.text("state = 'open'"))
        batch_op.drop_index(batch_op.f('ix_report_message_id'))
        batch_op.drop_index(batch_op.f('ix_report_listing_id'))
        batch_op.drop_index(batch_op.f('ix_report_account_id'))

    op.drop_table('report')
    with op.batch_alter_table('message_photo', schema=None) as batch_op:
        batch_op.drop_index(batch_op.f('ix_message_photo_message_id'))
        batch_op.drop_index(batch_op.f('ix_message_photo_by_id_added_at'))

    op.drop_table('message_photo')
    with op.batch_alter_table('feedback', schema=None) as batch_op:
        batch_op.drop_index('ix_feedback_waiting', sqlite_where=sa.text('shown_at IS NULL'), postgresql_where=sa.text('shown_at IS NULL'))
        batch_op.drop_index(batch_op.f('ix_feedback_by_id'))
        batch_op.drop_index('ix_feedback_about')

    op.drop_table('feedback')
    with op.batch_alter_table('listing_token', schema=None) as batch_op:
        batch_op.drop_index(batch_op.f('ix_listing_token_listing_id'))

    op.drop_table('listing_token')
    op.drop_table('signal_seen')
    with op.batch_alter_table('saved_search', schema=None) as batch_op:
        batch_op.drop_index('ix_saved_search_mail', sqlite_where=sa.text('mail'), postgresql_where=sa.text('mail'))

    op.drop_table('saved_search')
    with op.batch_alter_table('remark', schema=None) as batch_op:
        batch_op.drop_index(batch_op.f('ix_remark_account_id'))

    op.drop_table('remark')
    with op.batch_alter_table('member_warning', schema=None) as batch_op:
        batch_op.drop_index(batch_op.f('ix_member_warning_account_id'))

    op.drop_table('member_warning')
    with op.batch_alter_table('match_news', schema=None) as batch_op:
        batch_op.drop_index(batch_op.f('ix_match_news_told_at'))

    op.drop_table('match_news')
    with op.batch_alter_table('card', schema=None) as batch_op:
        batch_op.drop_index('ix_card_key')

    op.drop_table('card')
    with op.batch_alter_table('block', schema=None) as batch_op:
        batch_op.drop_index(batch_op.f('ix_block_blocked_id'))

    op.drop_table('block')
    with op.batch_alter_table('setting_change', schema=None) as batch_op:
        batch_op.drop_index(batch_op.f('ix_setting_change_key_id'))

    op.drop_table('setting_change')
    with op.batch_alter_table('notice', schema=None) as batch_op:
        batch_op.drop_index('ix_notice_unread', sqlite_where=sa.text('read_at IS NULL'), postgresql_where=sa.text('read_at IS NULL'))
        batch_op.drop_index('ix_notice_newest')
        batch_op.drop_index('ix_notice_at')

    op.drop_table('notice')
    op.drop_table('mail_choice')
    op.drop_table('help_version')
    with op.batch_alter_table('form_draft', schema=None) as batch_op:
        batch_op.drop_index(batch_op.f('ix_form_draft_changed_at'))

    op.drop_table('form_draft')
    op.drop_table('digest_mark')
    with op.batch_alter_table('announcement', schema=None) as batch_op:
        batch_op.drop_index(batch_op.f('ix_announcement_ends_at'))

    op.drop_table('announcement')
