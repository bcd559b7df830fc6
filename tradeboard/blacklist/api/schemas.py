"""The shapes of what the API is sent and answers, as JSON Schema."""

from typing import Any

from tradeboard.blacklist.api.bulk import LISTS, MOST
from tradeboard.blacklist.rules.feed import TOMBSTONES, ChangeType
from tradeboard.trades.rules.findings import Finding

CODE = "D-7F3K-9QXM"
NAME = "たぬき堂"
WHEN = "2026-11-30T03:00:00+00:00"

Schema = dict[str, Any]


def thing(properties: Schema, *, optional: tuple[str, ...] = ()) -> Schema:
    """Return the shape of an object that has these keys and no others."""
    return {
        "type": "object",
        "properties": properties,
        "required": [name for name in properties if name not in optional],
        "additionalProperties": False,
    }


def ref(name: str) -> Schema:
    """Point at one of the shapes below."""
    return {"$ref": f"#/components/schemas/{name}"}


def listed(items: Schema, **limits: int) -> Schema:
    """Return the shape of an array."""
    return {"type": "array", "items": items, **limits}


TEXT = {"type": "string"}
MOMENT = {"type": "string", "format": "date-time"}
NUMBER = {"type": "integer", "minimum": 0}
ID = {"type": "integer", "minimum": 1}
DEVICE = {
    "type": "string",
    "pattern": "^D-[0-9A-HJKMNP-TV-Z]{4}-[0-9A-HJKMNP-TV-Z]{4}$",
}
STATUS = {"type": "string", "enum": ["none", "listed", "under_appeal"]}
WHOLE_TYPES = [t.value for t in ChangeType if t not in TOMBSTONES]

ENTRY = thing(
    {
        "id": ID,
        "handle": TEXT,
        "devices": listed(DEVICE),
        "finding": {"type": "string", "enum": [finding.value for finding in Finding]},
        "month": {"type": "string", "pattern": "^[0-9]{4}-[0-9]{2}$"},
        "reviewed": {"type": "boolean"},
        "under_appeal": {"type": "boolean"},
        "count": NUMBER,
        "expires": {"type": ["string", "null"], "format": "date"},
    }
)
ANSWER = {"status": STATUS, "entries": listed(ref("Entry"))}


def _change(types: list[str], entry: Schema) -> Schema:
    kind = {"type": "string", "enum": types}
    return thing({"seq": ID, "type": kind, "at": MOMENT, "entry": entry})


SCHEMAS: dict[str, Schema] = {
    "Entry": ENTRY,
    "EndedEntry": thing({"id": ID}),
    "Answer": thing(
        {"status": STATUS, "as_of": MOMENT, "entries": listed(ref("Entry"))}
    ),
    "Unknown": thing(
        {
            "status": {"type": "string", "const": "unknown"},
            "as_of": MOMENT,
            "entries": listed(ref("Entry"), maxItems=0),
            "detail": TEXT,
        }
    ),
    "Question": thing(
        {name: listed(TEXT, maxItems=MOST) for name in LISTS}, optional=LISTS
    ),
    "Answers": thing(
        {
            "answers": listed(
                {
                    "oneOf": [
                        thing({"handle": TEXT, **ANSWER}),
                        thing({"device": TEXT, **ANSWER}),
                    ]
                },
                maxItems=2 * MOST,
            ),
            "as_of": MOMENT,
        }
    ),
    "Change": {
        "oneOf": [
            _change(WHOLE_TYPES, ref("Entry")),
            # What was told of an entry before it ended keeps its number alone.
            _change([t.value for t in ChangeType], ref("EndedEntry")),
        ]
    },
    "Changes": thing(
        {
            "changes": listed(ref("Change")),
            "next": NUMBER,
            "more": {"type": "boolean"},
        }
    ),
    "Problem": thing(
        {
            "type": {"type": "string", "format": "uri-reference"},
            "title": TEXT,
            "status": {"type": "integer", "minimum": 400, "maximum": 599},
            "detail": TEXT,
        }
    ),
    "Document": {"type": "object", "required": ["openapi", "info", "paths"]},
}

AN_ENTRY = {
    "id": 204,
    "handle": NAME,
    "devices": [CODE],
    "finding": "never_dispatched",
    "month": "2026-11",
    "reviewed": False,
    "under_appeal": False,
    "count": 1,
    "expires": "2028-11-29",
}
EXAMPLES: dict[str, Any] = {
    "Entry": AN_ENTRY,
    "Answer": {"status": "listed", "as_of": WHEN, "entries": [AN_ENTRY]},
    "Question": {"handles": [NAME, "きつね"], "devices": [CODE]},
    "Answers": {
        "answers": [
            {"handle": NAME, "status": "listed", "entries": [AN_ENTRY]},
            {"handle": "きつね", "status": "none", "entries": []},
            {"device": CODE, "status": "listed", "entries": [AN_ENTRY]},
        ],
        "as_of": WHEN,
    },
    "Changes": {
        "changes": [
            {"seq": 41, "type": "listed", "at": WHEN, "entry": AN_ENTRY},
            {"seq": 42, "type": "lifted", "at": WHEN, "entry": {"id": 198}},
        ],
        "next": 42,
        "more": False,
    },
}
