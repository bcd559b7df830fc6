"""Photo files in a bucket of an S3-compatible store, which all hosts share.

Who may write there is said in the environment, as boto3 reads it. The bucket is
private: whether a person may see a photo is asked at every look.
"""

import io
import logging
import threading
from collections.abc import Callable, Iterator
from datetime import datetime
from functools import lru_cache
from typing import IO, Any, TypeVar, cast
from urllib.parse import urlsplit

from tradeboard.core.errors import NoRoom, NotStored, Unknown
from tradeboard.core.image_child import WIDTHS
from tradeboard.core.messages import message
from tradeboard.core.photo_store import (
    NO_ROOM,
    NOT_STORED,
    File,
    Opened,
    file_name,
    name_and_width,
)

CONNECT_S, READ_S, TRIES = 2, 10, 2
AT_ONCE = 20
AWAY = message("写真をいま読み出せません。少し待ってから開き直してください。")

ABSENT = {"404", "NoSuchKey", "NotFound"}
FULL = {"507", "InsufficientStorage", "QuotaExceeded", "XMinioStorageFull"}

log = logging.getLogger(__name__)
Found = TypeVar("Found")
_making = threading.Lock()


class BucketStore:
    """Photos below one prefix of a bucket."""

    def __init__(self, client: Any, bucket: str, prefix: str):
        self.client, self.bucket, self.prefix = client, bucket, prefix

    def within(self, kind: str) -> "BucketStore":
        """Return the photos of one kind."""
        return BucketStore(self.client, self.bucket, f"{self.prefix}{kind}/")

    def make_room(self) -> None:
        """A bucket says itself when it is full."""

    def put(self, name: str, width: int, body: bytes) -> None:
        """Store a file whole."""
        try:
            self.client.put_object(
                **self._key(name, width), Body=body, ContentType="image/jpeg"
            )
        except _errors() as error:
            log.error("photo store: put: %s", _code(error))
            full = _code(error) in FULL
            refused = NoRoom(NO_ROOM) if full else NotStored(NOT_STORED)
            refused.field = "photo"
            raise refused from error

    def open(self, name: str, width: int) -> Opened | None:
        """Ask for a file; it is read while it is passed on."""
        answer = self._ask(self.client.get_object, **self._key(name, width))
        if answer is None:
            return None
        return Opened(cast(IO[bytes], _Body(answer["Body"])), answer["ContentLength"])

    def length(self, name: str, width: int) -> int | None:
        """Ask how long a file is."""
        answer = self._ask(self.client.head_object, **self._key(name, width))
        return answer["ContentLength"] if answer else None

    def remove(self, name: str) -> None:
        """Delete a picture in all its sizes."""
        for width in WIDTHS:
            self._ask(self.client.delete_object, **self._key(name, width))

    def drop_halves(self, before: datetime) -> None:
        """A bucket holds whole files only."""

    def files(self) -> Iterator[File]:
        """List what is stored, a thousand a page."""
        asked: dict[str, Any] = {"Bucket": self.bucket, "Prefix": self.prefix}
        while True:
            page = self._ask(self.client.list_objects_v2, **asked) or {}
            for row in page.get("Contents", ()):
                known = name_and_width(row["Key"].removeprefix(self.prefix))
                if known:
                    yield File(*known, row["Size"], row["LastModified"])
            if not page.get("IsTruncated"):
                return
            asked["ContinuationToken"] = page["NextContinuationToken"]

    def _key(self, name: str, width: int) -> dict[str, str]:
        return {"Bucket": self.bucket, "Key": self.prefix + file_name(name, width)}

    def _ask(self, question: Callable[..., Found], **asked: Any) -> Found | None:
        """Ask; None if there is no such file, Unknown if it cannot be found out."""
        try:
            return question(**asked)
        except _errors() as error:
            if _code(error) in ABSENT:
                return None
            log.error("photo store: %s: %s", question.__name__, _code(error))
            raise Unknown(AWAY) from error


class _Body(io.RawIOBase):
    """What comes from the store while it is read."""

    def __init__(self, body: Any):
        self._body = body

    def close(self) -> None:
        """End, also before the end of the file."""
        self._body.close()
        super().close()

    def read(self, size: int = -1) -> bytes:
        """Read on; an end before the end is said."""
        try:
            return self._body.read(size if size >= 0 else None)
        except _errors() as error:
            log.error("photo store: read: %s", _code(error))
            raise Unknown(AWAY) from error


@lru_cache
def opened(url: str, endpoint: str | None) -> BucketStore:
    """Return the store that `s3://bucket/prefix` names; nothing is asked of it yet."""
    import boto3
    from botocore.config import Config

    parts = urlsplit(url)
    prefix = parts.path.strip("/")
    limits = Config(
        connect_timeout=CONNECT_S,
        read_timeout=READ_S,
        retries={"total_max_attempts": TRIES, "mode": "standard"},
        max_pool_connections=AT_ONCE,
        # Not every store knows the newer check sums.
        request_checksum_calculation="when_required",
        response_checksum_validation="when_required",
        s3={"addressing_style": "path" if endpoint else "auto"},
    )
    with _making:
        session = boto3.session.Session()
        client = session.client(
            "s3",
            endpoint_url=endpoint or None,
            region_name=session.region_name or "us-east-1",
            config=limits,
        )
    return BucketStore(client, parts.netloc, f"{prefix}/" if prefix else "")


def _errors() -> tuple[type[Exception], ...]:
    from botocore.exceptions import BotoCoreError, ClientError

    return BotoCoreError, ClientError


def _code(error: Exception) -> str:
    """Name what went wrong, without what was asked."""
    said = getattr(error, "response", None) or {}
    return str(said.get("Error", {}).get("Code") or type(error).__name__)
