"""What an offer may ask for, by the listing that it is made for."""

from collections.abc import Sequence

from tradeboard.core.errors import RuleBroken
from tradeboard.listings.models import Listing
from tradeboard.listings.rules import Side
from tradeboard.trades.queries import Offered
from tradeboard.trades.rules import offers
from tradeboard.trades.rules.offers import Item
from tradeboard.trades.rules.states import Party
from tradeboard.trades.services import texts


def check(
    items: Sequence[Item], note: str, listing: Listing | Offered, by: texts.Writer
) -> None:
    """Refuse an offer that the listing does not hold, or that says what none may."""
    offers.check_offer(items)
    texts.check(note, field="note", by=by)
    lines = {line.id: line for line in listing.lines if line.side is Side.HAVE}
    wanted: dict[int, int] = {}
    for item in items:
        if item.giver != Party.POSTER:
            texts.check(f"{item.name} {item.set_code}", field="items", by=by)
            continue
        if item.line_id is None or item.line_id not in lines:
            raise RuleBroken(
                "「%(name)s」はこの募集にありません。", field="items", name=item.name
            )
        wanted[item.line_id] = wanted.get(item.line_id, 0) + item.quantity
    for line_id, quantity in wanted.items():
        if quantity > lines[line_id].free:
            raise RuleBroken(
                "「%(name)s」の残りは%(free)s枚です。",
                field="items",
                name=lines[line_id].name,
                free=lines[line_id].free,
            )
