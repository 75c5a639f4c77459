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
    """The turns in sight, from where on everything of this session is, and the words of each visible message."""

    session_id: str
    visible: frozenset[int]
    first_sequence: int | None
    first_instant: datetime | None
    said: tuple[str, ...] = ()

    def hides(self, fragment: Fragment) -> bool:
        """Whether *fragment* says nothing that can not be seen already."""
        if fragment.notes:
            return all(any(_run(tokens(note.excerpt)) in said for said in self.said) for note in fragment.notes)
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

    A message is recognised by its words or, in its own session, by its id (gateways count from 1 in every chat); a
    turn is in sight when all its messages are.
    """
    window = tuple(messages)
    ids = frozenset(message.id for message in window if message.id)
    said = {_words(message) for message in window}
    visible: set[int] = set()
    touched: set[int] = set()
    for kept in known:
        is_here = kept.turn.session_id == session_id
        known_ids = ids if is_here else frozenset()
        seen = [message for message in kept.turn.messages if message.id in known_ids or _words(message) in said]
        if seen and len(seen) == len(kept.turn.messages):
            visible.add(kept.sequence)
        if is_here and any(message.id in ids or _is_telling(message) for message in seen):
            touched.add(kept.sequence)
    spoken = [message.timestamp for message in window if message.timestamp is not None]
    first_sequence, first_instant = min(touched, default=None), min(spoken, default=None)
    return Horizon(session_id, frozenset(visible), first_sequence, first_instant, tuple(map(_run, said)))


def _run(words: Iterable[str]) -> str:
    """Words in a row, so that one run can be looked for in another."""
    return f" {' '.join(words)} "


def _words(message: Message) -> tuple[str, ...]:
    return tokens(message.content)


def _is_telling(message: Message) -> bool:
    """Whether a message's words are its own: "ok" seen now says nothing of an "ok" a week ago."""
    return len(_words(message)) > 4  # noqa: PLR2004 - a short phrase
