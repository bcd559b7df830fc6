"""What is loaded without its trimmings, which cost a worker a tenth of its start.

structlog draws coloured tracebacks with rich where that is installed, and Babel reads
the names of all zones of pytz. The log is JSON, and moments are reckoned by zoneinfo.
"""

import sys
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def without(*names: str) -> Iterator[None]:
    """Let modules that are loaded in the block find none of these installed."""
    hidden = [name for name in names if name not in sys.modules]
    for name in hidden:
        sys.modules[name] = None  # type: ignore[assignment]  # as the import system says
    try:
        yield
    finally:
        for name in hidden:
            del sys.modules[name]


with without("rich"):
    import structlog

with without("pytz"):
    from babel import Locale
    from babel.support import NullTranslations, Translations

__all__ = ["Locale", "NullTranslations", "Translations", "structlog", "without"]
