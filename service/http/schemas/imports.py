"""A file of conversations that is brought in: what it holds, and how far it is stored."""

from __future__ import annotations

from dataclasses import asdict
from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal

from pydantic import Field, ValidationError

from consolidation.kernel.errors import InvalidRequest
from consolidation.kernel.turns import TurnKind
from service.http.schemas.fields import Answered, Body, Zone
from service.http.schemas.turns import TurnIn

if TYPE_CHECKING:
    from consolidation.kernel.turns import Turn


class HowToImport(Body):
    """The query. What is not known is refused: a misspelt `dry_run` must store nothing."""

    filename: str = Field(
        "",
        max_length=400,
        description="What the file is called. It helps to recognise the format, and names sessions without an id.",
    )
    dry_run: bool = Field(default=False, description="Only answer what the file holds. Nothing is stored.")
    timezone: Zone = Field(
        "UTC",
        description="The IANA time zone of times that name none, such as those of a WhatsApp chat.",
    )


class SkippedOut(Answered):
    """How many items give no turn, or a message no time, for one reason, and where."""

    reason: str
    count: int
    places: list[str] = Field(description="The first five, in the file: its lines, or elements of its lists.")


class SurveyOut(Answered):
    """What a file holds."""

    format: Literal[
        "chatgpt",
        "claude",
        "gemini",
        "graphiti",
        "mem0",
        "chatgpt_memories",
        "whatsapp",
        "jsonl",
        "agent_sessions",
    ]
    sessions: int
    turns: int
    messages: int
    first_at: datetime | None = Field(description="Null where no message has a time.")
    last_at: datetime | None
    speakers: list[str] = Field(description="At most 20: names, or roles of those without a name.")
    skipped: list[SkippedOut]
    opening: str = Field(description="How the first turn begins, at most 200 characters.")


class ImportBegunOut(SurveyOut):
    """What a file holds, and the id of its import, which runs."""

    import_id: str


class ImportProgressOut(Answered):
    """How far an import is."""

    mind_id: str
    import_id: str
    state: Literal["running", "done", "failed"]
    stored: int
    of: int = Field(description="The turns of the file.")
    duplicates: int = Field(description="Turns that were stored before.")
    erased: int = Field(description="Turns that were erased here, and stay so.")
    refused: int = Field(description="Turns that can not be stored.")
    skipped: list[SkippedOut] = Field(description="What gave no turn, or a message no time, as a dry run says it.")
    detail: str = Field(description="Why it failed, or why the first turn was refused; else empty.")


def postable(turn: Turn) -> Turn:
    """*turn*, where it could be posted as well. Raises InvalidRequest."""
    is_off_the_record = turn.kind is TurnKind.OFF_THE_RECORD
    try:
        TurnIn.model_validate(
            {
                "turn_id": turn.turn_id,
                "session_id": turn.session_id,
                "messages": [{**asdict(one), "role": one.role.value} for one in turn.messages],
                "kind": "turn" if is_off_the_record else turn.kind.value,
                "metadata": dict(turn.metadata),
            }
        )
    except ValidationError as error:
        first = error.errors()[0]
        raise InvalidRequest(
            f"{'/'.join(map(str, first['loc']))}: {first['msg'].removeprefix('Value error, ')}"
        ) from error
    return turn


SURVEYED: dict[str, Any] = {
    "format": "jsonl",
    "sessions": 1,
    "turns": 1,
    "messages": 2,
    "first_at": "2026-01-09T18:30:00Z",
    "last_at": "2026-01-09T18:30:05Z",
    "speakers": ["user", "assistant"],
    "skipped": [{"reason": "an empty message", "count": 1, "places": ["conversations.json:3"]}],
    "opening": "My mother lives in Lyon.",
}
IMPORT_BEGUN: dict[str, Any] = {**SURVEYED, "import_id": "9b1f0a7c3d5e24689b1f0a7c3d5e2468"}
IMPORT_PROGRESS: dict[str, Any] = {
    "mind_id": "global-user-memory",
    "import_id": "9b1f0a7c3d5e24689b1f0a7c3d5e2468",
    "state": "done",
    "stored": 1,
    "of": 1,
    "duplicates": 0,
    "erased": 0,
    "refused": 0,
    "skipped": SURVEYED["skipped"],
    "detail": "",
}
