"""What these tests share."""

from tests.buckets import bucket, bucket_server

__all__ = ["bucket", "bucket_server"]
