"""
Records of ours among the turns: what Zep knows of a user, a graph or a thread.

Nobody said them. So they are neither threads nor memories nor episodes of any façade, and no call of one erases them by
themselves: they go with their thread or mind. Our own API reaches every turn.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from consolidation.kernel.errors import InvalidRequest, SessionNotFound

if TYPE_CHECKING:
    from consolidation.kernel.turns import StoredTurn

OF_ZEP = "zep"  # the field of a turn's metadata that keeps what Zep knows
USER_SESSION, GRAPH_SESSION = "zep:user", "zep:graph"
OWN_SESSIONS = frozenset({USER_SESSION, GRAPH_SESSION})  # of what Zep keeps outside of threads
_KINDS = frozenset({"user", "graph", "thread"})


def is_record(stored: StoredTurn) -> bool:
    """Whether it only keeps what is known of a user, a graph or a thread."""
    kept = stored.turn.metadata.get(OF_ZEP)
    return isinstance(kept, dict) and not _KINDS.isdisjoint(kept)


def check_thread(thread_id: str) -> None:
    """Raises SessionNotFound where a session of our own is called a thread."""
    if thread_id in OWN_SESSIONS:
        raise SessionNotFound("no thread or session has this id; create it first")


def check_new(session_id: str, *, pointer: str) -> None:
    """Raises InvalidRequest where a thread or run would have the id of a session of our own."""
    if session_id in OWN_SESSIONS:
        raise InvalidRequest("this id is kept for our own records", pointer=pointer)
