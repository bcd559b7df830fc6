"""What the page of guarantees shows of many runs."""

from tests.soaks import book

PAGE = """
<!-- lines D -->
old
<!-- end -->
<!-- lines mirror browser -->
<!-- end -->
"""


def line(guarantee, size, secs, db="sqlite"):
    return {"guarantee": guarantee, "db": db, "size": size, "secs": secs}


def test_a_long_run_stands_in_the_place_of_a_later_short_one():
    lines = [line("D1", "quick", 1), line("D1", "soak", 2), line("D1", "quick", 3)]

    assert book.newest(lines) == [line("D1", "soak", 2)]


def test_the_last_run_of_each_database_is_shown():
    lines = [line("D1", "quick", 1, "postgresql"), line("D1", "quick", 1)]
    lines += [line("D1", "quick", 2)]

    shown = [line("D1", "quick", 2), line("D1", "quick", 1, "postgresql")]
    assert book.newest(lines) == shown


def test_each_line_stands_in_the_section_that_names_it():
    lines = [line("mirror", "soak", 1), line("D1", "soak", 2), line("G1", "soak", 3)]

    page = book.fill(PAGE, lines)

    of_data, of_mirrors = page.split("<!-- lines mirror browser -->")
    assert '"D1"' in of_data
    assert '"mirror"' in of_mirrors
    assert "old" not in page
    assert "G1" not in page
