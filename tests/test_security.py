"""The proofs of security, quick; `run.py soak security` tries the same for long."""

import pytest

from tests.soaks import forging, markup, names, planted, redirects, rights, uploads
from tests.test_canaries import heard, world

__all__ = ["heard", "world"]
# They are about pages, not about tables; the soak tries no other either.
ON_SQLITE = pytest.mark.parametrize("app", ["sqlite"], indirect=True)


@pytest.mark.in_turn("app")
def test_each_secret_stands_where_it_may_and_nowhere_else(world, heard):
    assert planted.prove(world, heard, quick=True)["violations"] == 0


@ON_SQLITE
def test_what_somebody_types_is_never_markup(app):
    assert markup.s7(app, quick=True)["violations"] == 0


def test_no_photo_brings_anything_along():
    assert uploads.s8(None, quick=True)["violations"] == 0


@ON_SQLITE
@pytest.mark.parametrize(
    "proof",
    [
        redirects.s9,
        forging.s10,
        names.s13,
        forging.s14,
        rights.s16,
        rights.s17,
        rights.s18,
    ],
    ids=lambda proof: proof.__name__,
)
def test_the_board_keeps_what_it_promises(app, proof):
    assert proof(app, quick=True)["violations"] == 0
