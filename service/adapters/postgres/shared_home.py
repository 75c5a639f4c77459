"""
A home in PostgreSQL: every mind's files and turns are rows, and each machine has copies of the minds that it uses.

Every transaction locks the row of one mind, raises its version, and gives this version to what it writes. So whoever
holds everything up to a version asks for the rows above it, and misses none. A whole file is replaced only where it is
still the one that the copy has: else ChangedElsewhere is raised, and the copy is brought up to date, so that the
caller may read again and try again. What is appended needs no such care.

No session state, no advisory lock and no notification is relied upon, so a pooler may stand in between.
"""

from __future__ import annotations

import threading
import zlib
from contextlib import contextmanager, nullcontext, suppress
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, NamedTuple

from consolidation.kernel.errors import MindErasing, MindExists
from consolidation.kernel.shared_files import stamp_of
from consolidation.kernel.sharing_errors import ChangedElsewhere, CopyOutdated, DatabaseUnavailable, NotInCustody
from consolidation.kernel.turns import StoredTurn
from consolidation.transcript.records import encode
from consolidation.transcript.shared_turns import FileSeen, SharedTurn
from consolidation.workspace import is_of_one_machine
from service.adapters.postgres import mind_rows
from service.adapters.postgres.local_copy import LocalCopy, whole_turns
from service.adapters.postgres.mind_list import MindList
from service.mind.trace_files import day_of
from service.ports.shared_home import Arrived

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from contextlib import AbstractContextManager
    from datetime import datetime
    from pathlib import Path

    from consolidation.kernel.shared_files import Stamp
    from consolidation.kernel.turns import Turn
    from service.adapters.postgres.custody import PostgresCustody
    from service.adapters.postgres.database import Cursor, Database
    from service.adapters.postgres.mind_rows import News, Touched
    from service.ports.shared_home import SnapshotFile

HOME = "@home"  # stands for the mind's id in rows of files that belong to the home as a whole
_HOME_FILES = frozenset({"keys.json", "audit.jsonl", "audit.key", "erasures.jsonl", "erased.json"})
_HOME_FOLDER = "erasing"
_MINDS, _ANEW = "minds", "anew"  # where copies are, and where one is made that replaces another
_APPENDED_IN_CUSTODY = frozenset({"dreams.jsonl", "evaluation.jsonl"})
_WORKS = frozenset({"corrections.jsonl", "dreams.jsonl", "sleep.json"})  # what is written here may owe a dream
_WRITTEN_IN_CUSTODY = frozenset({".dream.json", "story-history/published.json"})
_TRIES = 8
_SECONDS, _LONG_SECONDS = 5.0, 60.0
_TRACE_SECONDS = 0.2  # a pre-turn call is answered once its trace is kept, or this has passed


class _Undone(Exception):
    """Takes a transaction back that has nothing to write."""


class _Appended(NamedTuple):
    """What a copy lacks of a file that was appended to, up to which part, and since when its whole is as it is."""

    lacking: bytes
    number: int
    since: int
    touched: Touched


class PostgresHome:
    """The minds of one database; their copies are in ``<home>/minds``. It is ``SharedHome`` and ``SharedFiles``."""

    def __init__(
        self,
        database: Database,
        *,
        home: Path,
        custody: PostgresCustody,
        refused: Callable[[str], None] = lambda _: None,
        is_told: bool = False,
        snapshot: SnapshotFile | None = None,
    ) -> None:
        """
        *home* belongs to this process alone, and holds nothing that is not a copy. Where it *is_told* to other services
        what happens in minds, a mind in which something happened has work. New copies begin with *snapshot*, where one
        is stored.

        *refused* is called from any thread with why a write was refused: ``changed_elsewhere`` or ``not_in_custody``.
        """
        self._database = database
        self._refused = refused
        self._is_told = is_told
        self._snapshot = snapshot
        self._home = home.resolve()
        self._custody = custody
        self._copies: dict[str, LocalCopy] = {}
        self._mutex = threading.Lock()
        self._list = MindList(but=HOME)

    # as SharedHome

    def ids(self) -> tuple[str, ...]:
        """The ids of all minds, sorted, as they were when they were listed last. Asks nobody."""
        return self._list.sorted

    def known(self) -> frozenset[str]:
        """The same ids, in no order."""
        return self._list.known

    def list_minds(self) -> None:
        """List the minds, and bring what belongs to the home as a whole up to date: keys, audit log, receipts."""
        with self._database.read_transaction(deadline_seconds=_SECONDS) as cursor:
            self._list.look(cursor)
        copy = self._copy(HOME)
        with copy.mutex:
            self._bring_up(copy)

    def behind(self) -> tuple[str, ...]:
        """The minds in the custody of this process to which others have written, as nobody here has asked for yet."""
        versions = self._custody.versions()
        with self._mutex:
            copies = dict(self._copies)
        return tuple(
            one
            for one, at in versions.items()
            if one not in copies or copies[one].version != at or copies[one].has_news
        )

    def bring_up(self, mind_id: str, *, seconds: float) -> Arrived | None:
        """Bring the copy of a mind up to date, and say what came since this was asked last; None: no such mind."""
        copy = self._copy(mind_id)
        with _held(copy, seconds=seconds):
            if not self._bring_up(copy, seconds=seconds):
                if not copy.version:
                    self.let_go(mind_id)
                return None
            arrived = Arrived(frozenset(copy.changed), copy.has_turns, copy.is_anew)
            copy.changed, copy.has_turns = set(), False
            return arrived

    def renew(self, mind_id: str) -> None:
        """Delete the copy of a mind, with all that was made of it here, and make it anew, if the mind is there."""
        if mind_id not in self.copied():
            return
        copy, fresh = self._copy(mind_id), LocalCopy(mind_id, self._home / _ANEW / mind_id)
        with copy.mutex:
            try:
                if not self._bring_up(fresh):
                    self.let_go(mind_id)
                else:  # whoever still reads the earlier copy finds every file until the last moment
                    copy.become(fresh)
            except OSError:  # a full disk, maybe, and what was erased must not stay there for it
                fresh.clear()
                self.let_go(mind_id)
                raise

    def copied(self) -> frozenset[str]:
        """The minds of which there is a copy here, or one is being made. Asks nobody."""
        with self._mutex:
            return frozenset(self._copies) - {HOME}

    def let_go(self, mind_id: str) -> None:
        """Delete the copy of a mind that nobody uses. Asks nobody."""
        copy = self._copy(mind_id)
        with copy.mutex:
            copy.clear()
            with self._mutex:
                self._copies.pop(mind_id, None)

    def version(self, mind_id: str) -> int:
        """Up to which version the copy of a mind is; 0 where there is none."""
        copy = self._copies.get(mind_id)
        return copy.version if copy is not None else 0

    def generation(self, mind_id: str) -> int:
        """How often something of a mind had been erased when its copy was made; 0 where there is none."""
        copy = self._copies.get(mind_id)
        return copy.generation if copy is not None else 0

    def turns_of(self, mind_id: str) -> PostgresTurns:
        """The turns of a mind."""
        return PostgresTurns(self, mind_id)

    def admit(self, mind_id: str, folder: Path) -> None:
        """Store a whole mind, as it is in *folder*, in one transaction. Raises MindExists."""
        copy = self._copy(mind_id)
        files = [one for one in sorted(folder.rglob("*")) if one.is_file() and not one.is_symlink()]
        turns = dict(whole_turns(folder / "transcript"))
        with copy.mutex, self._database.transaction(deadline_seconds=_LONG_SECONDS) as cursor:
            touched = mind_rows.touch(cursor, mind_id, begins=True)
            if touched is None:
                raise _erasing(mind_id)
            if touched.last_sequence:
                raise MindExists(f"there is a mind {mind_id!r} already: import under another id, or erase it first")
            mind_rows.delete_files(cursor, mind_id)
            for file in files:
                path = file.relative_to(folder)
                if not is_of_one_machine(path):
                    content = file.read_bytes()
                    mind_rows.put_file(cursor, mind_id, path.as_posix(), content, version=touched.version)
            mind_rows.insert_turns(cursor, mind_id, [turns[one] for one in sorted(turns)], version=touched.version)

    def snapshot_reach(self, mind_id: str) -> int:
        """Up to which turn the snapshot goes with which new copies of a mind begin; 0: there is none."""
        if self._snapshot is None:
            return 0
        with self._database.read_transaction(deadline_seconds=_SECONDS) as cursor:
            return mind_rows.snapshot_reach(cursor, mind_id, form=self._snapshot.format)

    def keep_snapshot(self, mind_id: str, content: bytes, *, reach: int) -> None:
        """Store full text up to a turn, compressed; nothing where the mind is another process's."""
        copy = self._copies.get(mind_id)
        if self._snapshot is None or copy is None:
            return
        form, generation, timeline = self._snapshot.format, copy.generation, copy.timeline
        made = mind_rows.Snapshot(zlib.compress(content), reach, form, generation, timeline)
        with self._database.transaction(deadline_seconds=_SECONDS) as cursor:
            mind_rows.put_snapshot(cursor, mind_id, made, epoch=self._custody.epoch(mind_id))

    def drop_old_snapshots(self, mind_ids: Sequence[str]) -> None:
        """Delete snapshots of before an erasure; one by a process of an earlier version leaves them behind."""
        with self._database.read_transaction(deadline_seconds=_SECONDS) as cursor:
            old = mind_rows.with_old_snapshot(cursor, mind_ids)
        for mind_id in old:
            with self._database.transaction(deadline_seconds=_SECONDS) as cursor:
                mind_rows.delete_old_snapshot(cursor, mind_id)

    def end_erasure(self, mind_id: str) -> None:
        """Allow a mind of this id to begin again, if one was erased."""
        with self._database.transaction(deadline_seconds=_SECONDS) as cursor:
            mind_rows.end_erasure(cursor, mind_id)

    def end_erasures(self, is_pending: Callable[[str], bool]) -> None:
        """End those of which nothing *is_pending*: who finished them died then, or was of an earlier version."""
        if erasing := self._list.erasing:
            copy = self._copy(HOME)
            with copy.mutex:
                self._bring_up(copy)  # a plan is written before the rows of its mind go
        for mind_id in erasing:
            if not is_pending(mind_id):
                self.end_erasure(mind_id)

    # as SharedFiles

    def holds(self, file: Path) -> bool:
        """Whether *file* is shared: most of a mind's folder, and a few files of the home."""
        first, *rest = file.relative_to(self._home).parts
        if first == _MINDS:
            return len(rest) > 1 and not is_of_one_machine(PurePosixPath(*rest[1:]))
        is_whole = not file.name.startswith(".") and file.suffix != ".lock"
        return is_whole and ((not rest and first in _HOME_FILES) or (bool(rest) and first == _HOME_FOLDER))

    @contextmanager
    def replacing(self, file: Path, content: bytes, *, seen: Stamp | None = None) -> Iterator[None]:
        """Store *content* as the whole of *file*, as it was *seen*."""
        with self._changing(file, content, seen):
            yield

    @contextmanager
    def removing(self, file: Path, *, seen: Stamp | None = None) -> Iterator[None]:
        """Remove *file*, as it was *seen*. It need not be there."""
        copy, path = self._place(file)
        with self._changing(file, None, seen) if copy.files.get(path) else nullcontext():
            yield

    @contextmanager
    def appending(self, file: Path, content: bytes, *, follows: bool) -> Iterator[bytes]:
        """Append *content* to *file*. Gives what the copy lacks: what others appended, and *content* behind it."""
        copy, path = self._place(file)
        with _held(copy, seconds=_append_seconds(path)):
            for _ in range(_TRIES):
                stored = self._append(copy, path, content, follows=follows)
                if stored is not None:
                    break
                self._bring_up(copy, seconds=_append_seconds(path))  # the file is another one now
                if follows or copy.is_anew:
                    raise self._changed(copy, f"another process appended to {file.name} in the meantime; try again")
            else:
                raise self._changed(copy, f"{file.name} keeps changing; try again")
            yield stored.lacking
            if len(stored.lacking) > len(content):
                copy.changed.add(path)  # what others appended came with it, and is news to whoever reads the file
            copy.files[path], copy.appended[path] = stored.since, stored.number
            copy.follow(stored.touched)

    def removing_tree(self, folder: Path) -> AbstractContextManager[None]:
        """Forget the mind whose folder this is; nothing for another folder."""
        first, *rest = folder.relative_to(self._home).parts
        return self._forgetting(rest[0]) if first == _MINDS and len(rest) == 1 else nullcontext()

    @contextmanager
    def _forgetting(self, mind_id: str) -> Iterator[None]:
        copy = self._copy(mind_id)
        with copy.mutex:
            with self._database.transaction(deadline_seconds=_LONG_SECONDS) as cursor:
                mind_rows.delete_mind(cursor, mind_id)
            yield
            self.let_go(mind_id)

    @contextmanager
    def _changing(self, file: Path, content: bytes | None, seen: Stamp | None) -> Iterator[None]:
        copy, path = self._place(file)
        with _held(copy, seconds=_SECONDS):
            is_as_seen = seen is None or stamp_of(file) == seen
            stored = self._put(copy, path, content) if is_as_seen else None
            if stored is None:
                self._bring_up(copy)
                raise self._changed(copy, f"another process changed {file.name} in the meantime; try again")
            yield
            copy.files[path], copy.appended[path] = stored.version, 0
            copy.follow(stored)

    def _put(self, copy: LocalCopy, path: str, content: bytes | None) -> Touched | None:
        """Write a whole file to its row; None where the row is not what the copy has."""
        stored: Touched | None = None
        with suppress(_Undone), self._database.transaction(deadline_seconds=_SECONDS) as cursor:
            touched = self._touch(cursor, copy, needs_custody=path in _WRITTEN_IN_CUSTODY, works=path in _WORKS)
            if not copy.has(path, mind_rows.file_state(cursor, copy.mind_id, path)):
                raise _Undone
            mind_rows.put_file(cursor, copy.mind_id, path, content, version=touched.version)
            stored = touched
        return stored

    def _append(self, copy: LocalCopy, path: str, content: bytes, *, follows: bool) -> _Appended | None:
        """Append to the rows of a file; None where the whole of it, or what *follows* is behind, is not the copy's."""
        stored: _Appended | None = None
        works = path in _WORKS or (self._is_told and day_of(path) is not None)
        with suppress(_Undone), self._database.transaction(deadline_seconds=_append_seconds(path)) as cursor:
            touched = self._touch(cursor, copy, needs_custody=path in _APPENDED_IN_CUSTODY, works=works)
            state = mind_rows.file_state(cursor, copy.mind_id, path)
            if state is None or state.is_gone:
                mind_rows.put_file(cursor, copy.mind_id, path, b"", version=touched.version)
                since, number, lacking = touched.version, 1, content
            elif state.version != copy.files.get(path) or (follows and state.parts != copy.appended.get(path, 0)):
                raise _Undone
            else:
                since, number, known = state.version, state.parts + 1, copy.appended.get(path, 0)
                lacking = mind_rows.parts_after(cursor, copy.mind_id, path, number=known) + content
            mind_rows.append_part(cursor, copy.mind_id, path, content, version=touched.version, number=number)
            stored = _Appended(lacking, number, since, touched)
        return stored

    # for PostgresTurns

    def append_turns(
        self, mind_id: str, turns: Sequence[tuple[Turn, int]], *, at: datetime, as_seen: frozenset[FileSeen]
    ) -> tuple[SharedTurn, ...]:
        """Store turns and bring the copy up to date with them; see ``SharedTurns``."""
        copy = self._copy(mind_id)
        with _held(copy, seconds=_SECONDS):
            if all(stamp_of(copy.folder / one.path) == one.stamp for one in as_seen):
                with suppress(_Undone):
                    return self._append_turns(copy, turns, at=at, paths={one.path for one in as_seen})
            self._bring_up(copy)
            raise self._changed(copy, "another process changed what is set for the mind in the meantime; try again")

    def _append_turns(
        self, copy: LocalCopy, turns: Sequence[tuple[Turn, int]], *, at: datetime, paths: set[str]
    ) -> tuple[SharedTurn, ...]:
        """Raises _Undone where the row of a file is not what the copy has."""
        mind_id, ids = copy.mind_id, [turn.turn_id for turn, _ in turns]
        with self._database.transaction(deadline_seconds=_SECONDS) as cursor:
            # Also where all of them are known: only a commit that writes waits until another machine has them.
            touched = mind_rows.touch(cursor, mind_id, begins=True)
            if touched is None:
                raise _erasing(mind_id)
            found, files = mind_rows.known_of(cursor, mind_id, ids, paths=[*paths])
            if not all(copy.has(path, files.get(path)) for path in paths):
                raise _Undone
            unknown = enumerate((pair for pair in turns if pair[0].turn_id not in found), touched.last_sequence + 1)
            kept = [StoredTurn(number, at, *pair) for number, pair in unknown]
            new = [(one, encode(one)[:-1]) for one in kept]
            mind_rows.insert_turns(cursor, mind_id, new, version=touched.version)
        if copy.is_next(touched) and copy.last == touched.last_sequence:
            copy.add_turns([(one.sequence, line) for one, line in new])
            copy.follow(touched)
        else:
            self._bring_up(copy)
        found |= (ours := {one.turn.turn_id: one for one in kept})
        return tuple(SharedTurn(found[turn.turn_id], turn.turn_id in ours) for turn, _ in turns)

    def overwrite_turns(self, mind_id: str, lines: Mapping[int, bytes]) -> None:
        """Put tombstones in the place of turns; other machines make their copies anew."""
        copy = self._copy(mind_id)
        with copy.mutex:
            with suppress(_Undone), self._database.transaction(deadline_seconds=_LONG_SECONDS) as cursor:
                touched = self._touch(cursor, copy, needs_custody=True)
                mind_rows.overwrite_turns(cursor, mind_id, lines, version=touched.version)
                copy.generation = touched.generation + 1
                return
            copy.is_anew = True
            raise self._changed(copy, "")

    # in common

    def _copy(self, mind_id: str) -> LocalCopy:
        with self._mutex:
            if mind_id not in self._copies:
                folder = self._home if mind_id == HOME else self._home / _MINDS / mind_id
                self._copies[mind_id] = LocalCopy(mind_id, folder)
            return self._copies[mind_id]

    def _place(self, file: Path) -> tuple[LocalCopy, str]:
        first, *rest = file.relative_to(self._home).parts
        if first == _MINDS:
            return self._copy(rest[0]), PurePosixPath(*rest[1:]).as_posix()
        return self._copy(HOME), PurePosixPath(first, *rest).as_posix()

    def _touch(self, cursor: Cursor, copy: LocalCopy, *, needs_custody: bool, works: bool = False) -> Touched:
        """Lock the mind's row and raise its version. Raises MindErasing, NotInCustody; _Undone for an old copy."""
        touched = mind_rows.touch(cursor, copy.mind_id, begins=copy.version == 0, works=works)
        if touched is None:
            raise _erasing(copy.mind_id)
        if copy.version and copy.is_of_another_past(touched):
            raise _Undone  # it may hold words that were erased since, or what a server had that was lost
        if needs_custody and self._custody.epoch(copy.mind_id) != touched.epoch:
            self._refused("not_in_custody")
            raise NotInCustody(f"another process works on {copy.mind_id!r} now")
        return touched

    def _changed(self, copy: LocalCopy, reason: str) -> ChangedElsewhere | CopyOutdated:
        """Why nothing was written: *reason*, unless the copy is to be made anew, which no second try here helps."""
        self._refused("changed_elsewhere")
        if copy.is_anew:
            return CopyOutdated(f"the copy of {copy.mind_id!r} on this machine is being made anew; try again")
        return ChangedElsewhere(reason)

    def _bring_up(self, copy: LocalCopy, *, seconds: float = _SECONDS) -> bool:
        """
        Fetch what is above the copy's version; False where there is no such mind.

        Where the copy may have what is gone, nothing is fetched: ``is_anew`` says that it is to be renewed.
        """
        with self._database.read_transaction(deadline_seconds=seconds) as cursor:
            news = mind_rows.news_of(cursor, copy.mind_id, known=copy.version)
            made = self._made_of(cursor, copy, news) if news is not None else None
        if news is None:
            return copy.mind_id == HOME
        if copy.mind_id != HOME:
            if copy.version and copy.is_of_another_past(news):
                copy.is_anew = True
                return True
            if not copy.version:
                copy.clear()  # what an earlier process left
            if self._snapshot is not None and made is not None:
                copy.place(self._snapshot.path, zlib.decompress(made))
        for file in news.files:
            copy.put(file.path, file.content, version=file.version)
        for part in news.parts:
            copy.extend(part.path, part.content, number=part.number)
        if copy.mind_id != HOME:
            copy.add_turns(news.turns)
        copy.version, copy.generation, copy.timeline = news.version, news.generation, news.timeline
        return True

    def _made_of(self, cursor: Cursor, copy: LocalCopy, news: News) -> bytes | None:
        """The full text that a new copy begins with, if any is stored."""
        if self._snapshot is None or copy.version or copy.mind_id == HOME:
            return None
        form = self._snapshot.format
        return mind_rows.snapshot_of(cursor, copy.mind_id, generation=news.generation, form=form)


class PostgresTurns:
    """The turns of one mind; see ``SharedTurns``."""

    def __init__(self, home: PostgresHome, mind_id: str) -> None:
        self._home = home
        self._mind_id = mind_id

    def append(
        self, turns: Sequence[tuple[Turn, int]], *, at: datetime, as_seen: frozenset[FileSeen]
    ) -> tuple[SharedTurn, ...]:
        """Store *turns*, all of them or none."""
        return self._home.append_turns(self._mind_id, turns, at=at, as_seen=as_seen)

    def overwrite(self, lines: Mapping[int, bytes]) -> None:
        """Put tombstones in the place of turns."""
        self._home.overwrite_turns(self._mind_id, lines)


@contextmanager
def _held(copy: LocalCopy, *, seconds: float) -> Iterator[None]:
    """Hold a copy, which a write keeps while its commit waits for a standby. Raises DatabaseUnavailable."""
    if not copy.mutex.acquire(timeout=seconds):
        raise DatabaseUnavailable(f"another write to {copy.mind_id!r} waits for the database; nothing was changed")
    try:
        yield
    finally:
        copy.mutex.release()


def _append_seconds(path: str) -> float:
    """How long it may take to append to a file."""
    return _SECONDS if day_of(path) is None else _TRACE_SECONDS


def _erasing(mind_id: str) -> MindErasing:
    return MindErasing(f"{mind_id!r} is being erased; its next turn, after that, begins a new mind")
