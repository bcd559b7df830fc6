"""Which mail may be switched off, and how; the rest is about duties and safety."""

from enum import StrEnum

from tradeboard.core.messages import Message, message


class MailMode(StrEnum):
    """How somebody wants mail of a kind: at once, in a daily mail, or none."""

    NOW = "now"
    DAILY = "daily"
    OFF = "off"


class Kind(StrEnum):
    """A kind of mail that a member may switch off."""

    MESSAGE = "message"
    LISTING_ENDS = "listing_ends"
    SAVED_SEARCH = "saved_search"
    MATCHES = "matches"
    FEEDBACK_SHOWN = "feedback_shown"


OPTIONAL = {
    "cards/mail/matches.txt": Kind.MATCHES,
    "feedback/mail/open.txt": Kind.FEEDBACK_SHOWN,
    "feedback/mail/shown.txt": Kind.FEEDBACK_SHOWN,
    "listings/mail/ends_soon.txt": Kind.LISTING_ENDS,
    "listings/mail/saved_search.txt": Kind.SAVED_SEARCH,
    "trades/mail/message.txt": Kind.MESSAGE,
}

DIGEST = "notifications/mail/digest.txt"
# What the link in a daily mail stops: every kind that comes with it.
DAILY_MAIL = "daily"

# What each optional kind tells, in the order of the page.
WORDS: dict[Kind, tuple[Message, Message]] = {
    Kind.MESSAGE: (
        message("取引の新しいメッセージ"),
        message("読むまでのあいだ、1つの取引につき1時間に1通までです。"),
    ),
    Kind.LISTING_ENDS: (
        message("募集の掲載が終わる3日前"),
        message("のばさなければ、募集は期限切れになります。"),
    ),
    Kind.SAVED_SEARCH: (
        message("保存した検索に合う新しい募集"),
        message("1日1通までです。"),
    ),
    Kind.MATCHES: (
        message("持っているカードとほしいカードが合う会員"),
        message("1日1通までです。"),
    ),
    Kind.FEEDBACK_SHOWN: (
        message("取引の評価"),
        message("評価を書けるとき、二人の評価が見えるようになったときです。"),
    ),
}

# What is always sent, and why.
REQUIRED: tuple[tuple[Message, Message], ...] = (
    (
        message("申し込み・合意・電話確認・発送・受取と、その期限"),
        message("返事や発送が遅れると、取引が終わるか記録に残るためです。"),
    ),
    (
        message("延長・取り消し・話し合いの提案と、配達や内容の申し出"),
        message("期限までに答えが必要なためです。"),
    ),
    (
        message("ブラックリストの登録・審査・異議申し立て、担当者からの質問"),
        message("公開される前後に、知って答えられるようにするためです。"),
    ),
    (
        message("アカウントの保留・警告、募集の非表示と復元、報告の結果"),
        message("何が変わったかを、本人が必ず知るためです。"),
    ),
    (
        message("アドレスの確認、パスワード、新しい端末"),
        message("ほかの人がアカウントを使ったとき、すぐに気づけるようにするためです。"),
    ),
)


def kind_of(template: str) -> Kind | None:
    """Return the kind of a mail that may be switched off; None for all others."""
    return OPTIONAL.get(template)


def stopped_by(template: str) -> str | None:
    """Return what the link in a mail stops; None if it may not be stopped."""
    return DAILY_MAIL if template == DIGEST else kind_of(template)
