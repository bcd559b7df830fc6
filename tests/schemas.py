"""Check values against the part of JSON Schema that the API's document uses."""

import re
from datetime import date, datetime

TYPES = {
    "object": dict,
    "array": list,
    "string": str,
    "integer": int,
    "boolean": bool,
    "null": type(None),
}
KNOWN = {
    "$ref", "additionalProperties", "const", "default", "enum", "format", "items",
    "maxItems", "maximum", "minimum", "oneOf", "pattern", "properties", "required",
    "type",
}  # fmt: skip


def mistakes(value, schema, schemas, where="$") -> list[str]:
    """Return what is wrong with a value, each with its place; empty if it fits."""
    unknown = set(schema) - KNOWN
    if unknown:
        return [f"{where}: this validator does not know {sorted(unknown)}"]
    if "$ref" in schema:
        name = schema["$ref"].removeprefix("#/components/schemas/")
        return mistakes(value, schemas[name], schemas, where)
    if "oneOf" in schema:
        tries = [mistakes(value, one, schemas, where) for one in schema["oneOf"]]
        fitting = sum(not found for found in tries)
        return [] if fitting == 1 else [f"{where}: fits {fitting} shapes: {tries}"]
    found = _wrong_type(value, schema, where)
    return found or [
        *_wrong_value(value, schema, where),
        *_wrong_parts(value, schema, schemas, where),
    ]


def _wrong_type(value, schema, where):
    wanted = schema.get("type", list(TYPES))
    wanted = [wanted] if isinstance(wanted, str) else wanted
    is_right = any(
        isinstance(value, TYPES[name])
        and not (name == "integer" and isinstance(value, bool))
        for name in wanted
    )
    return [] if is_right else [f"{where}: {value!r} is no {wanted}"]


def _wrong_value(value, schema, where):
    tests = {
        "const": lambda limit: value == limit,
        "enum": lambda limit: value in limit,
        "minimum": lambda limit: value >= limit,
        "maximum": lambda limit: value <= limit,
        "maxItems": lambda limit: len(value) <= limit,
        "pattern": lambda limit: re.search(limit, value),
        "format": lambda limit: value is None or _has_format(limit, value),
    }
    return [
        f"{where}: {value!r} breaks {name} {schema[name]!r}"
        for name, fits in tests.items()
        if name in schema and not fits(schema[name])
    ]


def _wrong_parts(value, schema, schemas, where):
    found = []
    if isinstance(value, list) and "items" in schema:
        for number, item in enumerate(value):
            found += mistakes(item, schema["items"], schemas, f"{where}[{number}]")
    if isinstance(value, dict):
        missing = [name for name in schema.get("required", ()) if name not in value]
        found += [f"{where}: lacks {name}" for name in missing]
        for name, part in value.items():
            found += _wrong_property(name, part, schema, schemas, where)
    return found


def _wrong_property(name, part, schema, schemas, where):
    known = schema.get("properties", {})
    if name in known:
        return mistakes(part, known[name], schemas, f"{where}.{name}")
    closed = schema.get("additionalProperties") is False
    return [f"{where}: has {name}"] if closed else []


def _has_format(name, text):
    try:
        return FORMATS[name](text)
    except ValueError:
        return False


def _is_moment(text):
    return datetime.fromisoformat(text).tzinfo is not None


FORMATS = {
    "date": date.fromisoformat,
    "date-time": _is_moment,
    "uri-reference": lambda text: " " not in text,
}
