"""
The transcript of one mind: append, fsync, and only then say yes.

Invariants: a turn that was answered is on disk. A sequence is given once. A damaged line never takes another one with
it. Turns that wait together are written and synced together (group commit), so that many callers cost one fsync.
"""

from __future__ import annotations

import asyncio
import os
import threading
from collections import deque
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

import anyio.to_thread

from consolidation.kernel.errors import (
    DiskFull,
    MemoryFault,
    TranscriptUnreadable,
    TranscriptUnwritable,
    TurnConflict,
    TurnErased,
    TurnNotFound,
)
from consolidation.kernel.files import is_full, sync_folder
from consolidation.kernel.links import open_regular
from consolidation.kernel.turns import StoredTurn, TurnKind
from consolidation.secrets.privacy_filter import is_same
from consolidation.transcript.blanking import damaged_parts, drop_torn, overwrite, signs_of, spare_lines
from consolidation.transcript.positions import Place, Positions
from consolidation.transcript.records import DamagedRecord, decode, encode, encode_tombstone
from consolidation.transcript.recovery import Damage, read_lines, scan
from consolidation.transcript.tombstones import tombstone_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from consolidation.kernel.ports import Clock
    from consolidation.kernel.turns import Turn
    from consolidation.transcript.shared_turns import FileSeen, SharedTurns

_sync = getattr(os, "fdatasync", os.fsync)


@dataclass(frozen=True, slots=True)
class Accepted:
    """A turn as it is stored, and whether this call stored it (False: a retry of one that was stored before)."""

    kept: StoredTurn
    is_new: bool


@dataclass(frozen=True, slots=True)
class Extent:
    """The transcript at one moment: its last sequence, its size, how many bytes of each file hold it."""

    last: int
    turns: int
    sessions: int
    files: tuple[tuple[Path, int], ...]


@dataclass(slots=True)
class _Waiting:
    turn: Turn
    tokens: int
    as_seen: FileSeen | None
    kept: StoredTurn | None = None
    is_new: bool = True
    error: MemoryFault | None = None

    @property
    def is_settled(self) -> bool:
        return self.kept is not None or self.error is not None


class Transcript:
    """
    Append-only, monthly files of one turn a line; one process at a time writes.

    Where several machines share the mind, ``shared`` stores the turns and writes the files, which are read on.
    """

    def __init__(self, folder: Path, *, clock: Clock, shared: SharedTurns | None = None) -> None:
        """``open`` reads what is in *folder*."""
        self._folder = folder
        self._clock = clock
        self._shared = shared
        self._positions = Positions()
        self._next = 1
        self._damages: list[Damage] = []
        self._file: Path | None = None
        self._handle: int | None = None
        self._good_end = 0
        self._waiting: dict[str, _Waiting] = {}
        self._queue: deque[_Waiting] = deque()
        self._turnstile = asyncio.Lock()
        self._writing = threading.Lock()

    async def open(self) -> Transcript:
        """Read the folder, seal a torn end, copy damaged lines to torn/. Raises TranscriptUnwritable."""
        try:
            await anyio.to_thread.run_sync(self._open)
        except OSError as error:
            kind = DiskFull if is_full(error) else TranscriptUnwritable
            raise kind(f"{self._folder}: {error.strerror}") from error
        return self

    async def append(self, turn: Turn, *, tokens: int, as_seen: FileSeen | None = None) -> Accepted:
        """
        Store *turn* durably and return it with its sequence.

        The same turn id with the same content, apart from secrets, returns the turn as it was first stored; with
        other content it raises TurnConflict. Raises TurnErased where a turn of this id was erased, and
        TranscriptUnwritable when the disk refused: then nothing was stored.

        A turn is as it is because of what a file said, *as_seen*. Where several machines share the mind, and one of
        them has changed that file, it raises ChangedElsewhere or CopyOutdated: then nothing was stored either.
        """
        if (stored := await self._stored(turn)) is not None:
            return stored
        return (await self._append_new([(turn, tokens)], as_seen))[0]

    async def append_all(
        self, turns: Sequence[tuple[Turn, int]], *, as_seen: FileSeen | None = None
    ) -> tuple[Accepted, ...]:
        """
        Store *turns*, each with its tokens, in one write: all of them or none. Their ids must differ.

        It answers and raises as ``append`` does, in the order given.
        """
        stored = {turn.turn_id: await self._stored(turn) for turn, _ in turns}
        # Between this look and the queue nobody comes; what somebody posted while the disk was read is theirs.
        new = [pair for pair in turns if stored[pair[0].turn_id] is None and not self._is_known(pair[0])]
        stored |= {one.kept.turn.turn_id: one for one in await self._append_new(new, as_seen)}
        return tuple([stored[one.turn_id] or await self.append(one, tokens=n, as_seen=as_seen) for one, n in turns])

    def _is_known(self, turn: Turn) -> bool:
        return turn.turn_id in self._waiting or (self._shared is None and self._positions.is_taken(turn.turn_id))

    async def _stored(self, turn: Turn) -> Accepted | None:
        """
        The turn of this id as it was stored before; None where there is none.

        None also where the turns are shared: a turn that the copy has may stand on one machine only. Asking the store
        settles that.
        """
        if self._positions.is_erased(turn.turn_id):
            raise TurnErased(
                f"the turn of the id '{turn.turn_id}' was erased and is not kept again; anything new needs a new id"
            )
        waiting = self._waiting.get(turn.turn_id)  # looked at first: a turn is stored before it stops waiting
        if waiting is not None:
            return Accepted(_same(await self._settled(waiting), turn), is_new=False)
        if self._shared is not None:
            return None
        known = self._positions.sequence_of(turn.turn_id)
        for kept in await self.read_many((known,)) if known is not None else ():  # none where the disk lost it
            return Accepted(_same(kept, turn), is_new=False)
        return None

    async def _append_new(self, turns: Sequence[tuple[Turn, int]], as_seen: FileSeen | None) -> list[Accepted]:
        waiting = [_Waiting(turn, tokens, as_seen) for turn, tokens in turns]
        self._waiting.update({one.turn.turn_id: one for one in waiting})
        self._queue.extend(waiting)  # at once: no write takes a part of them
        return [Accepted(_same(await self._settled(one), one.turn), is_new=one.is_new) for one in waiting]

    async def follow(self) -> None:
        """Read on what was appended to the files of a shared mind, by this machine or by another one."""
        await anyio.to_thread.run_sync(self._follow)

    async def read(self, sequence: int) -> StoredTurn:
        """The turn of this sequence. Raises TurnNotFound."""
        for kept in await self.read_many((sequence,)):
            return kept
        raise TurnNotFound(f"no turn of sequence {sequence} can be read")

    async def read_many(self, sequences: Sequence[int]) -> tuple[StoredTurn, ...]:
        """The turns of these sequences that are whole, in the order asked for. Raises TranscriptUnreadable."""
        return await anyio.to_thread.run_sync(self.read_now, tuple(sequences)) if sequences else ()

    def read_now(self, sequences: Sequence[int]) -> tuple[StoredTurn, ...]:
        """The same for who is in a worker thread already: it blocks."""
        try:
            return self._read_many(tuple(sequences))
        except OSError as error:
            raise TranscriptUnreadable(f"what was kept can not be read: {error.strerror}") from error

    async def after(self, sequence: int, *, limit: int) -> tuple[StoredTurn, ...]:
        """The next turns above *sequence*, in order, at most *limit*."""
        return await self.read_many(self._positions.after(sequence, limit=limit))

    async def before_in_session(self, session_id: str, sequence: int, *, limit: int) -> tuple[StoredTurn, ...]:
        """The last turns of a session below *sequence*, oldest first."""
        return await self.read_many(self._positions.before_in_session(session_id, sequence, limit=limit))

    async def after_in_session(self, session_id: str, sequence: int, *, limit: int) -> tuple[StoredTurn, ...]:
        """The next turns of a session above *sequence*, oldest first."""
        return await self.read_many(self._positions.after_in_session(session_id, sequence, limit=limit))

    async def erased_in(self, session_id: str) -> tuple[StoredTurn, ...]:
        """The tombstones of a session's erased turns."""
        return await self.read_many(self._positions.erased_in(session_id))

    async def erase(self, sequences: Sequence[int], *, session_id: str | None = None) -> int:
        """
        Take the words of these turns, and damaged copies of them, off the disk. Returns how many turns there were.

        With *session_id*, also damaged lines of that session. It may be repeated. Raises TranscriptUnwritable.
        """
        try:
            return await anyio.to_thread.run_sync(self._erase, tuple(sequences), session_id)
        except OSError as error:
            raise TranscriptUnwritable(f"{self._folder}: {error.strerror}") from error

    @property
    def positions(self) -> Positions:
        """Counts, ids and sequences, without reading the disk."""
        return self._positions

    @property
    def damages(self) -> tuple[Damage, ...]:
        """The damaged lines that were found, when this transcript was opened or later."""
        return tuple(self._damages)

    @property
    def reserved(self) -> int:
        """The highest sequence that was given, or that a damaged line at the end may have had."""
        return self._next - 1

    def never_below(self, sequence: int) -> None:
        """Give no sequence at or below *sequence*: a projection holds it, although the disk lost our last turns."""
        self._next = max(self._next, sequence + 1)

    async def extent(self) -> Extent:
        """What is on disk now: everything that was answered, and no half line. Later turns lie beyond it."""
        return await anyio.to_thread.run_sync(self._extent)

    async def close(self) -> None:
        """Release the file."""
        await anyio.to_thread.run_sync(self._close)

    async def _settled(self, waiting: _Waiting) -> StoredTurn:
        while not waiting.is_settled:
            async with self._turnstile:
                if not waiting.is_settled:
                    await anyio.to_thread.run_sync(self._commit)
        if waiting.kept is None:
            assert waiting.error is not None  # noqa: S101 - is_settled
            raise waiting.error
        return waiting.kept

    def _commit(self) -> None:
        # In a worker thread, where a cancelled caller breaks neither the mutex nor a batch that it had taken for all.
        with self._writing:
            batch = [self._queue.popleft() for _ in range(len(self._queue))]
            try:
                if self._shared is not None:
                    self._share(batch, self._shared)
                else:
                    self._ready_file()
                    self._write([(waiting, self._sequenced(waiting)) for waiting in batch])
            except OSError as error:
                self._undo()
                kind = DiskFull if is_full(error) else TranscriptUnwritable
                self._settle(batch, kind(f"the turn could not be stored: {error.strerror}"))
            except MemoryFault as error:
                self._settle(batch, error)
            finally:
                self._settle(batch, TranscriptUnwritable("the turn could not be written"))

    def _share(self, batch: list[_Waiting], shared: SharedTurns) -> None:
        """Store the batch for everybody. It is stored also where the disk fails, and this copy lacks it."""
        as_seen = frozenset(waiting.as_seen for waiting in batch if waiting.as_seen is not None)
        turns = [(waiting.turn, waiting.tokens) for waiting in batch]
        stored = shared.append(turns, at=self._clock.now(), as_seen=as_seen)
        with suppress(OSError):
            self._read_on()
        for waiting, one in zip(batch, stored, strict=True):
            waiting.kept, waiting.is_new = one

    def _follow(self) -> None:
        with self._writing:
            self._read_on()

    def _read_on(self) -> None:
        """Note where the lines are that stand behind the last one that is known. Raises OSError."""
        for file in sorted(self._folder.glob("*.jsonl")):
            if self._file is not None and file < self._file:
                continue
            offset = self._good_end if file == self._file else 0
            with open_regular(file) as lines:
                lines.seek(offset)
                for line in lines:
                    with suppress(DamagedRecord):
                        kept = decode(line[:-1])
                        if kept.sequence > self._positions.last:
                            self._positions.add(kept, Place(file, offset, len(line) - 1))
                    offset += len(line)
            self._file, self._good_end = file, offset

    def _extent(self) -> Extent:
        with self._writing:
            files = sorted(self._folder.glob("*.jsonl"))
            sizes = (self._good_end if file == self._file else file.stat().st_size for file in files)
            known = self._positions
            return Extent(known.last, len(known), known.sessions(), tuple(zip(files, sizes, strict=True)))

    def _settle(self, batch: list[_Waiting], error: MemoryFault) -> None:
        for waiting in batch:
            if not waiting.is_settled:
                waiting.error = error
            self._waiting.pop(waiting.turn.turn_id, None)

    def _sequenced(self, waiting: _Waiting) -> StoredTurn:
        kept = StoredTurn(self._next, self._clock.now(), waiting.turn, waiting.tokens)
        self._next += 1
        return kept

    def _write(self, written: list[tuple[_Waiting, StoredTurn]]) -> None:
        assert self._file is not None  # noqa: S101 - _ready_file
        assert self._handle is not None  # noqa: S101
        lines = [encode(kept) for _, kept in written]
        rest = memoryview(b"".join(lines))
        while rest:  # a full disk may take a part of it without an error
            rest = rest[os.write(self._handle, rest) :]
        _sync(self._handle)
        for (waiting, kept), line in zip(written, lines, strict=True):
            self._positions.add(kept, Place(self._file, self._good_end, len(line) - 1))
            self._good_end += len(line)
            waiting.kept = kept

    def _undo(self) -> None:
        """
        Take back what a failed write left behind, and trust neither handle nor page cache after it.

        The sequences it used are not given again: a line that could not be cut away may still be read back.
        """
        if self._handle is not None:
            with suppress(OSError):  # _ready_file cuts again, or refuses, before anything else is written
                os.ftruncate(self._handle, self._good_end)
            self._forget_handle()

    def _ready_file(self) -> None:
        month = self._folder / f"{self._clock.now():%Y-%m}.jsonl"
        newest = max(month, self._file) if self._file else month  # a clock set back must not reorder files
        if self._handle is not None and newest == self._file:
            return
        self._forget_handle()
        is_same = newest == self._file
        handle = os.open(newest, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        try:
            if is_same:
                os.ftruncate(handle, self._good_end)
            else:
                sync_folder(self._folder)
        except OSError:
            os.close(handle)
            raise
        self._file, self._handle, self._good_end = newest, handle, os.fstat(handle).st_size

    def _erase(self, sequences: tuple[int, ...], session_id: str | None) -> int:
        with self._writing:
            turns = [kept for kept in self._read_many(sequences) if kept.turn.kind is not TurnKind.ERASED]
            tombstones = [tombstone_of(kept, salt=self._clock.fresh_id()) for kept in turns]
            parts: dict[Path, dict[int, bytes]] = {}
            lines: dict[int, bytes] = {}
            for tombstone in tombstones:
                place = self._positions.place(tombstone.sequence)
                assert place is not None  # noqa: S101 - it was read there
                lines[tombstone.sequence] = encode_tombstone(tombstone, length=place.length)
                parts.setdefault(place.file, {})[place.offset] = lines[tombstone.sequence]
            if self._shared is not None and lines:
                self._shared.overwrite(lines)
            signs = signs_of(turns, session_id=session_id)
            for damage in self._damages:
                found = damaged_parts(self._folder, damage, self._positions, signs)
                parts.setdefault(self._folder / damage.file, {}).update(found)
            ids = frozenset(kept.turn.turn_id for kept in turns)
            for file in sorted(self._folder.glob("*.jsonl")) if turns else ():
                spare = spare_lines(file, self._positions, ids, session_id=session_id)
                parts[file] = spare | parts.get(file, {})
            for file in sorted(file for file, changes in parts.items() if changes):
                if file == self._file:
                    self._forget_handle()  # it is of the file that goes
                overwrite(file, parts[file])
            gone = drop_torn(self._folder, signs)
            self._damages = [one for one in self._damages if one.aside not in gone]
            self._positions.erase(turns, tombstones)
            return len(turns)

    def _close(self) -> None:
        with self._writing:  # a cancelled caller's batch may still be on its way to the disk
            self._forget_handle()

    def _forget_handle(self) -> None:
        if self._handle is not None:
            os.close(self._handle)
            self._handle = None

    def _open(self) -> None:
        self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        for file in sorted(self._folder.glob("*.jsonl")):
            lost = 0
            for found in scan(file):
                if isinstance(found, Damage):
                    self._damages.append(found)
                    lost += 1
                    continue
                kept, place = found
                lost = 0
                if kept.sequence > self._positions.last:
                    self._positions.add(kept, place)
            # A damaged line at the end may have carried sequences that projections already hold.
            self._next = max(self._next, self._positions.last + 1 + lost)
            self._file, self._good_end = file, file.stat().st_size

    def _read_many(self, sequences: tuple[int, ...]) -> tuple[StoredTurn, ...]:
        places = (self._positions.place(sequence) for sequence in sequences)
        read = read_lines(place for place in places if place is not None)
        self._damages.extend(one for one in read if isinstance(one, Damage) and one not in self._damages)
        return tuple(one for one in read if isinstance(one, StoredTurn))


def _same(kept: StoredTurn, turn: Turn) -> StoredTurn:
    if kept.turn.kind is TurnKind.ERASED:
        raise TurnErased(f"the turn of the id '{turn.turn_id}' was erased while it was posted again")
    if not is_same(kept.turn, turn):
        raise TurnConflict(f"a turn of the id '{turn.turn_id}' was already accepted with other content")
    return kept
