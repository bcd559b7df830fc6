"""Check what is put under seal, and tell moderators of what is unusual about it."""

import hmac
from datetime import datetime

from tradeboard.accounts.models import Account
from tradeboard.accounts.rules.holds import NoteKind
from tradeboard.accounts.rules.phone import PhoneVerdict, check_phone
from tradeboard.accounts.rules.verdicts import Verdict
from tradeboard.accounts.services import holds, notes
from tradeboard.core import keyring
from tradeboard.core.errors import RuleBroken
from tradeboard.trades.models import PhoneSide

LONGEST_ADDRESS = 400


def check_number(number: str, region: str) -> PhoneVerdict:
    """Return a number that may be sealed."""
    verdict = check_phone(number, region)
    if verdict.verdict is Verdict.REFUSE or verdict.key is None:
        assert verdict.message is not None
        raise RuleBroken(verdict.message, field="number")
    return verdict


def refuse_partners(verdict: PhoneVerdict, other: PhoneSide) -> None:
    """Refuse the number that the partner has sealed.

    Only somebody who seals everything is told: else a sealed number could be guessed
    at leisure. The page lets nobody try often.
    """
    assert verdict.key is not None
    if _is_number_of(other, verdict.key):
        raise RuleBroken(
            "相手と同じ番号では本人を確かめられません。自分の番号を入れてください。",
            field="number",
        )


def check_address(address: str) -> None:
    """Ask for a postal address of a sensible length."""
    if len(address.strip()) < 5:
        raise RuleBroken("荷物を受け取る住所と氏名を書いてください。", field="address")
    if len(address) > LONGEST_ADDRESS:
        raise RuleBroken("%(n)s字までです。", field="address", n=LONGEST_ADDRESS)


def problems(number: str, region: str, address: str) -> list[RuleBroken]:
    """Return every reason why this cannot be sealed, each with its field."""
    found = []
    for check in (
        lambda: check_number(number, region),
        lambda: check_address(address),
    ):
        try:
            check()
        except RuleBroken as refusal:
            found.append(refusal)
    return found


def look_at(verdict: PhoneVerdict, *, by: Account, now: datetime) -> None:
    """Hold whoever seals the number of a barred person; note one of an unusual kind.

    Either way the number is sealed: a trade that runs goes on.
    """
    assert verdict.key is not None
    if verdict.verdict is Verdict.REVIEW:
        notes.note(NoteKind.PHONE, by.id, detail=verdict.code, now=now)
    holds.number_sealed(by, verdict.key, now=now)


def _is_number_of(side: PhoneSide, key: str) -> bool:
    if side.number_hash is None:
        return False
    return hmac.compare_digest(
        side.number_hash, keyring.mac_hex("phone", key, side.number_kid)
    )
