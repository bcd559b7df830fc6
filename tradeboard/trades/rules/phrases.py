"""Ready sentences: kept as a code, read by each in his own language."""

from datetime import datetime, timedelta

from tradeboard.core.messages import Message, message
from tradeboard.trades.rules.next_step import Parcel
from tradeboard.trades.rules.states import LegState, TradeState

NUDGE = "nudge"
NUDGE_AGAIN = timedelta(hours=48)

PHRASES: dict[str, Message] = {
    "thanks": message("ありがとうございます。よろしくお願いします。"),
    "photos": message("カードの写真をもう少し見せていただけますか。"),
    "thinking": message("少し考えます。期限より前にお返事します。"),
    "call_when": message("電話できる日時を教えてください。"),
    "call_now": message("いまからお電話してもいいですか。"),
    "call_later": message("きょうは電話に出られません。別の日時をお願いします。"),
    "call_missed": message("お電話しましたが、つながりませんでした。"),
    "send_soon": message("明日、発送します。"),
    "send_late": message("発送が遅れます。日が決まったらお知らせします。"),
    "sent": message("発送しました。届いたら、受け取りの記録をお願いします。"),
    NUDGE: message("届きましたか。届いていたら、受け取りの記録をお願いします。"),
    "not_yet": message("まだ届いていません。追跡の状況を見ていただけますか。"),
    "came": message("届きました。ありがとうございます。"),
}

_OF_STATE: dict[TradeState, tuple[str, ...]] = {
    TradeState.NEGOTIATING: ("photos", "thinking"),
    TradeState.AGREED: ("call_when", "call_now", "call_later", "call_missed"),
    TradeState.PHONE_CONFIRMED: ("send_soon", "send_late"),
}
_PARCELS = frozenset({TradeState.SHIPPED, TradeState.DEFAULTED, TradeState.RECEIVED})


def offered(state: TradeState, out: Parcel, back: Parcel) -> tuple[str, ...]:
    """Return the codes of the sentences that fit; `out` is the own parcel."""
    found = list(_OF_STATE.get(state, ()))
    if state in _PARCELS:
        found += _of_parcels(out.state, back.state)
    return (*found, "thanks")


def nudge_again(last: datetime | None) -> datetime | None:
    """Return from when the partner may be asked again; None if never asked."""
    return None if last is None else last + NUDGE_AGAIN


def _of_parcels(out: LegState, back: LegState) -> list[str]:
    own = {
        LegState.NOT_SENT: ["send_soon", "send_late"],
        LegState.DISPATCHED: [NUDGE, "sent"],
        LegState.RECEIVED: [],
    }
    theirs = {
        LegState.NOT_SENT: [],
        LegState.DISPATCHED: ["not_yet"],
        LegState.RECEIVED: ["came"],
    }
    return own[out] + theirs[back]
