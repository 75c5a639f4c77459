"""What waits in a client: turns that could not be stored yet, and messages of users that have no answer yet."""

from __future__ import annotations

import logging
from collections import OrderedDict, deque
from contextlib import contextmanager
from threading import Lock
from time import monotonic
from typing import TYPE_CHECKING, Any

from mind_memory_client.errors import Conflict, Erased, Forbidden, InvalidRequest, MindMemoryError, NotFound

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

    from typing_extensions import Self

    from mind_memory_client.errors import UnsavedTurn

log = logging.getLogger("mind_memory_client")

_RESEND_SECONDS = 1.0  # after a turn, for turns that waited; what is left is sent after the next one
_MOST_SESSIONS, _MOST_MESSAGES = 1000, 100


class UnsavedTurns:
    """A queue of the last turns that could not be stored; the default ``on_unsaved``. Safe to share among threads."""

    def __init__(self, max_turns: int = 1000) -> None:
        self._turns: deque[UnsavedTurn] = deque()
        self._max_turns = max_turns
        self._lock = Lock()

    def __call__(self, unsaved: UnsavedTurn) -> None:
        """Add a turn and log it as an error. When the queue is full, the oldest turn is lost, which is logged too."""
        log.error("turn %s of %s is not stored but queued: %s", unsaved.turn_id, unsaved.mind, unsaved.error)
        with self._lock:
            self._keep([*self._turns, unsaved])

    def put_back(self, turns: Iterable[UnsavedTurn]) -> None:
        """Put turns that were taken before those that came meanwhile."""
        with self._lock:
            self._keep([*turns, *self._turns])

    def __len__(self) -> int:
        return len(self._turns)

    def take(self) -> tuple[UnsavedTurn, ...]:
        """All turns in the queue, oldest first; the queue is empty afterwards."""
        with self._lock:
            taken, self._turns = tuple(self._turns), deque()
        return taken

    def drop_unanswered(self, mind: str, session: str, words: Collection[str]) -> None:
        """Drop what the user said in *session* without an answer where it is all of *words*, which wait elsewhere."""
        with self._lock:
            self._turns = deque(
                one
                for one in self._turns
                if (one.mind, one.body.get("session_id")) != (mind, session)
                or not one.user_words
                or not set(one.user_words) <= set(words)
            )

    def _keep(self, turns: list[UnsavedTurn]) -> None:
        lost = max(0, len(turns) - self._max_turns)
        for one in turns[:lost]:
            log.error("turn %s is lost: too many turns could not be stored", one.turn_id)
        self._turns = deque(turns[lost:])


class UnansweredMessages:
    """
    The user's messages that still wait for an answer, of the newest thousand sessions.

    Those that are stored are not stored again with the answer. Those in a queue of unsaved turns are stored once they
    were sent again.
    """

    def __init__(self) -> None:
        self._waiting: OrderedDict[tuple[str, str], tuple[tuple[str, str | None], ...]] = OrderedDict()

    def add(
        self, mind: str, session: str, messages: Iterable[Mapping[str, Any]], *, queued_as: str | None = None
    ) -> None:
        """Remember that *messages* are stored, or wait in a queue as a turn of that id, beside those that are here."""
        new = ((str(one["content"]), queued_as) for one in messages)
        self._waiting[mind, session] = (*self._waiting.pop((mind, session), ()), *new)[-_MOST_MESSAGES:]
        while len(self._waiting) > _MOST_SESSIONS:
            self._waiting.popitem(last=False)

    def forget(self, mind: str, session: str) -> None:
        """Forget the messages of a session: they are answered."""
        self._waiting.pop((mind, session), None)

    def was_resent(self, unsaved: UnsavedTurn) -> None:
        """Note that a turn that waited in the queue is stored now."""
        key, turn_id = (unsaved.mind, str(unsaved.body.get("session_id"))), unsaved.body.get("turn_id")
        if found := self._waiting.get(key):
            self._waiting[key] = tuple(
                (words, None if queued_as == turn_id else queued_as) for words, queued_as in found
            )

    def without_stored(self, mind: str, session: str, messages: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
        """*messages* without those that are stored already."""
        stored = [words for words, queued_as in self._waiting.get((mind, session), ()) if queued_as is None]
        found = []
        for one in messages:
            if one["content"] in stored:
                stored.remove(one["content"])
            else:
                found.append(dict(one))
        return found


class Resending:
    """
    What waits in a queue, taken out of it: iterate over it and send each turn.

    It ends when the service fails or a second is over, since a bot waits; what is left goes back into the queue. Turns
    of a mind that is refused go behind the others.
    """

    def __init__(self, queue: UnsavedTurns, unanswered: UnansweredMessages) -> None:
        self._queue, self._unanswered = queue, unanswered
        self._turns: deque[UnsavedTurn] = deque()
        self._refused: list[UnsavedTurn] = []
        self._error: MindMemoryError | None = None

    def __enter__(self) -> Self:
        self._turns.extend(self._queue.take())
        return self

    def __exit__(self, *_: object) -> None:
        self._queue.put_back([*self._turns, *self._refused])

    def __iter__(self) -> Iterator[UnsavedTurn]:
        until = monotonic() + _RESEND_SECONDS
        while self._turns and monotonic() < until:
            self._error = None
            yield (one := self._turns[0])
            if self._error is None:
                self._unanswered.was_resent(one)
            elif isinstance(self._error, (Forbidden, NotFound)):
                self._refused.append(one)
            elif isinstance(self._error, (InvalidRequest, Conflict, Erased)):
                log.error("turn %s of %s is lost: %s", one.turn_id, one.mind, self._error)
            else:
                return
            self._turns.popleft()

    @contextmanager
    def sending(self) -> Iterator[None]:
        """Around the call that sends the turn at hand: whether it is stored, or why not this time either."""
        try:
            yield
        except MindMemoryError as error:
            self._error = error
