"""What turns speech into text: the port, and a recording as it flows through it."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from enum import StrEnum
from typing import Literal, Protocol


class TranscriptionRole(StrEnum):
    """The name under which transcriptions are counted, beside the roles of language models."""

    TRANSCRIPTION = "transcription"


@dataclass(frozen=True, slots=True)
class Recording:
    """
    Speech as a file. ``seconds`` is its length, None where the file does not say it.

    ``is_ours``: this service made the file, so that every model can read it.
    """

    data: bytes
    format: Literal["wav", "mp3"]
    seconds: float | None = None
    is_ours: bool = False

    @property
    def digest(self) -> str:
        """Equal for equal audio."""
        return hashlib.blake2b(self.data, digest_size=16).hexdigest()


class Transcriber(Protocol):
    """Turns speech into text."""

    @property
    def name(self) -> str:
        """The model's name."""
        ...

    async def warm(self) -> None:
        """Import what the first transcription would otherwise wait for."""
        ...

    async def problem(self) -> str | None:
        """What is wrong with the model's name or key, and what to do; no provider is asked."""
        ...

    async def transcribe(self, recording: Recording, /) -> str:
        """
        The words of a recording; empty where nobody speaks.

        Raises ModelUnavailable, where a later try may succeed; RecordingRefused, ModelRefused, where it will not.
        """
        ...
