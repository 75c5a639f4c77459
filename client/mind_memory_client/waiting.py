"""What waits in a client: turns that could not be stored yet, and messages of users that have no answer yet."""

from __future__ import annotations

import logging
from collections import OrderedDict, deque
from contextlib import contextmanager
from threading import Lock
from time import monotonic
from typing import TYPE_CHECKING, Any

from mind_memory_client.errors import Conflict, Erased, Forbidden, InvalidRequest, MindMemoryError, NotFound, Unsendable

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

    from typing_extensions import Self

    from mind_memory_client.errors import UnsavedTurn

log = logging.getLogger("mind_memory_client")

LOOK_SECONDS = 0.05  # until a turn that is just being sent is looked at again
RESEND_SECONDS = 1.0  # after a turn, for turns that waited; what is left is sent after the next one
CLOSE_SECONDS = 5.0  # for turns that wait when a client is closed
_MOST_SESSIONS, _MOST_MESSAGES = 1000, 100


class UnsavedTurns:
    """A queue of the last turns that could not be stored; the default ``on_unsaved``. Safe to share among threads."""

    def __init__(self, max_turns: int = 1000) -> None:
        self._turns: deque[UnsavedTurn] = deque()
        self._sent: list[UnsavedTurn] = []  # that are just being sent again
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

    def begin_sending(self) -> UnsavedTurn | None:
        """Take the oldest turn to send it again; None where nothing waits. ``end_sending`` follows."""
        with self._lock:
            if not self._turns:
                return None
            self._sent.append(self._turns.popleft())
            return self._sent[-1]

    def end_sending(self, turn: UnsavedTurn) -> None:
        """Note that it is known what became of a turn that was sent again."""
        with self._lock:
            self._sent = [one for one in self._sent if one is not turn]

    def put_behind(self, turns: Iterable[UnsavedTurn]) -> None:
        """Put turns that were taken behind all others."""
        with self._lock:
            self._keep([*self._turns, *turns])

    def drop_unanswered(self, mind: str, session: str, words: Collection[str]) -> bool:
        """
        Drop what the user said in *session* without an answer where it is all of *words*, which are to be stored now.

        False, and nothing is dropped, while one of them is just being sent: they may be stored by it.
        """

        def is_meant(one: UnsavedTurn) -> bool:
            is_of_session = (one.mind, one.body.get("session_id")) == (mind, session)
            return is_of_session and bool(one.user_words) and set(one.user_words) <= set(words)

        with self._lock:
            if any(map(is_meant, self._sent)):
                return False
            self._turns = deque(one for one in self._turns if not is_meant(one))
            return True

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
        self._parts: dict[tuple[str, str], str] = {}  # of an answer that broke off, as far as it came

    def add(
        self,
        mind: str,
        session: str,
        messages: Iterable[Mapping[str, Any]],
        *,
        part: str | None = None,
        queued_as: str | None = None,
    ) -> None:
        """
        Remember that *messages* are stored, or wait in a queue as a turn of that id, beside those that are here.

        *part* is what came of their answer.
        """
        new = ((str(one["content"]), queued_as) for one in messages)
        self._waiting[mind, session] = (*self._waiting.pop((mind, session), ()), *new)[-_MOST_MESSAGES:]
        if part is not None:
            self._parts[mind, session] = part
        while len(self._waiting) > _MOST_SESSIONS:
            self._parts.pop(self._waiting.popitem(last=False)[0], None)

    def forget(self, mind: str, session: str) -> None:
        """Forget the messages of a session: they are answered."""
        self._waiting.pop((mind, session), None)
        self._parts.pop((mind, session), None)

    def was_resent(self, unsaved: UnsavedTurn) -> None:
        """Note that a turn that waited in the queue is stored now."""
        key, turn_id = (unsaved.mind, str(unsaved.body.get("session_id"))), unsaved.body.get("turn_id")
        if found := self._waiting.get(key):
            self._waiting[key] = tuple(
                (words, None if queued_as == turn_id else queued_as) for words, queued_as in found
            )

    def without_stored(
        self, mind: str, session: str, messages: Iterable[Mapping[str, Any]], *, after: str | None = None
    ) -> list[dict[str, Any]]:
        """
        *messages* without those that are stored already.

        *after* is the answer before them. Where it is the part that came of a broken one, they are said anew.
        """
        if after is not None and self._parts.get((mind, session)) == after:
            self.forget(mind, session)
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
    The turns of a queue, one after the other, each taken out of it to be sent: iterate over it.

    It ends when the service fails or *seconds* are over, since a bot waits. Turns of a mind that is refused go behind
    the others. Where it is the last chance, a call takes no longer either, and what is left is logged.
    """

    def __init__(
        self,
        queue: UnsavedTurns,
        unanswered: UnansweredMessages,
        *,
        seconds: float = RESEND_SECONDS,
        is_last: bool = False,
    ) -> None:
        self._queue, self._unanswered = queue, unanswered
        self._until, self._is_last = monotonic() + seconds, is_last
        self._refused: list[UnsavedTurn] = []
        self._is_over = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._queue.put_behind(self._refused)
        if self._is_last and len(self._queue):
            log.error("the client is closed; turns that are not stored, and are in `unsaved`: %d", len(self._queue))

    @property
    def seconds(self) -> float | None:
        """How long a call may take; None where it may as long as any other."""
        return max(self._until - monotonic(), 0.0) if self._is_last else None

    def __iter__(self) -> Iterator[UnsavedTurn]:
        while not self._is_over and monotonic() < self._until and (turn := self._queue.begin_sending()) is not None:
            yield turn

    @contextmanager
    def sending(self, turn: UnsavedTurn) -> Iterator[None]:
        """Around the call that sends a turn. What is not stored goes back into the queue, unless it never will be."""
        try:
            yield
        except (Forbidden, NotFound):
            self._refused.append(turn)
        except (InvalidRequest, Conflict, Erased, Unsendable) as error:
            log.error("turn %s of %s is lost: %s", turn.turn_id, turn.mind, error)  # noqa: TRY400 - its words suffice
        except MindMemoryError:
            self._is_over = True
            self._queue.put_back([turn])
        except Exception:  # of the caller's own HTTP client: the turn that was just stored is not to blame
            log.exception("turn %s of %s is not sent, and waits behind the others", turn.turn_id, turn.mind)
            self._refused.append(turn)
        except BaseException:
            self._queue.put_back([turn])
            raise
        else:
            self._unanswered.was_resent(turn)
        finally:
            self._queue.end_sending(turn)
