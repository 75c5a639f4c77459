"""
What happens in minds, as it happens: kinds and ids, no words, for whoever listens.

The newest events of a mind are remembered, so that a listener that was away can go on where it was. A restart forgets
them; a listener is told when there may be events that it never gets (``reset``). Everything here is called from the
event loop, and nobody who publishes ever waits.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict, deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, Protocol

from consolidation.kernel.errors import RateLimited

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from datetime import datetime

    from consolidation.kernel.ports import Clock
    from consolidation.kernel.turns import StoredTurn

type EventKind = Literal[
    "turn.kept",
    "turn.read",
    "turn.parked",
    "resonance.answered",
    "story.told",
    "correction.made",
    "memory.erased",
    "reset",
]

MOST_EVENTS = 1_000  # of a mind, remembered
_MOST_MINDS = 100  # whose events are remembered
_MOST_LISTENERS = 100
_MOST_WAITING = 256  # for a listener; one that is slower is let go


@dataclass(frozen=True, slots=True)
class MindEvent:
    """Something that happened: its id, which only grows, its kind, when, and the ids of what it happened to."""

    id: str
    kind: EventKind
    at: datetime
    about: Mapping[str, str | int]


@dataclass(slots=True)
class _Known:
    """The newest events of a mind, and the number after which none of them is missing."""

    complete_after: int
    events: deque[tuple[int, MindEvent]] = field(default_factory=lambda: deque(maxlen=MOST_EVENTS))


def about(stored: StoredTurn) -> dict[str, str | int]:
    """The ids of a turn."""
    turn = stored.turn
    return {"turn_id": turn.turn_id, "session_id": turn.session_id, "sequence": stored.sequence}


class Publish(Protocol):
    """`MindEvents.publish`, for whoever has something to tell."""

    def __call__(self, mind_id: str, kind: EventKind, /, **about: str | int) -> None:
        """Tell that something happened to what *about* names."""
        ...


class Listener:
    """Hears the events of one mind until it is over: the mind is gone, the service stops, or it was too slow."""

    def __init__(self, backlog: list[MindEvent], *, begins_at: str | None = None) -> None:
        """*begins_at* is the id by which who came without one may come back."""
        self.begins_at = begins_at
        self._waiting = deque(backlog)
        self._woken = asyncio.Event()
        self._is_over = False

    def hear(self, event: MindEvent) -> None:
        """Let it have *event*; if too many wait, it is over."""
        if len(self._waiting) >= _MOST_WAITING:
            self.end()
        elif not self._is_over:
            self._waiting.append(event)
            self._woken.set()

    def end(self) -> None:
        """Let it be over; what waits is dropped."""
        self._is_over = True
        self._waiting.clear()
        self._woken.set()

    def waiting(self) -> tuple[MindEvent, ...]:
        """The events that it has not had yet, oldest first."""
        found = tuple(self._waiting)
        self._waiting.clear()
        self._woken.clear()
        return found

    async def next(self, *, seconds: float) -> tuple[MindEvent, ...] | None:
        """The next events, as soon as there is one; none after so many *seconds*; None once it is over."""
        if not self._waiting and not self._is_over:
            try:
                async with asyncio.timeout(seconds):
                    await self._woken.wait()
            except TimeoutError:
                return ()
        return None if self._is_over else self.waiting()


class MindEvents:
    """Publishes the events of all minds."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._began = f"{round(clock.now().timestamp() * 1000):x}"  # ids of another process are told apart by it
        self._number = 0
        self._known: OrderedDict[str, _Known] = OrderedDict()
        self._listeners: dict[str, list[Listener]] = {}
        self._is_closed = False
        self._on_event: list[Callable[[str, MindEvent], None]] = []

    def when_published(self, tell: Callable[[str, MindEvent], None]) -> None:
        """Call *tell* with each event and its mind's id, before anybody else hears it."""
        self._on_event.append(tell)

    def publish(self, mind_id: str, kind: EventKind, /, **about: str | int) -> None:
        """Tell everybody who listens to a mind that something happened to what *about* names, by ids alone."""
        event = self._next(kind, about)
        for tell in self._on_event:
            tell(mind_id, event)
        self._remember(mind_id, complete_after=self._number - 1).events.append((self._number, event))
        for listener in self._listeners.get(mind_id, ()):
            listener.hear(event)

    def listen(self, mind_id: str, *, last_id: str | None) -> Listener:
        """
        Hear a mind's events from now on, and first those after the event *last_id*, where they are remembered.

        Where some may be missing, the first event is a ``reset``. To be ended by ``leave``. Raises RateLimited.
        """
        if sum(map(len, self._listeners.values())) >= _MOST_LISTENERS:
            raise RateLimited("too many listen to events already")
        if last_id is not None:
            listener = Listener(self._after(mind_id, last_id))
        else:
            self._remember(mind_id, complete_after=self._number)
            listener = Listener([], begins_at=f"{self._began}-{self._number}")
        if self._is_closed:
            listener.end()
        self._listeners.setdefault(mind_id, []).append(listener)
        return listener

    def leave(self, mind_id: str, listener: Listener) -> None:
        """Forget a listener."""
        left = [one for one in self._listeners.pop(mind_id, ()) if one is not listener]
        if left:
            self._listeners[mind_id] = left

    def end(self, mind_id: str) -> None:
        """Forget a mind's events, and let its listeners go: it is erased."""
        self._known.pop(mind_id, None)
        for listener in self._listeners.get(mind_id, ()):
            listener.end()

    def close(self) -> None:
        """Let every listener go: the service stops."""
        self._is_closed = True
        for mind_id in tuple(self._listeners):
            self.end(mind_id)

    def _after(self, mind_id: str, last_id: str) -> list[MindEvent]:
        known, number = self._known.get(mind_id), self._number_of(last_id)
        if known is None or number is None or number < self._complete_after(known):
            reset = self._next("reset", {})
            self._remember(mind_id, complete_after=self._number)  # its id is one to come back with
            return [reset]
        return [event for at, event in known.events if at > number]

    def _complete_after(self, known: _Known) -> int:
        is_full = len(known.events) == MOST_EVENTS
        return max(known.complete_after, known.events[0][0] - 1 if is_full else 0)

    def _number_of(self, event_id: str) -> int | None:
        began, _, number = event_id.partition("-")
        is_ours = began == self._began and number.isascii() and number.isdecimal() and len(number) < len("1" * 19)
        return int(number) if is_ours and int(number) <= self._number else None

    def _remember(self, mind_id: str, *, complete_after: int) -> _Known:
        known = self._known.get(mind_id)
        if known is None:
            known = self._known[mind_id] = _Known(complete_after=complete_after)
            if len(self._known) > _MOST_MINDS:
                self._known.popitem(last=False)
        self._known.move_to_end(mind_id)
        return known

    def _next(self, kind: EventKind, about: Mapping[str, str | int]) -> MindEvent:
        self._number += 1
        return MindEvent(f"{self._began}-{self._number}", kind, self._clock.now(), about)
