"""
``dreams.jsonl``: a line a dream, appended and synced. The last line is the cursor: what it covers is dreamt.

Invariant: dreams are numbered from 1 without a gap, and each begins behind the last turn of the one before it. A line
that is torn or was edited into another shape is left out, and its number is not given again.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol

from pydantic import AwareDatetime, BaseModel, ConfigDict, ValidationError

from consolidation.kernel.files import append_synced, replace_text
from consolidation.kernel.links import open_regular

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from collections.abc import Set as AbstractSet
    from datetime import datetime
    from pathlib import Path

    from consolidation.dreams.observations import Level


class ObservationLine(Protocol):
    """A line of observations.md, by its digest and its level."""

    @property
    def digest(self) -> str:
        """The digest of its day, time and words."""
        ...

    @property
    def level(self) -> Level:
        """The level that it has now."""
        ...


class UndoneDream(BaseModel):
    """
    That a person took a dream back: when, who, and the lines that went with it, so that they can return.

    ``observations`` are dated lines, ``rules`` lines of their file. A phase says what is not in all files yet.
    """

    model_config = ConfigDict(frozen=True, extra="ignore")

    at: AwareDatetime
    by: str = ""
    phase: Literal["leaving", "gone", "returning"] = "leaving"
    observations: tuple[str, ...] = ()
    rules: tuple[str, ...] = ()


class DreamRecord(BaseModel):
    """
    One dream: when, in which cycle, over how many tool calls, and what it came to.

    ``ended_at`` is when the last turn of its session came, ``session_actions`` the tool calls of that session in it;
    None where it has none in the dream, or an earlier version made it. ``observations`` counts the lines it came to.
    ``sources`` are, by a line's digest, the turns that it rests on,
    ``levels`` the levels that it gave; a line that stood already, word for word, is one of its own, too.
    ``relevelled`` are those that a deep sleep gave to lines that there were, and ``superseded`` the digests of lines
    that it said are over. ``rules`` are the digests of the rules it wrote, ``rules_removed`` the lines of those that it
    took out, and ``lines``, by file, the digests of its lines in priorities.md, briefing.md and diary.md; None where an
    earlier version made it, which did not note them.
    ``deleted`` are, by file, the digests of lines that a person had deleted by then. Of rules.md, both have the digests
    of how its rules begin. ``kind`` is lightweight, dream or deep_sleep. ``is_quoted`` says that no model made it.
    ``is_owed`` says that a turn of it was erased or put right: its words are made again of the turns as they are now,
    and, where it ``lost_lines`` by an erasure, its lines, too. ``is_untidied`` says that a deep sleep lost its
    priorities and its diary so. ``pruned`` are the dated lines that its tidying took out. ``undone`` says that a person
    took it back: what it came to no longer counts.
    """

    model_config = ConfigDict(frozen=True, extra="ignore")

    t: AwareDatetime
    dream: int
    cycle: int = 1
    actions: int = 0
    reflection: str = ""
    priority: str = ""
    observations: int = 0
    deep: bool = False
    kind: str = "dream"
    first_sequence: int = 0
    last_sequence: int = 0
    model: str = ""
    is_quoted: bool = False
    is_forced: bool = False
    session_id: str = ""
    ended_at: AwareDatetime | None = None
    session_actions: int | None = None
    failed_calls: int = 0
    intent: str = ""
    sources: dict[str, tuple[int, ...]] = {}
    levels: dict[str, str] = {}
    relevelled: dict[str, str] = {}
    superseded: tuple[str, ...] = ()
    rules: tuple[str, ...] = ()
    rules_removed: tuple[str, ...] = ()
    lines: dict[str, tuple[str, ...]] | None = None
    deleted: dict[str, tuple[str, ...]] = {}
    is_owed: bool = False
    lost_lines: bool = False
    is_untidied: bool = False
    pruned: tuple[str, ...] = ()
    undone: UndoneDream | None = None

    @property
    def is_undone(self) -> bool:
        """Whether a person took it back."""
        return self.undone is not None and self.undone.phase != "returning"

    def lines_of(self, name: str) -> tuple[str, ...]:
        """The digests of the lines that it wrote into one of the writings."""
        return (self.lines or {}).get(name, ())

    def with_lines(self, name: str, digests: Iterable[str], *, deleted: tuple[str, ...] = ()) -> DreamRecord:
        """It, with the lines that it wrote into one of the writings, and those that a person *deleted* there."""
        lines = {**(self.lines or {}), name: tuple(dict.fromkeys(digests))}
        return self.model_copy(update={"lines": lines, "deleted": {**self.deleted, name: deleted}})

    def without_lines(self, name: str, digests: AbstractSet[str]) -> DreamRecord:
        """It, as if it had not written these lines into one of the writings."""
        if digests.isdisjoint(self.lines_of(name)):
            return self
        left = tuple(one for one in self.lines_of(name) if one not in digests)
        return self.with_lines(name, left, deleted=self.deleted.get(name, ()))

    def made_again(self, new: DreamRecord) -> DreamRecord:
        """It, with what *new*, which was made of the same turns, came to besides."""
        return self.model_copy(
            update={
                **{name: getattr(new, name) for name in ("reflection", "priority", "intent", "model")},
                "is_owed": False,
                "lost_lines": False,
                "observations": self.observations + new.observations,
                "sources": {**self.sources, **new.sources},
                "levels": {**self.levels, **new.levels},
                "superseded": tuple(dict.fromkeys((*self.superseded, *new.superseded))),
                "rules": tuple(dict.fromkeys((*self.rules, *new.rules))),
                "lines": {**self.lines, **(new.lines or {})} if self.lines is not None else None,
                "deleted": {**self.deleted, **new.deleted},
            }
        )

    def saying(self, standing: str, *, as_own: str) -> DreamRecord:
        """
        It, where its line *as_own* was not written because the line *standing* says the same: that is its line, too.

        Its own one stays among its sources: where a person deletes the line, it is known that it was said.
        """
        if as_own not in self.levels:
            return self
        levels = {standing if digest == as_own else digest: level for digest, level in self.levels.items()}
        return self.model_copy(
            update={"sources": {**self.sources, standing: self.sources.get(as_own, ())}, "levels": levels}
        )

    @property
    def counts(self) -> bool:
        """Whether it counts towards a deep sleep."""
        return self.kind != "lightweight"


@dataclass(frozen=True, slots=True)
class Dreams:
    """All dreams of a mind, oldest first."""

    records: tuple[DreamRecord, ...] = ()

    @property
    def last(self) -> DreamRecord | None:
        """The newest one."""
        return self.records[-1] if self.records else None

    @property
    def cursor(self) -> int:
        """The last sequence that was dreamt."""
        return max((one.last_sequence for one in self.records), default=0)

    @property
    def next_number(self) -> int:
        """The number of the next dream."""
        return max((one.dream for one in self.records), default=0) + 1

    @property
    def counted(self) -> int:
        """How many count towards a deep sleep."""
        return sum(one.counts for one in self.records)

    @property
    def last_with_words(self) -> DreamRecord | None:
        """The newest one that came to something, and stands."""
        return next((one for one in reversed(self.records) if one.reflection and not one.is_undone), None)

    @property
    def priority(self) -> str:
        """What the newest dream that stands and set one would do next; a lightweight one sets none."""
        return next((one.priority for one in reversed(self.records) if one.priority and not one.is_undone), "")

    @property
    def ours(self) -> frozenset[str]:
        """The digests of all lines that dreams wrote into observations.md."""
        return frozenset(digest for one in self.records for digest in one.sources)

    @property
    def superseded(self) -> frozenset[str]:
        """The digests of lines that a later dream, which stands, said are over."""
        return frozenset(digest for one in self.records if not one.is_undone for digest in one.superseded)

    def over[Line: ObservationLine](self, lines: Iterable[Line]) -> frozenset[Line]:
        """Those of *lines* that a later dream, which stands, said are over. A person's never are."""
        superseded = self.superseded
        return frozenset(one for one in lines if one.digest in superseded and self.is_ours(one))

    @property
    def rules(self) -> frozenset[str]:
        """The digests of all lines that dreams wrote into rules.md."""
        return frozenset(digest for one in self.records for digest in one.rules)

    def lines(self, name: str) -> frozenset[str]:
        """The digests of all lines that dreams wrote into priorities.md, briefing.md or diary.md."""
        return frozenset(digest for one in self.records for digest in one.lines_of(name))

    def last_lines(self, name: str) -> frozenset[str] | None:
        """
        The digests of the lines that dreams wrote last; none where no dream ever wrote.

        None where a dream of an earlier version may have written last, which did not note its lines.
        """
        for one in reversed(self.records):
            if one.lines is None:
                return None
            if name in one.lines:
                return frozenset(one.lines[name])
        return frozenset()

    def last_writer(self, name: str) -> DreamRecord | None:
        """The newest dream of which it is known that it wrote one of the writings."""
        return next((one for one in reversed(self.records) if name in (one.lines or {})), None)

    def last_deleted(self, name: str) -> tuple[str, ...]:
        """The digests of lines of ours that a person had deleted when a dream wrote last."""
        return next((one.deleted[name] for one in reversed(self.records) if name in one.deleted), ())

    def before(self, number: int) -> Dreams:
        """Those before a dream."""
        return Dreams(tuple(one for one in self.records if one.dream < number))

    def sources(self, digest: str) -> tuple[int, ...]:
        """The turns that a line rests on, of all dreams that say it; none where the line is a person's."""
        return tuple(dict.fromkeys(turn for one in self.records for turn in one.sources.get(digest, ())))

    def is_ours(self, one: ObservationLine) -> bool:
        """Whether a line of observations.md is as dreams wrote it, its level too."""
        given = (level.get(one.digest) for record in self.records for level in (record.levels, record.relevelled))
        return one.level.value in given

    def level_before(self, digest: str, *, dream: int) -> str | None:
        """The level that dreams before *dream*, which stand, gave to a line last."""
        earlier = (one for one in reversed(self.records) if one.dream < dream and not one.is_undone)
        levels = (one.relevelled.get(digest) or one.levels.get(digest) for one in earlier)
        return next((level for level in levels if level is not None), None)

    def untidied(self, *, tidied: int) -> DreamRecord | None:
        """
        The oldest deep sleep that stands and is not complete.

        It is behind dream *tidied*, the last that was tidied up after, or an erasure took what it had come to.
        """
        standing = (one for one in self.records if one.deep and not one.is_undone)
        return next((one for one in standing if one.dream > tidied or one.is_untidied), None)

    def up_to(self, deep: DreamRecord, *, tidied: int) -> tuple[DreamRecord, ...]:
        """
        The dreams that a deep sleep tells, oldest first: those behind the deep sleep before it, and itself.

        One that was taken back before it was tidied up after tells none.
        """
        earlier = (one for one in self.records if one.deep and one.dream < deep.dream)
        before = max((one.dream for one in earlier if one.dream <= tidied or not one.is_undone), default=0)
        return tuple(one for one in self.records if before < one.dream <= deep.dream)

    def cycle_of(self, sequence: int, *, present: int) -> int:
        """The cycle in which a turn was stored; *present* is the one that goes on."""
        return next((one.cycle for one in self.records if sequence <= one.last_sequence), present)


class DreamLog:
    """The file of one mind; safe to use from several threads."""

    def __init__(self, file: Path) -> None:
        """The file need not exist."""
        self._file = file
        self._mutex = threading.Lock()
        self._known: tuple[tuple[int, int, int], Dreams] | None = None

    def read(self) -> Dreams:
        """All dreams. Raises OSError."""
        with self._mutex:
            return self._read()

    def newest(self) -> Dreams:
        """All dreams; where the file can not be read, as they were when they were read last."""
        try:
            return self.read()
        except OSError:
            return self.known()

    def known(self) -> Dreams:
        """The dreams as they were when they were read or written last; none before. No file is read."""
        known = self._known
        return known[1] if known is not None else Dreams()

    def add(self, record: DreamRecord) -> None:
        """Append a dream; it is on disk then. Raises OSError; then it is not in the file."""
        with self._mutex:
            is_torn = self._file.exists() and self._file.read_bytes()[-1:] not in (b"", b"\n")
            append_synced(self._file, f"{'\n' * is_torn}{record.model_dump_json()}\n".encode())
            self._read()

    def replace(self, plan: Callable[[DreamRecord], DreamRecord | None]) -> int:
        """Put ``plan(dream)`` in the place of each dream, or drop it. Returns how many changed. Raises OSError."""
        with self._mutex:
            before = self._read().records
            after = [(one, plan(one)) for one in before]
            changed = sum(old != new for old, new in after)
            if changed:
                replace_text(self._file, _text(new for _, new in after if new is not None))
                self._read()
            return changed

    def _read(self) -> Dreams:
        try:
            found = self._file.lstat()
        except FileNotFoundError:
            return Dreams()
        stamp = (found.st_ino, found.st_size, found.st_mtime_ns)
        if self._known is None or self._known[0] != stamp:
            with open_regular(self._file) as lines:
                records = [one for line in lines if (one := _decoded(line)) is not None]
            self._known = (stamp, Dreams(tuple(sorted(records, key=lambda one: one.dream))))
        return self._known[1]


def started(now: datetime, dreams: Dreams, *, cycle: int) -> DreamRecord:
    """The record of a dream that begins, behind those that there are."""
    return DreamRecord(t=now, dream=dreams.next_number, cycle=cycle, first_sequence=dreams.cursor + 1, lines={})


def _text(records: Iterable[DreamRecord]) -> str:
    return "".join(f"{one.model_dump_json()}\n" for one in records)


def _decoded(line: bytes) -> DreamRecord | None:
    try:
        return DreamRecord.model_validate_json(line)
    except ValidationError:
        return None
