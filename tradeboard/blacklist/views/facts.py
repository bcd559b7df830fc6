"""The page of one entry, for the person it is about: signed in or by a mailed link."""

from flask import current_app, render_template

from tradeboard.blacklist import queries
from tradeboard.blacklist.forms import AppealForm, StatementForm
from tradeboard.blacklist.rules import appeals as appeal_rules
from tradeboard.blacklist.rules import clauses, wording
from tradeboard.blacklist.rules import entries as rules
from tradeboard.blacklist.rules.appeals import AppealState
from tradeboard.blacklist.views.answering import Answering
from tradeboard.terms.texts import in_line, text_of
from tradeboard.trades.rules import carriers


def statement_on(entry) -> Answering:
    """Return how the person's statement about an entry is taken."""
    return Answering(StatementForm, "statement", entry.id, entry.account_id)


def appeal_on(entry) -> Answering:
    """Return how the person's appeal is taken; also by link, it is his."""
    return Answering(AppealForm, "appeal", entry.id, entry.account_id)


def show(entry_id: int, *, statement=None, appeal=None, token=None, used=False) -> str:
    """Return the page; the forms are given where one has mistakes."""
    entry = queries.own_entry(entry_id)
    held = queries.held_facts(entry)
    earlier = queries.appeals_of(entry.id)
    open_appeal = next((a for a in earlier if a.state is AppealState.OPEN), None)
    may_appeal = entry.is_public and open_appeal is None and not used
    may_state = token is None and entry.state in rules.STANDING_STATES
    forms = {
        "statement": (statement_on(entry), statement, may_state),
        "appeal": (appeal_on(entry), appeal, may_appeal),
    }
    shown = {
        name: form or (taken.fresh() if may else None)
        for name, (taken, form, may) in forms.items()
    }
    kept = {
        name: taken.pictures(shown[name]) if shown[name] else []
        for name, (taken, _, _) in forms.items()
    }
    return render_template(
        "blacklist/entry.html",
        entry=entry,
        held=held,
        public=queries.public_entry(entry.id),
        clauses=_rule_text(held),
        in_line=in_line,
        wording=wording,
        carrier=carriers.find_carrier(held.carrier) if held.carrier else None,
        number=carriers.pretty(held.carrier, held.tracking) if held.tracking else None,
        tracking_url=_tracking_url(held),
        appeals=earlier,
        open_appeal=open_appeal,
        again_at=_again_at(earlier),
        said=queries.evidence_of(entry.id, entry.account_id),
        asked=queries.requests_to(entry.account_id, entry.id),
        statement=shown["statement"],
        appeal=shown["appeal"],
        kept=kept,
        token=token,
        used=used,
        most_files=appeal_rules.MOST_FILES,
    )


def _again_at(earlier):
    """Return from when the same words may be sent again, if any were refused."""
    decided = [one.decided_at for one in earlier if one.decided_at]
    return appeal_rules.may_appeal_again_at(decided[-1]) if decided else None


def _rule_text(held):
    terms = queries.terms_of(held)
    return clauses.applying(text_of(terms)) if terms is not None else []


def _tracking_url(held):
    if not held.tracking:
        return None
    pages = current_app.config.get("TRACKING_PAGES")
    return carriers.tracking_url(held.carrier, held.tracking, templates=pages)
