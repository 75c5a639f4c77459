"""Where the time of a call goes: what is asked of an object passes through, and is timed by name."""

from __future__ import annotations

import inspect
import time
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

_SHOWN = 84


class Spent:
    """Seconds by name, a round at a time: a name that is asked twice in a round counts once, with the sum."""

    def __init__(self) -> None:
        self._rounds: list[dict[str, float]] = []

    def begin(self) -> None:
        """A new round: one search, one turn."""
        self._rounds.append({})

    def add(self, name: str, seconds: float) -> None:
        """Note what was spent on *name*."""
        if self._rounds:
            self._rounds[-1][name] = self._rounds[-1].get(name, 0.0) + seconds

    def medians(self) -> dict[str, float]:
        """Milliseconds of the middle round by name, most first; what is asked at the same time overlaps."""
        names = dict.fromkeys(name for spent in self._rounds for name in spent)
        found = {name: float(np.median([spent.get(name, 0.0) for spent in self._rounds])) * 1000 for name in names}
        return {name: round(ms, 2) for name, ms in sorted(found.items(), key=lambda item: -item[1])}


class Timed:
    """Stands in for *target*; every method is timed under its own name, or the one *called* gives it."""

    def __init__(self, target: Any, spent: Spent, *, called: Callable[[str, tuple[Any, ...]], str]) -> None:
        self._target, self._spent, self._called = target, spent, called

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._target, name)
        if not callable(found):
            return found

        def timed(*words: Any, **named: Any) -> Any:
            began = time.perf_counter()
            label = self._called(name, words)
            result = found(*words, **named)
            if inspect.isawaitable(result):
                return self._awaited(result, label, began)
            self._spent.add(label, time.perf_counter() - began)
            return result

        return timed

    async def _awaited(self, result: Any, label: str, began: float) -> Any:
        try:
            return await result
        finally:
            self._spent.add(label, time.perf_counter() - began)


class TimedConnection(Timed):
    """Stands in for the connection to FalkorDB; what Graphiti asks of the client behind it is timed, too."""

    def __init__(self, connection: Any, spent: Spent) -> None:
        super().__init__(connection, spent, called=statement)

    async def client(self) -> Any:
        client = await self._target.client()
        return SimpleNamespace(
            select_graph=lambda name: Timed(client.select_graph(name), self._spent, called=statement)
        )


def statement(name: str, words: tuple[Any, ...]) -> str:
    """A statement to the graph by where its work begins: the first MATCH or CALL."""
    cypher = next((word for word in words if isinstance(word, str) and " " in word), None)
    if cypher is None:
        return f"graph: {name}"
    flat = " ".join(cypher.split())
    starts = [at for mark in ("MATCH", "CALL") if (at := flat.find(mark)) >= 0]
    return f"graph: {flat[min(starts, default=0) :][:_SHOWN]}"


def arm(name: str, words: tuple[Any, ...]) -> str:
    """A question to full text, with the arm that is searched."""
    return f"full text: {name} {words[0]}" if name == "search" else f"full text: {name}"
