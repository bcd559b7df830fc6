"""The moderators' desk for entries: the queue, both sides, the decision, appeals."""

from tradeboard.blacklist.staff import appeals, asking, by_hand, entry, queue
from tradeboard.blacklist.staff.blueprint import bp

__all__ = ["appeals", "asking", "bp", "by_hand", "entry", "queue"]
