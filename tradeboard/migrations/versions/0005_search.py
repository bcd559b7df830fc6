"""let what is posted already be found by pieces of its text, and marks

Revision ID: 0005
Revises: 0004
"""

import sqlalchemy as sa
from alembic import op

from tradeboard.core import folding
from tradeboard.listings.rules import tokens

revision = '0005'
down_revision = '0004'
branch_labels = None
depends_on = None

# Pieces repeat what a listing says; without them nothing is lost.
may_shrink = ('listing_token',)

BATCH = 500
NEVER_AGAIN = ('traded', 'withdrawn')

listing = sa.table(
    'listing',
    sa.column('id', sa.Integer),
    sa.column('state', sa.String),
    sa.column('game', sa.String),
    sa.column('note', sa.String),
    sa.column('ships_to', sa.String),
    sa.column('search_key', sa.String),
    sa.column('text_digest', sa.String),
)
line = sa.table(
    'line',
    *(sa.column(name, sa.Integer) for name in ('id', 'listing_id')),
    *(
        sa.column(name, sa.String)
        for name in (
            'side', 'name', 'key', 'set_code', 'rarity', 'language', 'condition'
        )
    ),
)
token = sa.table(
    'listing_token', sa.column('token', sa.String), sa.column('listing_id', sa.Integer)
)


def upgrade():
    db = op.get_bind()
    for listings, cards in batches(db):
        kept = [index(row, cards.get(row.id, [])) for row in listings]
        set_texts(db, [texts for texts, _ in kept])
        set_keys(db, [card for row in listings for card in cards.get(row.id, [])])
        found = [row for _, rows in kept for row in rows]
        if found:
            db.execute(sa.insert(token), found)


def downgrade():
    db = op.get_bind()
    db.execute(sa.delete(token))
    for listings, cards in batches(db):
        texts = [
            {
                'listing': row.id,
                'key': folding.fold(searched(row, cards.get(row.id, []))),
                'digest': '',
            }
            for row in listings
        ]
        set_texts(db, texts)
    db.execute(sa.update(line).values(key=''))


def batches(db):
    """Return some listings with their cards by id, until there are no more."""
    last = 0
    while True:
        rows = db.execute(
            sa.select(listing)
            .where(listing.c.id > last)
            .order_by(listing.c.id)
            .limit(BATCH)
        ).all()
        if not rows:
            return
        last = rows[-1].id
        ids = [row.id for row in rows]
        cards = {}
        for card in db.execute(
            sa.select(line).where(line.c.listing_id.in_(ids)).order_by(line.c.id)
        ):
            cards.setdefault(card.listing_id, []).append(card)
        # A draft has no cards yet, and what was erased has no text.
        yield [row for row in rows if row.id in cards and row.search_key], cards


def searched(row, cards):
    """Return what a search looks through."""
    words = [row.game]
    for card in cards:
        words += [card.name, card.set_code]
    return '\n'.join(words)


def index(row, cards):
    """Return the texts of a listing as they are kept, and its tokens."""
    text = searched(row, cards)
    key = folding.key(text)
    said = [word for card in cards for word in (card.name, card.set_code)]
    texts = {
        'listing': row.id,
        'key': key,
        'digest': tokens.digest([*said, row.note]),
    }
    if row.state in NEVER_AGAIN:
        return texts, []
    offered = [
        (card.condition, card.language, card.rarity)
        for card in cards
        if card.side == 'have'
    ]
    found = tokens.pieces(key) | tokens.marks(row.game, row.ships_to, offered)
    return texts, [{'token': one, 'listing_id': row.id} for one in sorted(found)]


def set_texts(db, texts):
    """Write keys and digests of some listings."""
    if texts:
        db.execute(
            sa.update(listing)
            .where(listing.c.id == sa.bindparam('listing'))
            .values(search_key=sa.bindparam('key'), text_digest=sa.bindparam('digest')),
            texts,
        )


def set_keys(db, cards):
    """Write the key of some cards."""
    if cards:
        db.execute(
            sa.update(line)
            .where(line.c.id == sa.bindparam('card'))
            .values(key=sa.bindparam('new_key')),
            [{'card': card.id, 'new_key': folding.key(card.name)} for card in cards],
        )
