"""Translates the errors of FalkorDB and of the connection to it into ours: no answer, full, refused, unreadable."""

from __future__ import annotations

from consolidation.kernel.errors import GraphFault, GraphForbidden, GraphTimedOut, GraphUnavailable, GraphUnwritable


def foreign() -> tuple[type[Exception], ...]:
    """Return what a call may raise: errors of redis and of the system, and of a parser that meets garbled rows."""
    from redis.exceptions import RedisError

    return RedisError, OSError, ValueError, TypeError, LookupError, AttributeError


def translated(error: Exception) -> GraphFault:
    """Return an error of the server or of the connection as one of ours."""
    from redis import exceptions as redis

    if type(error) is redis.ResponseError:
        return _refused(str(error))
    known: tuple[tuple[tuple[type[Exception], ...], type[GraphFault], str], ...] = (
        ((TimeoutError, redis.TimeoutError), GraphTimedOut, "FalkorDB did not answer in time"),
        ((redis.BusyLoadingError,), GraphUnavailable, "FalkorDB is still loading its graphs"),
        ((redis.NoPermissionError,), GraphForbidden, f"FalkorDB refuses us: {error}"),
        ((redis.AuthenticationError,), GraphUnavailable, f"FalkorDB refuses us: {error}"),
        ((redis.OutOfMemoryError,), GraphUnwritable, "FalkorDB is out of memory"),
        ((redis.ReadOnlyError,), GraphUnwritable, "FalkorDB is a read-only replica"),
        ((redis.ClusterDownError,), GraphUnavailable, "FalkorDB's cluster is down: a shard of it has no master"),
        ((redis.AskError, redis.TryAgainError), GraphUnavailable, "FalkorDB's cluster is moving this graph"),
        ((redis.RedisError, OSError), GraphUnavailable, f"FalkorDB does not answer: {error}"),
        # What redis-py makes of a connection that was closed under it.
        ((AttributeError,), GraphUnavailable, "the connection to FalkorDB broke off"),
    )
    for kinds, fault, words in known:
        if isinstance(error, kinds):
            return fault(words)
    return GraphFault(f"FalkorDB gave an answer that can not be read ({type(error).__name__})")


_REFUSALS: tuple[tuple[str, type[GraphFault], str], ...] = (
    ("timed out", GraphTimedOut, "FalkorDB stopped a query that took too long"),
    ("out of memory", GraphUnwritable, "FalkorDB is out of memory"),
    ("misconf", GraphUnwritable, "FalkorDB's disk is full, or refuses to be written"),
    ("max pending queries", GraphUnavailable, "FalkorDB has too many queries waiting"),
)


def _refused(reason: str) -> GraphFault:
    for sign, fault, words in _REFUSALS:
        if sign in reason.lower():
            return fault(words)
    return GraphFault(reason)
