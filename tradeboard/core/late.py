"""Modules that are much to load, and that a worker's first pages do without."""

from importlib import import_module
from typing import Any


class Late:
    """Stands for a module, which is loaded when something of it is first used."""

    def __init__(self, name: str):
        self.__name__ = name

    def __getattr__(self, name: str) -> Any:
        return getattr(import_module(self.__name__), name)
