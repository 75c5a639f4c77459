"""
How a call is tried, and tried again: all decisions, no waiting and no network.

``attempts`` is a conversation with whoever has a network: it asks for an attempt (Try) or a rest (Rest), is told what
came of it (a Reply, or Broken), and returns the answer or raises a fault.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar

from mind_memory_client.faults import MemoryFault, NotMemory, Reply, Unreachable, refusal, seconds_of

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from mind_memory_client.call import Call

T = TypeVar("T")

_OVERLOADED = frozenset({429, 503, 507})  # a no before anything was done
_UNCLEAR = frozenset({502, 504})  # somebody in between does not know
_SUCCESS = range(200, 300)
_LEAST_SECONDS = 0.05


@dataclass(frozen=True)
class Patience:
    """How often and how long: *attempts* in *seconds* altogether, resting twice as long each time."""

    attempts: int = 4
    seconds: float = 30.0
    first_rest: float = 0.2
    most_rest: float = 5.0


@dataclass(frozen=True)
class Try(Generic[T]):
    """Send the call, within *seconds*."""

    call: Call[T]
    seconds: float


@dataclass(frozen=True)
class Rest:
    """Wait."""

    seconds: float


@dataclass(frozen=True)
class Broken:
    """No answer came; *was_sent* says whether the service may have acted on it all the same."""

    error: Exception
    was_sent: bool


Step = Try[T] | Rest
Told = Reply | Broken | None


def attempts(
    call: Call[T], *, patience: Patience, clock: Callable[[], float], chance: Callable[[], float]
) -> Generator[Step[T], Told, T]:
    """Try *call* until it is answered, refused for good, or patience ends."""
    until = clock() + (patience.seconds if call.seconds is None else call.seconds)
    most = patience.attempts if call.attempts is None else min(call.attempts, patience.attempts)
    made = 0
    while True:
        told = yield Try(call, max(until - clock(), _LEAST_SECONDS))
        made += 1
        if isinstance(told, Reply) and told.status in _SUCCESS:
            return _read(call, told)
        fault = _fault(told)
        rest = _rest(call, told, patience=patience, made=made, chance=chance())
        if rest is None or made >= most or clock() + rest >= until:
            return _instead(call, fault)
        yield Rest(rest)


def _read(call: Call[T], reply: Reply) -> T:
    try:
        return call.read(reply)
    except NotMemory as fault:
        return _instead(call, fault)


def _rest(call: Call[T], told: Told, *, patience: Patience, made: int, chance: float) -> float | None:
    """How long to rest before the next attempt; None where there must be none."""
    rest = min(patience.first_rest * 2.0 ** (made - 1), patience.most_rest) * (0.5 + chance)
    if isinstance(told, Reply):
        asked = seconds_of(told.headers.get("retry-after"))
        if told.status in _OVERLOADED:
            return rest if asked is None else asked + rest
        return rest if told.status in _UNCLEAR and call.is_repeatable else None
    is_safe = call.is_repeatable or (isinstance(told, Broken) and not told.was_sent)
    return rest if is_safe else None


def _fault(told: Told) -> MemoryFault:
    if isinstance(told, Reply):
        return refusal(told)
    fault = Unreachable("nobody answered")
    if isinstance(told, Broken):
        fault = Unreachable(str(told.error) or type(told.error).__name__)
        fault.__cause__ = told.error
    return fault


def _instead(call: Call[T], fault: MemoryFault) -> T:
    found = call.instead(fault)
    if found is None:
        raise fault
    return found
