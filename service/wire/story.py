"""The story over the wire: as it stands, as it was, and the runs that tell it."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import AliasChoices, Field

from service.wire.fields import Answered, Body, Flag, Text
from service.wire.resonance import UsageOut
from service.wire.turns import Dropped, MessageIn

STORY_PUT: dict[str, Any] = {"text": "### [2026-01-09 18:30] Lyon\n\nI learned that Ann's mother lives in Lyon.\n"}
COMPACTED: dict[str, Any] = {
    "messages": [
        {"role": "user", "content": "My mother lives in Lyon.", "timestamp": "2026-01-09T18:30:00Z"},
        {"role": "user", "content": "She turns seventy in May.", "timestamp": "2026-01-09T18:31:00Z"},
    ]
}


class StoryIn(Body):
    """A story to put in the place of another."""

    text: Annotated[Text, Field(description="Markdown; our two marks may be left out.")]

    model_config = Body.model_config | {"json_schema_extra": {"examples": [STORY_PUT]}}


class RestoreIn(Body):
    """Which earlier story to go back to."""

    version: Annotated[str, Field(max_length=60, description="As `GET …/story/history` lists it.")]
    retell: Flag = Field(default=False, description="Tell again what was told after that version.")

    model_config = Body.model_config | {"json_schema_extra": {"examples": [{"version": "2026-01-09T18-31-00-000000Z"}]}}


class ConsolidationIn(Body):
    """A run to begin."""

    trigger: Literal["manual", "global_sync", "bootstrap"] = Field(
        default="manual", description="`global_sync` first reads session files, `bootstrap` files dated by their names."
    )
    wait: Flag = Field(default=True, description="Answer when the run has ended.")
    skip: Flag = Field(default=False, description="Count what waits as told, without telling it.")

    model_config = Body.model_config | {"json_schema_extra": {"examples": [{"trigger": "manual", "wait": True}]}}


class CompactionIn(Body):
    """The messages of a context window that is about to be cut."""

    messages: Annotated[list[MessageIn], Field(min_length=1, max_length=4096)]

    model_config = Body.model_config | {"json_schema_extra": {"examples": [COMPACTED]}}


class ChapterOut(Answered):
    """One chapter."""

    heading: str
    since: str = Field(
        validation_alias=AliasChoices("since", "from"),
        serialization_alias="from",
        description="As its heading says it.",
    )
    until: str = Field(validation_alias=AliasChoices("until", "to"), serialization_alias="to")
    words: int
    edited_by_person: bool = Field(description="Whether it is no longer in our words; then it is never revised.")


class StoryTold(Answered):
    """The story as it stands."""

    mind_id: str
    text: str
    etag: str
    last_processed: datetime | None
    last_sequence: int
    words: int
    chapters: list[ChapterOut]


class VersionListed(Answered):
    """An earlier story."""

    version: str
    saved_at: datetime
    size: int = Field(validation_alias=AliasChoices("size", "bytes"), serialization_alias="bytes")


class HistoryOut(Answered):
    """The earlier stories, newest first."""

    versions: list[VersionListed]


class VersionOut(Answered):
    """An earlier story, whole."""

    version: str
    saved_at: datetime
    text: str


class DifferenceOut(Answered):
    """What changed, as a unified diff."""

    since: str = Field(validation_alias=AliasChoices("since", "from"), serialization_alias="from")
    until: str = Field(validation_alias=AliasChoices("until", "to"), serialization_alias="to")
    diff: str


class GatheredOut(Answered):
    """What was read in before a run."""

    files: int
    turns: int
    new: int
    skipped: list[str]


class RunOut(Answered):
    """A run: `told` of `turns` that were due are told; `error` says why it stopped early."""

    trigger: str
    started_at: datetime
    ended_at: datetime | None
    turns: int
    told: int
    chapters: int
    compressed: int
    reason: str
    error: str | None
    gathered: GatheredOut | None
    usage: UsageOut


class ConsolidationOut(Answered):
    """What waits to be told, and the last run since the service began."""

    mind_id: str
    is_running: bool
    pending_turns: int
    pending_tokens: int
    last_run: RunOut | None


class Compacted(Answered):
    """What became of a compacted window."""

    mind_id: str
    session_id: str
    new_messages: int
    known_messages: int
    turn_ids: list[str]
    dropped: list[Dropped]
    pending_tokens: int
