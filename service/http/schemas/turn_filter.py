"""Which turns count, as a caller says it: in a body, or as parameters of a query."""

from __future__ import annotations

import json
from typing import Annotated, Any, Literal

from pydantic import Field, TypeAdapter, ValidationError

from consolidation.kernel.errors import InvalidRequest
from service.http.schemas.fields import Body, SessionId, ShortText
from service.index.turn_fields import LONGEST_NAME, LONGEST_VALUE, Scalar, TurnFilter

_MOST = 50

RememberedKind = Literal["turn", "import", "memory", "action"]
_Value = (
    Annotated[str, Field(max_length=LONGEST_VALUE, strict=True)]
    | Annotated[bool, Field(strict=True)]
    | Annotated[int, Field(strict=True)]
    | Annotated[float, Field(strict=True, allow_inf_nan=False)]
)
_Values = _Value | Annotated[list[_Value], Field(min_length=1, max_length=_MOST)]
OwnFields = Annotated[
    dict[Annotated[str, Field(min_length=1, max_length=LONGEST_NAME)], _Values], Field(min_length=1, max_length=20)
]
_OWN_FIELDS: TypeAdapter[dict[str, Any]] = TypeAdapter(OwnFields)

SESSIONS = "Turns of these sessions alone."
SPEAKERS = "Turns alone in which one of these says something: names or roles, in any case."
KINDS = "Turns of these kinds alone: `turn`, `import`, `memory` (saved on purpose), `action` (of an agent)."
METADATA = (
    "Turns alone whose metadata has each of these fields with this value, or one of these values. A field inside "
    "another is `order.city`; of a list, one item has to fit."
)


class FilterIn(Body):
    """Only turns count for which every part holds, and memories that rest on them."""

    session_ids: Annotated[list[SessionId], Field(min_length=1, max_length=_MOST)] | None = Field(
        None, description=SESSIONS
    )
    speakers: Annotated[list[ShortText], Field(min_length=1, max_length=_MOST)] | None = Field(
        None, description=SPEAKERS
    )
    turn_kinds: Annotated[list[RememberedKind], Field(min_length=1, max_length=4)] | None = Field(
        None, description=KINDS
    )
    metadata: OwnFields | None = Field(None, description=METADATA)

    model_config = Body.model_config | {"json_schema_extra": {"examples": [{"metadata": {"project": "apollo"}}]}}

    def as_filter(self) -> TurnFilter:
        """The filter as the rest of the service uses it."""
        return TurnFilter(
            sessions=tuple(self.session_ids or ()),
            kinds=tuple(self.turn_kinds or ()),
            speakers=tuple(self.speakers or ()),
            metadata=_by_name(self.metadata or {}),
        )


def filter_of(
    *, session_ids: list[str] | None, speakers: list[str] | None, turn_kinds: list[str] | None, metadata: str | None
) -> TurnFilter:
    """The same of parameters; *metadata* is a JSON object, or nothing. Raises InvalidRequest."""
    try:
        found = _OWN_FIELDS.validate_python(json.loads(metadata)) if metadata else {}
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]["msg"]
        raise InvalidRequest(f"must have names with values: {first}", pointer="query/metadata") from error
    except (ValueError, RecursionError) as error:
        raise InvalidRequest("must be a JSON object", pointer="query/metadata") from error
    return TurnFilter(tuple(session_ids or ()), tuple(turn_kinds or ()), tuple(speakers or ()), _by_name(found))


def _by_name(fields: dict[str, Any]) -> dict[str, tuple[Scalar, ...]]:
    return {name: tuple(value) if isinstance(value, list) else (value,) for name, value in fields.items()}
