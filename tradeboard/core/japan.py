"""Where the board is at home: its days begin there, for whoever chose no zone."""

from datetime import timedelta, timezone

ZONE = "Asia/Tokyo"
JAPAN = timezone(timedelta(hours=9), "JST")  # Without summer time since 1952.
