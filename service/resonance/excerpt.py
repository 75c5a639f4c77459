"""The words of a turn that matter to a query: a short turn whole, of a long one the sentences that fit best. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from consolidation.kernel.names import sentences
from consolidation.kernel.turns import Speaker
from consolidation.kernel.words import tokens

if TYPE_CHECKING:
    from collections.abc import Sequence

    from consolidation.kernel.turns import Kept

_SHORT = 420
_TOLD = (Speaker.USER, Speaker.ASSISTANT, Speaker.THOUGHT)


def wanted_by(queries: Sequence[str]) -> frozenset[str]:
    """The words that decide which sentences of a turn are shown."""
    return frozenset(word for query in queries for word in tokens(query))


def excerpt(kept: Kept, *, wanted: frozenset[str]) -> str:
    """What was said, speakers in front, at most about 420 characters; sentences left out are marked by an ellipsis."""
    spoken = [message for message in kept.turn.messages if message.role in _TOLD] or list(kept.turn.messages)
    whole = " / ".join(f"{message.who}: {' '.join(message.content.split())}" for message in spoken)
    if len(whole) <= _SHORT:
        return whole
    said = [(message.who, sentence) for message in spoken for sentence in sentences(message.content)]
    order = sorted(range(len(said)), key=lambda at: (-len(wanted.intersection(tokens(said[at][1]))), at))
    chosen: list[int] = []
    room = _SHORT
    for at in order:
        sentence = said[at][1]
        if chosen and len(sentence) > room:
            continue
        chosen.append(at)
        room -= len(sentence)
    return _joined(said, sorted(chosen))


def _joined(said: Sequence[tuple[str, str]], chosen: Sequence[int]) -> str:
    parts: list[str] = []
    last_at, last_who = -1, ""
    for at in chosen:
        who, sentence = said[at]
        if at != last_at + 1:
            parts.append("…")
        parts.append(f"{who}: {sentence}" if who != last_who else sentence)
        last_at, last_who = at, who
    return " ".join(parts if last_at == len(said) - 1 else [*parts, "…"])[: 2 * _SHORT]
