"""What stands in the way of a person who wants another name, or to leave."""

from collections.abc import Sequence
from datetime import datetime

from tradeboard.accounts import queries as accounts
from tradeboard.accounts.models import Account
from tradeboard.accounts.rules import naming
from tradeboard.accounts.rules.standing import Role
from tradeboard.blacklist import queries as blacklist
from tradeboard.blacklist.models import Entry
from tradeboard.core.records import dataclass
from tradeboard.trades import queries as trades
from tradeboard.trades.models import Trade


@dataclass(frozen=True)
class Obstacles:
    """Trades that run, entries that stand, and a moment that has not come yet."""

    trades: Sequence[Trade] = ()
    entries: Sequence[Entry] = ()
    until: datetime | None = None
    is_only_admin: bool = False

    def __bool__(self) -> bool:
        """Tell whether anything stands in the way."""
        return bool(self.trades or self.entries or self.until or self.is_only_admin)


def obstacles_to_renaming(account_id: int, *, now: datetime) -> Obstacles:
    """Return why a person cannot take another name now."""
    again = naming.may_rename_from(accounts.renamed_at(account_id))
    return Obstacles(
        trades=trades.running_of(account_id),
        entries=blacklist.standing_entries_of(account_id),
        until=again if again is not None and now < again else None,
    )


def obstacles_to_closing(account: Account) -> Obstacles:
    """Return why a person cannot leave now; an entry is none of these."""
    return Obstacles(
        trades=trades.running_of(account.id), is_only_admin=_is_only_admin(account)
    )


def _is_only_admin(account: Account) -> bool:
    if account.role is not Role.ADMIN:
        return False
    return all(admin.id == account.id for admin in accounts.admins())
