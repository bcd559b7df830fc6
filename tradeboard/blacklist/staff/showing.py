"""What the desk's pages say of an entry: public text, rule text, whose it is."""

from tradeboard.blacklist.rules import clauses, wording
from tradeboard.blacklist.rules.entries import STANDING_STATES
from tradeboard.blacklist.services import review
from tradeboard.core import clock
from tradeboard.core.errors import Conflict, NotAllowed
from tradeboard.core.messages import message
from tradeboard.terms.texts import text_of
from tradeboard.web import moments
from tradeboard.web.languages import translate_to
from tradeboard.web.readable import whole

PUBLIC_SENTENCES = {
    True: message("%(finding)s（%(month)s）。担当者が確認済み。"),
    False: message("%(finding)s（%(month)s）。自動の登録で、審査待ち。"),
}


def sentences(entry):
    """Return what the public reads of an entry in both languages, if it is public."""
    if not entry.is_public:
        return None
    reviewed = entry.upheld_at is not None
    return sentences_about(entry.finding, entry.listed_at, reviewed=reviewed)


def upheld_sentences(entry):
    """Return what the public would read once it is upheld, if that is a change."""
    if entry.state not in STANDING_STATES or entry.upheld_at is not None:
        return None
    return sentences_about(entry.finding, entry.listed_at)


def sentences_about(finding, since=None, *, reviewed=True):
    """Return what the public reads of a finding, in both languages."""
    found = {}
    for language in ("ja", "en"):
        gaps = {
            "finding": wording.sentence(finding),
            "month": moments.month(since or clock.now(), language),
        }
        text = PUBLIC_SENTENCES[reviewed].text
        found[language] = translate_to(language, message(text, **gaps))
    return found


def rule_text(terms):
    """Return the articles of the agreed version that an entry rests on."""
    return clauses.applying(text_of(terms)) if terms is not None else []


def may_decide(entry, by):
    """Tell whether somebody may decide about an entry: no party may."""
    try:
        review.require_outsider(entry, by)
    except NotAllowed:
        return False
    return True


def version_of(text):
    """Read the version that somebody looked at; a made-up one counts as stale."""
    number = whole(text)
    if number is None:
        raise Conflict("記録が先に変わりました。もう一度ご確認ください。")
    return number
