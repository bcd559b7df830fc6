"""What may stand in a listing's texts."""

from tradeboard.accounts.models import Account
from tradeboard.accounts.rules import email
from tradeboard.core.errors import RuleBroken
from tradeboard.listings.rules import ListingData


def refuse_foreign_addresses(data: ListingData, by: Account) -> None:
    """Refuse every address but the writer's own main one, naming it (B-01)."""
    own = {by.email.casefold(), by.email_wire.casefold()}
    for field, text in data.texts():
        for address in email.addresses_in(text):
            if address.casefold() not in own:
                raise RuleBroken(
                    "「%(address)s」は登録した本アドレスではないので書けません。"
                    "本アドレスだけにするか、消してください。",
                    field=field,
                    address=address,
                )
