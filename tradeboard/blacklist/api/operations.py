"""What the API can be asked: one structure for the document and the page."""

from dataclasses import field
from typing import Any

from tradeboard.api.rules import Scope
from tradeboard.blacklist.api import changes
from tradeboard.blacklist.api.schemas import CODE, NAME
from tradeboard.core.messages import Message, message
from tradeboard.core.records import dataclass

JSON = "application/json"
LINES = "application/x-ndjson"
PROBLEM = "application/problem+json"

CHECK = "/api/v1/blacklist/check"


@dataclass(frozen=True)
class Parameter:
    """What may stand behind the question mark, or in a header."""

    name: str
    words: Message
    schema: dict[str, Any]
    example: Any = None
    where: str = "query"


@dataclass(frozen=True)
class Reply:
    """One way in which a request may end: its meaning, and the shape of its body."""

    words: Message
    schema: str | None = None
    kind: str = JSON
    headers: dict[str, Message] = field(default_factory=dict)


@dataclass(frozen=True)
class Operation:
    """One thing that a program can ask for."""

    name: str
    method: str
    path: str
    title: Message
    words: Message
    curl: str
    replies: dict[int, Reply]
    scope: Scope | None = None
    parameters: tuple[Parameter, ...] = ()
    body: str | None = None
    exactly_one: bool = False


RETRY = {"Retry-After": message("何秒後にもう一度できるか")}
CHALLENGE = {"WWW-Authenticate": message("鍵の送り方")}
ETAG = {"ETag": message("内容のしるし。次に If-None-Match で送ると、同じなら304が返る")}
SEQ = {"X-Feed-Seq": message("この一覧がどの番号までの変更を含むか")}


def _problem(words: Message, headers: dict[str, Message] | None = None) -> Reply:
    return Reply(words, "Problem", PROBLEM, headers or {})


UNREADABLE = {400: _problem(message("読み取れないリクエスト"))}
NO_KEY = {401: _problem(message("鍵がない、または鍵が有効ではない"), CHALLENGE)}
NO_SCOPE = {403: _problem(message("この鍵ではできない"))}
WRONG = {422: _problem(message("値が決まりに合わない"))}
TOO_MANY = {429: _problem(message("短い時間に回数が多すぎる"), RETRY)}
UNKNOWN = {
    503: Reply(message("確かめられなかった。none とは違う"), "Unknown", headers=RETRY)
}
WITH_KEY = UNREADABLE | NO_KEY | NO_SCOPE | TOO_MANY | UNKNOWN
SAME = {304: Reply(message("If-None-Match で送ったものから変わっていない"))}

ASKED = {"type": "string", "minLength": 1}
IF_NONE_MATCH = Parameter(
    "If-None-Match",
    message("前の答えの ETag"),
    {"type": "string"},
    where="header",
)

OPERATIONS = (
    Operation(
        name="check",
        method="get",
        path=CHECK,
        title=message("1件を照会する"),
        words=message(
            "ハンドルか個体識別番号の、どちらか一つを指定します。鍵はいりません。"
            "1分に300件まで、鍵を付けると鍵ごとに1分3,000件までです。"
            "ほかのサイトのスクリプトからも読めます。"
        ),
        parameters=(
            Parameter(
                "handle",
                message("ハンドル。前のハンドルや、見た目の同じ書き方でも見つかる"),
                ASKED,
                NAME,
            ),
            Parameter("device", message("個体識別番号"), ASKED, CODE),
        ),
        exactly_one=True,
        curl=f"curl -G --data-urlencode 'handle={NAME}' {{url}}",
        replies={200: Reply(message("照会の答え"), "Answer")}
        | UNREADABLE
        | {401: _problem(message("送った鍵が有効ではない"), CHALLENGE)}
        | WRONG
        | TOO_MANY
        | UNKNOWN,
    ),
    Operation(
        name="checkMany",
        method="post",
        path=CHECK,
        title=message("まとめて照会する"),
        words=message(
            "ハンドルと個体識別番号を、合わせて100件まで一度に照会します。"
            "答えはハンドル、個体識別番号の順に、送った順で返ります。"
            "1件が鍵の回数の1回に数えられます。"
        ),
        scope=Scope.BULK,
        body="Question",
        curl=(
            "curl -H 'Authorization: Bearer tb_…' -H 'Content-Type: application/json' "
            f'-d \'{{{{"handles":["{NAME}"]}}}}\' {{url}}'
        ),
        replies={200: Reply(message("送った順の答え"), "Answers")}
        | WITH_KEY
        | {
            413: _problem(message("本文が大きすぎる")),
            415: _problem(message("本文が JSON ではない")),
        }
        | WRONG,
    ),
    Operation(
        name="changes",
        method="get",
        path="/api/v1/blacklist/changes",
        title=message("変更を受け取る"),
        words=message(
            "番号の順に並んだ変更です。0から読むと、手元に写しを作れます。"
            "次は next の番号から読みます。more が true なら、続きがあります。"
            "lifted と expired は終わった登録で、entry は id だけです。"
            "終わった登録は、前の変更でも id だけになります。"
            "hidden の登録は、写しでは under_appeal と答え、中身を見せないでください。"
        ),
        scope=Scope.FEED,
        parameters=(
            Parameter(
                "since",
                message("この番号よりあとの変更を返す"),
                {"type": "integer", "minimum": 0, "maximum": 2**31 - 1, "default": 0},
                40,
            ),
            Parameter(
                "limit",
                message("一度に返す数"),
                {
                    "type": "integer",
                    "minimum": 1,
                    "maximum": changes.MOST,
                    "default": changes.DEFAULT,
                },
            ),
            IF_NONE_MATCH,
        ),
        curl="curl -H 'Authorization: Bearer tb_…' '{url}?since=40'",
        replies={200: Reply(message("変更の一部"), "Changes", headers=ETAG)}
        | SAME
        | WITH_KEY
        | WRONG,
    ),
    Operation(
        name="export",
        method="get",
        path="/api/v1/blacklist/export.ndjson",
        title=message("いまの一覧を書き出す"),
        words=message(
            "いま公開されている登録を、1行に1件ずつ、ある一時点の内容で返します。"
            "続きは X-Feed-Seq の番号から変更を受け取ってください。"
            "申し立ての期限が過ぎて中身を隠している登録は入りません。"
            "それも写しに入れるには、変更を0から受け取ってください。"
        ),
        scope=Scope.FEED,
        parameters=(IF_NONE_MATCH,),
        curl="curl -H 'Authorization: Bearer tb_…' {url}",
        replies={
            200: Reply(message("登録が1行に1件"), "Entry", LINES, ETAG | SEQ),
        }
        | SAME
        | WITH_KEY,
    ),
    Operation(
        name="document",
        method="get",
        path="/api/v1/openapi.json",
        title=message("この説明を OpenAPI で読む"),
        words=message("プログラムが読むための、このページと同じ内容です。"),
        curl="curl {url}",
        replies={200: Reply(message("OpenAPI 3.1 の文書"), "Document")}
        | UNREADABLE
        | UNKNOWN,
    ),
)
