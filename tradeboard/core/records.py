"""Dataclasses that are finished when the first of their kind is made.

Python writes and compiles half a dozen functions for each of them: a seventh of what
a worker does before its first page, which makes few of them.
"""

import dataclasses
from threading import RLock
from typing import TYPE_CHECKING, Any

FIELDS = "__dataclass_fields__"
_lock = RLock()


class _Unfinished:
    """Stands for the fields of a class until somebody asks for them."""

    def __init__(self, options: dict[str, Any]):
        self.options = options

    def __get__(self, _instance: Any, owner: type) -> Any:
        for cls in owner.__mro__:
            _finish(cls)
        return getattr(owner, FIELDS)


def _finish(cls: type) -> None:
    """Do what the library does; who makes one meanwhile waits for it."""
    with _lock:
        waiting = cls.__dict__.get(FIELDS)
        if not isinstance(waiting, _Unfinished):
            return
        delattr(cls, FIELDS)
        made: Any = dataclasses.dataclass(**waiting.options, init=False)(cls)
        # What fills one in is taken from a child, so that the class never lacks it.
        options = {**waiting.options, "repr": False, "eq": False}
        child: Any = dataclasses.dataclass(**options)(type(cls.__name__, (made,), {}))
        made.__init__ = child.__init__


def _put_off(cls: type, options: dict[str, Any]) -> type:
    def begin(self: Any, /, *given: Any, **named: Any) -> None:
        _finish(cls)
        cls.__init__(self, *given, **named)  # type: ignore[misc]  # the finished one

    setattr(cls, FIELDS, _Unfinished(options))
    cls.__init__ = begin  # type: ignore[misc]  # until then
    return cls


if TYPE_CHECKING:
    from dataclasses import dataclass
else:

    def dataclass(cls=None, /, **options):
        """Make a class a dataclass, as the library does, when it is first used."""
        if cls is None:
            return lambda found: _put_off(found, options)
        return _put_off(cls, options)
