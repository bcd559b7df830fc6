"""Photos that prove something: files in a folder of their own, for two people."""

from tradeboard.core.private_photos import Folder, Stored

__all__ = ["SUBFOLDER", "Stored", "accept"]

SUBFOLDER = "proofs"

accept = Folder(SUBFOLDER).accept
