"""What people, moderators and time do to a listing; a module per subject."""

from tradeboard.listings.services.drafting import discard, save, start
from tradeboard.listings.services.ending import (
    expire,
    hide,
    renew,
    restore,
    tell_of_end,
    withdraw,
)
from tradeboard.listings.services.leaving import erase, leave
from tradeboard.listings.services.pictures import (
    add_photo,
    delete_photo,
    describe_photos,
    move_photo,
)
from tradeboard.listings.services.posting import (
    check,
    edit,
    open_awaiting,
    post,
)
from tradeboard.listings.services.quantities import release, reserve, trade_away

__all__ = [
    "add_photo",
    "check",
    "delete_photo",
    "describe_photos",
    "discard",
    "edit",
    "erase",
    "expire",
    "hide",
    "leave",
    "move_photo",
    "open_awaiting",
    "post",
    "release",
    "renew",
    "reserve",
    "restore",
    "save",
    "start",
    "tell_of_end",
    "trade_away",
    "withdraw",
]
