"""
Imports a file of conversations that was sent: it lies in the home until its turns are stored, one after another.

Turns get the ids that the command line gives them, and go the way of every turn. So the same file again stores nothing
twice, and goes on where a kill or an erasure stopped it. What is known of an import's progress is in memory alone.
"""

from __future__ import annotations

import hashlib
import shutil
from collections import OrderedDict
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from itertools import groupby, islice
from typing import TYPE_CHECKING, Literal
from zoneinfo import ZoneInfo

import anyio
import anyio.to_thread
import structlog

from consolidation.kernel.errors import (
    ArchiveTooLarge,
    HomeFault,
    ImportUnreadable,
    InvalidRequest,
    MemoryFault,
    NotFound,
    RateLimited,
    TurnConflict,
    TurnErased,
)
from consolidation.kernel.turns import TurnKind
from service.importing.formats import read_conversations
from service.importing.parts import new_parts
from service.importing.results import KNOWN_FORMATS, FoundTurn
from service.importing.sources import unpacked_bytes
from service.importing.survey import survey
from service.ingest.intake import check_times
from service.ingest.told_before import ToldBefore

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterable, Iterator
    from datetime import datetime
    from pathlib import Path

    from consolidation.kernel.ports import Clock
    from consolidation.kernel.turns import Turn
    from consolidation.secrets.privacy_filter import PrivacyFilter
    from service.importing.results import ImportItem
    from service.importing.survey import Survey
    from service.ingest.intake import Intake
    from service.mind.minds import Minds
    from service.runtime.background import Background

log = structlog.get_logger()

_ENDINGS = (".json", ".jsonl", ".ndjson", ".txt", ".md", ".zip")
_LONGEST_NAME = 100
_FOLDER = "export"  # whose name is not the mind's, as chats may be called by their folder
_STEP = 50  # turns that are read at once
_MOST_AT_ONCE = 8  # imports that are surveyed, stored or wait
_MOST_REMEMBERED = 200
_UTC = ZoneInfo("UTC")
_ZIP = b"PK\x03\x04"
_STOPPED = "stopped by an erasure or by the end of the service; send the file again, and it goes on"


@dataclass(slots=True)
class ImportProgress:
    """
    An import: what the file holds, and what became of its turns.

    ``duplicates`` were stored before, ``erased`` were erased here and stay so, ``refused`` can not be stored;
    ``detail`` begins with the first of these and its place in the file.
    """

    mind_id: str
    import_id: str
    survey: Survey
    state: Literal["running", "done", "failed"] = "running"
    stored: int = 0
    duplicates: int = 0
    erased: int = 0
    refused: int = 0
    detail: str = ""


@dataclass(frozen=True, slots=True)
class ReceivedFile:
    """A file that lies in a folder of its own, and the digest of its bytes."""

    path: Path
    digest: str


class ConversationImports:
    """The imports of all minds."""

    def __init__(
        self,
        folder: Path,
        *,
        minds: Minds,
        intake: Intake,
        background: Background,
        clock: Clock,
        privacy_filter: PrivacyFilter,
        most_bytes: int,
        most_unpacked_bytes: int,
        owns: Callable[[str], bool],
    ) -> None:
        """
        *folder* holds nothing else. What is in it now was left by a kill, and is deleted by ``clear``, if it is for a
        mind of this process, as *owns* says.
        """
        self._folder = folder
        self._minds = minds
        self._intake = intake
        self._background = background
        self._clock = clock
        self._privacy_filter = privacy_filter
        self._most_bytes = most_bytes
        self._most_unpacked_bytes = most_unpacked_bytes
        found = tuple(folder.iterdir()) if folder.is_dir() else ()
        self._leftovers = tuple(one for one in found if owns(one.name.partition(".")[0]))
        self._known: OrderedDict[str, ImportProgress] = OrderedDict()
        self._running: set[str] = set()
        self._surveys = 0  # that are made now

    async def clear(self) -> None:
        """Delete files that killed imports have left."""
        for left in self._leftovers:
            await _delete(left)

    async def survey(
        self,
        mind_id: str,
        body: AsyncIterator[bytes],
        *,
        filename: str,
        checked: Callable[[Turn], Turn],
        zone: ZoneInfo = _UTC,
    ) -> Survey:
        """
        What the file holds, times without a zone in *zone*. It is deleted again. *checked* as for ``begin``.

        Raises ImportUnreadable, ArchiveTooLarge, RateLimited, HomeFault.
        """
        self._check_room()
        folder = self._new_folder(mind_id)
        async with _deleting(folder):
            received = await self._receive(folder, body, filename=filename)
            return await self._surveyed(received, checked, zone)

    async def begin(
        self,
        mind_id: str,
        body: AsyncIterator[bytes],
        *,
        filename: str,
        checked: Callable[[Turn], Turn],
        zone: ZoneInfo = _UTC,
    ) -> ImportProgress:
        """
        Begin to store what the file holds; a file that is under way already is not begun twice.

        *checked* returns a turn as a caller may post it, or raises InvalidRequest.

        Raises ImportUnreadable, ArchiveTooLarge, RateLimited, HomeFault. Then nothing was stored.
        """
        self._check_room()
        folder = self._new_folder(mind_id)
        is_begun = False
        try:
            received = await self._receive(folder, body, filename=filename)
            found = await self._surveyed(received, checked, zone)
            import_id = _import_id(mind_id, received, zone)
            if import_id in self._running:
                return self._known[import_id]
            progress = ImportProgress(mind_id, import_id, found)
            self._remember(progress)
            self._running.add(import_id)
            name = f"import {mind_id} {import_id}"
            job = self._background.start(name, lambda: self._store(progress, received, checked, zone), owner=mind_id)
            job.add_done_callback(lambda _: self._ended(progress, folder))
            is_begun = True
            return progress
        finally:
            if not is_begun:
                await _delete(folder)

    def progress(self, mind_id: str, import_id: str) -> ImportProgress:
        """How far an import is. Raises NotFound."""
        found = self._known.get(import_id)
        if found is None or found.mind_id != mind_id:
            raise NotFound("no import of this id is known; a restart forgets them, and the same file again goes on")
        return found

    def forget(self, mind_id: str) -> None:
        """Drop what is known of a mind's imports that ended: their openings are words."""
        for import_id in [key for key, one in self._known.items() if one.mind_id == mind_id]:
            if import_id not in self._running:
                del self._known[import_id]

    def _check_room(self) -> None:
        """Raises RateLimited where files of as many imports are read as may be."""
        if len(self._running) + self._surveys >= _MOST_AT_ONCE:
            raise RateLimited("too many imports are under way")

    def _new_folder(self, mind_id: str) -> Path:
        return self._folder / f"{mind_id}.{self._clock.fresh_id()}"

    async def _receive(self, folder: Path, body: AsyncIterator[bytes], *, filename: str) -> ReceivedFile:
        digest, size, head = hashlib.sha256(), 0, b""
        part = folder / "part"
        within = folder / _FOLDER
        try:
            await anyio.to_thread.run_sync(lambda: folder.mkdir(parents=True, mode=0o700))
            await anyio.to_thread.run_sync(within.mkdir)
            async with await anyio.open_file(part, "wb") as to:
                async for chunk in body:
                    size += len(chunk)
                    if size <= self._most_bytes:
                        head = head or chunk[: len(_ZIP)]
                        digest.update(chunk)
                        await to.write(chunk)
            if size > self._most_bytes:
                raise ArchiveTooLarge(f"an export may have {self._most_bytes} bytes")
            path = within / _safe_name(filename, is_zip=head == _ZIP)
            await anyio.to_thread.run_sync(part.rename, path)
        except OSError as error:
            raise HomeFault(f"nothing was imported: {error.strerror}") from error
        return ReceivedFile(path, digest.hexdigest())

    async def _surveyed(self, received: ReceivedFile, checked: Callable[[Turn], Turn], zone: ZoneInfo) -> Survey:
        self._check_room()
        most, now = self._most_unpacked_bytes, self._clock.now()

        def checked_now(turn: Turn) -> None:
            check_times(checked(turn), now=now)

        self._surveys += 1
        try:
            return await anyio.to_thread.run_sync(
                lambda: _surveyed(received.path, most_bytes=most, zone=zone, check=checked_now, now=now)
            )
        finally:
            self._surveys -= 1

    def _remember(self, progress: ImportProgress) -> None:
        self._known[progress.import_id] = progress
        self._known.move_to_end(progress.import_id)
        ended = [key for key in self._known if key not in self._running]
        for key in ended[: max(0, len(self._known) - _MOST_REMEMBERED)]:
            if key != progress.import_id:
                del self._known[key]

    async def _store(
        self, progress: ImportProgress, received: ReceivedFile, checked: Callable[[Turn], Turn], zone: ZoneInfo
    ) -> None:
        items = read_conversations(received.path, zone=zone)
        before = ToldBefore(self._minds, progress.mind_id, cleaned=self._privacy_filter.cleaned)
        try:
            while found := await anyio.to_thread.run_sync(_next_turns, items, received.path.parent):
                for _, run in groupby(found, key=lambda one: one.turn.session_id):
                    if self._background.is_stopping:
                        return
                    turns = await self._new_parts(progress, run, before)
                    left = await before.not_erased(turns)
                    new = await before.not_stored(left)
                    progress.erased += len(turns) - len(left)
                    progress.duplicates += len(left) - len(new)
                    await self._store_run(progress, new, checked)
        except (MemoryFault, OSError) as error:
            progress.state, progress.detail = "failed", f"{error}. The same file again goes on"
            log.warning("import.failed", mind_id=progress.mind_id, stored=progress.stored, reason=type(error).__name__)
            return
        progress.state = "done"
        log.info(
            "import.finished",
            mind_id=progress.mind_id,
            stored=progress.stored,
            duplicates=progress.duplicates,
            erased=progress.erased,
            refused=progress.refused,
        )

    async def _new_parts(
        self, progress: ImportProgress, run: Iterable[FoundTurn], before: ToldBefore
    ) -> list[FoundTurn]:
        """What is to be stored of *run*; what is stored already is counted. A marker counts for all parts of a turn."""
        privacy = (await self._minds.own_settings(progress.mind_id)).privacy(self._privacy_filter)
        pending: dict[str, Turn] = {}

        async def stored(turn_id: str) -> Turn | None:
            if turn_id in pending:
                return pending[turn_id]
            return await before.stored(turn_id)

        turns: list[FoundTurn] = []
        for one in run:
            new = await new_parts(one, stored=stored, beginnings=before.beginnings)
            progress.duplicates += new.known
            parts = [replace(one, turn=turn) for turn in new.turns]
            if len(parts) > 1 and privacy.is_off_the_record(one.turn):
                parts = [replace(part, turn=replace(part.turn, kind=TurnKind.OFF_THE_RECORD)) for part in parts]
            pending |= {part.turn.turn_id: part.turn for part in parts}
            turns += parts
        return turns

    async def _store_run(self, progress: ImportProgress, run: list[FoundTurn], checked: Callable[[Turn], Turn]) -> None:
        """Store turns of one session at once; where one can not be stored, or comes twice, each by itself."""
        if run and len({one.turn.turn_id for one in run}) == len(run):
            try:
                accepted = await self._intake.accept_all(
                    progress.mind_id, [checked(one.dated(self._clock.now())) for one in run]
                )
            except (InvalidRequest, TurnConflict, TurnErased):
                pass
            else:
                progress.stored += sum(one.is_new for one in accepted)
                progress.duplicates += sum(not one.is_new for one in accepted)
                return
        for one in run:
            await self._store_one(progress, one, checked)

    async def _store_one(self, progress: ImportProgress, one: FoundTurn, checked: Callable[[Turn], Turn]) -> None:
        try:
            accepted = await self._intake.accept(progress.mind_id, checked(one.dated(self._clock.now())))
        except TurnErased:
            progress.erased += 1
        except (InvalidRequest, TurnConflict) as refusal:
            progress.refused += 1
            progress.detail = progress.detail or f"{one.turn.turn_id} ({one.where}): {refusal}"
        else:
            progress.stored += accepted.is_new
            progress.duplicates += not accepted.is_new

    def _ended(self, progress: ImportProgress, folder: Path) -> None:
        self._running.discard(progress.import_id)
        if progress.state == "running":
            progress.state, progress.detail = "failed", _STOPPED
        shutil.rmtree(folder, ignore_errors=True)


@asynccontextmanager
async def _deleting(folder: Path) -> AsyncIterator[None]:
    try:
        yield
    finally:
        await _delete(folder)


async def _delete(folder: Path) -> None:
    with anyio.CancelScope(shield=True):
        await anyio.to_thread.run_sync(lambda: shutil.rmtree(folder, ignore_errors=True))


def _import_id(mind_id: str, received: ReceivedFile, zone: ZoneInfo) -> str:
    """The same file, sent again in the same way, has the same id."""
    how = f"{received.path.name}\n{zone.key}" if zone != _UTC else received.path.name
    return hashlib.sha256(f"{mind_id}\n{received.digest}\n{how}".encode()).hexdigest()[:32]


def _surveyed(path: Path, *, most_bytes: int, zone: ZoneInfo, check: Callable[[Turn], None], now: datetime) -> Survey:
    """The survey. Its errors name no path of ours. Raises ImportUnreadable, ArchiveTooLarge."""
    try:
        if unpacked_bytes(path) > most_bytes:
            raise ArchiveTooLarge(f"an export may have {most_bytes} bytes unpacked")
        found = survey(path, zone=zone, check=check, now=now)
    except ImportUnreadable as fault:
        raise ImportUnreadable("the file", found=fault.found, known_formats=fault.known_formats, pointer="#") from fault
    if not found.turns:
        why = f", but {found.skipped[0].reason}" if found.skipped else ""
        raise ImportUnreadable("the file", found=f"no turn in it{why}", known_formats=KNOWN_FORMATS, pointer="#")
    return found


def _next_turns(items: Iterator[ImportItem], folder: Path) -> list[FoundTurn]:
    """The next turns, with their places below *folder*; none at the end."""
    turns = (item for item in items if isinstance(item, FoundTurn))
    return [replace(one, where=one.where.removeprefix(f"{folder}/")) for one in islice(turns, _STEP)]


def _safe_name(filename: str, *, is_zip: bool) -> str:
    """A name for the file that leads nowhere else. Its stem counts for the ids of sessions that have none."""
    name = filename.replace("\\", "/").rpartition("/")[2]
    name = "".join(one if one.isprintable() else "_" for one in name).lstrip(".")
    stem, dot, ending = name.rpartition(".")
    if not dot or f".{ending.lower()}" not in _ENDINGS:
        stem, ending = name, "json"
    stem = stem[:_LONGEST_NAME].encode("utf-8", "replace")[:_LONGEST_NAME].decode("utf-8", "ignore") or "conversations"
    return f"{stem}.{'zip' if is_zip else 'json' if ending.lower() == 'zip' else ending.lower()}"
