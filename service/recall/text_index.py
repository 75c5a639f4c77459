"""
Full text of one mind: turns with their neighbours, facts and entities, ranked by BM25.

A projection of transcript and graph in one SQLite file beside the mind (FTS5), with its own cursors in the
same transaction as what they count; it can be dropped and is then built again. Text is stored as stems, so that
a query is words and nothing else: no operator can reach the engine.
"""

from __future__ import annotations

import json
import sqlite3
import threading
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from consolidation.kernel.words import tokens
from service.recall.neighbourhood import COLUMNS, WEIGHTS
from service.recall.text_store import (
    LANGUAGE,
    SPEAKER,
    WORDS,
    Traits,
    connect,
    counted,
    fact_row,
    let_go_of_fact,
    move_cursor,
    numbered,
    put_stems,
    put_turn,
    within,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from service.ports import StoredEntity, StoredFact
    from service.recall.text_store import IndexedTurn

_ARMS = {
    "turns": f"SELECT rowid, -bm25(turn_words, {', '.join(map(str, WEIGHTS))}) AS score FROM turn_words",
    "facts": "SELECT rowid, -bm25(fact_words) AS score FROM fact_words",
    "entities": "SELECT rowid, -bm25(entity_words) AS score FROM entity_words",
}
_LONGEST_NAME = 5
_MOST_STEMS = 64
_MOST_ROWS = 1_500  # that hold the words asked for: the rarest words within it are asked, so that size costs nothing


@dataclass(frozen=True, slots=True)
class Hit:
    """A row that holds some of the words: a turn's sequence, or the number of a fact or entity; higher is better."""

    number: int
    score: float


class TextIndex:
    """One SQLite file. All methods block for a moment: call them in a worker thread; they may run at once."""

    def __init__(self, file: Path) -> None:
        """Open *file*, or make it anew when it is missing, damaged or of another version."""
        self._file = file
        self._mutex = threading.RLock()
        self._database = self._opened()

    def cursor(self, name: str) -> int:
        """How far the index is: ``turns`` or ``facts``."""
        with self._mutex:
            row = self._database.execute("SELECT sequence FROM cursors WHERE name = ?", (name,)).fetchone()
        return int(row[0]) if row else 0

    def add_turns(self, turns: Sequence[IndexedTurn], *, cursor: int) -> None:
        """Index turns and move the cursor ``turns``, in one transaction; again is harmless."""
        with self._mutex, self._database as database:
            for turn in turns:
                put_turn(database, turn)
            move_cursor(database, "turns", cursor)

    def add_knowledge(
        self,
        facts: Iterable[tuple[StoredFact, Sequence[str]]],
        entities: Iterable[tuple[StoredEntity, Sequence[str]]],
        *,
        cursor: int,
    ) -> None:
        """Index facts and entities with their stems and move the cursor ``facts``; again is harmless."""
        with self._mutex, self._database as database:
            for fact, stems in facts:
                number = numbered(database, "facts", fact.uuid)
                database.execute("INSERT OR REPLACE INTO facts VALUES (?, ?, ?, ?, ?, ?, ?, ?)", fact_row(number, fact))
                put_stems(database, "facts", number, stems)
            for entity, stems in entities:
                number = numbered(database, "entities", entity.uuid)
                row = (number, entity.uuid, entity.name, name_key(entity.name), entity.summary)
                database.execute("INSERT OR REPLACE INTO entities VALUES (?, ?, ?, ?, ?)", row)
                put_stems(database, "entities", number, stems)
            move_cursor(database, "facts", cursor)

    def forget_facts_of(self, episode: str) -> None:
        """Forget the facts that only this episode (a uuid) told: it is about to be extracted again."""
        only = json.dumps((episode,))
        with self._mutex, self._database as database:
            for (number,) in database.execute("SELECT number FROM facts WHERE episodes = ?", (only,)).fetchall():
                let_go_of_fact(database, number)

    def forget_knowledge(self) -> None:
        """Forget all facts and entities and put the cursor ``facts`` back: the graph no longer holds what they say."""
        with self._mutex, self._database as database:
            for table in ("facts", "fact_words", "entities", "entity_words"):
                database.execute(f"DELETE FROM {table}")
            database.execute("DELETE FROM counts WHERE kind IN ('facts', 'entities')")
            database.execute("DELETE FROM cursors WHERE name = 'facts'")

    def search(self, arm: str, stems: Sequence[str], *, limit: int) -> tuple[Hit, ...]:
        """
        Rows of an arm (``turns``, ``facts``, ``entities``) with any of *stems*, best first.

        Of many rows, the rarest stems choose; where even the rarest is in very many, the newest rows.
        """
        with self._mutex:
            rows = counted(self._database, arm, tuple(dict.fromkeys(stems[:_MOST_STEMS])))
            chosen = _rarest(rows)
            if not chosen:
                return ()
            words = " OR ".join(f'"{stem}"' for stem in chosen)
            newest = self._newest(arm) if rows[chosen[0]] > _MOST_ROWS else 0
            asked = f"{_ARMS[arm]} WHERE {WORDS[arm]} MATCH ? AND rowid > ? ORDER BY score DESC LIMIT ?"
            return tuple(Hit(*row) for row in self._database.execute(asked, (words, newest, limit)))

    def holding(self, stems: Sequence[str]) -> dict[str, int]:
        """How many turns hold each stem in their own words."""
        with self._mutex:
            found = counted(self._database, "turns", tuple(dict.fromkeys(stems)))
        return {stem: found.get(stem, 0) for stem in stems}

    def words_around(self, sequences: Sequence[int]) -> dict[int, frozenset[str]]:
        """All stems of these turns and of their neighbours."""
        columns = " || char(32) || ".join(COLUMNS)
        asked = within(f"SELECT rowid, {columns} FROM turn_words WHERE rowid IN", len(sequences))
        with self._mutex:
            return {row[0]: frozenset(row[1].split()) for row in self._database.execute(asked, tuple(sequences))}

    def traits(self, sequences: Sequence[int]) -> dict[int, Traits]:
        """Traits of turns by sequence."""
        asked = within(
            "SELECT sequence, speakers, occurred_at, asks, statement_words, has_time FROM turns WHERE sequence IN",
            len(sequences),
        )
        with self._mutex:
            rows = self._database.execute(asked, tuple(sequences)).fetchall()
        return {
            row[0]: Traits(
                tuple(json.loads(row[1])), datetime.fromisoformat(row[2]), bool(row[3]), row[4], bool(row[5])
            )
            for row in rows
        }

    def speakers(self) -> frozenset[str]:
        """Everyone who ever spoke, as they were named."""
        return frozenset(self._all(SPEAKER))

    def facts(self, numbers: Sequence[int]) -> dict[int, tuple[object, ...]]:
        """Facts by number: uuid, text, source, target, episodes as JSON, valid_at, invalid_at."""
        return self._rows("facts", numbers)

    def fact_numbers(self, uuids: Sequence[str]) -> dict[str, int]:
        """Numbers of facts by uuid."""
        return self._numbers("facts", uuids)

    def entity_numbers(self, uuids: Sequence[str]) -> dict[str, int]:
        """Numbers of entities by uuid."""
        return self._numbers("entities", uuids)

    def mentions(self, name: str, *, limit: int) -> tuple[int, ...]:
        """The newest turns whose own words hold every word of *name*; or that its bearer spoke."""
        words = " ".join(f'own : "{word}"' for word in tokens(name))
        asked = "SELECT rowid FROM turn_words WHERE turn_words MATCH ? ORDER BY rowid DESC LIMIT ?"
        spoken = "SELECT sequence FROM turns WHERE speakers LIKE ? ORDER BY sequence DESC LIMIT ?"
        with self._mutex:
            rows = self._database.execute(asked, (words, limit)).fetchall() if words else []
            rows = rows or self._database.execute(spoken, (f"%{json.dumps(name)}%", limit)).fetchall()
        return tuple(sorted(row[0] for row in rows))

    def entities(self, numbers: Sequence[int]) -> dict[int, tuple[object, ...]]:
        """Entities by number: uuid, name, key, summary."""
        return self._rows("entities", numbers)

    def named(self, text: str) -> tuple[tuple[str, str], ...]:
        """Known entities whose whole name stands in *text*: uuid and name, longest name first."""
        words = tokens(text)
        runs = {
            " ".join(words[start : start + length])
            for length in range(1, _LONGEST_NAME + 1)
            for start in range(len(words) - length + 1)
        }
        asked = within("SELECT uuid, name FROM entities WHERE key IN", len(runs))
        with self._mutex:
            found = self._database.execute(asked, tuple(runs)).fetchall()
        return tuple(sorted(((str(uuid), str(name)) for uuid, name in found), key=lambda pair: (-len(pair[1]), pair)))

    def sequences(self, episodes: Sequence[str]) -> dict[str, int]:
        """Sequences of episodes by uuid; unknown ones are left out."""
        asked = within("SELECT episode, sequence FROM turns WHERE episode IN", len(episodes))
        with self._mutex:
            return dict(self._database.execute(asked, tuple(episodes)).fetchall())

    def languages(self) -> Mapping[str, int]:
        """How many turns there are of each language."""
        return self._all(LANGUAGE)

    def close(self) -> None:
        """Close the file."""
        with self._mutex:
            self._database.close()

    def _all(self, kind: str) -> dict[str, int]:
        with self._mutex:
            return dict(self._database.execute("SELECT word, rows FROM counts WHERE kind = ? AND rows > 0", (kind,)))

    def _newest(self, arm: str) -> int:
        """The row above which the newest of an arm stand."""
        last = self._database.execute(f"SELECT max(rowid) FROM {WORDS[arm]}").fetchone()[0] or 0
        return max(0, int(last) - _MOST_ROWS)

    def _rows(self, table: str, numbers: Sequence[int]) -> dict[int, tuple[object, ...]]:
        asked = within(f"SELECT * FROM {table} WHERE number IN", len(numbers))
        with self._mutex:
            return {row[0]: row[1:] for row in self._database.execute(asked, tuple(numbers))}

    def _numbers(self, table: str, uuids: Sequence[str]) -> dict[str, int]:
        asked = within(f"SELECT uuid, number FROM {table} WHERE uuid IN", len(uuids))
        with self._mutex:
            return dict(self._database.execute(asked, tuple(uuids)).fetchall())

    def _opened(self) -> sqlite3.Connection:
        self._file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        try:
            return connect(self._file)
        except sqlite3.DatabaseError:
            for leftover in self._file.parent.glob(f"{self._file.name}*"):
                leftover.unlink()
            return connect(self._file)


def _rarest(rows: Mapping[str, int]) -> tuple[str, ...]:
    """The rarest words, as many as stand in no more rows altogether than we look at; at least one."""
    chosen: list[str] = []
    room = _MOST_ROWS
    for word in sorted((word for word in rows if rows[word] > 0), key=lambda word: (rows[word], word)):
        room -= rows[word]
        if chosen and room < 0:
            break
        chosen.append(word)
    return tuple(chosen)


def name_key(name: str) -> str:
    """What a name is looked up by: its words, however they are written."""
    return " ".join(tokens(name))
