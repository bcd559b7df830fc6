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
    describe_photos,
    drop_photo,
    forget_dropped,
    move_photo,
    restore_photo,
)
from tradeboard.listings.services.posting import (
    check,
    edit,
    open_awaiting,
    post,
    post_as_typed,
)
from tradeboard.listings.services.quantities import release, reserve, trade_away

__all__ = [
    "add_photo",
    "check",
    "describe_photos",
    "discard",
    "drop_photo",
    "edit",
    "erase",
    "expire",
    "forget_dropped",
    "hide",
    "leave",
    "move_photo",
    "open_awaiting",
    "post",
    "post_as_typed",
    "release",
    "renew",
    "reserve",
    "restore",
    "restore_photo",
    "save",
    "start",
    "tell_of_end",
    "trade_away",
    "withdraw",
]
