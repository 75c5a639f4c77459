"""What the bot can still see: which turns of the transcript stand in the context window. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from consolidation.kernel.words import tokens

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from consolidation.kernel.turns import Kept, Message
    from service.resonance.moment import Fragment


@dataclass(frozen=True, slots=True)
class Horizon:
    """The turns in sight, and from where on everything of this session is."""

    session_id: str
    visible: frozenset[int]
    first_sequence: int | None
    first_instant: datetime | None

    def hides(self, fragment: Fragment) -> bool:
        """Whether *fragment* says nothing that can not be seen already."""
        return bool(fragment.sources) and all(
            source.sequence in self.visible
            or (source.session_id == self.session_id and self._is_newer(source.sequence, source.timestamp))
            for source in fragment.sources
        )

    def _is_newer(self, sequence: int, instant: datetime) -> bool:
        if self.first_sequence is not None and sequence >= self.first_sequence:
            return True
        return self.first_instant is not None and instant >= self.first_instant


def look(messages: Iterable[Message], *, session_id: str, known: Iterable[Kept]) -> Horizon:
    """
    The horizon of a context window over *known* turns: candidates' sources and the session's newest.

    A message is recognised by its id, else by its words; a turn is in sight when all its messages are.
    """
    window = tuple(messages)
    ids = {message.id for message in window if message.id}
    said = {_words(message) for message in window}
    visible: set[int] = set()
    touched: set[int] = set()
    for kept in known:
        seen = [(message.id in ids) or (_words(message) in said) for message in kept.turn.messages]
        if seen and all(seen):
            visible.add(kept.sequence)
        if any(seen) and kept.turn.session_id == session_id and _is_telling(kept):
            touched.add(kept.sequence)
    spoken = [message.timestamp for message in window if message.timestamp is not None]
    return Horizon(session_id, frozenset(visible), min(touched, default=None), min(spoken, default=None))


def _words(message: Message) -> tuple[str, ...]:
    return tokens(message.content)


def _is_telling(kept: Kept) -> bool:
    """Whether a turn's words are its own: "ok" seen now says nothing of an "ok" a week ago."""
    return sum(len(_words(message)) for message in kept.turn.messages) > 4  # noqa: PLR2004 - a short phrase
