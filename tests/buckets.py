"""A bucket, served on loopback over HTTP."""

import time

import pytest
from moto.server import ThreadedMotoServer

from tradeboard.core import photo_bucket, photo_store


@pytest.fixture(scope="session")
def bucket_server():
    """Serve buckets on loopback, over HTTP."""
    server = ThreadedMotoServer("127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    yield f"http://{host}:{port}"
    server.stop()


@pytest.fixture
def bucket(bucket_server, monkeypatch):
    """Return the settings of an empty bucket."""
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "tests")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "tests")
    photo_bucket.opened.cache_clear()
    name = f"photos-{time.monotonic_ns()}"
    settings = {"PHOTO_STORE": f"s3://{name}/board", "S3_ENDPOINT_URL": bucket_server}
    photo_store.of(settings).client.create_bucket(Bucket=name)
    return settings
