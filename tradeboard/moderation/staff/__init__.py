"""The pages of the desk that belong to no other feature."""

from tradeboard.moderation.staff import audit, desk, holds, notes, system
from tradeboard.moderation.staff.blueprint import bp

__all__ = ["audit", "bp", "desk", "holds", "notes", "system"]
