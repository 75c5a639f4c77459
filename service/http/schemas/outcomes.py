"""What became of flashbacks: what a caller reports, and what of it was applied."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field, field_validator

from service.http.schemas.fields import Answered, Body, ShortText

if TYPE_CHECKING:
    from service.index.salience import Outcome

REPORTED: dict[str, Any] = {
    "trace_id": "123a9221c574418e9e73e0d4b95b30b0",
    "outcomes": [{"id": "episode:1", "outcome": "acted"}],
}
APPLIED: dict[str, Any] = {"applied": 1, "unknown": []}


class OutcomeIn(Body):
    """What became of a flashback."""

    id: ShortText = Field(description="The flashback's id.")
    outcome: Literal["acted", "used", "deferred", "dismissed", "contradicted"] = Field(
        description="`acted`: the bot used it visibly. `used`: it informed the answer. `deferred`: put off. "
        "`dismissed`: of no use. `contradicted`: found wrong; the memory does not surface by itself any more."
    )


def each_once(outcomes: list[OutcomeIn]) -> list[OutcomeIn]:
    """*outcomes*, if none of them says two things of the same flashback. Raises ValueError."""
    said: dict[str, str] = {}
    for one in outcomes:
        if said.setdefault(one.id, one.outcome) != one.outcome:
            raise ValueError(f"says two things of {one.id!r}")
    return outcomes


def by_id(outcomes: list[OutcomeIn]) -> dict[str, Outcome]:
    """The outcome of each flashback."""
    return {one.id: one.outcome for one in outcomes}


class OutcomesIn(Body):
    """What became of what one pre-turn call showed."""

    trace_id: ShortText | None = Field(
        None,
        description="The trace of the pre-turn call. Without it, `id` may name any memory of the mind, as `remember` "
        "gives it: so a person puts a memory right by hand.",
    )
    outcomes: Annotated[list[OutcomeIn], Field(min_length=1, max_length=100)]

    model_config = Body.model_config | {"json_schema_extra": {"examples": [REPORTED]}}

    _is_clear = field_validator("outcomes")(each_once)


class OutcomesApplied(Answered):
    """What was applied."""

    applied: int = Field(description="The outcomes that stand now as they were reported.")
    unknown: list[str] = Field(description="Ids that the trace did not show, or that name no memory: not applied.")
