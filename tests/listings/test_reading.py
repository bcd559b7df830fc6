"""A draft is read without its form, and never otherwise than by it."""

import random
from dataclasses import replace

from tradeboard.listings import forms, reading
from tradeboard.listings.rules import states

CARD = {
    "id": ["", "7", "x", "99999999999"],
    "name": ["蒼天の竜", "  Ａ  b ", "あ" * states.LONGEST_NAME, "あ" * 81, "", "　"],
    "set_code": ["", "S1-001", "x" * 40, "x" * 41],
    "rarity": ["", "SR", "ＳＲ", "x" * 41],
    "language": ["", "ja", "other", "klingon"],
    "quantity": ["1", "９９", " 3 ", "0", "100", "", "two", "-1"],
}
CONDITIONS = {"have": ["A", "", "D", "E"], "want": ["", "A", "D", "E"]}
OTHER = {
    "game": ["", "星霜のカード", "ｶｰﾄﾞ  x", "x" * 41],
    "ships_from": ["13", "abroad", "", "99"],
    "ships_to": ["domestic", "abroad", "", "moon"],
    "note": ["", " 二行\r\nです ", "x" * 1000, "x" * 1001],
}
DRAFTS = 150


def picked(picks, values):
    """Pick mostly what is right, now and then anything, or nothing at all."""
    return {
        name: some[0] if picks.random() < 0.97 else picks.choice(some)
        for name, some in values.items()
        if picks.random() < 0.995
    }


def any_draft(picks):
    """Return a draft as some page may have kept it."""
    draft = picked(picks, OTHER)
    for side in forms.SIDES:
        rows = picks.choice([0, 1, 1, 1, 1, 1, 1, 2, 2, states.MOST_LINES + 1])
        card = CARD | {"condition": CONDITIONS[side]}
        draft[side] = [picked(picks, card) for _ in range(rows)]
    return draft


def test_a_draft_reads_as_its_form_does(app):
    picks, good = random.Random(7), 0
    with app.test_request_context():
        for _ in range(DRAFTS):
            draft = any_draft(picks)
            form = forms.of_draft(draft, token=False)
            by_form = form.written() if form.validate() else None
            good += by_form is not None

            assert reading.read(draft) == by_form, draft

    assert DRAFTS * 0.2 < good < DRAFTS * 0.8
    assert reading.read({}) is None


def test_an_empty_row_between_cards_is_no_card(app):
    card = {"name": "蒼天の竜", "quantity": "2"}
    draft = {"have": [{}, card], "want": [card, {}], "ships_from": "13"}

    read = reading.read(draft | {"ships_to": "domestic"})

    assert [line.quantity for line in (*read.have, *read.want)] == [2, 2]
    assert read.have[0] == replace(read.want[0], condition="A")
