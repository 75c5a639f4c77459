"""Sessions in pages, the one with the newest turn first. Of each, only its first and its last turn are read."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

import anyio.to_thread

from consolidation.kernel.turns import READ, TurnKind
from consolidation.text.noise import is_blank
from service.catalog.cursors import cursor_of, place_in

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from consolidation.kernel.turns import StoredTurn
    from service.mind.minds import Mind

_LIST = "sessions"
_LONGEST_OPENING = 200
_MOST_SPEAKERS = 20
_LOOKED_AT = 2_000  # turns of a page that are asked for their speakers


@dataclass(frozen=True, slots=True)
class SessionItem:
    """
    A session: its first and last turn's time, how many turns, who speaks in it, and its first words.

    Who speaks is known of its newest turns; a name where there is one, else the role.
    """

    session_id: str
    first_at: datetime
    last_at: datetime
    turns: int
    speakers: tuple[str, ...]
    opening: str


@dataclass(frozen=True, slots=True)
class SessionPage:
    """Sessions, newest first; where the next page begins, None at the end."""

    items: tuple[SessionItem, ...]
    next_cursor: str | None


@dataclass(frozen=True, slots=True)
class _Span:
    """The sequences of a session, as it stood when the first page was read, and its first remembered turn."""

    session_id: str
    sequences: tuple[int, ...]
    opening: int | None


async def list_sessions(mind: Mind, *, before: int | None, cursor: str | None, limit: int) -> SessionPage:
    """
    One page of sessions as they stood *before* a sequence; None is now.

    All pages show them as they stood at the first one, so turns that arrive meanwhile move no session between pages.
    Raises InvalidRequest, IndexUnusable, TranscriptUnreadable.
    """
    positions = mind.transcript.positions
    place = place_in(_LIST, cursor, int, int)
    newest = positions.last if before is None else min(positions.last, before - 1)
    stood, below = (int(place[0]), int(place[1])) if place is not None else (newest, newest + 1)
    found = positions.sessions_at(stood, below=below, limit=limit + 1)
    spans = [
        _Span(session_id, positions.in_session_until(session_id, stood), positions.first_remembered(session_id))
        for session_id, _ in found[:limit]
    ]
    spans = [span for span in spans if span.sequences]  # none is left of one that was erased just now
    read = sorted({one for span in spans for one in (span.sequences[0], span.sequences[-1], span.opening) if one})
    turns = {one.sequence: one for one in await mind.transcript.read_many(read)}
    speakers = await anyio.to_thread.run_sync(_speakers, mind, spans)
    items = (_item(span, turns, speakers.get(span.session_id, ())) for span in spans)
    next_cursor = cursor_of(_LIST, stood, found[limit - 1][1]) if len(found) > limit else None
    return SessionPage(tuple(item for item in items if item is not None), next_cursor)


def _speakers(mind: Mind, spans: Sequence[_Span]) -> dict[str, tuple[str, ...]]:
    """Who speaks in the newest turns of each session, as the index has them."""
    most = max(_LOOKED_AT // max(len(spans), 1), 1)
    newest = {span.session_id: span.sequences[-most:] for span in spans}
    asked = json.dumps([one for sequences in newest.values() for one in sequences])

    def read(database: sqlite3.Connection) -> dict[int, str]:
        query = "SELECT sequence, speakers FROM turns WHERE sequence IN (SELECT value FROM json_each(?))"
        return dict(database.execute(query, (asked,)).fetchall())

    found = mind.text.read(read)
    return {
        session_id: tuple(
            dict.fromkeys(
                name for kinds in dict.fromkeys(found.get(one, "[]") for one in sequences) for name in json.loads(kinds)
            )
        )
        for session_id, sequences in newest.items()
    }


def _item(span: _Span, turns: Mapping[int, StoredTurn], speakers: Sequence[str]) -> SessionItem | None:
    read = [turns[one] for one in (span.sequences[0], span.sequences[-1]) if one in turns]
    read = [one for one in read if one.turn.kind is not TurnKind.ERASED]
    if not read:
        return None
    spoken = (message.who for turn in read for message in turn.turn.messages if message.role not in READ)
    return SessionItem(
        session_id=span.session_id,
        first_at=read[0].occurred_at,
        last_at=read[-1].occurred_at,
        turns=len(span.sequences),
        speakers=tuple(dict.fromkeys((*speakers, *spoken)))[:_MOST_SPEAKERS],
        opening=_opening(turns.get(span.opening) if span.opening is not None else None),
    )


def _opening(turn: StoredTurn | None) -> str:
    """The first words of the first message of a turn that has words, on one line."""
    said = [one.content for one in turn.turn.messages if not is_blank(one.content)] if turn is not None else []
    line = " ".join(said[0][: 4 * _LONGEST_OPENING].split()) if said else ""
    return line if len(line) <= _LONGEST_OPENING else f"{line[: _LONGEST_OPENING - 1].rstrip()}…"
