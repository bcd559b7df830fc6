"""The moderators' desk for entries: the queue, both sides, the decision."""

from flask import Blueprint, current_app, render_template, request, url_for
from flask_login import current_user

from tradeboard.accounts import queries as accounts
from tradeboard.blacklist import queries
from tradeboard.blacklist.forms import DecisionForm, HandForm
from tradeboard.blacklist.rules import clauses, wording
from tradeboard.blacklist.rules import entries as rules
from tradeboard.blacklist.rules.entries import EntryState
from tradeboard.blacklist.services import hand, review
from tradeboard.core import clock, paging
from tradeboard.core.errors import Conflict, NotAllowed, RuleBroken
from tradeboard.core.messages import message
from tradeboard.terms.texts import in_line
from tradeboard.trades.rules import carriers
from tradeboard.trades.rules.findings import Finding
from tradeboard.web import access, moments
from tradeboard.web.acting import act
from tradeboard.web.extensions import locale
from tradeboard.web.languages import translate_to
from tradeboard.web.readable import whole

bp = Blueprint("blacklist_staff", __name__, url_prefix="/desk/entries")
bp.before_request(access.require_staff)

PUBLIC_SENTENCES = {
    True: message("%(finding)s（%(month)s）。担当者が確認済み。"),
    False: message("%(finding)s（%(month)s）。自動の登録で、審査待ち。"),
}


@bp.get("")
def queue():
    """Show what waits for a moderator: overdue on top, then the oldest."""
    state = _state(request.args.get("state"))
    after = paging.decode(request.args.get("after"))
    found = queries.review_queue(state, after)
    return render_template(
        "blacklist/staff/queue.html",
        page=paging.page(found, paging.PAGE_SIZE, "review_by"),
        state=state,
        waiting=queries.count_waiting(clock.now()),
        wording=wording,
    )


@bp.get("/<int:entry_id>")
def entry(entry_id):
    """Show both sides of an entry beside each other."""
    dossier = queries.entry_for_review(entry_id)
    form = DecisionForm(held=dossier.entry.state is EntryState.HELD)
    form.version.data = str(dossier.entry.version)
    return _entry_page(dossier, form)


@bp.post("/<int:entry_id>/decide")
def decide(entry_id):
    """Show a decision with its mail, then, pressed again, let it happen."""
    dossier = queries.entry_for_review(entry_id)
    form = DecisionForm(held=dossier.entry.state is EntryState.HELD)
    version = _number(form.version.data)
    review.require_outsider(dossier.entry, current_user)
    if request.form.get("step") == "decide":
        return _decide(entry_id, version, form)
    review.check_version(dossier.entry, version)
    if not form.validate_on_submit():
        return _entry_page(dossier, form), 422
    return _review_page(dossier, form)


def _decide(entry_id, version, form):
    if not form.validate_on_submit():
        return _entry_page(queries.entry_for_review(entry_id), form), 422
    verb = review.uphold if form.decision.data == "uphold" else review.lift_by_moderator
    words, reason = form.sentence.data, form.reason_code

    def happen():
        verb(entry_id, version, reason, words, by=current_user, now=clock.now())
        return url_for("blacklist_staff.entry", entry_id=entry_id)

    try:
        return act(form.submit_id.data, happen)
    except RuleBroken as refusal:
        form.refuse(refusal)
        return _entry_page(queries.entry_for_review(entry_id), form), 422


@bp.route("/new", methods=["GET", "POST"])
def by_hand():
    """List a person by hand: evidence and one factual sentence are needed."""
    form = HandForm()
    if not form.is_submitted():
        form.trade.data = request.args.get("trade", "")
        form.handle.data = request.args.get("handle", "")
        form.finding.data = request.args.get("finding", "")
        return render_template("blacklist/staff/by_hand.html", form=form)
    if not form.validate():
        return render_template("blacklist/staff/by_hand.html", form=form), 422

    def happen():
        person = accounts.find_by_handle(form.handle.data)
        if person is None:
            raise RuleBroken("このハンドルの人はいません。", field="handle")
        made = hand.list_by_hand(
            person.id,
            Finding(form.finding.data),
            form.trade_id,
            form.evidence.data,
            form.sentence.data,
            by=current_user,
            now=clock.now(),
        )
        return url_for("blacklist_staff.entry", entry_id=made.id)

    try:
        return act(form.submit_id.data, happen)
    except RuleBroken as refusal:
        form.refuse(refusal)
        return render_template("blacklist/staff/by_hand.html", form=form), 422


def _entry_page(dossier, form):
    return render_template(
        "blacklist/staff/entry.html",
        dossier=dossier,
        entry=dossier.entry,
        form=form,
        clauses=_clauses(dossier.terms),
        in_line=in_line,
        sentences=_sentences(dossier.entry),
        may_decide=_may_decide(dossier.entry),
        is_open=dossier.entry.state in rules.STANDING_STATES,
        waiting=queries.count_waiting(clock.now()),
        wording=wording,
        carriers=carriers,
        tracking_pages=current_app.config.get("TRACKING_PAGES"),
    )


def _review_page(dossier, form):
    return render_template(
        "blacklist/staff/review.html",
        entry=dossier.entry,
        form=form,
        reason=wording.reason_in_words(form.reason.data),
        sentences=_sentences(dossier.entry, reviewed=True),
    )


def _clauses(terms):
    """Return the articles of the agreed version that an entry rests on."""
    if terms is None:
        return []
    return clauses.applying(terms.text_en if locale() == "en" else terms.text_ja)


def _sentences(entry, *, reviewed=None):
    """Return what the public reads, or would read, in both languages."""
    if reviewed is None:
        reviewed = entry.upheld_at is not None or entry.state is EntryState.HELD
    since = entry.listed_at or clock.now()
    found = {}
    for language in ("ja", "en"):
        text = PUBLIC_SENTENCES[reviewed]
        gaps = {
            "finding": wording.sentence(entry.finding),
            "month": moments.month(since, language),
        }
        found[language] = translate_to(language, message(text.text, **gaps))
    return found


def _may_decide(entry):
    try:
        review.require_outsider(entry, current_user)
    except NotAllowed:
        return False
    return True


def _state(text):
    return EntryState(text) if text in set(EntryState) else None


def _number(text):
    number = whole(text)
    if number is None:
        raise Conflict("記録が先に変わりました。もう一度ご確認ください。")
    return number
