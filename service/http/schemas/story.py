"""The story, its versions, and the runs that write it."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import AliasChoices, Field

from service.http.schemas.fields import Answered, Body, Flag, Text
from service.http.schemas.resonance import UsageOut
from service.http.schemas.turns import Dropped, MessageIn

STORY_PUT: dict[str, Any] = {"text": "### [2026-01-09 18:30] Lyon\n\nI learned that Ann's mother lives in Lyon.\n"}
COMPACTED: dict[str, Any] = {
    "messages": [
        {"role": "user", "content": "My mother lives in Lyon.", "timestamp": "2026-01-09T18:30:00Z"},
        {"role": "user", "content": "She turns seventy in May.", "timestamp": "2026-01-09T18:31:00Z"},
    ]
}


class StoryIn(Body):
    """A story that replaces the current one."""

    text: Annotated[Text, Field(description="Markdown. The two comments with the cursor may be left out.")]

    model_config = Body.model_config | {"json_schema_extra": {"examples": [STORY_PUT]}}


class RestoreIn(Body):
    """The version to return to."""

    version: Annotated[
        str, Field(max_length=60, description="As `GET …/story/history` lists it, or `beginning`: before all chapters.")
    ]
    retell: Flag = Field(default=False, description="Write what happened since that version again.")

    model_config = Body.model_config | {"json_schema_extra": {"examples": [{"version": "2026-01-09T18-31-00-000000Z"}]}}


class ConsolidationIn(Body):
    """A run to start."""

    trigger: Literal["manual", "global_sync", "bootstrap"] = Field(
        default="manual", description="`global_sync` first reads session files, `bootstrap` files dated by their names."
    )
    wait: Flag = Field(default=True, description="Answer when the run has ended.")
    skip: Flag = Field(default=False, description="Mark what waits as done without writing it.")

    model_config = Body.model_config | {"json_schema_extra": {"examples": [{"trigger": "manual", "wait": True}]}}


class CompactionIn(Body):
    """The messages of a context window that is about to be cut."""

    messages: Annotated[list[MessageIn], Field(min_length=1, max_length=4096)]

    model_config = Body.model_config | {"json_schema_extra": {"examples": [COMPACTED]}}


class ChapterOut(Answered):
    """One chapter of the story."""

    heading: str
    since: str = Field(
        validation_alias=AliasChoices("since", "from"),
        serialization_alias="from",
        description="The time in its heading, in the mind's `timezone`.",
    )
    until: str = Field(validation_alias=AliasChoices("until", "to"), serialization_alias="to")
    words: int
    edited_by_person: bool = Field(
        description="Whether a person edited it. Such a chapter is never revised by a model."
    )
    digest: str = Field(description="Names it in `…/story/sources`, until its text changes.")


class NotedPersonOut(Answered):
    """Somebody in the story, as its narrator noted it."""

    name: str
    who: str


class OpenMatterOut(Answered):
    """A promise, plan, hope or question that is not settled yet, as the narrator noted it."""

    what: str
    since: str
    last: str = Field(description="What was said of it last.")


class FidelityOut(Answered):
    """How far the story is borne out by the turns it was made of. Chapters that a person changed do not count."""

    share: float | None = Field(
        description="The share of the sentences that are carried or quoted; null without sentences."
    )
    sentences: int
    carried: int
    quoted: int
    partly: int
    in_no_turn: int


class StoryTold(Answered):
    """The current story."""

    mind_id: str
    text: str
    etag: str
    last_processed: datetime | None
    last_sequence: int
    words: int
    chapters: list[ChapterOut]
    people: list[NotedPersonOut] = Field(
        description="Who is who: the narrator's notes for its next chapters. Empty without a model, and after an edit."
    )
    open: list[OpenMatterOut] = Field(description="What is promised, planned or hoped and not settled: notes, too.")
    fidelity: FidelityOut | None = Field(description="Null while it is not computed yet.")


class SourceTurnOut(Answered):
    """A turn that a sentence comes from."""

    sequence: int
    turn_id: str
    session_id: str
    occurred_at: datetime


class SentenceOut(Answered):
    """A sentence of the story, and the turns it comes from, best first."""

    start: int = Field(description="Its first character in the story's `text`, counted in code points.")
    end: int = Field(description="The character behind its last one.")
    text: str
    state: Literal["carried", "partly", "in_no_turn", "a_persons", "quoted"]
    turns: list[SourceTurnOut]
    missing: list[str] = Field(description="Words of the sentence that its turns do not have.")


class SourcedChapterOut(Answered):
    """A chapter with the sources of its sentences."""

    index: int = Field(description="Its place in the story, from 0.")
    heading: str
    digest: str
    sentences: list[SentenceOut]


class SourcesOut(Answered):
    """Where the sentences of the story come from."""

    etag: str = Field(description="Of the story that `start` and `end` count in.")
    fidelity: FidelityOut | None = Field(description="Of the whole story; null while it is not computed yet.")
    chapters: list[SourcedChapterOut]
    next: int | None = Field(description="Pass it as `after` to read on; null at the end.")


class VersionListed(Answered):
    """A version of the story."""

    version: str
    saved_at: datetime
    size: int = Field(validation_alias=AliasChoices("size", "bytes"), serialization_alias="bytes")


class HistoryOut(Answered):
    """The versions of the story, newest first."""

    versions: list[VersionListed]


class VersionOut(Answered):
    """One version of the story, with its text."""

    version: str
    saved_at: datetime
    text: str


class DifferenceOut(Answered):
    """A unified diff of two versions."""

    since: str = Field(validation_alias=AliasChoices("since", "from"), serialization_alias="from")
    until: str = Field(validation_alias=AliasChoices("until", "to"), serialization_alias="to")
    diff: str


class GatheredOut(Answered):
    """What was read from files before a run."""

    files: int
    turns: int
    new: int
    skipped: list[str]


class RunOut(Answered):
    """A run that wrote `told` of its `turns`. `error` says why it stopped early."""

    trigger: str
    started_at: datetime
    ended_at: datetime | None
    turns: int
    told: int = Field(validation_alias=AliasChoices("narrated", "told"), serialization_alias="told")
    quoted: int = Field(
        description="How many of `told` chapters quote, since three runs in a row no answer of a model could be used."
    )
    chapters: int
    compressed: int
    reason: str
    refused: list[str] = Field(description="The newest reasons why an answer of a model could not be used, up to 20.")
    received: int = Field(description="Characters of the answer that the model is writing now; 0 between answers.")
    error: str | None
    gathered: GatheredOut | None
    usage: UsageOut


class ConsolidationOut(Answered):
    """What waits for the story, and the last run since the service started."""

    mind_id: str
    is_running: bool
    pending_turns: int
    pending_tokens: int
    last_run: RunOut | None


class Compacted(Answered):
    """What was stored of a compacted window."""

    mind_id: str
    session_id: str
    new_messages: int
    known_messages: int
    turn_ids: list[str]
    dropped: list[Dropped]
    pending_tokens: int
