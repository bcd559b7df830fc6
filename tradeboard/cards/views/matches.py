"""Who has what one wants and wants what one has."""

from flask import redirect, render_template, url_for
from flask_login import current_user

from tradeboard.accounts import queries as accounts
from tradeboard.accounts.rules.standing import Standing
from tradeboard.cards import queries
from tradeboard.cards.queries import Passing
from tradeboard.cards.rules.lines import CardLine
from tradeboard.cards.views.blueprint import begin_listing, bp, offered_by
from tradeboard.core.errors import NotFound
from tradeboard.web.acting import act
from tradeboard.web.fields import ButtonForm

# How many meetings of a card with a wish are read, and how many cards are shown.
READ_EACH, SHOWN_EACH, READ_ALL = 24, 5, 400
NOBODY = "この名前の人は見つかりません。"


@bp.get("/matches")
def matches():
    """Show partners, the best first; if there are none, rings of three."""
    me = current_user.id
    partners, total = queries.partners(me)
    chains = [] if partners else queries.chains(me)
    routes = [route for p in partners for route in ((me, p.id), (p.id, me))]
    for chain in chains:
        taker, giver = chain.taker.id, chain.giver.id
        routes += [(me, taker), (taker, giver), (giver, me)]
    return render_template(
        "cards/matches.html",
        partners=partners,
        total=total,
        chains=chains,
        passing=queries.passing(sorted(set(routes)), READ_EACH),
        shown=SHOWN_EACH,
        offered=offered_by([partner.id for partner in partners]),
        counted=queries.lines_of_both(me),
    )


@bp.get("/matches/<handle>")
def match(handle: str):
    """Show everything that could change hands with one member."""
    account = _partner(handle)
    if account.handle != handle:
        return redirect(url_for(".match", handle=account.handle), 303)
    gives, takes = _both_ways(account.id)
    return render_template(
        "cards/match.html",
        account=account,
        gives=gives,
        takes=takes,
        offered=offered_by([account.id]).get(account.id, []),
        button=ButtonForm(formdata=None),
    )


@bp.post("/matches/<handle>/draft")
def draft_for(handle: str):
    """Begin a listing with what would change hands with one member."""
    form = ButtonForm()
    partner_id = _partner(handle).id

    def begin() -> str:
        gives, takes = _both_ways(partner_id)
        return begin_listing(
            [_line(one) for one in takes], [_line(one) for one in gives]
        )

    return act(form.submit_id.data, begin)


def _partner(handle: str):
    account = accounts.find_by_handle(handle)
    if account is None or account.standing is Standing.CLOSED:
        raise NotFound(NOBODY)
    if not queries.may_match(current_user.id, account):
        raise NotFound("この人とのマッチは、いまはありません。")
    return account


def _both_ways(partner_id: int) -> tuple[list[Passing], list[Passing]]:
    """Return what the partner could give, and what the reader could."""
    routes = ((partner_id, current_user.id), (current_user.id, partner_id))
    found = queries.passing(routes, READ_ALL)
    return found.get(routes[0], []), found.get(routes[1], [])


def _line(card: Passing) -> CardLine:
    return CardLine(
        card.name,
        max(1, card.copies),
        card.set_code,
        card.rarity,
        card.language,
        card.condition,
    )
