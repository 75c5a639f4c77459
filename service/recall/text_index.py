"""
Full text of one mind: turns with their neighbours, facts and entities, ranked by BM25.

A projection of transcript and graph in one SQLite file beside the mind (FTS5), with its own cursors in the
same transaction as what they count; it can be dropped and is then built again. Text is stored as stems, so that
a query is words and nothing else: no operator can reach the engine.
"""

from __future__ import annotations

import json
from datetime import datetime
from typing import TYPE_CHECKING

from service.recall.neighbourhood import COLUMNS
from service.recall.text_file import TextFile
from service.recall.text_names import mentions, name_key, named
from service.recall.text_ranking import ranked
from service.recall.text_store import (
    LANGUAGE,
    SPEAKER,
    Traits,
    counted,
    fact_row,
    leave_nothing,
    let_go_of_entity,
    let_go_of_fact,
    let_go_of_turn,
    move_cursor,
    numbered,
    put_stems,
    put_turn,
    within,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from service.ports import StoredEntity, StoredFact
    from service.recall.text_ranking import Hit
    from service.recall.text_store import IndexedTurn


class TextIndex:
    """
    One SQLite file. All methods block for a moment: call them in a worker thread; they may run at once.

    All raise IndexUnusable while the disk is full or fails.
    """

    def __init__(self, file: Path) -> None:
        """Bind to *file*; it is opened at first use, made anew when it is missing, damaged or of another version."""
        self._file = TextFile(file)

    def cursor(self, name: str) -> int:
        """How far the index is: ``turns`` or ``facts``."""
        with self._file.opened() as database:
            row = database.execute("SELECT sequence FROM cursors WHERE name = ?", (name,)).fetchone()
        return int(row[0]) if row else 0

    def add_turns(self, turns: Sequence[IndexedTurn], *, cursor: int) -> None:
        """Index turns and move the cursor ``turns``, in one transaction; again is harmless."""
        with self._file.changed() as database:
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
        with self._file.changed() as database:
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
        with self._file.changed() as database:
            for (number,) in database.execute("SELECT number FROM facts WHERE episodes = ?", (only,)).fetchall():
                let_go_of_fact(database, number)

    def forget_turns(self, sequences: Iterable[int], *, before: Iterable[int]) -> None:
        """Forget turns; those *before* one of them forget that it came after them."""
        with self._file.changed() as database:
            for sequence in sequences:
                let_go_of_turn(database, sequence)
            for sequence in before:
                database.execute("UPDATE turn_words SET after = '' WHERE rowid = ?", (sequence,))

    def forget_these(self, facts: Sequence[str], entities: Sequence[str]) -> None:
        """Forget facts and entities (uuids)."""
        with self._file.changed() as database:
            for number in self.fact_numbers(facts).values():
                let_go_of_fact(database, number)
            for number in self.entity_numbers(entities).values():
                let_go_of_entity(database, number)

    def leave_nothing(self) -> None:
        """Keep no byte of what was forgotten in the file."""
        with self._file.opened() as database:
            leave_nothing(database)

    def forget_knowledge(self) -> None:
        """Forget all facts and entities and put the cursor ``facts`` back: the graph no longer holds what they say."""
        with self._file.changed() as database:
            for table in ("facts", "fact_words", "entities", "entity_words"):
                database.execute(f"DELETE FROM {table}")
            database.execute("DELETE FROM counts WHERE kind IN ('facts', 'entities')")
            database.execute("DELETE FROM cursors WHERE name = 'facts'")

    def begin_anew(self) -> None:
        """Drop the file: every cursor is at 0 again."""
        self._file.drop()

    def search(self, arm: str, stems: Sequence[str], *, limit: int) -> tuple[Hit, ...]:
        """Rows of an arm (``turns``, ``facts``, ``entities``) with any of *stems*, best first."""
        with self._file.opened() as database:
            return ranked(database, arm, stems, limit=limit)

    def holding(self, stems: Sequence[str]) -> dict[str, int]:
        """How many turns hold each stem in their own words."""
        with self._file.opened() as database:
            found = counted(database, "turns", tuple(dict.fromkeys(stems)))
        return {stem: found.get(stem, 0) for stem in stems}

    def holding_around(self, sequences: Sequence[int], stems: Iterable[str]) -> dict[int, frozenset[str]]:
        """Which of *stems* stand in these turns or their neighbours."""
        columns = " || char(32) || ".join(("''", *COLUMNS, "''"))
        asked = within(f"SELECT rowid, {columns} FROM turn_words WHERE rowid IN", len(sequences))
        wanted = [(stem, f" {stem} ") for stem in stems]
        with self._file.opened() as database:
            rows = database.execute(asked, tuple(sequences)).fetchall()
        return {number: frozenset(stem for stem, word in wanted if word in words) for number, words in rows}

    def traits(self, sequences: Sequence[int]) -> dict[int, Traits]:
        """Traits of turns by sequence."""
        asked = within(
            "SELECT sequence, speakers, occurred_at, asks, statement_words, has_time FROM turns WHERE sequence IN",
            len(sequences),
        )
        with self._file.opened() as database:
            rows = database.execute(asked, tuple(sequences)).fetchall()
        speakers = json.loads(f"[{','.join(row[1] for row in rows)}]")
        return {
            row[0]: Traits(tuple(spoke), datetime.fromisoformat(row[2]), bool(row[3]), row[4], bool(row[5]))
            for row, spoke in zip(rows, speakers, strict=True)
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
        """The newest turns that hold *name*; or that its bearer spoke."""
        with self._file.opened() as database:
            return mentions(database, name, languages=self._all(LANGUAGE), limit=limit)

    def entities(self, numbers: Sequence[int]) -> dict[int, tuple[object, ...]]:
        """Entities by number: uuid, name, key, summary."""
        return self._rows("entities", numbers)

    def named(self, text: str) -> tuple[tuple[str, str], ...]:
        """Known entities whose whole name stands in *text*: uuid and name, longest name first."""
        with self._file.opened() as database:
            return named(database, text)

    def sequences(self, episodes: Sequence[str]) -> dict[str, int]:
        """Sequences of episodes by uuid; unknown ones are left out."""
        asked = within("SELECT episode, sequence FROM turns WHERE episode IN", len(episodes))
        with self._file.opened() as database:
            return dict(database.execute(asked, tuple(episodes)).fetchall())

    def languages(self) -> tuple[str, ...]:
        """The languages of most turns: the first, and any other of a tenth of them and more."""
        counts = self._all(LANGUAGE)
        order = sorted(counts, key=lambda code: (-counts[code], code))
        return (*order[:1], *(code for code in order[1:] if counts[code] * 10 >= sum(counts.values())))

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def _all(self, kind: str) -> dict[str, int]:
        with self._file.opened() as database:
            return dict(database.execute("SELECT word, rows FROM counts WHERE kind = ? AND rows > 0", (kind,)))

    def _rows(self, table: str, numbers: Sequence[int]) -> dict[int, tuple[object, ...]]:
        asked = within(f"SELECT * FROM {table} WHERE number IN", len(numbers))
        with self._file.opened() as database:
            return {row[0]: row[1:] for row in database.execute(asked, tuple(numbers))}

    def _numbers(self, table: str, uuids: Sequence[str]) -> dict[str, int]:
        asked = within(f"SELECT uuid, number FROM {table} WHERE uuid IN", len(uuids))
        with self._file.opened() as database:
            return dict(database.execute(asked, tuple(uuids)).fetchall())
