"""The help pages as admins write them, in Markdown, with their history."""

from flask import flash, render_template, request, url_for
from flask_babel import gettext as _
from flask_login import current_user

from tradeboard.accounts.rules.permissions import Act
from tradeboard.core import clock
from tradeboard.core.errors import NotFound, RuleBroken
from tradeboard.moderation import queries, services
from tradeboard.moderation.forms import HelpForm
from tradeboard.moderation.staff.blueprint import bp
from tradeboard.pages import texts
from tradeboard.site import queries as site
from tradeboard.site.rules import LANGUAGES
from tradeboard.web import access
from tradeboard.web.acting import act
from tradeboard.web.readable import whole


@bp.get("/help")
@access.permits(Act.WRITE_HELP)
def help_pages():
    """Show every help page in each language, and which were rewritten."""
    written = {
        (slug, language): site.newest_help(slug, language)
        for slug in texts.SLUGS
        for language in LANGUAGES
    }
    return render_template(
        "moderation/help_pages.html",
        slugs=texts.SLUGS,
        tongues=LANGUAGES,
        written=written,
        title=texts.shipped_title,
    )


@bp.get("/help/<slug>")
@access.permits(Act.WRITE_HELP)
def help_page(slug):
    """Show the text of a page as it is, or as an older version was."""
    language = _language(slug)
    form = HelpForm(formdata=None)
    number = whole(request.args.get("version"))
    form.text.data = (
        texts.source(slug, language)
        if number is None
        else site.get_help_version(slug, language, number).text
        or texts.shipped(slug, language)
    )
    return _page(slug, language, form)


@bp.post("/help/<slug>")
@access.permits(Act.WRITE_HELP)
def write_help(slug):
    """Show how it will read, write it, or go back to what came with the board."""
    language = _language(slug)
    form = HelpForm()
    step = request.form.get("do")
    if not form.validate_on_submit():
        return _page(slug, language, form), 422
    if step == "preview":
        shown = texts.rendered(form.text.data or "")
        return _page(slug, language, form, preview=shown)
    text = "" if step == "shipped" else form.text.data or ""

    def happen():
        if not text and step != "shipped":
            raise RuleBroken("本文を書いてください。", field="text")
        why = form.why.data or ""
        services.write_help(slug, language, text, why, by=current_user, now=clock.now())
        return url_for("desk.help_page", slug=slug, lang=language)

    try:
        answer = act(form.submit_id.data, happen)
    except RuleBroken as refusal:
        form.refuse(refusal)
        return _page(slug, language, form), 422
    flash(_("ヘルプを変えました。"), "ok")
    return answer


def _language(slug):
    """Return which language of an existing page is meant."""
    language = request.args.get("lang", "ja")
    if slug not in texts.SLUGS or language not in LANGUAGES:
        raise NotFound("このページは見つかりません。")
    return language


def _page(slug, language, form, preview=None):
    history = site.help_history(slug, language)
    return render_template(
        "moderation/help_page.html",
        slug=slug,
        language=language,
        form=form,
        preview=preview,
        history=history,
        is_shipped=not (history and history[0].text),
        handles=queries.handles({version.by_id for version in history}),
        title=texts.shipped_title(slug, language),
    )
