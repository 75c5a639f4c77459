"""The call after a turn: its body and its answer."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field, ValidationInfo, field_validator

from consolidation.kernel.speaker_names import LONGEST, fault_in
from consolidation.kernel.turns import Message, Speaker, TurnKind
from service.http.schemas.audio import AudioPartIn, Content, TextPartIn
from service.http.schemas.fields import (
    OF_A_NAME,
    Answered,
    Body,
    Flag,
    Instant,
    Metadata,
    SessionId,
    ShortText,
    Text,
    TurnId,
)
from service.http.schemas.outcomes import OutcomeIn, OutcomesApplied, each_once
from service.voice.recordings import recording_of
from service.voice.spoken import SpokenMessage

if TYPE_CHECKING:
    from collections.abc import Sequence

    from service.voice.spoken import Part

MOST_MESSAGES = 256  # of a turn

_NAME = (
    f"One printable line of at most {LONGEST} letters, and no word for another role. "
    "A name with a colon is stored, and the role is shown in its place."
)

POSTED: dict[str, Any] = {
    "turn_id": "2026-01-09-0001",
    "session_id": "telegram:42",
    "messages": [
        {"role": "user", "content": "My mother lives in Lyon.", "timestamp": "2026-01-09T18:30:00Z"},
        {"role": "assistant", "content": "How often do you see her?", "timestamp": "2026-01-09T18:30:05Z"},
    ],
}


DROPPED: list[dict[str, Any]] = [
    {"index": 0, "reason": "secret: card number"},
    {"index": 0, "reason": "secret: password"},
    {"index": 1, "reason": "empty"},
    {"index": None, "reason": "secret: GitHub token"},
]


class _MessageFields(Body):
    """All of a message but what it says."""

    role: Literal["user", "assistant", "system", "tool", "thought"]
    timestamp: Instant | None = None
    name: Annotated[Text, Field(description=_NAME, json_schema_extra=OF_A_NAME)] | None = None
    id: ShortText | None = None

    @field_validator("name")
    @classmethod
    def _fits_its_role(cls, name: str | None, info: ValidationInfo) -> str | None:
        fault = fault_in(name, role=info.data["role"]) if name is not None and "role" in info.data else ""
        if fault:
            raise ValueError(fault)
        return name

    def written(self, content: str) -> Message:
        """The message as the rest of the service uses it, with this *content*."""
        return Message(Speaker(self.role), content, self.timestamp, self.name, self.id)


class MessageIn(_MessageFields):
    """One message of a conversation."""

    content: Text

    def as_message(self) -> Message:
        """The message as the rest of the service uses it."""
        return self.written(self.content)


class SpokenMessageIn(_MessageFields):
    """One message of a conversation. Its content is text, or a list of parts, of which some may be audio."""

    content: Content

    def as_spoken(self, at: int) -> SpokenMessage:
        """The message, the one *at* this place, with what is to be heard. Raises InvalidRequest."""
        parts = [self.content] if isinstance(self.content, str) else self.content
        return SpokenMessage(self.written(""), tuple(_read(part, f"{_place(at)}/{n}") for n, part in enumerate(parts)))

    def as_message(self) -> Message:
        """The message as the rest of the service uses it; what was spoken leaves a mark."""
        return self.as_spoken(0).in_words({})


def first_audio(messages: Sequence[SpokenMessageIn]) -> str | None:
    """A pointer to the first audio in *messages*; None where there is none."""
    for at, message in enumerate(messages):
        parts = () if isinstance(message.content, str) else message.content
        for number, part in enumerate(parts):
            if isinstance(part, AudioPartIn):
                return f"{_place(at)}/{number}/input_audio"
    return None


def _place(at: int) -> str:
    return f"#/messages/{at}/content"


def _read(part: str | TextPartIn | AudioPartIn, pointer: str) -> Part:
    match part:
        case str():
            return part
        case TextPartIn():
            return part.text
        case AudioPartIn():
            audio = part.input_audio
            return recording_of(audio.data, audio.format, pointer=f"{pointer}/input_audio/data")


class TurnFields(Body):
    """All of a turn but its messages."""

    turn_id: TurnId | None = None
    session_id: SessionId
    kind: Literal["turn", "heartbeat", "probe", "import"] = "turn"
    off_the_record: Flag = Field(default=False, description="Store none of its words.")
    metadata: Metadata = Field(default_factory=dict)
    trace_id: ShortText | None = Field(None, description="The trace of the turn's pre-turn call.")
    outcomes: Annotated[list[OutcomeIn], Field(max_length=100)] = Field(
        default_factory=list, description="What became of what that call showed; not a part of the turn."
    )

    _is_clear = field_validator("outcomes")(each_once)

    def as_kind(self) -> TurnKind:
        """The kind of turn, as the caller gives it."""
        return TurnKind.OFF_THE_RECORD if self.off_the_record else TurnKind(self.kind)


class TurnIn(TurnFields):
    """The messages of one exchange, posted together."""

    messages: Annotated[list[SpokenMessageIn], Field(min_length=1, max_length=MOST_MESSAGES)]

    model_config = Body.model_config | {"json_schema_extra": {"examples": [POSTED]}}


class Dropped(Answered):
    """A message that was not stored, and why; or a kind of secret that was removed from one that was."""

    index: int | None = Field(description="The position of the message; null for the metadata.")
    reason: (
        Literal["heartbeat", "probe", "empty", "injected", "off_the_record"]
        | Annotated[str, Field(pattern="^secret: ", examples=["secret: card number"])]
    )

    model_config = Answered.model_config | {"json_schema_extra": {"examples": [*DROPPED]}}


class TurnKept(Answered):
    """The turn is stored on disk."""

    mind_id: str
    turn_id: str
    sequence: int
    accepted_at: datetime
    pending_tokens: int = Field(
        description="How many tokens of the mind wait for the story now, also where the rest repeats the first answer."
    )
    dropped: list[Dropped]
    duplicate: bool = Field(
        description="Whether the turn had been accepted before. Then this repeats the first answer, but for "
        "`pending_tokens`."
    )
    outcomes: OutcomesApplied | None = Field(
        description="What was applied of the turn's outcomes; null if it has none. If its trace is not known any more, "
        "all of them are unknown."
    )
