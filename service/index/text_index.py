"""
Full text of one mind: turns with their neighbours, facts and entities, ranked by BM25.

It is derived from transcript and graph, in one SQLite file (FTS5) beside the mind, with its cursors in the same
transaction as the rows they count. It can be deleted and is then rebuilt. Text is stored as stems, so that a query is
words and nothing else, and no operator can reach the engine.
"""

from __future__ import annotations

import json
import math
from datetime import datetime
from functools import lru_cache
from typing import TYPE_CHECKING

from service.index.mentions import put_entity, put_fact, settle_turn, uncount_fact, uncount_turns
from service.index.neighbourhood import COLUMNS
from service.index.sqlite_file import SqliteFile
from service.index.text_days import day_counts
from service.index.text_names import by_first_name, mentions, names_in, names_of_kinds
from service.index.text_ranking import TextQuery, ranked
from service.index.text_store import (
    HOWS,
    LANGUAGE,
    SPEAKER,
    WORD_TABLES,
    Relation,
    Traits,
    compact,
    delete_entity,
    delete_fact,
    delete_turn,
    move_cursor,
    number_of,
    put_stems,
    put_turn,
    row_counts,
    with_placeholders,
)
from service.index.turn_fields import turns_of_days

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

    from service.index.text_ranking import TextHit
    from service.index.text_store import IndexedTurn
    from service.ports.graph import StoredEntity, StoredFact

_REMEMBERED = 8_000  # turns of all minds whose traits were read lately
_COLUMNS = {
    "facts": "number, uuid, text, source, target, episodes, valid_at, invalid_at, importance",
    "entities": "number, uuid, name, key, summary, kind",
}


class TextIndex:
    """
    One SQLite file. All methods block for a moment, so call them in a worker thread; several may run at once.

    All raise IndexUnusable while the disk is full or fails.
    """

    def __init__(self, file: Path) -> None:
        """*file* is opened at first use, and created if it is missing, damaged or of another version."""
        self._file = SqliteFile(file)

    def cursor(self, name: str) -> int:
        """How far the index is: ``turns`` or ``facts``."""
        with self._file.opened() as database:
            row = database.execute("SELECT sequence FROM cursors WHERE name = ?", (name,)).fetchone()
        return int(row[0]) if row else 0

    def image(self) -> bytes:
        """The whole index as the bytes of its file."""
        with self._file.opened() as database:
            return database.serialize()

    def add_turns(self, turns: Sequence[IndexedTurn], *, cursor: int) -> None:
        """Index turns and move the cursor ``turns``, in one transaction. Repeating it is harmless."""
        with self._file.changed() as database:
            for turn in turns:
                put_turn(database, turn)
                settle_turn(database, turn.sequence, turn.episode, turn.traits.occurred_at)
            move_cursor(database, "turns", cursor)

    def add_knowledge(
        self,
        facts: Iterable[tuple[StoredFact, Sequence[str]]],
        entities: Iterable[tuple[StoredEntity, Sequence[str]]],
        *,
        cursor: int,
        late: Callable[[], datetime] | None = None,
    ) -> None:
        """
        Index facts and entities and move the cursor ``facts``. Repeating it is harmless.

        *late* tells the time for facts that were learned later than what came after their turns.
        """
        with self._file.changed() as database:
            learned_at = late().timestamp() if late is not None else None  # whoever read before reads again
            for fact, stems in facts:
                number = number_of(database, "facts", fact.uuid)
                put_fact(database, number, fact, learned_at=learned_at)
                put_stems(database, "facts", number, stems)
            for entity, stems in entities:
                number = number_of(database, "entities", entity.uuid)
                put_entity(database, number, entity)
                put_stems(database, "entities", number, stems)
            move_cursor(database, "facts", cursor)

    def forget_facts_of(self, episode: str) -> None:
        """Remove the facts that only this episode (a uuid) states: it is about to be extracted again."""
        only = json.dumps((episode,))
        with self._file.changed() as database:
            for (number,) in database.execute("SELECT number FROM facts WHERE episodes = ?", (only,)).fetchall():
                uncount_fact(database, number)
                delete_fact(database, number)

    def forget_turns(self, sequences: Iterable[int], *, before: Iterable[int]) -> None:
        """Remove turns. The turns *before* them lose the words of what followed."""
        with self._file.changed() as database:
            _remove_turns(database, tuple(sequences), before=before)

    def go_back(self, to: int, *, before: Iterable[int]) -> None:
        """Remove the turns above *to*, as ``forget_turns`` does, and set the cursor ``turns`` back, in one write."""
        with self._file.changed() as database:
            above = database.execute("SELECT sequence FROM turns WHERE sequence > ?", (to,)).fetchall()
            _remove_turns(database, [sequence for (sequence,) in above], before=before)
            database.execute("UPDATE cursors SET sequence = min(sequence, ?) WHERE name = 'turns'", (to,))

    def episodes_until(self, sequence: int, *, limit: int) -> tuple[tuple[int, str], ...]:
        """The newest turns up to a sequence, newest first: the sequence and the episode (uuid) of each."""
        query = "SELECT sequence, episode FROM turns WHERE sequence <= ? ORDER BY sequence DESC LIMIT ?"
        return tuple(self.read(lambda database: database.execute(query, (sequence, limit)).fetchall()))

    def remove_knowledge(self, facts: Sequence[str], entities: Sequence[str]) -> None:
        """Remove facts and entities (uuids)."""
        with self._file.changed() as database:
            for number in self.fact_numbers(facts).values():
                uncount_fact(database, number)
                delete_fact(database, number)
            for number in self.entity_numbers(entities).values():
                delete_entity(database, number)

    def compact(self) -> None:
        """Rewrite the file, so that no byte of removed rows is left."""
        with self._file.opened() as database:
            compact(database)

    def clear_knowledge(self) -> None:
        """Remove all facts and entities and reset the cursor ``facts``: the graph no longer holds them."""
        with self._file.changed() as database:
            for table in ("facts", "fact_words", "entities", "entity_words", "mentions", "awaited"):
                database.execute(f"DELETE FROM {table}")
            database.execute("DELETE FROM counts WHERE kind IN ('facts', 'entities')")
            database.execute("DELETE FROM cursors WHERE name = 'facts'")

    def reset(self) -> None:
        """Delete the file: every cursor is 0 again."""
        self._file.drop()

    def search(self, arm: str, stems: Sequence[str], *, limit: int) -> tuple[TextHit, ...]:
        """Rows of an arm (``turns``, ``concepts``, ``facts``, ``entities``) with any of *stems*, best first."""
        return self.search_all((TextQuery(arm, tuple(stems), limit),))[0]

    def search_all(self, queries: Sequence[TextQuery]) -> tuple[tuple[TextHit, ...], ...]:
        """What ``search`` finds of each query, in one pass."""
        with self._file.opened() as database:
            return ranked(database, queries)

    def weights(self, arm: str, queries: Sequence[Sequence[str]]) -> tuple[float, ...]:
        """
        About what a row of *arm* would score that has each stem of a query once, by query: the most that words can say.

        Stems that no row has count as the rarest.
        """
        with self._file.opened() as database:
            rows = row_counts(database, arm, tuple({stem for stems in queries for stem in stems}))
            # About how many rows there are: to count them would read all of the table.
            last = database.execute(f"SELECT rowid FROM {WORD_TABLES[arm]} ORDER BY rowid DESC LIMIT 1").fetchone()
            every = last[0] if last is not None else 0
        known = {stem: max(0.0, _idf(min(many, every), every)) for stem, many in rows.items()}
        rarest = max(0.0, _idf(0, every))
        return tuple(sum(known.get(stem, rarest) for stem in dict.fromkeys(stems)) for stems in queries)

    def turn_counts(self, stems: Sequence[str]) -> dict[str, int]:
        """How many turns contain each stem in their own words."""
        with self._file.opened() as database:
            found = row_counts(database, "turns", tuple(dict.fromkeys(stems)))
        return {stem: found.get(stem, 0) for stem in stems}

    def stems_near(self, sequences: Sequence[int], stems: Iterable[str]) -> dict[int, frozenset[str]]:
        """Which of *stems* occur in these turns or their neighbours."""
        columns = " || char(32) || ".join(("''", *COLUMNS, "''"))
        query = with_placeholders(f"SELECT rowid, {columns} FROM turn_words WHERE rowid IN", len(sequences))
        wanted = [(stem, f" {stem} ") for stem in stems]
        with self._file.opened() as database:
            rows = database.execute(query, tuple(sequences)).fetchall()
        return {number: frozenset(stem for stem, word in wanted if word in words) for number, words in rows}

    def stems_in(self, sequences: Sequence[int], stems: Iterable[str]) -> dict[int, frozenset[str]]:
        """Which of *stems* occur in these turns themselves."""
        query = with_placeholders("SELECT rowid, ' ' || own || ' ' FROM turn_words WHERE rowid IN", len(sequences))
        wanted = [(stem, f" {stem} ") for stem in stems]
        with self._file.opened() as database:
            rows = database.execute(query, tuple(sequences)).fetchall()
        return {number: frozenset(stem for stem, word in wanted if word in words) for number, words in rows}

    def own_stems(self, sequences: Sequence[int]) -> dict[int, frozenset[str]]:
        """The stems of what the person says in these turns."""
        query = with_placeholders("SELECT rowid, own FROM turn_words WHERE rowid IN", len(sequences))
        with self._file.opened() as database:
            rows = database.execute(query, tuple(sequences)).fetchall()
        return {number: frozenset(words.split()) for number, words in rows}

    def concepts_of(self, sequences: Sequence[int], *, has_answers: bool = True) -> dict[int, frozenset[str]]:
        """What the words of these turns mean, with or without the assistant's."""
        words = "own || ' ' || answer" if has_answers else "own"
        query = with_placeholders(f"SELECT rowid, {words} FROM turn_concepts WHERE rowid IN", len(sequences))
        with self._file.opened() as database:
            rows = database.execute(query, tuple(sequences)).fetchall()
        return {number: frozenset(words.split()) for number, words in rows}

    def unanswered(self, sequences: Sequence[int]) -> tuple[int, ...]:
        """Those of these turns in which something was asked, and the answer was not known."""
        query = with_placeholders("SELECT sequence FROM turns WHERE knows_not AND sequence IN", len(sequences))
        with self._file.opened() as database:
            return tuple(number for (number,) in database.execute(query, tuple(sequences)))

    def traits(self, sequences: Sequence[int]) -> dict[int, Traits]:
        """Traits of turns, by sequence."""
        query = with_placeholders(
            "SELECT sequence, speakers, occurred_at, asks, statement_words, has_time, only_asks, knows_not, denies, "
            "answers, wants_answer, instructs FROM turns WHERE sequence IN",
            len(sequences),
        )
        with self._file.opened() as database:
            rows = database.execute(query, tuple(sequences)).fetchall()
        return {row[0]: _remembered_traits(*row[1:]) for row in rows}

    def denied_by(self, sequences: Sequence[int]) -> dict[int, int]:
        """Which of these turns are denied, and by which turn."""
        query = with_placeholders("SELECT denies, sequence FROM turns WHERE denies IN", len(sequences))
        with self._file.opened() as database:
            return dict(database.execute(query, tuple(sequences)).fetchall())

    def instructing(self, *, limit: int) -> tuple[int, ...]:
        """The newest turns in which the person told the assistant what to do from now on, newest first."""
        query = "SELECT sequence FROM turns WHERE instructs ORDER BY sequence DESC LIMIT ?"
        with self._file.opened() as database:
            return tuple(sequence for (sequence,) in database.execute(query, (limit,)))

    def turns_between(self, first: datetime, last: datetime, *, limit: int) -> dict[int, int]:
        """The newest turns from *first* until before *last*, and how many words each one states."""
        query = (
            "SELECT sequence, statement_words FROM turns WHERE occurred_at >= ? AND occurred_at < ? AND NOT only_asks "
            "ORDER BY occurred_at DESC LIMIT ?"
        )
        with self._file.opened() as database:
            return dict(database.execute(query, (first.isoformat(), last.isoformat(), limit)).fetchall())

    def turns_of_days(self, ranges: Sequence[tuple[str, str]], *, limit: int) -> tuple[int, ...]:
        """The newest turns that tell of a day to come in one of *ranges*, first and last ("2026-12-10", "2026-12")."""
        with self._file.opened() as database:
            return turns_of_days(database, ranges, limit=limit)

    def days(self, first: str, last: str) -> dict[str, dict[str, int]]:
        """What each day (ISO, UTC) from *first* to *last* brought: ``turns``, and facts ``learned`` and ``ended``."""
        with self._file.opened() as database:
            return day_counts(database, first, last)

    def relations(self, wanted: Iterable[str], *, names: Iterable[str] = ()) -> tuple[tuple[Relation, int], ...]:
        """What was told of these relations, or of these *names*, each with the turn that told it, newest first."""
        query = (
            "SELECT * FROM relations WHERE relation IN (SELECT value FROM json_each(?)) "
            "OR name IN (SELECT value FROM json_each(?)) ORDER BY sequence DESC"
        )
        with self._file.opened() as database:
            rows = database.execute(query, (json.dumps(sorted(wanted)), json.dumps(sorted(names)))).fetchall()
        return tuple((Relation(row[0], row[1], row[2], HOWS[row[3]]), row[4]) for row in rows)

    def speakers(self) -> frozenset[str]:
        """All speakers, as they were named."""
        return frozenset(self._all(SPEAKER))

    def facts(self, numbers: Sequence[int]) -> dict[int, tuple[object, ...]]:
        """Facts by number: uuid, text, source, target, episodes as JSON, valid_at, invalid_at, importance."""
        return self._rows("facts", numbers)

    def facts_since(self, valid_at: str) -> tuple[tuple[object, ...], ...]:
        """The facts, each as ``facts`` gives it, that hold from *valid_at* on (ISO 8601, as a fact has it)."""
        query = (
            "SELECT uuid, text, source, target, episodes, valid_at, invalid_at, importance FROM facts "
            "WHERE valid_at = ? ORDER BY number"
        )
        with self._file.opened() as database:
            return tuple(database.execute(query, (valid_at,)).fetchall())

    def important_facts(self, *, least: float, at: datetime, limit: int) -> tuple[tuple[object, ...], ...]:
        """
        Facts as ``facts`` gives them whose importance is *least* or more, and that hold *at* this instant, the most
        important first.
        """
        query = (
            "SELECT uuid, text, source, target, episodes, valid_at, invalid_at, importance FROM facts "
            "WHERE importance >= ? AND (valid_at IS NULL OR valid_at <= ?) AND (invalid_at IS NULL OR invalid_at > ?) "
            "ORDER BY importance DESC, number DESC LIMIT ?"
        )
        instant = at.isoformat()
        with self._file.opened() as database:
            return tuple(database.execute(query, (least, instant, instant, limit)).fetchall())

    def fact_numbers(self, uuids: Sequence[str]) -> dict[str, int]:
        """Numbers of facts, by uuid."""
        return self._numbers("facts", uuids)

    def entity_numbers(self, uuids: Sequence[str]) -> dict[str, int]:
        """Numbers of entities, by uuid."""
        return self._numbers("entities", uuids)

    def mentions(self, name: str, *, limit: int) -> tuple[int, ...]:
        """The newest turns that contain *name*, or that were spoken by its bearer."""
        with self._file.opened() as database:
            return mentions(database, name, languages=self._all(LANGUAGE), limit=limit)

    def entities(self, numbers: Sequence[int]) -> dict[int, tuple[object, ...]]:
        """Entities by number: uuid, name, key, summary, kind."""
        return self._rows("entities", numbers)

    def names_in(self, text: str) -> tuple[tuple[str, str], ...]:
        """Known entities whose whole name occurs in *text*: uuid and name, longest name first."""
        with self._file.opened() as database:
            return names_in(database, text)

    def by_first_name(self, text: str, *, language: str) -> tuple[tuple[str, str], ...]:
        """Known entities whom *text* calls by the first of several names, which nobody else has: uuid and name."""
        with self._file.opened() as database:
            return by_first_name(database, text, language=language)

    def names_of_kinds(self, names: Iterable[str], *, kinds: Iterable[str]) -> frozenset[str]:
        """Those of *names* by which an entity of one of the *kinds* (in any case) is called."""
        with self._file.opened() as database:
            return names_of_kinds(database, names, kinds=kinds)

    def sequences(self, episodes: Sequence[str]) -> dict[str, int]:
        """Sequences of episodes, by uuid; unknown ones are left out."""
        query = with_placeholders("SELECT episode, sequence FROM turns WHERE episode IN", len(episodes))
        with self._file.opened() as database:
            return dict(database.execute(query, tuple(episodes)).fetchall())

    def languages(self) -> tuple[str, ...]:
        """The languages of the turns: the most frequent, and every other one with at least a tenth of the turns."""
        counts = self._all(LANGUAGE)
        order = sorted(counts, key=lambda code: (-counts[code], code))
        return (*order[:1], *(code for code in order[1:] if counts[code] * 10 >= sum(counts.values())))

    def main_language(self) -> str:
        """The most frequent language of the turns; English where there is none."""
        return next(iter(self.languages()), "en")

    def read[T](self, query: Callable[[sqlite3.Connection], T]) -> T:
        """
        What *query* reads, all of it in one view of the file: no write comes in between.

        Whoever else needs the file waits meanwhile.
        """
        with self._file.opened() as database:
            return query(database)

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def _all(self, kind: str) -> dict[str, int]:
        with self._file.opened() as database:
            return dict(database.execute("SELECT word, rows FROM counts WHERE kind = ? AND rows > 0", (kind,)))

    def _rows(self, table: str, numbers: Sequence[int]) -> dict[int, tuple[object, ...]]:
        query = with_placeholders(f"SELECT {_COLUMNS[table]} FROM {table} WHERE number IN", len(numbers))
        with self._file.opened() as database:
            return {row[0]: row[1:] for row in database.execute(query, tuple(numbers))}

    def _numbers(self, table: str, uuids: Sequence[str]) -> dict[str, int]:
        query = with_placeholders(f"SELECT uuid, number FROM {table} WHERE uuid IN", len(uuids))
        with self._file.opened() as database:
            return dict(database.execute(query, tuple(uuids)).fetchall())


def _remove_turns(database: sqlite3.Connection, gone: Sequence[int], *, before: Iterable[int]) -> None:
    _remembered_traits.cache_clear()  # they name speakers
    uncount_turns(database, gone)
    for sequence in gone:
        delete_turn(database, sequence)
    for sequence in before:
        database.execute("UPDATE turn_words SET after = '' WHERE rowid = ?", (sequence,))


def _idf(rows: int, every: int) -> float:
    return math.log((every - rows + 0.5) / (rows + 0.5))


def _traits(  # noqa: PLR0913, PLR0917 - a row
    speakers: str,
    occurred_at: str,
    asks: int,
    statement_words: int,
    has_time: int,
    only_asks: int,
    knows_not: int,
    denies: int | None,
    answers: str,
    wants_answer: int,
    instructs: int,
    /,
) -> Traits:
    return Traits(
        tuple(json.loads(speakers)),
        datetime.fromisoformat(occurred_at),
        asks=bool(asks),
        statement_words=statement_words,
        has_time=bool(has_time),
        only_asks=bool(only_asks),
        knows_not=bool(knows_not),
        denies=denies,
        answers=frozenset(answers.split()),
        wants_answer=bool(wants_answer),
        instructs=bool(instructs),
    )


# The same turns come up again and again; what the file says is read each time, and only its meaning remembered.
_remembered_traits = lru_cache(maxsize=_REMEMBERED)(_traits)
