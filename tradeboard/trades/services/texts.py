"""What may stand in a text that one side writes to the other."""

from typing import Protocol

from tradeboard.accounts.queries import mailboxes
from tradeboard.accounts.rules.email import addresses_in
from tradeboard.core.errors import RuleBroken
from tradeboard.core.messages import Message, message
from tradeboard.trades import queries
from tradeboard.trades.models import Trade
from tradeboard.trades.rules import offers

LONGEST_TEXT = 1000


class Writer(mailboxes.Writer, Protocol):
    """Whoever writes a text to somebody else."""

    @property
    def is_confirmed(self) -> bool:
        """Tell whether the address has been confirmed."""


def check(text: str, *, field: str, by: Writer) -> None:
    """Refuse a text that is too long, or names an address not the writer's (B-01)."""
    if len(text) > LONGEST_TEXT:
        raise RuleBroken("%(n)s字までです。", field=field, n=LONGEST_TEXT)
    confirmed = by.is_confirmed
    foreign = mailboxes.foreign_addresses(text, by) if confirmed else addresses_in(text)
    if foreign:
        raise RuleBroken(
            "「%(address)s」は書けません。"
            "書けるのは、確認の済んだ自分の本アドレスだけです。",
            field=field,
            address=foreign[0],
        )


def stale_offer(trade: Trade, number: int) -> Message:
    """Say what changed since the version that somebody wanted to answer."""
    old = next((offer for offer in trade.offers if offer.number == number), None)
    if old is None:
        return message("申し込みの版が見つかりません。画面を開きなおしてください。")
    changes = offers.difference(
        queries.items_of(old), queries.items_of(queries.newest_offer(trade))
    )
    listed = "、".join(str(offers.in_words(change)) for change in changes)
    return message(
        "内容が第%(number)s版に変わりました：%(changes)s。もう一度ご確認ください。",
        number=trade.offer_number,
        changes=listed or "—",
    )
