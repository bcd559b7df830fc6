"""Some photos of phones, sent over HTTP to a real server; the soak sends a hundred."""

import pytest

from tests import sizes
from tests.soaks import boards, photos


@pytest.mark.parametrize("app", ["sqlite"], indirect=True)
def test_photos_of_phones_become_upright_and_tell_nothing(app, tmp_path):
    environment = boards.environment_of(app)
    few = sizes.size("S8-http", quick=True)

    assert photos.run(app, environment, tmp_path, few, photos.SMALL) == 0
