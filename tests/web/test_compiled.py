"""Compiled templates are kept where only this user can write, and nowhere else."""

import pytest
from jinja2 import DictLoader, Environment

from tradeboard.web.compiled import Compiled, init_app


@pytest.fixture
def board(tmp_path):
    """A board beside whose keys there is nothing yet."""

    class Board:
        testing = False
        config = {"KEYRING": tmp_path / "keyring.json"}
        jinja_env = Environment(autoescape=True)

    return Board()


def words(folder, source="{{ word }}です"):
    loader = DictLoader({"a.html": source})
    cache = Compiled(folder)
    env = Environment(loader=loader, bytecode_cache=cache, autoescape=True)
    return env.get_template("a.html").render(word="<竜>")


def test_what_one_worker_compiled_the_next_one_reads(tmp_path):
    assert words(tmp_path) == "&lt;竜&gt;です"
    (kept,) = tmp_path.iterdir()
    written = kept.stat().st_mtime_ns

    assert words(tmp_path) == "&lt;竜&gt;です"
    assert kept.stat().st_mtime_ns == written
    assert words(tmp_path, "{{ word }}でした") == "&lt;竜&gt;でした"


def test_a_file_that_was_cut_short_is_made_anew(tmp_path):
    words(tmp_path)
    (kept,) = tmp_path.iterdir()
    whole = kept.read_bytes()

    for length in (0, 5, 20, len(whole) // 2):
        kept.write_bytes(whole[:length])
        assert words(tmp_path) == "&lt;竜&gt;です"
    assert kept.read_bytes() == whole


def test_without_a_folder_pages_are_compiled_as_before(tmp_path):
    assert words(tmp_path / "nowhere") == "&lt;竜&gt;です"


def test_what_others_can_write_to_is_never_read(board, tmp_path):
    init_app(board)
    assert board.jinja_env.bytecode_cache.folder == tmp_path / "compiled"
    assert (tmp_path / "compiled").stat().st_mode & 0o777 == 0o700

    board.jinja_env.bytecode_cache = None
    (tmp_path / "compiled").chmod(0o770)
    init_app(board)
    assert board.jinja_env.bytecode_cache is None

    (tmp_path / "compiled").rename(tmp_path / "elsewhere")
    (tmp_path / "elsewhere").chmod(0o700)
    (tmp_path / "compiled").symlink_to(tmp_path / "elsewhere")
    init_app(board)
    assert board.jinja_env.bytecode_cache is None
