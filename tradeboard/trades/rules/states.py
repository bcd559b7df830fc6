"""Where a trade and its parcels are, and what leads where."""

from enum import StrEnum


class TradeState(StrEnum):
    """Where a trade is, from the first offer to its end."""

    NEGOTIATING = "negotiating"
    AGREED = "agreed"
    PHONE_CONFIRMED = "phone_confirmed"
    SHIPPED = "shipped"
    RECEIVED = "received"
    DEFAULTED = "defaulted"
    CANCELLED = "cancelled"
    DECLINED = "declined"
    WITHDRAWN = "withdrawn"
    LAPSED = "lapsed"


class LegState(StrEnum):
    """Where one parcel is."""

    NOT_SENT = "not_sent"
    DISPATCHED = "dispatched"
    RECEIVED = "received"


class Party(StrEnum):
    """The two sides of a trade."""

    POSTER = "poster"
    PROPOSER = "proposer"


class Condition(StrEnum):
    """How a parcel was found by its recipient."""

    AS_AGREED = "as_agreed"
    DIFFERS = "differs"


class ProposalKind(StrEnum):
    """What one side proposes and the other answers."""

    EXTEND = "extend"
    CANCEL = "cancel"
    SETTLE = "settle"


class Answer(StrEnum):
    """How a proposal ended; silence agrees to a cancellation alone."""

    AGREED = "agreed"
    DECLINED = "declined"
    WITHDRAWN = "withdrawn"
    SILENCE = "silence"
    OVERTAKEN = "overtaken"


S = TradeState

TRADE = {
    (S.NEGOTIATING, "counter"): S.NEGOTIATING,
    (S.NEGOTIATING, "edit listing"): S.NEGOTIATING,
    (S.NEGOTIATING, "accept"): S.AGREED,
    (S.NEGOTIATING, "decline"): S.DECLINED,
    (S.NEGOTIATING, "withdraw"): S.WITHDRAWN,
    (S.NEGOTIATING, "lapse"): S.LAPSED,
    (S.AGREED, "seal"): S.AGREED,
    (S.AGREED, "try words"): S.AGREED,
    (S.AGREED, "open round"): S.AGREED,
    (S.AGREED, "confirm call"): S.PHONE_CONFIRMED,
    (S.AGREED, "propose cancel"): S.AGREED,
    (S.AGREED, "cancel"): S.CANCELLED,
    (S.AGREED, "go quiet"): S.CANCELLED,
    (S.PHONE_CONFIRMED, "dispatch"): S.SHIPPED,
    (S.PHONE_CONFIRMED, "propose cancel"): S.PHONE_CONFIRMED,
    (S.PHONE_CONFIRMED, "cancel"): S.CANCELLED,
    (S.PHONE_CONFIRMED, "go quiet"): S.CANCELLED,
    (S.SHIPPED, "dispatch"): S.SHIPPED,
    (S.SHIPPED, "undo a dispatch"): S.SHIPPED,
    (S.SHIPPED, "undo the only dispatch"): S.PHONE_CONFIRMED,
    (S.SHIPPED, "undo a receipt"): S.SHIPPED,
    (S.SHIPPED, "undo a mark"): S.SHIPPED,
    (S.SHIPPED, "contest"): S.SHIPPED,
    (S.SHIPPED, "withhold"): S.SHIPPED,
    (S.SHIPPED, "propose extend"): S.SHIPPED,
    (S.SHIPPED, "extend"): S.SHIPPED,
    (S.SHIPPED, "propose settle"): S.SHIPPED,
    (S.SHIPPED, "settle"): S.CANCELLED,
    (S.SHIPPED, "receive first"): S.SHIPPED,
    (S.SHIPPED, "receive last, differs"): S.SHIPPED,
    (S.SHIPPED, "receive last"): S.RECEIVED,
    (S.SHIPPED, "solve, one to come"): S.SHIPPED,
    (S.SHIPPED, "solve"): S.RECEIVED,
    (S.SHIPPED, "default"): S.DEFAULTED,
    (S.DEFAULTED, "dispatch late"): S.DEFAULTED,
    (S.DEFAULTED, "receive late"): S.DEFAULTED,
}

LEG = {
    (LegState.NOT_SENT, "dispatch"): LegState.DISPATCHED,
    (LegState.DISPATCHED, "receive"): LegState.RECEIVED,
    (LegState.DISPATCHED, "undo"): LegState.NOT_SENT,
    (LegState.RECEIVED, "undo"): LegState.DISPATCHED,
}

ENDED = frozenset(
    {
        S.RECEIVED,
        S.DEFAULTED,
        S.CANCELLED,
        S.DECLINED,
        S.WITHDRAWN,
        S.LAPSED,
    }
)
RUNNING = frozenset(set(TradeState) - ENDED)
ADDRESS_IS_SHOWN = frozenset({S.PHONE_CONFIRMED, S.SHIPPED})
