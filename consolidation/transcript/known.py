"""
Which posted messages a transcript already holds, whoever posted them first and under whatever turn. Pure.

By their own id where both have one; else by who said what, and when where both know it. Each kept message stands for
one posted one, so that what was really said twice is kept twice.
"""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from consolidation.kernel.injected import without_injected

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from consolidation.kernel.turns import Message

_SAME_TIME = timedelta(seconds=5)  # two clocks of one backend


def unknown(posted: Sequence[Message], kept: Iterable[Message]) -> tuple[int, ...]:
    """The positions of the messages of *posted* that are not among *kept*, ascending."""
    left: dict[tuple[str, str], list[Message]] = {}
    for message in kept:
        left.setdefault(_said(message), []).append(message)
    found = set[int]()
    for is_sure in (True, False):  # the surest pairs first, so that they are not used up by others
        for at, message in enumerate(posted):
            if at in found:
                continue
            candidates = left.get(_said(message), [])
            match = next((one for one in candidates if _is_same(message, one, is_sure=is_sure)), None)
            if match is not None:
                candidates.remove(match)
                found.add(at)
    return tuple(at for at in range(len(posted)) if at not in found)


def _said(message: Message) -> tuple[str, str]:
    return message.role.value, " ".join(without_injected(message.content).split())


def _is_same(one: Message, other: Message, *, is_sure: bool) -> bool:
    if one.id is not None and other.id is not None:
        return one.id == other.id
    if one.timestamp is not None and other.timestamp is not None:
        return abs(one.timestamp - other.timestamp) <= _SAME_TIME
    return not is_sure
