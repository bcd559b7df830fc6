"""Which acts are permitted to which role: the one table that pages and verbs ask.

What is not in the table is permitted to nobody. Whether somebody is a party to a case,
or stands near to one, is asked besides, by the verb itself.
"""

from enum import StrEnum

from tradeboard.accounts.rules.standing import Role, Standing


class Act(StrEnum):
    """What somebody may do beyond trading, named as the verbs of the desk."""

    OPEN_DESK = "open the desk"
    READ_STATS = "read the numbers"
    READ_SYSTEM = "read how the board is doing"
    READ_AUDIT = "read the audit log"
    HANDLE_MAIL = "handle mail"
    READ_PEOPLE = "read about people"
    SUSPEND = "suspend members"
    LIFT_SUSPENSIONS = "lift suspensions"
    WARN = "warn members"
    REMARK = "write remarks"
    DECIDE_HOLDS = "decide matches"
    SEE_NOTES = "put notes away"
    SEE_SIGNALS = "put signals away"
    DECIDE_ENTRIES = "decide entries"
    DECIDE_APPEALS = "decide appeals"
    LIST_BY_HAND = "list by hand"
    SETTLE_REPORTS = "settle reports"
    HIDE_WORDS = "hide words of feedback"
    HIDE_LISTINGS = "hide listings"
    HELP_TRADES = "help trades on"
    SEE_PROOF = "see photos of a case"
    SUSPEND_STAFF = "suspend staff"
    RESET_SECOND_FACTOR = "reset a second factor"
    GIVE_ROLES = "give roles"
    CHANGE_SETTINGS = "change settings"
    PUBLISH_TERMS = "publish terms"
    RULE_DOMAINS = "rule domains"
    ANNOUNCE = "announce"
    WRITE_HELP = "write help"
    READ_LOOKS = "read who looked at whom"


_FOR_MODERATORS = frozenset(
    {
        Act.OPEN_DESK,
        Act.READ_STATS,
        Act.READ_SYSTEM,
        Act.READ_AUDIT,
        Act.HANDLE_MAIL,
        Act.READ_PEOPLE,
        Act.SUSPEND,
        Act.LIFT_SUSPENSIONS,
        Act.WARN,
        Act.REMARK,
        Act.DECIDE_HOLDS,
        Act.SEE_NOTES,
        Act.SEE_SIGNALS,
        Act.DECIDE_ENTRIES,
        Act.DECIDE_APPEALS,
        Act.LIST_BY_HAND,
        Act.SETTLE_REPORTS,
        Act.HIDE_WORDS,
        Act.HIDE_LISTINGS,
        Act.HELP_TRADES,
        Act.SEE_PROOF,
    }
)
_FOR_ADMINS = frozenset(
    {
        Act.SUSPEND_STAFF,
        Act.RESET_SECOND_FACTOR,
        Act.GIVE_ROLES,
        Act.CHANGE_SETTINGS,
        Act.PUBLISH_TERMS,
        Act.RULE_DOMAINS,
        Act.ANNOUNCE,
        Act.WRITE_HELP,
        Act.READ_LOOKS,
    }
)

PERMITTED: dict[Role, frozenset[Act]] = {
    Role.MEMBER: frozenset(),
    Role.MODERATOR: _FOR_MODERATORS,
    Role.ADMIN: _FOR_MODERATORS | _FOR_ADMINS,
}

# Grave is what is done to one of the team or decides who that is, what everybody meets,
# and what lets somebody back in before the time that the team had set. It is done by
# nobody without a written reason, which all others of staff are told at once
# (`services.reasons`). What else decides about one member has a reason of its own,
# which that member is told, or leaves it to others to decide.
GRAVE = frozenset(
    {
        Act.SUSPEND_STAFF,
        Act.RESET_SECOND_FACTOR,
        Act.GIVE_ROLES,
        Act.LIFT_SUSPENSIONS,
        Act.CHANGE_SETTINGS,
        Act.PUBLISH_TERMS,
        Act.RULE_DOMAINS,
        Act.ANNOUNCE,
        Act.WRITE_HELP,
    }
)


# Whoever is suspended, or has left, does nothing for the team either.
BARRED = frozenset({Standing.SUSPENDED, Standing.CLOSED})


def may(role: Role, act: Act | str, standing: Standing = Standing.GOOD) -> bool:
    """Tell whether a role permits an act; one that no table names is a mistake."""
    return Act(act) in PERMITTED[role] and standing not in BARRED


STAFF = frozenset(role for role in Role if may(role, Act.OPEN_DESK))
