"""An agent's day: actions and their answer, sleep, dreams, waking up."""

from __future__ import annotations

from datetime import date, datetime
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self

from pydantic import Field, JsonValue, model_validator

from service.http.schemas.fields import Answered, Body, Flag, Instant, SessionId, ShortText, Text, TurnId, Zone

if TYPE_CHECKING:
    from collections.abc import Iterable

    from consolidation.dreams.changes import DreamChange
    from consolidation.dreams.dream_log import DreamRecord

Fatigue = Literal["rested", "tired", "exhausted"]

ACTIONS: dict[str, Any] = {
    "actions": [
        {"id": "act-61", "kind": "thought", "text": "The import failed on rows without a date."},
        {
            "id": "act-62",
            "kind": "tool_call",
            "tool": "shell",
            "input": {"command": "pytest tests/test_import.py"},
            "ok": False,
            "output": "1 failed: KeyError: 'date'",
        },
    ]
}


class ActionIn(Body):
    """What an agent did. A tool call names its tool and has no text; everything else has a text alone."""

    id: TurnId | None = Field(None, description="The action is stored once under this id, however often it is sent.")
    kind: Literal["thought", "tool_call", "message", "error"]
    text: Text = Field(
        "", description="The words of a thought, a message to the agent, or an error, and of no tool_call."
    )
    tool: ShortText | None = Field(None, description="The name of the tool that was called; for a tool_call alone.")
    input: JsonValue = Field(None, description="What the tool was given; for a tool_call alone.")
    ok: Flag = Field(default=True, description="Whether the call worked.")
    output: Text = Field("", description="What the tool printed; memory shows its first 600 characters.")
    timestamp: Instant | None = Field(None, description="When it was; now if left out.")

    @model_validator(mode="after")
    def _is_whole(self) -> Self:
        if self.kind == "tool_call" and not (self.tool or "").strip():
            raise ValueError("a tool_call needs the name of its tool")
        if self.kind == "tool_call" and self.text.strip():
            raise ValueError(
                "a tool_call has no text: what it printed is its output, and a thought is an action before it"
            )
        if self.kind != "tool_call" and not self.text.strip():
            raise ValueError(f"a {self.kind} needs a text")
        if self.kind != "tool_call" and (self.tool or self.input is not None or self.output):
            raise ValueError(f"a {self.kind} has only a text: tool, input and output belong to a tool_call")
        return self


class ActionsIn(Body):
    """Actions in their order, all of them or none."""

    actions: Annotated[list[ActionIn], Field(min_length=1, max_length=100)]

    model_config = Body.model_config | {"json_schema_extra": {"examples": [ACTIONS]}}


class ActionKept(Answered):
    """An action that is stored on disk."""

    id: str = Field(description="The id of its turn: yours, or a new one.")
    sequence: int
    duplicate: bool = Field(description="Whether it had been stored before.")


class ActionDropped(Answered):
    """What is not kept of an action: a secret, or all of it where it was off the record."""

    index: int | None
    reason: str


class ThoughtOut(Answered):
    """A memory that came up beside the agent's actions. Report its outcome with `trace_id` and `flashback_id`."""

    text: str
    trace_id: str
    flashback_id: str


class ActionsKept(Answered):
    """What was stored, and how the agent is."""

    mind_id: str
    session_id: str
    kept: list[ActionKept]
    dropped: list[ActionDropped]
    actions: int = Field(description="The tool calls since the last dream.")
    fatigue: Fatigue
    notice: str | None = Field(description="Once, when the agent has become tired: say it to the agent.")
    must_sleep: bool = Field(description="Whether the agent has to sleep now.")
    asleep_until: datetime | None = Field(description="When its sleep is over, if it should be asleep.")
    thought: ThoughtOut | None = Field(description="A memory that came up. The same actions posted again get it again.")


ACTIONS_KEPT: dict[str, Any] = {
    "mind_id": "global-user-memory",
    "session_id": "cycle-3",
    "kept": [
        {"id": "act-61", "sequence": 2, "duplicate": False},
        {"id": "act-62", "sequence": 3, "duplicate": False},
    ],
    "dropped": [],
    "actions": 1,
    "fatigue": "rested",
    "notice": None,
    "must_sleep": False,
    "asleep_until": None,
    "thought": None,
}


class SleepIn(Body):
    """For how long the agent wants to sleep."""

    seconds: Annotated[float, Field(ge=2, le=86_400, strict=True, allow_inf_nan=False)]
    session_id: SessionId | None = Field(
        None, description="The session that ends with this sleep; that of the newest action if left out."
    )
    timezone: Zone | None = Field(
        None,
        description="The agent's time zone, in which its observations have their times. Left out, it stays as it was, "
        "at first the mind's own, else UTC.",
    )
    wait: Flag = Field(default=False, description="Whether to answer only when the dream has ended.")

    model_config = Body.model_config | {"json_schema_extra": {"examples": [{"seconds": 600, "session_id": "cycle-3"}]}}


class SleepBegunOut(Answered):
    """What the sleep is. Pause for `pause_seconds`; the dream goes on by itself."""

    mind_id: str
    kind: Literal["nap", "lightweight", "dream", "deep_sleep"]
    pause_seconds: float
    wake_at: datetime
    dream_id: str | None = Field(description="The dream that was begun, or goes on; null for a nap.")


SLEPT: dict[str, Any] = {
    "mind_id": "global-user-memory",
    "kind": "lightweight",
    "pause_seconds": 600.0,
    "wake_at": "2026-01-10T09:10:00Z",
    "dream_id": "0a1b2c3d4e5f60718293a4b5c6d7e8f9",
}


class SleepStatusOut(Answered):
    """How an agent is."""

    state: Literal["awake", "asleep", "dreaming"]
    reason: str = Field(description="Why it is so; empty before the first sleep.")
    wake_at: datetime | None = Field(description="When its sleep is over; null while it is awake.")
    cycle: int = Field(description="Its cycle: 1, and one more after each sleep.")
    actions: int = Field(description="The tool calls since the last dream.")
    fatigue: Fatigue
    must_sleep: bool
    dreams: int
    last_dream_at: datetime | None
    waiting_for: str | None = Field(description="Why a dream, or the end of a deep sleep, is late, if one is.")


STATUS: dict[str, Any] = {
    "state": "awake",
    "reason": "it went to sleep",
    "wake_at": None,
    "cycle": 2,
    "actions": 12,
    "fatigue": "rested",
    "must_sleep": False,
    "dreams": 1,
    "last_dream_at": "2026-01-10T09:00:02Z",
    "waiting_for": None,
}


class WakeIn(Body):
    """Why the agent is woken before its time."""

    reason: ShortText = Field("", description="As it will be told to the agent, without secrets.")

    model_config = Body.model_config | {"json_schema_extra": {"examples": [{"reason": "a message came"}]}}


class DreamIn(Body):
    """A dream that is asked for, whatever the interval."""

    deep: Flag = Field(default=False, description="Whether it is a deep sleep: it also tidies up and writes the diary.")
    timezone: Zone | None = Field(
        None,
        description="The zone of the observations' times. Left out, it stays as it was, at first the mind's own, else "
        "UTC.",
    )
    wait: Flag = Field(default=False, description="Whether to answer only when the dream has ended.")

    model_config = Body.model_config | {"json_schema_extra": {"examples": [{"deep": False, "wait": True}]}}


class DreamChangeOut(Answered):
    """A line that a dream changed in the agent's files."""

    what: Literal["observed", "rule", "over", "relevelled", "pruned"] = Field(
        description="It wrote an observation or a rule, said that a line is over, gave it a level, or took it out."
    )
    text: str
    is_there: bool = Field(description="Whether the line stands in its file now.")
    level: Literal["RED", "YLW", "GRN"] | None = Field(description="Null for a rule.")
    was: Literal["RED", "YLW", "GRN"] | None = Field(description="The level before, where it gave another one.")
    day: date | None
    at: str | None = Field(description="The time of that day, as HH:MM.")


class DreamOut(Answered):
    """A dream, as `dreams.jsonl` has it."""

    t: datetime
    dream: int
    cycle: int
    kind: Literal["lightweight", "dream", "deep_sleep"]
    actions: int
    failed_calls: int
    reflection: str
    priority: str
    observations: int = Field(description="The number of facts that it observed.")
    first_sequence: int
    last_sequence: int
    model: str
    is_quoted: bool = Field(description="Whether it quotes the log, since no model dreamt it.")
    is_forced: bool
    undone_at: datetime | None = Field(description="When a person took it back; null where it counts.")
    undone_by: str | None = Field(description="Who did: the id of a key, or `local`.")
    changes: list[DreamChangeOut] = Field(description="What it changed, as far as its words are still known.")


def dream_out(record: DreamRecord, changes: Iterable[DreamChange]) -> DreamOut:
    """A dream with what it changed."""
    undone = record.undone if record.is_undone else None
    return DreamOut.model_validate(
        {
            **record.model_dump(include=set(DreamOut.model_fields)),
            "undone_at": undone.at if undone is not None else None,
            "undone_by": undone.by if undone is not None else None,
            "changes": [DreamChangeOut.model_validate(one) for one in changes],
        }
    )


class DreamsOut(Answered):
    """The newest dreams, newest first, and how the agent is."""

    mind_id: str
    dreams: list[DreamOut]
    status: SleepStatusOut


_OBSERVED: dict[str, Any] = {
    "what": "observed",
    "text": "Two files have no dates.",
    "is_there": True,
    "level": "YLW",
    "was": None,
    "day": "2026-01-10",
    "at": "08:40",
}
DREAMT: dict[str, Any] = {
    "mind_id": "global-user-memory",
    "dreams": [
        {
            "t": "2026-01-10T09:00:02Z",
            "dream": 1,
            "cycle": 1,
            "kind": "dream",
            "actions": 34,
            "failed_calls": 2,
            "reflection": "The import works for every file but the two without dates. I got on.",
            "priority": "Ask Ann what the two files without dates are.",
            "observations": 6,
            "first_sequence": 1,
            "last_sequence": 52,
            "model": "openai/gpt-4o-mini",
            "is_quoted": False,
            "is_forced": False,
            "undone_at": None,
            "undone_by": None,
            "changes": [_OBSERVED],
        }
    ],
    "status": STATUS,
}
REDREAMT: dict[str, Any] = DREAMT["dreams"][0]
UNDREAMT: dict[str, Any] = {
    **REDREAMT,
    "undone_at": "2026-01-10T09:20:00Z",
    "undone_by": "local",
    "changes": [{**_OBSERVED, "is_there": False}],
}
