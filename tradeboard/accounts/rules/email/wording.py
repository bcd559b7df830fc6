"""What a person reads about an address: the rule, and the way out."""

from tradeboard.core.messages import Message, message


def too_long(longest: int) -> Message:
    """Say how long an address may be."""
    return message(
        "アドレスの形を確認してください：%(longest)s文字を超えています",
        longest=longest,
    )


def control() -> Message:
    """Say that something invisible was typed or pasted."""
    return message(
        "アドレスの形を確認してください：改行や見えない文字が入っています。"
        "手で入力し直してください"
    )


def no_at() -> Message:
    """Say that the at sign is missing."""
    return message("アドレスの形を確認してください：＠がありません")


def two_ats() -> Message:
    """Say that there are too many at signs."""
    return message("アドレスの形を確認してください：＠が2つ以上あります")


def quoted() -> Message:
    """Say that quotation marks are not needed."""
    return message(
        'アドレスの形を確認してください：引用符（"）が入っています。'
        "引用符なしで入力してください"
    )


def literal() -> Message:
    """Say that a number is no domain."""
    return message(
        "アドレスの形を確認してください：＠の後が番号です。"
        "「gmail.com」のようなドメイン名を入力してください"
    )


def special() -> Message:
    """Say that no mail arrives at such a domain."""
    return message(
        "アドレスの形を確認してください：＠の後が、メールの届かない特別な名前です"
    )


def long_local(longest: int) -> Message:
    """Say how long the part before the at sign may be."""
    return message(
        "アドレスの形を確認してください：＠の前が%(longest)s文字を超えています",
        longest=longest,
    )


def empty_local() -> Message:
    """Say that there is no name before the at sign."""
    return message("アドレスの形を確認してください：＠の前がありません")


def syntax(local: str, domain: str) -> Message:
    """Say what exactly is wrong with the form, as far as it is known."""
    if " " in local + domain or "\u3000" in domain:
        return message("アドレスの形を確認してください：空白が入っています")
    if not local:
        return empty_local()
    if not domain:
        return message("アドレスの形を確認してください：＠の後がありません")
    if "." not in domain:
        return message(
            "アドレスの形を確認してください：＠の後に「.」がありません。"
            "「gmail.com」のように最後まで入力してください"
        )
    if _has_stray_dot(local) or _has_stray_dot(domain):
        return message(
            "アドレスの形を確認してください：「.」が先頭か末尾にあるか、続いています"
        )
    return message("アドレスの形を確認してください：使えない文字か並びがあります")


def _has_stray_dot(part: str) -> bool:
    return ".." in part or part.startswith(".") or part.endswith(".")


def nonascii(character: str) -> Message:
    """Show the character before the at sign that is not half-width ASCII."""
    return message(
        "＠の前は半角英数字で入力してください："
        "「%(character)s」（%(code)s）は使えません",
        character=character,
        code=_code(character),
    )


def mixed_domain(character: str) -> Message:
    """Show the character in the domain that may be taken for another."""
    return message(
        "ドメインに紛らわしい文字があります："
        "「%(character)s」（%(code)s）を半角英数字で入力し直してください",
        character=character,
        code=_code(character),
    )


def _code(character: str) -> str:
    return f"U+{ord(character):04X}"


def plus(suggestion: str | None) -> Message:
    """Name the rule, and the address before the plus where that is one."""
    if suggestion is None:
        return message(
            "＋の付いたサブアドレスは登録できません。"
            "＋の付かない本アドレスを入力してください"
        )
    return message(
        "＋の付いたサブアドレスは登録できません。"
        "「%(suggestion)s」のように＋より前だけを入力してください",
        suggestion=suggestion,
    )


def yahoo() -> Message:
    """Name the rule; the part before the hyphen is no mailbox, so suggest none."""
    return message(
        "「-」の入ったYahoo!のセーフティーアドレスは登録できません。"
        "元のアドレスを入力してください"
    )


def fastmail(suggestion: str) -> Message:
    """Suggest the address that the subdomain stands for."""
    return message(
        "別名のアドレスです。%(suggestion)s の形で入力してください",
        suggestion=suggestion,
    )


def relay() -> Message:
    """Ask for the address that the relay forwards to."""
    return message("転送用アドレスは登録できません。本アドレスを入力してください")


def apple_relay() -> Message:
    """Ask for the address of the Apple ID itself."""
    return message(
        "転送用アドレスは登録できません。Apple IDのアドレスを入力してください"
    )


def disposable() -> Message:
    """Say where to turn if the list is wrong."""
    return message(
        "使い捨てアドレスは登録できません。本アドレスを入力してください。"
        "使い捨てでないときは、お手数ですが運営にお知らせください"
    )


def role() -> Message:
    """Say where to turn if a person reads this box."""
    return message(
        "窓口用アドレスは登録できません。ご本人のアドレスを入力してください。"
        "ご本人のアドレスであるときは、お手数ですが運営にお知らせください"
    )


def review() -> Message:
    """Say that it worked, and that somebody may look."""
    return message("登録できました。運営が確認することがあります")
