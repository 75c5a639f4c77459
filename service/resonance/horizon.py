"""What the bot can still see: which turns of the transcript stand in the context window."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from consolidation.text.words import tokens
from service.retrieval.excerpt import BETWEEN, LEFT_OUT
from service.retrieval.lead_words import without_lead

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from consolidation.kernel.turns import Message, StoredTurn
    from service.retrieval.moment import Fragment

_SHORT_PHRASE = 4  # words


@dataclass(frozen=True, slots=True)
class Horizon:
    """
    What is in sight: turns by sequence, and all of this session from one turn or instant on.

    ``phrases`` are the words of each visible message, in a row. From ``seen_from`` on, everything is in sight.
    """

    session_id: str
    visible: frozenset[int]
    first_sequence: int | None
    first_instant: datetime | None
    phrases: tuple[str, ...] = ()
    seen_from: int | None = None

    def hides(self, fragment: Fragment) -> bool:
        """Whether what *fragment* tells is in sight, or all that it rests on: the lines that it is, or its turns."""
        if fragment.statement is not None:  # what it puts right may be in sight; it is not
            return any(_phrase(tokens(fragment.statement.text)) in one for one in self.phrases)
        if fragment.notes and all(
            any(_phrase(tokens(note.excerpt)) in one for one in self.phrases) for note in fragment.notes
        ):
            return True
        if fragment.kind == "episode" and self._shows(fragment.text):
            return True
        return bool(fragment.sources) and all(
            source.sequence in self.visible
            or (self.seen_from is not None and source.sequence >= self.seen_from)
            or (source.session_id == self.session_id and self._is_newer(source.sequence, source.timestamp))
            for source in fragment.sources
        )

    def _shows(self, told: str) -> bool:
        """Whether the words that an episode quotes stand in the window, though the rest of its turn may not."""
        quoted = [tokens(words) for part in told.split(BETWEEN) for words in without_lead(part).split(LEFT_OUT)]
        if sum(map(len, quoted)) <= _SHORT_PHRASE:
            return False
        return all(any(_phrase(words) in one for one in self.phrases) for words in quoted if words)

    def _is_newer(self, sequence: int, instant: datetime) -> bool:
        if self.first_sequence is not None and sequence >= self.first_sequence:
            return True
        return self.first_instant is not None and instant >= self.first_instant


def horizon_of(
    messages: Iterable[Message], *, session_id: str, turns: Iterable[StoredTurn], seen_from: int | None = None
) -> Horizon:
    """
    The horizon of a context window over *turns*: candidates' sources, and the session's newest.

    A message is recognised by its words or, in its own session, by its id (gateways count from 1 in every chat). A
    turn is in sight when all its messages are.
    """
    window = tuple(messages)
    ids = frozenset(message.id for message in window if message.id)
    wordings = {_words(message) for message in window}
    visible: set[int] = set()
    touched: set[int] = set()
    for stored in turns:
        is_here = stored.turn.session_id == session_id
        known_ids = ids if is_here else frozenset()
        seen = [message for message in stored.turn.messages if message.id in known_ids or _words(message) in wordings]
        if seen and len(seen) == len(stored.turn.messages):
            visible.add(stored.sequence)
        if is_here and any(message.id in ids or _is_distinctive(message) for message in seen):
            touched.add(stored.sequence)
    times = [message.timestamp for message in window if message.timestamp is not None]
    first_sequence, first_instant = min(touched, default=None), min(times, default=None)
    phrases = tuple(map(_phrase, wordings))
    return Horizon(session_id, frozenset(visible), first_sequence, first_instant, phrases, seen_from)


def _phrase(words: Iterable[str]) -> str:
    """Words in a row, so that one row can be looked for in another."""
    return f" {' '.join(words)} "


def _words(message: Message) -> tuple[str, ...]:
    return tokens(message.content)


def _is_distinctive(message: Message) -> bool:
    """Whether a message's words are its own: "ok" seen now says nothing of an "ok" a week ago."""
    return len(_words(message)) > _SHORT_PHRASE
