"""Open what a partner has sealed, in the states that allow it and nowhere else."""

from datetime import datetime

from tradeboard.accounts.models import Account
from tradeboard.accounts.rules import phone
from tradeboard.core import sealed
from tradeboard.core.records import dataclass
from tradeboard.trades import queries
from tradeboard.trades.models import PhoneSide, Trade
from tradeboard.trades.rules import clock
from tradeboard.trades.rules.states import ADDRESS_IS_SHOWN, TradeState
from tradeboard.trades.services.moving import require_party


@dataclass(frozen=True)
class Contact:
    """What one side may read of the other now; None is not for now."""

    number: str | None = None
    dialled: str | None = None
    address: str | None = None
    abroad: bool = False


def partner_contact(trade: Trade, viewer: Account, *, now: datetime) -> Contact:
    """Return the partner's number while the call is on, the address while parcels are.

    The number only between the reveal and the end of the step, the address from the
    confirmed call on, and neither after the trade or its deadline.
    """
    require_party(trade, viewer)
    side = next((s for s in trade.phones if s.account_id != viewer.id), None)
    if side is None:
        return Contact()
    if _shows_number(trade, now):
        return _with_number(side)
    if trade.state in ADDRESS_IS_SHOWN and trade.phone_confirmed_at is not None:
        return Contact(address=_open(side, "address"))
    return Contact()


def masked_number(trade: Trade, viewer: Account, *, now: datetime) -> str | None:
    """Return the partner's number but for its middle, once it was shown and is not.

    So that a call in the history of a telephone can be told from others.
    """
    require_party(trade, viewer)
    side = next((s for s in trade.phones if s.account_id != viewer.id), None)
    if side is None or side.number is None or trade.revealed_at is None:
        return None
    return None if _shows_number(trade, now) else side.number_masked


def _shows_number(trade: Trade, now: datetime) -> bool:
    return (
        trade.state is TradeState.AGREED
        and trade.revealed_at is not None
        and trade.call_closed_at is None
        and all(side.sealed_at is not None for side in trade.phones)
        and not clock.is_over(trade.call_by, now)
    )


def _with_number(side: PhoneSide) -> Contact:
    kept = _open(side, "number")
    if kept is None:
        return Contact()
    key, _, extension = kept.partition(";ext=")
    return Contact(
        number=phone.display(key, extension or None),
        dialled=key,
        abroad=not phone.is_japanese(key),
    )


def _open(side: PhoneSide, column: str) -> str | None:
    value = getattr(side, column)
    if value is None:
        return None
    return sealed.unseal(value, cell=f"{queries.phone_cell(side)}.{column}")
