"""Audio: as a part of a message's content, and as a stream of a telephone call with what is told of it."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Discriminator, Field, Tag, ValidationInfo, field_validator

from consolidation.kernel.speaker_names import fault_in
from service.http.schemas.fields import BRANCH, Answered, Body, Instant, ShortText, Text
from service.voice.recordings import AudioFormat

_MOST_PARTS = 64
_KINDS = ("text", "input_audio")  # of parts
_TEXT, _PARTS, _AUDIO = f"{BRANCH}text", f"{BRANCH}parts", f"{BRANCH}audio"


def _known(kind: object) -> object:
    if kind not in _KINDS:  # a list of kinds of one branch would leave the other one out
        raise ValueError(f"must be {' or '.join(map(repr, _KINDS))}")
    return kind


class TextPartIn(Body):
    """A part of a message that was written."""

    type: Annotated[Literal["text"], BeforeValidator(_known)]
    text: Text


class InputAudioIn(Body):
    """Audio in base64, as OpenAI's API has it. `g711_ulaw`: μ-law of 8 kHz without a header, as telephones send it."""

    data: str
    format: AudioFormat


class AudioPartIn(Body):
    """A part of a message that was spoken. Its words are stored, the audio is not."""

    type: Literal["input_audio"]
    input_audio: InputAudioIn


def _kind_of_part(part: object) -> str:
    kind = part.get("type") if isinstance(part, dict) else getattr(part, "type", None)
    return _AUDIO if kind == "input_audio" else _TEXT


def _kind_of_content(content: object) -> str:
    return _PARTS if isinstance(content, list) else _TEXT


PartIn = Annotated[
    Annotated[TextPartIn, Tag(_TEXT)] | Annotated[AudioPartIn, Tag(_AUDIO)], Discriminator(_kind_of_part)
]
_PartsIn = Annotated[list[PartIn], Field(min_length=1, max_length=_MOST_PARTS)]
Content = Annotated[Annotated[Text, Tag(_TEXT)] | Annotated[_PartsIn, Tag(_PARTS)], Discriminator(_kind_of_content)]


class StreamIn(Body):
    """How a stream of a telephone call begins: the parameters of its address."""

    stream: Annotated[str, Field(min_length=1, max_length=100, pattern=r"^[!-~]+$")] | None = None
    offset: Annotated[int, Field(ge=0, le=2**53)] = 0
    role: Literal["user", "assistant"] = "user"
    name: ShortText | None = None
    started_at: Instant | None = None

    @field_validator("name")
    @classmethod
    def _is_clear(cls, name: str | None, info: ValidationInfo) -> str | None:
        fault = fault_in(name, role=info.data["role"]) if name is not None and "role" in info.data else ""
        if fault:
            raise ValueError(fault)
        return name


class ReadyOut(Answered):
    """The stream is open. Send the bytes of `stream` from `offset` on; what lies before it is settled."""

    type: Literal["ready"] = "ready"
    stream: str
    offset: int


class UtteranceOut(Answered):
    """What was said between two silences is on disk, as a turn. Everything before `offset` is settled."""

    type: Literal["turn"] = "turn"
    turn_id: str
    sequence: int
    text: str
    start_ms: int
    end_ms: int
    duplicate: bool
    dropped: list[dict[str, Any]]
    offset: int


class SettledOut(Answered):
    """Everything before `offset` is settled: no words were in it, or `unread` says why they could not be read."""

    type: Literal["settled"] = "settled"
    offset: int
    unread: str | None = None


class EndedOut(Answered):
    """The stream has ended. What lies behind `offset` is not stored; `problem` says why."""

    type: Literal["ended"] = "ended"
    offset: int
    problem: dict[str, Any] | None = None
