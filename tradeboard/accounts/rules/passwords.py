"""Which passwords are too easily guessed."""

import unicodedata
from functools import lru_cache

from tradeboard.core.messages import Message, message

SHORTEST = 12
LONGEST_BYTES = 1_024
SITE_NAMES = ("tradeboard", "トレード掲示板")
HOW_MANY_COMMON = 10_000


def check_password(
    password: str, *, handle: str = "", email: str = ""
) -> Message | None:
    """Return why this password is refused, or None; it counts as typed."""
    if problem := _wrong_size(password):
        return problem
    if password.casefold() in _common():
        return message(
            "このパスワードは、よく使われているため推測されます。"
            "別のパスワードを入力してください"
        )
    if _mostly(password, [handle, email, email.rpartition("@")[0], *SITE_NAMES]):
        return message(
            "ハンドル、メールアドレス、サイト名を主にしたパスワードは使えません。"
            "別の言葉を組み合わせてください"
        )
    return None


def _wrong_size(password: str) -> Message | None:
    if len(password) < SHORTEST:
        return message(
            "パスワードは%(shortest)s文字以上にしてください", shortest=SHORTEST
        )
    try:
        size = len(password.encode())
    except UnicodeEncodeError:
        return message(
            "読み取れない文字が含まれています。パスワードを入力し直してください"
        )
    if size > LONGEST_BYTES:
        return message(
            "パスワードが長すぎます。%(longest)sバイト以内にしてください",
            longest=LONGEST_BYTES,
        )
    return None


def _mostly(password: str, words: list[str]) -> bool:
    """Tell whether the words make up half of the password or more."""
    whole = rest = _folded(password)
    for word in sorted(map(_folded, words), key=len, reverse=True):
        if word:
            rest = rest.replace(word, "")
    return len(rest) * 2 <= len(whole)


def _folded(text: str) -> str:
    return unicodedata.normalize("NFKC", text[:LONGEST_BYTES]).casefold()


@lru_cache(maxsize=1)
def _common() -> frozenset[str]:
    # Twelve megabytes, for whoever chooses a password.
    from zxcvbn.frequency_lists import FREQUENCY_LISTS

    return frozenset(FREQUENCY_LISTS["passwords"][:HOW_MANY_COMMON])
