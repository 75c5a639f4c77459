"""What deep sleeps measured of an agent, and what each proposes."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from pydantic import Field

from service.http.schemas.fields import Answered


class ProposalOut(Answered):
    """One change of a setting that the figures speak for."""

    setting: str = Field(description="`relevance` is the mind's; a name as in `GET /v1/settings` is the service's.")
    value: float | None = Field(description="What it was then; null in what a version before this one measured.")
    proposed: float | None = Field(description="What it should be.")
    reason: str
    is_acceptable: bool = Field(description="Whether it is a setting of the mind, which this service can change.")


class EvaluationOut(Answered):
    """What a deep sleep measured of the time since the one before."""

    t: datetime
    dream: int = Field(description="The number of the deep sleep, and of this evaluation.")
    dreams: int = Field(description="The dreams since the deep sleep before, this one among them.")
    forced_dreams: int = Field(description="Those to which the agent had to be sent.")
    actions: int = Field(description="The tool calls.")
    failed_share: float | None = Field(description="The share of tool calls that failed; null without any.")
    repeated_share: float | None = Field(description="The share of tool calls that repeat an earlier one.")
    surface_rate: float | None = Field(
        description="The share of pre-turn calls in which something surfaced. What the agent wondered by itself is not "
        "among them; null without any."
    )
    outcomes: dict[str, int] = Field(description="How many memories got each outcome.")
    observations: dict[str, int] = Field(description="How many observations there were of each level.")
    proposal: ProposalOut | None
    accepted_at: datetime | None = Field(description="When a person accepted the proposal.")
    accepted_by: str | None = Field(description="Who did: the id of a key, or `local`.")


class EvaluationsOut(Answered):
    """Evaluations, newest first."""

    items: list[EvaluationOut]
    next_cursor: str | None = Field(description="Pass it as `cursor` for older ones; null at the end.")


EVALUATION: dict[str, Any] = {
    "t": "2026-01-10T09:00:04Z",
    "dream": 10,
    "dreams": 10,
    "forced_dreams": 1,
    "actions": 412,
    "failed_share": 0.051,
    "repeated_share": 0.22,
    "surface_rate": 0.75,
    "outcomes": {"acted": 4, "dismissed": 9},
    "observations": {"RED": 3, "YLW": 8, "GRN": 12},
    "proposal": {
        "setting": "relevance",
        "value": 0.5,
        "proposed": 0.6,
        "reason": "9 of 13 memories that surfaced were of no use",
        "is_acceptable": True,
    },
    "accepted_at": None,
    "accepted_by": None,
}
EVALUATIONS: dict[str, Any] = {"items": [EVALUATION], "next_cursor": None}
ACCEPTED: dict[str, Any] = {**EVALUATION, "accepted_at": "2026-01-10T10:12:00Z", "accepted_by": "local"}
