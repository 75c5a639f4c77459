"""
The files of a mounted folder that only people write: the last save wins, and the other one is kept beside.

Invariant: no text that a person saved is gone. What gives way is beside as ``NAME.conflict-<time>.md``, what is deleted
is in the state's folder, and both are on disk before anything takes their place.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from anyio import to_thread
from mind_memory_client import AsyncMemoryClient, StoryChanged, errors
from mind_memory_client.files import MindFileEntry, MindFiles

from consolidation.kernel.errors import StoryUnreadable
from consolidation.kernel.files import replace_bytes
from consolidation.story.edits import etag_of
from consolidation.story.exchange import read_stable
from consolidation.text.surrogates import as_bytes, as_text
from service.cli.mounting.state import MountState, Record, is_conflict, is_utf8
from service.index.journal_files import OWN_WRITINGS, files_of
from service.journal.mind_files import BESIDE

_UNREADABLE = "\ufffd"


class FileSync:
    """Keeps the files of one folder in step."""

    def __init__(self, state: MountState, memory: AsyncMemoryClient, *, mind: str, say: Callable[[str], None]) -> None:
        self._state = state
        self._memory = memory
        self._mind = mind
        self._say = say
        self._listed: MindFiles | None = None
        self._said: set[tuple[str, str]] = set()

    async def step(self) -> None:
        """Bring every file up to date, both ways. Raises MindMemoryError, OSError."""
        there = {one.path: one for one in (await self._list()).files}
        records = await to_thread.run_sync(self._state.records)
        here = await to_thread.run_sync(self._scan)
        records.pop("STORY.md", None)
        for path in sorted({*there, *records, *here}):
            try:
                await self._bring(path, there.get(path), records.get(path))
            except (StoryChanged, errors.NotFound) as changed:
                if isinstance(changed, errors.MindNotFound):
                    raise
                self._listed = None  # somebody was quicker: the next look sees it
            except StoryUnreadable as error:
                self._say_once(path, f"{path} left alone: {error}")
            except errors.InvalidRequest as refused:
                self._say_once(path, f"{path} not sent: {refused.detail or refused.title}")

    async def _list(self) -> MindFiles:
        if self._listed is not None and self._listed.etag is not None:
            changed = await self._memory.changed_files(self._mind, etag=self._listed.etag)
            self._listed = changed if changed is not None else self._listed
        else:
            self._listed = await self._memory.files(self._mind)
        return self._listed

    def _scan(self) -> tuple[str, ...]:
        found = files_of(self._state.folder, also=BESIDE)
        return tuple(path for path in found if path not in OWN_WRITINGS and not is_conflict(path))

    async def _bring(self, path: str, there: MindFileEntry | None, record: Record | None) -> None:
        """One file, by which side changed it since both had the same."""
        base = record.base if record is not None and record.etag is not None else None
        local = await to_thread.run_sync(self._read, path, base)
        is_changed_there = (there.etag if there else None) != (record.etag if record is not None else None)
        if not is_changed_there:
            if local == base:
                return
            await (self._delete(path, record) if local is None else self._put(path, local, record or Record(path)))
        elif there is None:
            await self._gone_there(path, local, base)
        else:
            await self._changed_there(path, local, base, record or Record(path))

    async def _gone_there(self, path: str, local: str | None, base: str | None) -> None:
        if local is not None and local != base:
            self._say(f"{path} was deleted on the service and changed here: your edit stays")
            await self._put(path, local, Record(path))
            return
        if local is not None and not await to_thread.run_sync(self._take_away, path, local):
            return
        await to_thread.run_sync(self._state.forget, path)

    async def _changed_there(self, path: str, local: str | None, base: str | None, record: Record) -> None:
        text, etag, changed_at = await self._service_has(path)
        if local is not None and local not in (base, text):
            is_ours = record.sent == text  # our own save, of which we did not hear
            if is_ours or await self._stays(path, local, text, changed_at):
                agreed = await to_thread.run_sync(self._state.save, record.agreed(text, etag))
                await self._put(path, local, agreed)
                return
        elif local is None and base is not None:
            self._say(f"{path} was deleted here and changed on the service: it is laid out again")
        if local == text or await to_thread.run_sync(self._write, path, local, text):
            await to_thread.run_sync(self._state.save, record.agreed(text, etag))
            if local != text:
                self._say(f"{path} received")

    async def _stays(self, path: str, local: str, text: str, changed_at: datetime) -> bool:
        """Keep beside what was saved earlier; whether *local*, what is here, was the later save."""
        file = self._state.folder / path
        try:
            saved = (await to_thread.run_sync(file.stat)).st_mtime
        except FileNotFoundError:  # a person deleted or moved it since
            return False
        stays = datetime.fromtimestamp(saved, UTC) >= changed_at
        name = await to_thread.run_sync(self._state.keep_beside, file, text if stays else local)
        if name is not None:
            whose = "the service's text" if stays else "yours"
            self._say(f"{path} was changed here and on the service: the later save stays, {whose} is in {name}")
        return stays

    async def _put(self, path: str, local: str, record: Record) -> None:
        if not is_utf8(local):
            self._say_once(path, f"{path} not sent: it holds bytes that are not UTF-8")
            return
        if (path, _digest(local)) in self._said:
            return  # it was refused
        record = await to_thread.run_sync(self._state.save, replace(record, sent=local))
        try:
            written = await self._memory.put_file(self._mind, path=path, text=local, etag=record.etag)
        except errors.InvalidRequest:
            self._said.add((path, _digest(local)))
            raise
        await to_thread.run_sync(self._state.save, record.agreed(local, written.etag))
        self._say(f"{path} sent")

    async def _delete(self, path: str, record: Record | None) -> None:
        if record is not None and record.etag is not None:
            aside = self._state.place / "deleted" / f"{_digest(record.base)}-{path.rpartition('/')[2][-100:]}"
            await to_thread.run_sync(_keep, aside, record.base)
            await self._memory.delete_file(self._mind, path=path, etag=record.etag)
            self._say(f"{path} deleted on the service, too; its text is in {aside.relative_to(self._state.folder)}")
        await to_thread.run_sync(self._state.forget, path)

    async def _service_has(self, path: str) -> tuple[str, str, datetime]:
        found = await self._memory.file(self._mind, path=path)
        if _UNREADABLE not in found.text:
            return found.text, found.etag, found.changed_at
        text = as_text(await self._memory.file_bytes(self._mind, path=path))
        if etag_of(text) != found.etag:
            raise StoryUnreadable("it keeps changing on the service")
        return text, found.etag, found.changed_at

    def _read(self, path: str, known: str | None) -> str | None:
        """The file here, once it holds still or is *known*; None without one. Raises StoryUnreadable."""
        file = self._state.folder / path
        inside = (file, *(one for one in file.parents if one.is_relative_to(self._state.folder)))
        link = next((one for one in inside[:-1] if one.is_symlink()), None)
        if link is not None:
            raise StoryUnreadable(f"{link.relative_to(self._state.folder)} is a link, and links are not followed")
        with suppress(NotADirectoryError):
            if known is not None and _is(file, known):
                return known
            content = read_stable(file, is_expected=known is not None)
            return None if content is None else as_text(content)
        raise StoryUnreadable("a file is in the place of its folder")

    def _write(self, path: str, local: str | None, text: str) -> bool:
        """Put the service's *text* in the place of *local*; False where a person saved meanwhile."""
        file = self._state.folder / path
        if local is None:
            try:
                self._state.make(file, text)
            except FileExistsError:
                return False
            return True
        with suppress(FileNotFoundError):  # a person deleted or moved it since; the next step sees how it is then
            return self._state.change(path, lambda present: text if present == local else present) == text
        return False

    def _take_away(self, path: str, local: str) -> bool:
        """Move a file that was deleted on the service out of the folder; False where a person saved meanwhile."""
        file = self._state.folder / path
        try:
            aside = self._state.put_aside(file)
        except FileNotFoundError:  # a person deleted it, too
            return False
        if aside.read_bytes() != as_bytes(local):
            with suppress(FileExistsError):
                file.hardlink_to(aside)
            return False
        self._say(f"{path} was deleted on the service; its text is in {aside.relative_to(self._state.folder)}")
        return True

    def _say_once(self, path: str, words: str) -> None:
        if (path, words) not in self._said:
            self._said.add((path, words))
            self._say(words)


def _keep(aside: Path, text: str) -> None:
    aside.parent.mkdir(exist_ok=True, mode=0o700)
    replace_bytes(aside, as_bytes(text))


def _is(file: Path, text: str) -> bool:
    try:
        return file.read_bytes() == as_bytes(text)
    except OSError:
        return False


def _digest(text: str) -> str:
    return hashlib.sha256(as_bytes(text)).hexdigest()[:16]
