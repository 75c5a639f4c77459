"""The arguments of each tool, with their bounds, described for the model that fills them in."""

from __future__ import annotations

import functools
import json
import re
from datetime import UTC, date, datetime, time, tzinfo
from typing import Annotated, Any, Literal, get_args, get_origin
from zoneinfo import ZoneInfo

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationInfo, model_validator

from consolidation.kernel.errors import InvalidMindId
from consolidation.workspace import LONGEST_MIND_NAME, mind_id_of

_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
_NOON = time(12)
_WHEN = "a day like 2026-01-09 or a time like 2026-01-09T18:30:00Z"


def _instant(text: str, info: ValidationInfo, *, of_day: time) -> str:
    """A day is meant *of_day*; without an offset, both are meant in the call's time zone."""
    try:
        found = (
            datetime.combine(date.fromisoformat(text), of_day) if _DAY.fullmatch(text) else datetime.fromisoformat(text)
        )
    except ValueError as error:
        raise ValueError(f"must be {_WHEN}") from error
    return (found if found.tzinfo else found.replace(tzinfo=_zone_of(info))).isoformat()


def _zone_of(info: ValidationInfo) -> tzinfo:
    name = info.data.get("timezone")  # missing where it is not valid, which is told beside
    return ZoneInfo(name) if name is not None else UTC


def _beginning(text: str, info: ValidationInfo) -> str:
    return _instant(text, info, of_day=time.min)


def _noon(text: str, info: ValidationInfo) -> str:
    return _instant(text, info, of_day=_NOON)


def _end(text: str, info: ValidationInfo) -> str:
    return _instant(text, info, of_day=time.max)


def _cycle_or_beginning(text: str, info: ValidationInfo) -> str:
    return text if text == "cycle" else _beginning(text, info)


def _known_zone(name: str) -> str:
    try:
        ZoneInfo(name)
    except (ValueError, OSError, KeyError) as error:
        raise ValueError("is not a time zone of the IANA list, like Europe/Paris") from error
    return name


def _not_blank(text: str) -> str:
    if not text.strip():
        raise ValueError("must not be blank")
    return text


def _mind_id(name: str) -> str:
    try:
        return mind_id_of(name)
    except InvalidMindId as error:
        raise ValueError(str(error)) from error


_Mind = Annotated[str, Field(min_length=1, max_length=LONGEST_MIND_NAME), AfterValidator(_mind_id)]
Words = Annotated[str, Field(min_length=1, max_length=2000), AfterValidator(_not_blank)]
From = Annotated[str, AfterValidator(_beginning)]
CycleOrFrom = Annotated[str, AfterValidator(_cycle_or_beginning)]
UpTo = Annotated[str, AfterValidator(_end)]
At = Annotated[str, AfterValidator(_noon)]
Session = Annotated[
    str | None,
    Field(
        min_length=1,
        max_length=200,
        description="Your name for this conversation, the same in every call, and another in the next conversation. "
        "Left out, it is the connection's, which other conversations may share.",
    ),
]


Asker = Annotated[
    str | None,
    Field(
        min_length=1,
        max_length=200,
        description='The name of who asks, where several people talk: "I" and "my sister" are theirs, and what they '
        "told comes first.",
    ),
]


class ToolArguments(BaseModel):
    """
    A tool's arguments. Unknown ones are refused.

    Some models send a list as text, ``'["fact"]'``, or one thing in its place: both are read as the list.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    mind: _Mind | None = Field(
        None, description="Whose memory, like `ada`; leave it out for the connection's own mind."
    )

    @model_validator(mode="before")
    @classmethod
    def _read_lists(cls, given: dict[str, Any]) -> dict[str, Any]:
        return {name: _list_of(value) if name in _lists_of(cls) else value for name, value in given.items()}

    def values_of(self, *names: str) -> dict[str, Any]:
        """The arguments among *names* that have a value."""
        return {name: value for name in names if (value := getattr(self, name)) is not None}


@functools.cache
def _lists_of(model: type[ToolArguments]) -> frozenset[str]:
    """The names of the arguments that are lists."""
    kinds = {name: field.annotation for name, field in model.model_fields.items()}
    return frozenset(
        name for name, kind in kinds.items() if list in {get_origin(one) for one in (kind, *get_args(kind))}
    )


def _list_of(value: object) -> object:
    """*value*, or what it says as JSON, as a list."""
    if isinstance(value, str):
        try:
            read = json.loads(value)
        except (ValueError, RecursionError):
            read = value
        value = read if isinstance(read, list | dict) else value
    return [value] if isinstance(value, str | dict) else value


class ZonedArguments(ToolArguments):
    """Arguments of a tool that takes days. The time zone is validated first: days are read in it."""

    timezone: Annotated[str, Field(max_length=64), AfterValidator(_known_zone)] | None = Field(
        None, description="The user's time zone, like Europe/Paris, in which days are meant; UTC when left out."
    )


class MessageArgument(BaseModel):
    """One message."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    role: Literal["user", "assistant", "system", "tool"] = Field(description="Who said it.")
    content: str = Field(max_length=400_000, description="What was said, word for word.")
    name: str | None = Field(None, max_length=200, description="The speaker's name, where there are several; no role.")
    timestamp: From | None = Field(None, description="When, like 2026-01-09T18:30:00Z; now, when left out.")


class ToRemember(ZonedArguments):
    """Arguments of `remember`."""

    query: Words = Field(description="What to look for, in plain words of any language: names, things, a question.")
    kinds: list[Literal["fact", "entity", "episode", "observation"]] | None = Field(
        None,
        description="Only these: facts, people and things (entity), moments (episode), what dreams observed "
        "(observation). All when left out.",
    )
    entity_kinds: list[Annotated[str, Field(pattern=r"^[A-Za-z][A-Za-z0-9_]{0,40}$")]] | None = Field(
        None, max_length=20, description="Only people and things of these kinds and facts about them, like Person."
    )
    since: From | None = Field(None, description=f"Said at or after: {_WHEN}.")
    until: UpTo | None = Field(None, description=f"Said at or before: {_WHEN}.")
    at: UpTo | None = Field(None, description=f"Only facts that were valid then: {_WHEN}.")
    limit: int = Field(10, ge=1, le=100, description="How many at most, 1 to 100.")
    asker: Asker = None


class ToAsk(ZonedArguments):
    """Arguments of `ask_memory`."""

    question: Words = Field(description="What to answer from memory, in plain words of any language.")
    limit: int = Field(12, ge=1, le=50, description="How many memories the answer may rest on, 1 to 50.")
    since: From | None = Field(None, description=f"Only what was said at or after: {_WHEN}.")
    until: UpTo | None = Field(None, description=f"Only what was said at or before: {_WHEN}.")
    at: At | None = Field(None, description=f"Ask for the facts that held then: {_WHEN}.")
    language: Annotated[str, Field(pattern=r"^[A-Za-z]{2,3}([-_][A-Za-z0-9]{1,8})*$", max_length=35)] | None = Field(
        None, description="The language of the answer, like de; that of the question when left out."
    )
    asker: Asker = None


class ToSearchLog(ZonedArguments):
    """Arguments of `search_log`."""

    query: Words = Field(description="Words as they were said or shown, in any case: a name, a number, an error.")
    session_id: Annotated[str, Field(min_length=1, max_length=200)] | None = Field(
        None, description="Only this conversation; all when left out."
    )
    role: Literal["user", "assistant", "system", "tool", "thought"] | None = Field(
        None, description="Only what this one said or showed."
    )
    since: From | None = Field(None, description=f"Said at or after: {_WHEN}.")
    until: UpTo | None = Field(None, description=f"Said at or before: {_WHEN}.")
    exclude_from: CycleOrFrom | None = Field(
        None,
        description=f"Leave out what you still see, said from then on: {_WHEN}, or `cycle` for when you woke.",
    )
    limit: int = Field(5, ge=1, le=100, description="How many messages at most, 1 to 100.")
    context: int = Field(1, ge=0, le=5, description="How many messages before and after each, 0 to 5.")
    cursor: str | None = Field(None, max_length=30, description="`next_cursor` of the last answer, for older messages.")


class ToListFacts(ZonedArguments):
    """Arguments of `list_facts`."""

    entity: str | None = Field(
        None, min_length=1, max_length=2000, description="Only facts about this person or thing, by name or id."
    )
    state: Literal["holding", "ended", "planned"] | None = Field(
        None, description="Only facts that hold now, that have ended, or that are yet to come."
    )
    query: Words | None = Field(None, description="Only facts with all of these words, in any form.")
    since: From | None = Field(None, description=f"Told first at or after: {_WHEN}.")
    until: UpTo | None = Field(None, description=f"Told first at or before: {_WHEN}.")
    limit: int = Field(20, ge=1, le=100, description="How many at most, 1 to 100.")
    cursor: str | None = Field(None, max_length=4000, description="`next_cursor` of the last answer, for older facts.")


class ToListEntities(ToolArguments):
    """Arguments of `list_entities`."""

    query: Words | None = Field(None, description="Only names with words that begin like these.")
    sort: Literal["mentions", "recent", "name"] = Field(
        "mentions", description="The most mentioned first, the last mentioned first, or by name."
    )
    limit: int = Field(20, ge=1, le=100, description="How many at most, 1 to 100.")
    cursor: str | None = Field(None, max_length=4000, description="`next_cursor` of the last answer, for more.")


class ToSave(ZonedArguments):
    """Arguments of `save_memory`."""

    text: str = Field(
        min_length=1, max_length=4_000, description="What to remember: one fact, with names and dates, clear by itself."
    )
    importance: float = Field(
        0.5,
        ge=0,
        le=1,
        description="0 to 1: promises, bans, people and deadlines from 0.7 on; below 0.1 it is not kept.",
    )
    occurred_at: At | None = Field(None, description=f"When it happened: {_WHEN}; now when left out.")
    session_id: Session = None
    id: str | None = Field(
        None,
        min_length=1,
        max_length=200,
        description="Only when you repeat a call that failed: the id it named, so that nothing is saved twice.",
    )


class ToSearchJournal(ToolArguments):
    """Arguments of `journal_memory_search`."""

    query: Words = Field(description="What to look for, in plain words of any language.")
    max_results: int = Field(6, ge=1, le=50, description="How many passages at most, 1 to 50.")
    min_score: float | None = Field(None, ge=0, le=1, description="Leave out passages below this score, 0 to 1.")


class ToGetJournal(ToolArguments):
    """Arguments of `journal_memory_get`."""

    path: str = Field(
        min_length=1,
        max_length=1000,
        description="`MEMORY.md`, `observations.md`, `diary.md`, `rules.md`, `priorities.md`, or a file of `memory/` "
        "as a search gave it, like `memory/2026-01-09.md`.",
    )
    from_line: int | None = Field(None, ge=1, description="The first line wanted, from 1 on.")
    lines: int | None = Field(
        None, ge=1, le=10_000, description="How many lines, 1 to 10,000; as many as fit when left out."
    )


class ToReadStory(ToolArguments):
    """Arguments of `read_story`."""

    newest: int | None = Field(None, ge=1, le=1000, description="Only so many of the newest chapters; else all.")


class ToResonate(ZonedArguments):
    """Arguments of `resonance`."""

    message: str = Field(min_length=1, max_length=100_000, description="What the user just said, word for word.")
    name: str | None = Field(
        None, min_length=1, max_length=200, description="The name of who said it, where several people talk; no role."
    )
    query: Words | None = Field(
        None, description="What to look for in place of the message, if you wonder about something else."
    )
    earlier: list[MessageArgument] = Field(
        default_factory=list, max_length=200, description="What was said before it, oldest first, if you have it."
    )
    session_id: Session = None
    max_fragments: int | None = Field(None, ge=1, le=50, description="How many memories at most, 1 to 50; usually 5.")


class OutcomeArgument(BaseModel):
    """What became of one memory."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    id: str = Field(min_length=1, max_length=200, description="The memory's id, as the tool that showed it gave it.")
    outcome: Literal["acted", "used", "deferred", "dismissed", "contradicted"] = Field(
        description="acted: you used it visibly; used: it informed your answer; deferred: put off; "
        "dismissed: of no use; contradicted: found wrong."
    )


class ToSleep(ToolArguments):
    """Arguments of `set_sleep`."""

    seconds: float = Field(
        ge=2,
        le=86_400,
        allow_inf_nan=False,
        description="For how long, 2 to 86,400; under 30 is a nap, with no dream.",
    )


class ToReport(ToolArguments):
    """Arguments of `report_outcome`."""

    outcomes: list[OutcomeArgument] = Field(min_length=1, max_length=100, description="One for each memory you judge.")
    trace_id: str | None = Field(
        None,
        min_length=1,
        max_length=200,
        description="The trace_id of the `resonance` that showed them; leave it out for what `remember` found.",
    )


class ToCorrect(ToolArguments):
    """Arguments of `correct_memory`."""

    what: Literal["edit", "wrong", "right", "say", "pin", "mute"] = Field(
        description="edit: it was as `to` says; wrong: it is not so; right: it is so; say: something new, in `to`; "
        "pin: it shall come up again and again; mute: it shall never come up by itself."
    )
    id: str | None = Field(
        None,
        min_length=1,
        max_length=200,
        description="The memory's id, as the tool that showed it gave it: fact:, entity: or episode:. Not for say.",
    )
    to: str | None = Field(None, min_length=1, max_length=2_000, description="For edit and say: what is so, in words.")
    reason: str | None = Field(None, max_length=1_000, description="What the user said.")


class ToStore(ToolArguments):
    """Arguments of `store_turn`."""

    messages: list[MessageArgument] = Field(
        min_length=1, max_length=256, description="The exchange in its order: what the user said, then your answer."
    )
    session_id: Session = None
    turn_id: str | None = Field(
        None,
        min_length=1,
        max_length=200,
        description="Only when you repeat a call that failed: the turn_id it named, so that nothing is stored twice.",
    )
    off_the_record: bool = Field(default=False, description="True if the user wants none of the words stored.")
    trace_id: str | None = Field(
        None,
        min_length=1,
        max_length=200,
        description="The trace_id of the `resonance` before this exchange, so that what it showed can prove itself.",
    )
