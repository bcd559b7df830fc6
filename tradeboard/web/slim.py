"""The application without what a board has no use for."""

from collections.abc import Callable
from typing import Any

from flask import Flask
from werkzeug.routing import Rule


class Address(Rule):
    """An address whose builder is compiled when a page first names it.

    There are hundreds, and a worker that starts names few of them.
    """

    def _compile_builder(self, append_unknown: bool = True) -> Callable[..., Any]:
        compiled = super()._compile_builder
        made: list[Callable[..., Any]] = []

        def build(rule: Rule, **values: Any) -> Any:
            if not made:
                made.append(compiled(append_unknown))
            return made[0](rule, **values)

        return build


class Board(Flask):
    """The application; none of its functions is a coroutine, so none is asked."""

    url_rule_class = Address

    def ensure_sync(self, func):
        """Return the function itself."""
        return func
