"""The pages of the desk that belong to no other feature."""

from tradeboard.moderation.staff import desk, holds, notes, system
from tradeboard.moderation.staff.blueprint import bp

__all__ = ["bp", "desk", "holds", "notes", "system"]
