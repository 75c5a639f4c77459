"""
Which posted messages a transcript already holds, whoever posted them first and in whatever turn.

Two messages are compared by their own ids where both have one; else by speaker and words, and by time where both have
one. Speakers with two names are two speakers; one without a name may be anybody of the same role. A thought of the bot
and its words are of one speaker: an agent posts as a thought what a window has as words. Each stored message matches
one posted message, so that what was really said twice is stored twice; by an id, it matches each of that id. A message
off the record is stored without its words and is recognised by its id or its time.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from itertools import product
from typing import TYPE_CHECKING

from consolidation.kernel.turns import READ, Speaker
from consolidation.text.injected_blocks import without_injected
from consolidation.text.names import key_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from consolidation.kernel.turns import Message

_SAME_TIME = timedelta(seconds=5)  # two clocks of one backend


def unknown(
    posted: Sequence[Message], kept: Iterable[Message], *, cleaned: Callable[[str], str] = without_injected
) -> tuple[int, ...]:
    """
    The places of the messages of *posted* that are not among *kept*, ascending.

    *cleaned* returns a text as it would be stored.
    """
    return KnownMessages(kept, cleaned=cleaned).others(posted)


class KnownMessages:
    """What a transcript holds of one session, for messages that are posted bit by bit."""

    def __init__(self, kept: Iterable[Message], *, cleaned: Callable[[str], str] = without_injected) -> None:
        """*cleaned* as for ``unknown``."""
        self._cleaned = cleaned
        self._left: dict[tuple[str, str], list[Message]] = {}
        self.add(kept)

    def add(self, kept: Iterable[Message]) -> None:
        """Recognise these messages, too."""
        for message in kept:
            self._left.setdefault(_said(message, self._cleaned), []).append(message)

    def leave_out(self, messages: Iterable[Message]) -> None:
        """Recognise nothing by these stored messages, which are matched already, unless by their ids."""
        for message in messages:
            candidates = self._left.get(_said(message, self._cleaned), [])
            if message.id is None and message in candidates:
                candidates.remove(message)

    def others(self, posted: Sequence[Message]) -> tuple[int, ...]:
        """The places of the messages of *posted* that are not recognised, as ``unknown`` finds them."""
        said = [_said(message, self._cleaned) for message in posted]
        posted = [replace(one, name=self._cleaned(one.name)) if one.name else one for one in posted]
        found = {at for at, message in enumerate(posted) if said[at][1] and self.is_off_the_record(message)}
        for is_same, is_by_same in _SUREST_FIRST:
            for at, message in enumerate(posted):
                if at in found:
                    continue
                candidates = self._left.get(said[at], [])
                match = next((one for one in candidates if is_same(message, one) and is_by_same(message, one)), None)
                if match is not None:
                    found.add(at)
                    if message.id is None or match.id is None:
                        candidates.remove(match)
        return tuple(at for at in range(len(posted)) if at not in found)

    def is_off_the_record(self, message: Message) -> bool:
        """Whether a posted message is one that is stored without its words, by its id or its time."""
        role, _ = _said(message, self._cleaned)
        return any(_is_equal(message, one) and may_be_by_same(message, one) for one in self._left.get((role, ""), ()))


def may_be_by_same(one: Message, other: Message) -> bool:
    """Whether two messages of one role may be of one speaker: not where both have a name, and it is not the same."""
    names = {speaker_key(one), speaker_key(other)} - {""}
    return len(names) <= 1 or _have_one_id(one, other)


def _is_by_same(one: Message, other: Message) -> bool:
    return speaker_key(one) == speaker_key(other) or _have_one_id(one, other)


def speaker_key(message: Message) -> str:
    """The key of the name of who says a message; what tools show is nobody's."""
    return "" if message.role in READ else key_of(message.known_as)


def _have_one_id(one: Message, other: Message) -> bool:
    return one.id is not None and one.id == other.id


def _said(message: Message, cleaned: Callable[[str], str]) -> tuple[str, str]:
    speaker = Speaker.ASSISTANT if message.role is Speaker.THOUGHT else message.role
    words = cleaned(message.content).split()
    return speaker.value, ("" if words[:1] == ["[calls"] else " ").join(words)  # of a call's JSON, spaces say nothing


def _is_equal(one: Message, other: Message) -> bool:
    if one.id is not None and other.id is not None:
        return one.id == other.id
    return one.timestamp is not None and one.timestamp == other.timestamp


def _is_near(one: Message, other: Message) -> bool:
    if (one.id is not None and other.id is not None) or one.timestamp is None or other.timestamp is None:
        return False
    return abs(one.timestamp - other.timestamp) <= _SAME_TIME


def _may_be_same(one: Message, other: Message) -> bool:
    are_named = one.id is not None and other.id is not None
    return not are_named and (one.timestamp is None or other.timestamp is None)


# The surest pairs first, so that others do not use them up.
_SUREST_FIRST = tuple(product((_is_equal, _is_near, _may_be_same), (_is_by_same, may_be_by_same)))
