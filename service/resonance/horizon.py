"""What the bot can still see: which turns of the transcript stand in the context window."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING

from consolidation.kernel.turns import Speaker
from consolidation.text.words import tokens
from consolidation.transcript.known import speaker_key
from service.retrieval.excerpt import BETWEEN, LEFT_OUT
from service.retrieval.lead_words import without_lead

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from collections.abc import Set as AbstractSet
    from datetime import datetime

    from consolidation.kernel.turns import Message, StoredTurn
    from service.retrieval.moment import Fragment

_SHORT_PHRASE = 4  # words
_NAMELESS = frozenset({""})
_KEPT_MEANWHILE = 2  # turns, the newest of a session, that a caller's window may not have yet


@dataclass(frozen=True, slots=True)
class Horizon:
    """
    What is in sight: turns by sequence, and all of this session from one turn on.

    ``phrases`` are the words of each visible message, in a row, and the key of the name of who said them, "" where they
    have none: the same words of another are not in sight. From ``seen_from`` on, everything is in sight.
    """

    session_id: str
    visible: frozenset[int]
    first_sequence: int | None
    phrases: tuple[tuple[str, str], ...] = ()
    seen_from: int | None = None

    def hides(self, fragment: Fragment) -> bool:
        """Whether what *fragment* tells is in sight, or all that it rests on: the lines that it is, or its turns."""
        if fragment.statement is not None:  # what it puts right may be in sight; it is not
            return self._holds(tokens(fragment.statement.text))
        if fragment.notes and all(self._holds(tokens(note.excerpt)) for note in fragment.notes):
            return True
        if fragment.kind == "episode" and self._shows(fragment.text, fragment.said):
            return True
        return bool(fragment.sources) and all(
            source.sequence in self.visible
            or (self.seen_from is not None and source.sequence >= self.seen_from)
            or (
                source.session_id == self.session_id
                and self.first_sequence is not None
                and source.sequence >= self.first_sequence
            )
            for source in fragment.sources
        )

    def _shows(self, told: str, said: Sequence[Message]) -> bool:
        """
        Whether the words that an episode quotes stand in the window, though the rest of its turn may not.

        *said* are the messages that it quotes.
        """
        quoted = [tokens(words) for part in told.split(BETWEEN) for words in without_lead(part).split(LEFT_OUT)]
        if sum(map(len, quoted)) <= _SHORT_PHRASE:
            return False
        return all(self._holds(words, _speakers_of(words, said)) for words in quoted if words)

    def _holds(self, words: Sequence[str], speakers: AbstractSet[str] = _NAMELESS) -> bool:
        """Whether the window holds *words*, said by one of *speakers* as far as both have a name."""
        phrase = _phrase(words)
        return any(phrase in one and _is_of(speaker, speakers) for speaker, one in self.phrases)


def horizon_of(
    messages: Iterable[Message],
    *,
    session_id: str,
    turns: Iterable[StoredTurn],
    seen_from: int | None = None,
    asked: int = 0,
    in_session: Sequence[int] | None = None,
) -> Horizon:
    """
    The horizon of a context window over *turns*: candidates' sources, and the session's newest.

    A message is recognised by its words or, in its own session, by its id (gateways count from 1 in every chat). A
    turn is in sight when all its messages are. The last *asked* messages are being answered: they are of no turn yet,
    but of the session's newest ones where these answered them before, and are made again. *in_session* are the
    sequences of the session's newest turns, where *turns* are not all of them.
    """
    window = tuple(messages)
    ids = frozenset(message.id for message in window if message.id)
    wordings: defaultdict[tuple[str, ...], set[str]] = defaultdict(set)
    for message in window:
        wordings[_words(message)].add(speaker_key(message))
    visible: set[int] = set()
    here: dict[int, StoredTurn] = {}
    for stored in turns:
        is_here = stored.turn.session_id == session_id
        known_ids = ids if is_here else frozenset()
        said = stored.turn.messages
        if said and all(one.id in known_ids or _is_among(one, wordings) for one in said):
            visible.add(stored.sequence)
        if is_here:
            here[stored.sequence] = stored
    end = len(window) - asked
    answered: defaultdict[tuple[str, ...], set[str]] = defaultdict(set)
    for message in window[end:]:
        if message.role is Speaker.USER and (words := _words(message)):
            answered[words].add(speaker_key(message))
    in_order = sorted(here) if in_session is None else in_session
    first_sequence = _oldest_of_run(window[:end], here, in_order, answered=answered)
    phrases = tuple((speaker, _phrase(words)) for words, speakers in wordings.items() for speaker in sorted(speakers))
    return Horizon(session_id, frozenset(visible), first_sequence, phrases, seen_from)


def _oldest_of_run(
    before: Sequence[Message],
    turns: dict[int, StoredTurn],
    in_session: Sequence[int],
    *,
    answered: Mapping[tuple[str, ...], AbstractSet[str]],
) -> int | None:
    """
    The oldest turn of the session's newest run of turns that stand in the window in their order, or are made again.

    From the window's end backwards, each message is of the newest turn that says it, not newer than the turn of the
    message behind it. One that no turn says, but that has a time, is of the first turn from then on. Turns between two
    of these are in sight, edited or cut, where as many messages between are of no turn that is known. So what only
    repeats words of long ago, or the first message of a long chat that is always sent along, does not reach back.
    """
    said: defaultdict[str | tuple[str, ...], list[tuple[int, str]]] = defaultdict(list)
    for place, sequence in enumerate(in_session):
        for message in turns[sequence].turn.messages if sequence in turns else ():
            for key in (_words(message), message.id):
                if key:
                    said[key].append((place, speaker_key(message)))
    first_since = _first_since(in_session, turns) if any(one.timestamp for one in before) else None
    oldest, unknown = len(in_session), _KEPT_MEANWHILE
    while oldest and in_session[oldest - 1] in turns and _asks(turns[in_session[oldest - 1]], answered):
        oldest -= 1
    for message in reversed(before):
        words = _words(message)
        by_id = [place for place, _ in said.get(message.id or "", [])]
        speaker = speaker_key(message)
        by_words = [place for place, known in said.get(words, []) if _is_of(known, frozenset({speaker}))]
        own = by_id + (by_words if len(words) > _SHORT_PHRASE else [])  # "ok" says nothing of an "ok" a week ago
        if not by_id and not by_words:
            is_said = bool(words) and message.role is not Speaker.SYSTEM
            unknown += is_said
            own = [first_since(message.timestamp)] if is_said and first_since and message.timestamp else []
        place = max((one for one in own if one <= oldest), default=-1)
        if place >= 0 and oldest - place - 1 <= unknown:
            oldest, unknown = place, 0
    return in_session[oldest] if oldest < len(in_session) else None


def _first_since(in_session: Sequence[int], turns: Mapping[int, StoredTurn]) -> Callable[[datetime], int]:
    """What tells the place of the first of a session's turns from which on none that is known was said earlier."""
    known = [(place, turns[one].occurred_at) for place, one in enumerate(in_session) if one in turns]
    earliest = list(accumulate((at for _, at in reversed(known)), min))[::-1]  # from each place on

    def first(instant: datetime) -> int:
        at = bisect_left(earliest, instant)
        return known[at - 1][0] + 1 if at else 0

    return first


def _asks(stored: StoredTurn, answered: Mapping[tuple[str, ...], AbstractSet[str]]) -> bool:
    """Whether a person said in a turn what is being answered."""
    return any(one.role is Speaker.USER and _is_among(one, answered) for one in stored.turn.messages)


def _is_among(message: Message, said: Mapping[tuple[str, ...], AbstractSet[str]]) -> bool:
    """Whether *said* has the words of *message*, by who said them, as far as both have a name."""
    speakers = said.get(_words(message))
    return speakers is not None and _is_of(speaker_key(message), speakers)


def _speakers_of(words: Sequence[str], said: Iterable[Message]) -> AbstractSet[str]:
    """Who said *words* in the messages *said*; nobody with a name where none of these holds them as they are."""
    phrase = _phrase(words)
    return frozenset(speaker_key(one) for one in said if phrase in _phrase(_words(one))) or _NAMELESS


def _is_of(speaker: str, speakers: AbstractSet[str]) -> bool:
    """Whether a *speaker* may be one of *speakers*: who has no name may be anybody."""
    return not speaker or "" in speakers or speaker in speakers


def _phrase(words: Iterable[str]) -> str:
    """Words in a row, so that one row can be looked for in another."""
    return f" {' '.join(words)} "


def _words(message: Message) -> tuple[str, ...]:
    return tokens(message.content)
