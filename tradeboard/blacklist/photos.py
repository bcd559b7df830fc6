"""Pictures that speak for somebody: files in a folder of their own, never public."""

from tradeboard.core.private_photos import Folder, Stored

__all__ = ["SUBFOLDER", "Stored", "accept"]

SUBFOLDER = "evidence"

accept = Folder(SUBFOLDER).accept
