"""Matches as one would count them by hand, to compare the database with."""

from collections import defaultdict
from itertools import product


def meet(have, want):
    """Tell whether a card is what somebody wishes for."""
    return (
        have.key == want.key
        and _agree(have.set_code, want.set_code, have.set_code == want.set_code)
        and _agree(have.language, want.language, have.language == want.language)
        and _agree(have.condition, want.condition, have.condition <= want.condition)
    )


def _agree(one, other, agrees):
    return not one or not other or agrees


def copies(haves, wants):
    """Count the copies that can pass, card by card."""
    there, wished = defaultdict(dict), defaultdict(dict)
    for (n, have), (m, want) in product(enumerate(haves), enumerate(wants)):
        if meet(have, want):
            there[have.key][n] = have.quantity
            wished[have.key][m] = want.quantity
    return sum(
        min(sum(there[key].values()), sum(wished[key].values())) for key in there
    )


def partners(world, me, shown):
    """Return the partners of somebody, the best first: (id, gives, takes)."""
    found = []
    for other in world:
        if other == me or not shown(me, other):
            continue
        gives = copies(world[other]["have"], world[me]["want"])
        takes = copies(world[me]["have"], world[other]["want"])
        if gives and takes:
            found.append((other, gives, takes))
    return sorted(found, key=lambda p: (-min(p[1:]), -sum(p[1:]), p[0]))


def chains(world, me, shown):
    """Return all rings of three from somebody: (taker, giver, value)."""
    found = []
    for taker, giver in product(world, world):
        people = {me, taker, giver}
        if len(people) < 3 or not all(
            shown(one, other)
            for one, other in ((me, taker), (me, giver), (taker, giver))
        ):
            continue
        steps = ((me, taker), (taker, giver), (giver, me))
        value = min(copies(world[a]["have"], world[b]["want"]) for a, b in steps)
        if value:
            found.append((taker, giver, value))
    return found
