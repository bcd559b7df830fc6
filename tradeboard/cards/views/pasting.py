"""Many cards at once: paste or pick, see what was understood, then put them in."""

import hashlib
from typing import Any

from flask import flash, redirect, render_template, url_for
from flask_babel import gettext as _
from flask_login import current_user

from tradeboard.cards import queries, services
from tradeboard.cards.forms import ImportForm, PasteForm
from tradeboard.cards.rules import decks, files, limits, merging
from tradeboard.cards.rules.merging import Mode
from tradeboard.cards.rules.reading import Reading
from tradeboard.cards.rules.sides import CardSide
from tradeboard.cards.services.lists import NUMBERS, PASTED
from tradeboard.cards.views.blueprint import asked_side, bp
from tradeboard.core import clock, drafts
from tradeboard.core.errors import Conflict, RuleBroken
from tradeboard.core.transaction import transaction
from tradeboard.web import throttling
from tradeboard.web.acting import act

RATE = "120 per hour"
# How many lines the page shows; the rest is counted.
SHOWN = 400
CHANGED = "貼りつけた内容が、別の画面で変わりました。もう一度確かめてください。"


@bp.get("/me/cards/paste")
def paste():
    """Show a field for many cards, with what was left in it."""
    kept = _kept(asked_side())
    form = PasteForm(formdata=None)
    form.text.data = kept.get("text", "")
    form.form.data = kept.get("form", files.AUTO)
    return _page(form)


@bp.post("/me/cards/paste")
def look():
    """Keep what was pasted or picked, and go on to what was understood."""
    side, form = asked_side(), PasteForm()
    if not form.validate_on_submit():
        return _page(form), 422
    throttling.limit("cards", str(current_user.id), RATE)
    try:
        fields = _taken(form)
    except RuleBroken as refusal:
        form.refuse(refusal)
        return _page(form), 422
    with transaction():
        drafts.keep(current_user.id, PASTED, NUMBERS[side], fields, now=clock.now())
    return redirect(url_for(".check", side=side.value), 303)


@bp.get("/me/cards/paste/check")
def check():
    """Show line by line what was understood, and what each choice would do."""
    side = asked_side()
    kept = _kept(side)
    if not kept.get("text", "").strip():
        return redirect(url_for(".paste", side=side.value), 303)
    form = ImportForm(formdata=None, seen=_print_of(kept))
    return _check_page(side, form, kept)


@bp.post("/me/cards/paste/check")
def put_in():
    """Put in what was understood; what was not stays to be written anew."""
    side, form = asked_side(), ImportForm()
    kept = _kept(side)
    if not form.validate_on_submit():
        form.seen.data = _print_of(kept)
        return _check_page(side, form, kept), 422
    try:
        return act(form.submit_id.data, lambda: _put_in(side, form))
    except RuleBroken as refusal:
        form.refuse(refusal)
        return _check_page(side, form, _kept(side)), 422


def _put_in(side: CardSide, form: ImportForm) -> str:
    kept, now = _kept(side), clock.now()
    if form.seen.data != _print_of(kept):
        raise Conflict(CHANGED)
    reading, mode = _read(kept), Mode(form.mode.data)
    done = services.import_cards(side, reading.cards, mode, by=current_user, now=now)
    flash(
        _(
            "一覧に入れました：新しい行%(added)s、変わった行%(changed)s、"
            "外した行%(dropped)s。",
            added=done.added,
            changed=done.changed,
            dropped=done.dropped,
        ),
        "ok",
    )
    if reading.problems:
        fields = {**kept, "text": reading.left(), "form": reading.form}
        drafts.keep(current_user.id, PASTED, NUMBERS[side], fields, now=now)
        left = len(reading.problems)
        flash(_("読みとれなかった%(n)s行を残してあります。", n=left), "warn")
        return url_for(".paste", side=side.value)
    drafts.drop(current_user.id, PASTED, NUMBERS[side])
    was_cut = mode is Mode.WHOLE and (done.changed or done.dropped)
    return url_for(".mine", side=side.value, taken="list" if was_cut else None)


def _taken(form: PasteForm) -> dict[str, Any]:
    """Return what was handed in; a file takes the place of an empty text."""
    picked, text = form.file.data, form.text.data or ""
    if picked and picked.filename:
        if text.strip():
            raise RuleBroken(
                "文章とファイルは、どちらかひとつにしてください。", field="file"
            )
        data = picked.stream.read(limits.LARGEST_FILE + 1)
        text = files.decode(data).replace("\r\n", "\n").replace("\r", "\n")
        said = files.form_of(text, form.form.data, picked.filename)
    else:
        said = files.form_of(text, form.form.data)
    if not text.strip():
        raise RuleBroken(
            "カードの一覧を貼るか、ファイルを選んでください。", field="text"
        )
    files.check_size(text)
    return {"text": text, "form": said}


def _kept(side: CardSide) -> dict[str, Any]:
    return drafts.find(current_user.id, PASTED, NUMBERS[side]) or {}


def _print_of(kept: dict[str, Any]) -> str:
    whole = f"{kept.get('form')}\n{kept.get('text')}"
    return hashlib.sha256(whole.encode()).hexdigest()[:16]


def _read(kept: dict[str, Any]) -> Reading:
    text, form = kept.get("text", ""), kept.get("form", files.AUTO)
    codes = decks.codes_in(text) if form == decks.FORM else set()
    return files.read(text, form, queries.known_names(current_user.id, codes))


def _page(form: PasteForm) -> str:
    return render_template(
        "cards/paste.html",
        form=form,
        side=asked_side().value,
        is_kept=bool(_kept(asked_side())),
        most=limits.MOST_READ_LINES,
        kilobytes=limits.LARGEST_FILE // 1000,
    )


def _check_page(side: CardSide, form: ImportForm, kept: dict[str, Any]) -> str:
    reading = _read(kept)
    understood = [read for read in reading.lines if read.card is not None]
    return render_template(
        "cards/check.html",
        form=form,
        side=side.value,
        reading=reading,
        understood=understood[:SHOWN],
        more=max(0, len(understood) - SHOWN),
        problems=reading.problems[:SHOWN],
        outcomes=_outcomes(side, reading),
    )


def _outcomes(side: CardSide, reading: Reading) -> dict[str, Any]:
    """Return what each choice would make of the list, or why it cannot be."""
    rows = map(queries.line_of, queries.whole_list(current_user.id, side))
    standing = {line.identity: line for line in rows}
    outcomes: dict[str, Any] = {}
    for mode in Mode:
        try:
            outcomes[mode.value] = merging.merge(standing, reading.cards, mode)
        except RuleBroken as refusal:
            outcomes[mode.value] = refusal.message
    return outcomes
