"""The terms: their versions, a draft of the next one, and putting it in force."""

from flask import flash, redirect, render_template, request, url_for
from flask_babel import gettext as _
from flask_login import current_user

from tradeboard.accounts.rules.permissions import Act
from tradeboard.core import clock, drafts
from tradeboard.core.errors import RuleBroken
from tradeboard.core.transaction import transaction
from tradeboard.moderation import services
from tradeboard.moderation.forms import TermsForm
from tradeboard.moderation.services.site import TERMS_DRAFT
from tradeboard.moderation.staff.blueprint import bp
from tradeboard.terms import queries, texts
from tradeboard.terms import rules as terms
from tradeboard.web import access
from tradeboard.web.acting import act


@bp.get("/terms")
@access.permits(Act.PUBLISH_TERMS)
def terms_versions():
    """Show every version and the draft of the next, as one left it."""
    return _page(_from_draft())


@bp.post("/terms")
@access.permits(Act.PUBLISH_TERMS)
def draft_terms():
    """Keep the draft, show what it would change, or put it in force."""
    form = TermsForm()
    step = request.form.get("do")
    if step == "draft":
        return _keep(form)
    if not form.validate_on_submit():
        return _page(form), 422
    if step == "edit":
        return _page(form)
    if step != "publish":
        return _page(form, preview=True)

    def happen():
        services.publish_terms(
            form.text_ja.data or "",
            form.text_en.data or "",
            form.why.data or "",
            by=current_user,
            now=clock.now(),
        )
        return url_for("desk.terms_versions")

    try:
        answer = act(form.submit_id.data, happen)
    except RuleBroken as refusal:
        form.refuse(refusal)
        return _page(form, preview=refusal.field == form.why.name), 422
    flash(_("新しい版を有効にしました。"), "ok")
    return answer


def _from_draft():
    form = TermsForm(formdata=None)
    newest = queries.newest()
    kept = drafts.find(current_user.id, TERMS_DRAFT, 0) or {}
    form.text_ja.data = kept.get("text_ja", newest.text_ja if newest else "")
    form.text_en.data = kept.get("text_en", newest.text_en if newest else "")
    return form


def _keep(form):
    fields = {"text_ja": form.text_ja.data, "text_en": form.text_en.data}
    with transaction():
        drafts.keep(current_user.id, TERMS_DRAFT, 0, fields, now=clock.now())
    flash(_("下書きに残しました。"), "ok")
    return redirect(url_for("desk.terms_versions"), 303)


def _page(form, preview=False):
    newest = queries.newest()
    sides = []
    for language, field, old in (
        ("ja", form.text_ja, newest.text_ja if newest else ""),
        ("en", form.text_en, newest.text_en if newest else ""),
    ):
        new = field.data or ""
        sides.append((language, terms.changes(old, new), texts.preview(new)))
    return render_template(
        "moderation/terms.html",
        form=form,
        versions=queries.versions(),
        sides=sides if preview else None,
        is_changed=any(changes for _, changes, _ in sides),
    )
