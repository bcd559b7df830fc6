"""What a rule or a service raises when the answer is no."""

from datetime import datetime
from typing import Any

from tradeboard.core.messages import Message


class Refusal(Exception):
    """Base of every refusal; its message is shown to the person, translated.

    `field` names the form field that it belongs to, if there is one.
    """

    def __init__(self, text: str | Message, *, field: str | None = None, **gaps: Any):
        self.message = text if isinstance(text, Message) else Message(text, gaps)
        self.field = field
        super().__init__(str(self.message))


class NotFound(Refusal):
    """There is no such thing, or not for this person (404)."""


class Unproven(Refusal):
    """A program has not shown who it is: no key, or one that is good no more (401)."""


class NotAllowed(Refusal):
    """This person may not do that (403)."""


class Conflict(Refusal):
    """That was possible once, but somebody or time was faster (409)."""


class RuleBroken(Refusal):
    """What was given breaks a rule, whatever happens (422)."""


class NoRoom(RuleBroken):
    """What was sent finds no room; nobody's mistake (507)."""


class NotStored(RuleBroken):
    """What was sent cannot be stored at the moment; nobody's mistake (503)."""


class TooMany(Refusal):
    """That was done too often; `retry_at` says when it is possible again (429)."""

    def __init__(
        self, text: str | Message, *, retry_at: datetime | None = None, **gaps: Any
    ):
        super().__init__(text, **gaps)
        self.retry_at = retry_at


class Unknown(Refusal):
    """It could not be found out; never the same as "none" (503)."""
