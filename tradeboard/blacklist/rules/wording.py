"""Codes in words: what is recorded, never what somebody is."""

from tradeboard.blacklist.rules.entries import LiftReason, UpholdReason
from tradeboard.core.messages import Message, message
from tradeboard.trades.rules.findings import Finding

_NOT_SENT = message("最初の発送から2週間以内に、品物が発送されなかった取引")
_NOT_RECEIVED = message(
    "最初の発送から2週間以内に、品物の受け取りが確認されなかった取引"
)

# All that the public reads of a finding. Upheld, the held ones say what was recorded.
SENTENCES: dict[Finding, Message] = {
    Finding.NEVER_DISPATCHED: _NOT_SENT,
    Finding.WITHHELD: _NOT_SENT,
    Finding.NOT_RECEIVED_UNTRACKED: message(
        "最初の発送から2週間以内に、品物の受け取りが確認されなかった取引（追跡番号なし）"
    ),
    Finding.NOT_RECEIVED_TRACKED: message(
        "最初の発送から2週間以内に、品物の受け取りが確認されなかった取引（追跡番号あり）"
    ),
    Finding.CONTESTED: _NOT_RECEIVED,
    Finding.COUNTERPARTY_IN_DEFAULT: _NOT_RECEIVED,
    Finding.NOT_AS_AGREED: message("届いた品物が、合意した内容と違っていた取引"),
    Finding.BY_HAND: message("担当者が証拠を確かめて登録した記録"),
}

FINDINGS: dict[Finding, Message] = {
    Finding.NEVER_DISPATCHED: message("発送の記録なし"),
    Finding.WITHHELD: message("発送を見合わせる記録あり"),
    Finding.NOT_RECEIVED_UNTRACKED: message("追跡なしで受け取りが確認されない"),
    Finding.NOT_RECEIVED_TRACKED: message("追跡ありで受け取りが確認されない"),
    Finding.CONTESTED: message("配達の申し出あり"),
    Finding.COUNTERPARTY_IN_DEFAULT: message("相手が期限を超過"),
    Finding.NOT_AS_AGREED: message("届いた品物が合意と違う"),
    Finding.BY_HAND: message("担当者による登録"),
}

UPHOLD: dict[UpholdReason, Message] = {
    UpholdReason.RECORD: message("掲示板の記録で足りる"),
    UpholdReason.EVIDENCE: message("出された証拠による"),
    UpholdReason.ADMITTED: message("本人が認めている"),
}

LIFT: dict[LiftReason, Message] = {
    LiftReason.ERROR: message("登録の誤り"),
    LiftReason.IDENTITY_THEFT: message("本人ではない人の行為"),
    LiftReason.DELIVERED: message("配達が確かめられた"),
    LiftReason.SETTLED: message("当事者の間で解決した"),
    LiftReason.EVIDENCE_UNAVAILABLE: message("確かめる証拠が残っていない"),
    LiftReason.RECEIVED_IN_TIME: message("期限より前に届いていたことが確認された"),
    LiftReason.CURED_LATE: message("期限のあとに届いたことが確認された"),
    LiftReason.UNDECIDED: message("90日以内に判断されなかった"),
}

EVIDENCE: dict[str, Message] = {
    "statement": message("本人の説明"),
    "answer": message("担当者の質問への答え"),
    "appeal": message("異議申し立ての写真"),
    "arrived_late": message("期限のあとに届いたという受取人の確認"),
    "confirmed_late": message("受取人の確認が期限のあとになった記録"),
    "by_hand": message("登録のもとになった証拠"),
    "carrier_page": message("運送会社のページの内容"),
}

DECISIONS: dict[str, Message] = {
    "uphold": message("登録の維持"),
    "lift": message("登録の解除"),
    "list": message("ブラックリストへの登録"),
    "expire": message("期間の満了"),
}


def sentence(finding: Finding) -> Message:
    """Return what the public reads of a finding."""
    return SENTENCES[finding]


def reason_in_words(code: str) -> Message:
    """Return why something was decided; an unknown code stands for itself."""
    for reasons in (UPHOLD, LIFT, FINDINGS):
        for reason, words in reasons.items():
            if reason == code:
                return words
    return Message(code)


def entry_number(entry_id: int) -> str:
    """Return what people call an entry: `E-204`."""
    return f"E-{entry_id}"
