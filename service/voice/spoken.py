"""
A posted turn with audio as a turn of words.

The turn's metadata has the mark: that it was spoken, which model heard it, and a digest of all that was posted. By that
a retry is known, although a model may hear the same words otherwise the second time.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from consolidation.kernel.turns import Turn, TurnKind
from consolidation.text.content import AUDIO_MARK
from service.ports.transcriber import Recording

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from consolidation.kernel.turns import Message, StoredTurn
    from consolidation.secrets.privacy_filter import PrivacyFilter

SPOKEN = "mind_memory.spoken"  # in a turn's metadata

type Part = str | Recording


@dataclass(frozen=True, slots=True)
class SpokenMessage:
    """A message whose content has several parts. ``written`` is the message without its content."""

    written: Message
    parts: tuple[Part, ...]

    @property
    def recordings(self) -> tuple[Recording, ...]:
        """What is to be transcribed."""
        return tuple(part for part in self.parts if isinstance(part, Recording))

    def in_words(self, words: Mapping[str, str]) -> Message:
        """The message with the *words* of its recordings; a recording without words leaves a mark."""
        texts = [part if isinstance(part, str) else words.get(part.digest) or "" for part in self.parts]
        said = "\n".join(text for text in texts if text.strip())
        return replace(self.written, content=said or (AUDIO_MARK if self.recordings else ""))


def recordings_of(messages: Sequence[SpokenMessage]) -> tuple[Recording, ...]:
    """The recordings of *messages*, each once."""
    return tuple({one.digest: one for message in messages for one in message.recordings}.values())


def in_words(messages: Sequence[SpokenMessage], words: Mapping[str, str]) -> tuple[Message, ...]:
    """*messages* with the *words* of their recordings."""
    return tuple(message.in_words(words) for message in messages)


def is_withheld(messages: Sequence[SpokenMessage], *, kind: TurnKind, privacy: PrivacyFilter) -> bool:
    """Whether nobody may hear the recordings: the turn is off the record by its caller's word or by what is written."""
    return privacy.is_off_the_record(Turn("", "", in_words(messages, {}), kind))


def mark_of(messages: Sequence[SpokenMessage], *, model: str) -> dict[str, object]:
    """The mark of a turn that was posted with audio; empty where there is none."""
    recordings = recordings_of(messages)
    if not recordings:
        return {}
    known = [one.seconds for one in recordings if one.seconds is not None]
    seconds = {"seconds": round(sum(known), 2)} if len(known) == len(recordings) else {}
    places = [at for at, message in enumerate(messages) if message.recordings]
    return {"messages": places, **seconds, "model": model, "posted": _digest(messages)}


def repeated(stored: StoredTurn, turn: Turn) -> Turn | None:
    """*turn* in the words that were *stored* of it before; None where something else was posted."""
    before, now = stored.turn.metadata.get(SPOKEN), turn.metadata.get(SPOKEN)
    if not isinstance(before, dict) or not isinstance(now, dict) or before.get("posted") != now.get("posted"):
        return None
    is_same = stored.turn.session_id == turn.session_id and _others(stored.turn) == _others(turn)
    return replace(stored.turn, turn_id=turn.turn_id) if is_same else None


def _others(turn: Turn) -> dict[str, object]:
    return {name: value for name, value in turn.metadata.items() if name != SPOKEN}


def _digest(messages: Sequence[SpokenMessage]) -> str:
    """Equal for equal messages and audio."""
    said = [
        [
            one.written.role,
            one.written.timestamp and one.written.timestamp.isoformat(),
            one.written.name,
            one.written.id,
            [part if isinstance(part, str) else [part.digest] for part in one.parts],
        ]
        for one in messages
    ]
    return digest_of(said)


def digest_of(posted: object) -> str:
    """Equal for equal JSON values, in groups of letters and digits that look like nobody's secret."""
    whole = json.dumps(posted, ensure_ascii=False).encode("utf-8", "surrogatepass")
    found = hashlib.blake2b(whole, digest_size=12).hexdigest()
    return "-".join(found[at : at + 6] for at in range(0, len(found), 6))
