"""JSON schemas as MCP hosts need them: no references, no nulls, no titles that only repeat names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pydantic import BaseModel

type Schema = dict[str, Any]

_REFERENCE = "#/$defs/"


def schema_of(model: type[BaseModel]) -> Schema:
    """The schema of *model* in one piece. Optional fields without a value are left out, never null."""
    whole = model.model_json_schema()
    definitions = whole.pop("$defs", {})
    found = _plain(whole, definitions)
    found.pop("description", None)  # the class's docstring, which is for developers
    return found


def _plain(schema: Schema, definitions: Schema) -> Schema:
    name = schema.get("$ref", "").removeprefix(_REFERENCE)
    merged = {**definitions[name], **schema} if name else dict(schema)
    choices = [one for one in merged.get("anyOf", ()) if one.get("type") != "null"]
    if len(choices) == 1:
        merged = {**choices[0], **merged}
        return _plain({key: value for key, value in merged.items() if key != "anyOf"}, definitions)
    found = {
        key: value
        for key, value in merged.items()
        if key not in {"$ref", "title"} and not (key == "default" and value is None)
    }
    if "properties" in found:
        found["properties"] = {key: _plain(value, definitions) for key, value in found["properties"].items()}
    if "items" in found:
        found["items"] = _plain(found["items"], definitions)
    return found
