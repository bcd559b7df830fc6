"""The OpenAPI document, made from the one structure of operations."""

from typing import Any

from tradeboard.blacklist.api.operations import (
    LINES,
    OPERATIONS,
    Operation,
    Parameter,
    Reply,
)
from tradeboard.blacklist.api.schemas import EXAMPLES, SCHEMAS, ref
from tradeboard.core.messages import Message
from tradeboard.web.languages import translate_to

VERSION = "1.0.0"
ABOUT = (
    "Look-ups in the blacklist of a trade board, for other boards and bots. "
    "An answer `none` is no guarantee of anything. What could not be checked is "
    "answered 503 with the status `unknown`, never `none`. All other errors are "
    "problem+json (RFC 9457)."
)


def document(server: str, title: str) -> dict[str, Any]:
    """Return the whole document as JSON has it."""
    paths: dict[str, dict[str, Any]] = {}
    for operation in OPERATIONS:
        paths.setdefault(operation.path, {})[operation.method] = _operation(operation)
    return {
        "openapi": "3.1.0",
        "info": {"title": title, "version": VERSION, "description": ABOUT},
        "servers": [{"url": server}],
        "paths": paths,
        "components": {
            "schemas": SCHEMAS,
            "securitySchemes": {
                "key": {
                    "type": "http",
                    "scheme": "bearer",
                    "description": "A key of the form tb_ID_SECRET.",
                }
            },
        },
    }


def _operation(operation: Operation) -> dict[str, Any]:
    told: dict[str, Any] = {
        "operationId": operation.name,
        "summary": _english(operation.title),
        "description": _english(operation.words),
        "responses": {
            str(status): _reply(reply) for status, reply in operation.replies.items()
        },
        # Single look-ups take a key, too, for its quota, and need none.
        "security": [{"key": []}] if operation.scope else [{}],
    }
    if operation.name == "check":
        told["security"].append({"key": []})
    if operation.scope:
        told["description"] += f" Needs a key with the scope `{operation.scope}`."
    if operation.exactly_one:
        told["parameters"] = [_exactly_one(operation.parameters)]
    elif operation.parameters:
        told["parameters"] = [_parameter(one) for one in operation.parameters]
    if operation.body:
        content = {"application/json": _media(operation.body)}
        told["requestBody"] = {"required": True, "content": content}
    return told


def _parameter(parameter: Parameter) -> dict[str, Any]:
    example = {"example": parameter.example} if parameter.example else {}
    return {
        "name": parameter.name,
        "in": parameter.where,
        "description": _english(parameter.words),
        "required": False,
        "schema": parameter.schema,
        **example,
    }


def _exactly_one(parameters: tuple[Parameter, ...]) -> dict[str, Any]:
    """Say of parameters that one of them is asked for: they are spread in the query."""
    words = [f"`{one.name}`: {_english(one.words)}." for one in parameters]
    first = parameters[0]
    return {
        "name": "question",
        "in": "query",
        "description": f"Exactly one of these. {' '.join(words)}",
        "required": True,
        "style": "form",
        "explode": True,
        "schema": {
            "type": "object",
            "properties": {one.name: one.schema for one in parameters},
            "oneOf": [{"required": [one.name]} for one in parameters],
        },
        "example": {first.name: first.example},
    }


def _reply(reply: Reply) -> dict[str, Any]:
    told: dict[str, Any] = {"description": _english(reply.words)}
    if reply.schema:
        lines = reply.kind == LINES
        # A line is an entry; the body as a whole is text to a reader of JSON.
        media = {"schema": {"type": "string"}} if lines else _media(reply.schema)
        told["content"] = {reply.kind: media}
    if reply.headers:
        told["headers"] = {
            name: {"description": _english(words), "schema": {"type": "string"}}
            for name, words in reply.headers.items()
        }
    return told


def _media(name: str) -> dict[str, Any]:
    example = {"example": EXAMPLES[name]} if name in EXAMPLES else {}
    return {"schema": ref(name)} | example


def _english(words: Message) -> str:
    return translate_to("en", words)
