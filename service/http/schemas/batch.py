"""Several turns in one call: the body, and what became of each."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from service.http.schemas.fields import Answered, Body, TurnId
from service.http.schemas.problem import FieldFault
from service.http.schemas.turns import MOST_MESSAGES, POSTED, MessageIn, TurnFields, TurnKept

MOST_TURNS = 100

_SAID_AGAIN = {**POSTED, "turn_id": "2026-01-09-0002", "messages": [{"role": "user", "content": " "}]}
POSTED_BATCH: dict[str, Any] = {"turns": [POSTED, _SAID_AGAIN]}


class TurnOfBatch(TurnFields):
    """A turn of text, with an id, under which it is stored once however often it is sent."""

    turn_id: TurnId
    messages: Annotated[list[MessageIn], Field(min_length=1, max_length=MOST_MESSAGES)]

    model_config = Body.model_config | {"json_schema_extra": {"examples": [POSTED]}}


class BatchIn(Body):
    """Turns to store, in this order."""

    turns: Annotated[list[TurnOfBatch], Field(min_length=1, max_length=MOST_TURNS)]

    model_config = Body.model_config | {"json_schema_extra": {"examples": [POSTED_BATCH]}}


class TurnProblem(Answered):
    """Why a turn was not stored, as the problem document of `POST …/turns` would say it."""

    type: str
    title: str
    status: int
    detail: str
    errors: list[FieldFault] = Field(description="The invalid fields; each pointer is into the body of the batch.")


class TurnAnswer(Answered):
    """What became of one turn: it is on disk (`stored`), or it was refused (`problem`)."""

    index: int = Field(description="Its place in the request.")
    turn_id: str
    status: int = Field(description="The status that `POST …/turns` would answer: 202, 409, 410 or 422.")
    stored: TurnKept | None
    problem: TurnProblem | None


class BatchKept(Answered):
    """What became of each turn, in the order of the request."""

    mind_id: str
    stored: int = Field(description="How many are on disk now, with those that were before.")
    refused: int
    turns: list[TurnAnswer]


BATCH_KEPT: dict[str, Any] = {
    "mind_id": "global-user-memory",
    "stored": 1,
    "refused": 1,
    "turns": [
        {
            "index": 0,
            "turn_id": "2026-01-09-0001",
            "status": 202,
            "stored": {
                "mind_id": "global-user-memory",
                "turn_id": "2026-01-09-0001",
                "sequence": 1,
                "accepted_at": "2026-01-09T18:30:06.120000Z",
                "pending_tokens": 21,
                "dropped": [],
                "duplicate": True,
                "outcomes": None,
            },
            "problem": None,
        },
        {
            "index": 1,
            "turn_id": "2026-01-09-0002",
            "status": 422,
            "stored": None,
            "problem": {
                "type": "/problems/invalid-request",
                "title": "The request is not valid",
                "status": 422,
                "detail": "every message is empty",
                "errors": [{"pointer": "#/turns/1/messages/0/content", "detail": "every message is empty"}],
            },
        },
    ],
}
