"""What may stand in a text that one side writes to the other."""

from tradeboard.accounts.models import Account
from tradeboard.accounts.rules.email import addresses_in, check_email
from tradeboard.core import keyring
from tradeboard.core.errors import RuleBroken
from tradeboard.core.messages import Message, message
from tradeboard.trades import queries
from tradeboard.trades.models import Trade
from tradeboard.trades.rules import offers

LONGEST_TEXT = 1000


def check(text: str, *, field: str, by: Account) -> None:
    """Refuse a text that is too long, or names an address not the writer's (B-01)."""
    if len(text) > LONGEST_TEXT:
        raise RuleBroken("%(n)s字までです。", field=field, n=LONGEST_TEXT)
    for address in addresses_in(text):
        key = check_email(address).key
        if key is None or not _is_own(key, by):
            raise RuleBroken(
                "「%(address)s」は書けません。"
                "書けるのは、確認の済んだ自分の本アドレスだけです。",
                field=field,
                address=address,
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


def _is_own(key: str, by: Account) -> bool:
    own = keyring.mac_hex("email", key, by.email_kid) == by.email_key
    return own and by.is_confirmed
