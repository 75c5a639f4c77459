"""Small makers of the read path's values, so that a test names only what it is about."""

from __future__ import annotations

from datetime import UTC, datetime

from consolidation.kernel.turns import Message, Speaker, StoredTurn, Turn
from service.retrieval.moment import Flashback, Fragment, Label, Source

NOON = datetime(2026, 1, 28, 12, tzinfo=UTC)


def message_of(content, role=Speaker.USER, **more):
    return Message(role, content, **more)


def kept_of(sequence, *contents, session_id="s1", at=NOON, ids=None):
    messages = tuple(
        Message((Speaker.USER, Speaker.ASSISTANT)[n % 2], content, id=ids[n] if ids else None)
        for n, content in enumerate(contents)
    )
    return StoredTurn(sequence, at, Turn(f"t{sequence}", session_id, messages))


def fragment_of(
    name, text=None, *, score=1.0, sequences=(1,), at=NOON, session_id="s1", kind="episode", boosted=False, **more
):
    sources = tuple(Source(f"t{one}", session_id, one, at, "…") for one in sequences)
    return Fragment(name, kind, text or f"something about {name}", at, score, sources, boosted, **more)


def flashback_of(text, *, label="a few days ago", date="Jan 9"):
    return Flashback(fragment_of("f1", text), Label(label, date), text)
