"""Static files travel small, and are not sent again."""

import gzip

import pytest


@pytest.fixture
def client(apps):
    """A browser; files are the same whatever the database is."""
    app = apps("sqlite")
    with app.app_context():
        yield app.test_client()


def test_text_files_travel_compressed_to_whoever_takes_that(client):
    plain = client.get("/static/site.css")
    packed = client.get("/static/site.css", headers={"Accept-Encoding": "br, gzip"})

    assert "Content-Encoding" not in plain.headers
    assert packed.headers["Content-Encoding"] == "gzip"
    assert gzip.decompress(packed.data) == plain.data
    assert len(packed.data) < len(plain.data) / 3
    for answer in (plain, packed):
        assert "Accept-Encoding" in answer.headers["Vary"]


def test_a_compressed_file_is_not_sent_again(client):
    takes = {"Accept-Encoding": "gzip"}
    first = client.get("/static/site.css", headers=takes)

    again = {"If-None-Match": first.headers["ETag"]} | takes
    second = client.get("/static/site.css", headers=again)

    assert second.status_code == 304
    assert second.data == b""


def test_a_part_of_a_file_and_a_page_are_never_compressed(client):
    takes = {"Accept-Encoding": "gzip", "Range": "bytes=0-9"}
    part = client.get("/static/site.css", headers=takes)
    page = client.get("/help/rules", headers={"Accept-Encoding": "gzip"})

    assert (part.status_code, len(part.data)) == (206, 10)
    assert "Content-Encoding" not in page.headers
