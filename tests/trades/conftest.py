"""How tests of the clock get their past."""

import pytest

from tradeboard.core.db import db, writing


@pytest.fixture
def committed(app):
    """Return how to build something in one transaction that stays."""

    def build(make):
        db.session.rollback()
        token = writing.set(True)
        try:
            made = make()
            db.session.commit()
        finally:
            writing.reset(token)
        return made

    return build
