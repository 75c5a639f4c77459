"""
How often a call is sent, and when: all decisions, without waiting and without a network.

``attempts`` talks with a transport: it asks for an attempt (Try) or a pause (Pause), is sent what came of it (a Reply,
or Broken), and returns the answer or raises an error.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar

from mind_memory_client._endpoints import Call, Reply
from mind_memory_client.errors import (
    MindMemoryError,
    TimedOut,
    UnexpectedAnswer,
    Unreachable,
    Unsendable,
    is_passing,
    is_problem,
    refusal,
    retry_after,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from mind_memory_client.events import EventReader

T = TypeVar("T")
_log = logging.getLogger("mind_memory_client")

_TOO_OFTEN = 429
_REFUSED_UNTOUCHED = frozenset({_TOO_OFTEN, 503, 507})  # nothing was done
_UNCLEAR = frozenset({502, 504})  # something in between does not know
_SUCCESS = range(200, 300)
_LEAST_SECONDS = 0.05


@dataclass(frozen=True)
class RetryPolicy:
    """
    How often a call is tried, and how long.

    Whichever limit comes first ends it: ``max_attempts`` where a service is away, which is known at once, after some
    1.4 seconds of pauses; ``total_seconds``, of all attempts and pauses, where answers do not come. Each pause is twice
    as long as the one before, and at least as long as the service asks for by ``Retry-After``. With
    ``retries_failures`` false, only a call that came too often (429) is tried again, and any other failure is raised at
    once.
    """

    max_attempts: int = 4
    total_seconds: float = 30.0
    first_backoff_seconds: float = 0.2
    max_backoff_seconds: float = 5.0
    retries_failures: bool = True


class Reconnecting:
    """
    When events are asked for again: soon after some came, else after pauses that grow.

    What passes is waited for, however long it takes, and logged when it begins.
    """

    def __init__(self, mind: str, reader: EventReader, *, policy: RetryPolicy) -> None:
        self._mind, self._reader, self._policy = mind, reader, policy
        self._place: str | None = None
        self._tries = 0
        self._is_away = False

    def check(self, error: MindMemoryError) -> None:
        """Raises *error*, unless it passes."""
        if is_passing(error):
            if not self._is_away:
                _log.warning("the events of %s broke off, and are asked for again: %s", self._mind, error)
            self._is_away = True
            return
        raise error

    def pause(self) -> float:
        """The seconds before events are asked for again."""
        if self._reader.last_id != self._place:
            self._place, self._tries, self._is_away = self._reader.last_id, 0, False
        else:
            self._tries += 1
        return min(self._policy.first_backoff_seconds * 2.0 ** min(self._tries, 30), self._policy.max_backoff_seconds)


@dataclass(frozen=True)
class Try(Generic[T]):
    """Send the call, within *seconds*."""

    call: Call[T]
    seconds: float


@dataclass(frozen=True)
class Pause:
    """Wait."""

    seconds: float


@dataclass(frozen=True)
class Broken:
    """No answer came. ``was_sent`` is true when the service may have acted on the request all the same."""

    error: Exception
    was_sent: bool
    is_timeout: bool = False
    is_unsendable: bool = False


Step = Try[T] | Pause
Result = Reply | Broken | None  # of a pause, None


def attempts(
    call: Call[T], *, policy: RetryPolicy, clock: Callable[[], float], jitter: Callable[[], float]
) -> Generator[Step[T], Result, T]:
    """Try *call* until it is answered, refused for good, or the policy ends it."""
    endpoint = call.endpoint
    until = clock() + (policy.total_seconds if call.seconds is None else call.seconds)
    most = policy.max_attempts if endpoint.max_attempts is None else min(endpoint.max_attempts, policy.max_attempts)
    made = 0
    while True:
        result = yield Try(call, max(until - clock(), _LEAST_SECONDS))
        made += 1
        if isinstance(result, Reply) and _is_answer(call, result):
            return _read(call, result)
        error = _error(result)
        pause = _pause(call, result, policy=policy, made=made, jitter=jitter())
        if pause is None or made >= most or clock() + pause >= until:
            return _fallback(call, error)
        yield Pause(pause)


def _is_answer(call: Call[T], reply: Reply) -> bool:
    if reply.status in call.endpoint.other_statuses:
        return not is_problem(reply.headers)
    return reply.status in _SUCCESS


def _read(call: Call[T], reply: Reply) -> T:
    try:
        return call.endpoint.read(reply)
    except UnexpectedAnswer as error:
        return _fallback(call, error)


def _pause(call: Call[T], result: Result, *, policy: RetryPolicy, made: int, jitter: float) -> float | None:
    """The seconds before the next attempt; None where there must be none."""
    if not policy.retries_failures and not (isinstance(result, Reply) and result.status == _TOO_OFTEN):
        return None
    is_repeatable = call.endpoint.is_repeatable
    backoff = min(policy.first_backoff_seconds * 2.0 ** (made - 1), policy.max_backoff_seconds) * (0.5 + jitter)
    if isinstance(result, Reply):
        if result.status in _REFUSED_UNTOUCHED:
            return backoff + (retry_after(result.headers) or 0.0)
        return backoff if result.status in _UNCLEAR and is_repeatable else None
    if not isinstance(result, Broken):
        return backoff if is_repeatable else None
    is_safe = (is_repeatable or not result.was_sent) and not result.is_unsendable
    return backoff if is_safe else None


def _error(result: Result) -> MindMemoryError:
    if isinstance(result, Reply):
        return refusal(result.status, headers=result.headers, content=result.content)
    if result is None:
        return Unreachable("nobody answered")
    if result.is_unsendable:
        return Unsendable(f"it can not be sent as JSON: {result.error}")
    kind = TimedOut if result.is_timeout else Unreachable
    error = kind(str(result.error) or type(result.error).__name__, was_sent=result.was_sent)
    error.__cause__ = result.error
    return error


def _fallback(call: Call[T], error: MindMemoryError) -> T:
    found = call.fallback(error)
    if found is None:
        raise error
    return found
