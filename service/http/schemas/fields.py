"""Field types that several bodies share, each with its own error message."""

from __future__ import annotations

import json
import re
from datetime import UTC, date, datetime
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, JsonValue, TypeAdapter

from consolidation.kernel.speaker_names import LONGEST, fault_in
from consolidation.kernel.turns import FIRST_YEAR, LAST_YEAR, Speaker, has_dot_step
from service.mind.own_settings import zone_name

KIND_NAMES = r"^[A-Za-z][A-Za-z0-9_]{0,40}(,[A-Za-z][A-Za-z0-9_]{0,40}){0,19}$"  # of entities, with commas between

BRANCH = "="  # begins the name of a branch of a union, which is not a step of a pointer

_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
_RFC_3339 = re.compile(r"\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}")
_MOST_METADATA = 16_384
_DEEPEST_METADATA = 32

# How OpenAPI describes the rules below, whose error messages help more than a pattern would.
_PRINTABLE: dict[str, JsonValue] = {"format": "printable-text"}
OF_A_NAME: dict[str, JsonValue] = {**_PRINTABLE, "maxLength": LONGEST}
_NO_NUL: dict[str, JsonValue] = {"pattern": r"^[^\u0000]*$"}
_IN_REACH: dict[str, JsonValue] = {"pattern": r"^(199[0-9]|2[01][0-9][0-9])-"}  # FIRST_YEAR to LAST_YEAR


class Body(BaseModel):
    """A request body. Unknown fields are refused, so that nothing is silently ignored."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Answered(BaseModel):
    """A response body. ``model_validate`` also reads it from a value with attributes of the same names."""

    model_config = ConfigDict(frozen=True, from_attributes=True)


def _storable(text: str) -> str:
    if "\x00" in text:
        raise ValueError("contains a NUL character, which can not be stored")
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise ValueError("contains half of a surrogate pair, which is not text") from error
    return text


def _printable(text: str) -> str:
    if not text.isprintable() or not text.strip():
        raise ValueError("must be printable text")
    return _storable(text)


def _person(name: str) -> str:
    if fault := fault_in(name, role=Speaker.USER):
        raise ValueError(fault)
    return name


def addressable(text: str) -> str:
    """The id itself. Raises ValueError where HTTP clients would change an address that ends in it."""
    if has_dot_step(text):
        raise ValueError('must have no step "." or "..", which HTTP clients take out of an address')
    return text


def _only_text(value: object) -> object:
    if isinstance(value, datetime) or (isinstance(value, str) and _RFC_3339.match(value)):
        return value  # pydantic would read a number, or digits alone, as seconds since 1970
    raise ValueError("must be an RFC 3339 time as text, like 2026-01-28T13:45:00Z")


def _in_reach(instant: datetime) -> datetime:
    if instant.tzinfo is None:
        raise ValueError("must give its offset from UTC, like 2026-01-28T13:45:00Z or …+02:00")
    if instant.year < FIRST_YEAR:
        raise ValueError(f"is before {FIRST_YEAR}; the clock was probably never set")
    if instant.year > LAST_YEAR:
        raise ValueError(f"is after {LAST_YEAR}")
    return instant.astimezone(UTC)


def _plain_json(value: dict[str, Any]) -> dict[str, Any]:
    try:
        text = json.dumps(value, allow_nan=False, ensure_ascii=False)
    except (ValueError, RecursionError) as error:
        raise ValueError("must be plain JSON, without NaN or Infinity") from error
    _storable(text)
    _check_parts(value)
    if len(text) > _MOST_METADATA:
        raise ValueError(f"is longer than {_MOST_METADATA} characters")
    return value


def _check_parts(value: object) -> None:
    """Refuse NUL in any text, and nesting so deep that a later reader would fail."""
    level = [value]
    for _ in range(_DEEPEST_METADATA):
        for part in level:
            if isinstance(part, str):
                _storable(part)
        level = [inner for part in level for inner in _inside(part)]
    if level:
        raise ValueError(f"is nested more than {_DEEPEST_METADATA} levels deep")


def _inside(value: object) -> list[object]:
    if isinstance(value, dict):
        return [*value.keys(), *value.values()]
    return value if isinstance(value, list) else []


def _written_day(value: object) -> object:
    if isinstance(value, str) and _DAY.fullmatch(value) is None:  # pydantic would read "0" as a day of 1970
        raise ValueError("must be a day like 2026-01-09")
    return value


def _whole(value: object) -> object:
    return int(value) if isinstance(value, float) and value.is_integer() else value  # JSON has only one kind of number


Text = Annotated[str, Field(max_length=400_000, json_schema_extra=_NO_NUL), AfterValidator(_storable)]
Question = Annotated[str, Field(min_length=1, max_length=2000, json_schema_extra=_NO_NUL), AfterValidator(_storable)]
_Id = Annotated[str, Field(min_length=1, max_length=200, json_schema_extra=_PRINTABLE), AfterValidator(_printable)]
ShortText = Annotated[Text, Field(max_length=200)]
ASKER = 'The name of who asks, as in their messages: "I" and "my sister" are theirs, and what they told comes first.'
Asker = Annotated[
    str, Field(min_length=1, json_schema_extra=OF_A_NAME), AfterValidator(_storable), AfterValidator(_person)
]
SessionId = Annotated[_Id, AfterValidator(addressable)]
SESSION_ID: TypeAdapter[str] = TypeAdapter(SessionId)
TurnId = Annotated[_Id, AfterValidator(addressable)]
MindNameIn = _Id  # the name of a mind, from which its id is derived
Instant = Annotated[
    datetime, BeforeValidator(_only_text), AfterValidator(_in_reach), Field(json_schema_extra=_IN_REACH)
]
Metadata = Annotated[
    dict[str, Any],
    AfterValidator(_plain_json),
    Field(description="Plain JSON, at most 16,384 characters and 32 levels deep."),
]
ZONE_OF_DAYS = "The time zone of days, like `Europe/Paris`; the mind's own if left out, else UTC."
Zone = Annotated[str, Field(max_length=64, json_schema_extra={"format": "iana-time-zone"}), AfterValidator(zone_name)]
Day = Annotated[date, BeforeValidator(_written_day)]
Flag = Annotated[bool, Field(strict=True)]  # without strict, "yes" and 1 would count as true
WHOLE = BeforeValidator(_whole)  # together with strict=True: 7.0 is accepted, "7" and true are not
