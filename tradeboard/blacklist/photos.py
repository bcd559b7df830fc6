"""Pictures that speak for somebody: files in a folder of their own, never public."""

from tradeboard.core.private_photos import Folder, Stored

__all__ = ["SUBFOLDER", "Stored", "accept", "path"]

SUBFOLDER = "evidence"

accept, path = Folder(SUBFOLDER).accept, Folder(SUBFOLDER).path
