"""What may stand in a listing's texts."""

from tradeboard.accounts.queries import mailboxes
from tradeboard.core.errors import RuleBroken
from tradeboard.listings.rules import ListingData


def refuse_foreign_addresses(data: ListingData, by: mailboxes.Writer) -> None:
    """Refuse every address but the writer's own main one, naming it (B-01)."""
    for field, text in data.texts():
        for address in mailboxes.foreign_addresses(text, by):
            raise RuleBroken(
                "「%(address)s」は登録した本アドレスではないので書けません。"
                "本アドレスだけにするか、消してください。",
                field=field,
                address=address,
            )
