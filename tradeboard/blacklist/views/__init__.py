"""Pages of the blacklist: for everybody, for members, for whom it concerns."""

from tradeboard.blacklist.views import (
    appeals,
    look_up,
    mine,
    numbers,
    pictures,
    receipts,
)
from tradeboard.blacklist.views.blueprint import bp

__all__ = ["appeals", "bp", "look_up", "mine", "numbers", "pictures", "receipts"]
