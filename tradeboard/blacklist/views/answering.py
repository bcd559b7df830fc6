"""How a form about an entry is taken: pictures first, then draft or sending."""

from collections.abc import Callable

from flask import flash, request
from flask_babel import gettext as _

from tradeboard.blacklist.photos import Stored
from tradeboard.blacklist.services import drafts
from tradeboard.blacklist.views import uploads
from tradeboard.core import clock
from tradeboard.core.errors import Conflict, NoRoom, NotStored, Refusal, RuleBroken
from tradeboard.web.acting import act
from tradeboard.web.error_pages import STATUS
from tradeboard.web.readable import whole


class Answering:
    """One form about one entry, by one person, with its draft."""

    def __init__(self, form_class, kind: str, entry_id: int, person_id: int):
        self.form_class, self.kind = form_class, kind
        self.entry_id, self.person_id = entry_id, person_id
        self.whose = f"{kind} {entry_id} {person_id}"

    def fresh(self):
        """Return the form as it was left in the draft."""
        draft = drafts.read(self.entry_id, self.person_id, self.kind)
        form = self.form_class(formdata=None, data={"words": draft.words})
        uploads.keep(form, self.whose, draft.pictures)
        return form

    def pictures(self, form) -> list[Stored]:
        """Return the pictures that wait with a form."""
        return uploads.kept(form, self.whose)

    def take(
        self,
        send: Callable[[str, list[Stored]], str],
        page: Callable,
        back: str,
    ):
        """Do what the pressed button says; a form with a mistake comes back whole.

        `send` brings the words and pictures forward and says where that leads.
        """
        form, do = self.form_class(), request.form.get("do", "")
        stored, mistakes = uploads.take(form, self.whose)
        if do == "draft" or do.startswith("drop-"):
            stored = _without(stored, do)
            uploads.keep(form, self.whose, stored)
            return self._save(form, stored, mistakes, page, back)
        valid = form.validate_on_submit()
        for mistake in mistakes:
            form.refuse(mistake)
        if mistakes or not valid:
            return page(form), _status(mistakes)
        words = form.words.data
        try:
            return act(
                form.submit_id.data, lambda: send(words, stored), by_id=self.person_id
            )
        except (RuleBroken, Conflict) as refusal:
            form.refuse(refusal)
            return page(form), 409 if isinstance(refusal, Conflict) else 422

    def _save(self, form, stored, mistakes, page, back):
        def keep() -> str:
            drafts.save(
                self.entry_id,
                self.person_id,
                self.kind,
                form.words.data or "",
                stored,
                now=clock.now(),
            )
            return back

        answer = act(None, keep, by_id=self.person_id)
        for mistake in mistakes:
            form.refuse(mistake)
        if mistakes:
            return page(form), _status(mistakes)
        flash(_("下書きに残しました。まだ送っていません。"), "ok")
        return answer


def _status(mistakes: list[Refusal]) -> int:
    """Return what to answer: where the store failed, that is nobody's mistake."""
    last = mistakes[-1] if mistakes else None
    return STATUS[type(last)] if isinstance(last, NoRoom | NotStored) else 422


def _without(stored: list[Stored], do: str) -> list[Stored]:
    """Leave one picture out, as the button says."""
    number = whole(do.removeprefix("drop-")) if do.startswith("drop-") else None
    return [one for n, one in enumerate(stored, 1) if n != number]
