"""
The files of a mind that only people write, whole: listed, read, made, replaced and deleted, by compare-and-swap.

For clients that hold copies of them. A closed list: SOUL.md, PURPOSE.md, MEMORY.md, memory/**/*.md, settings.toml, and
in prompts/ the names of our templates. STORY.md has its own door, since the service writes it, too.
"""

from __future__ import annotations

import hashlib
import os
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import anyio.to_thread

from consolidation.kernel.errors import (
    InvalidRequest,
    JournalFileChanged,
    JournalFileNotFound,
    JournalFileTooLarge,
    JournalPathRefused,
    StoryChanged,
    StoryPreconditionMissing,
)
from consolidation.kernel.files import exclusive, new_file, remove, replace_bytes, storing, sync_folder
from consolidation.kernel.links import held_folder
from consolidation.kernel.shared_files import Stamp, stamp_of, until_unchanged
from consolidation.story.edits import check_unchanged, etag_of
from consolidation.story.exchange import create
from prompts.library import TEMPLATES, fault_of_copy
from service.index.journal_files import OWN_WRITINGS, PERSONA, fault_of, files_of, read, steps_of
from service.mind.own_settings import LOCK_SECONDS, MOST_BYTES, understood

if TYPE_CHECKING:
    import threading
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from service.journal.freshness import JournalFreshness
    from service.mind.minds import Mind

SETTINGS = "settings.toml"
BESIDE = (*PERSONA, SETTINGS, *(f"prompts/{name}" for name in sorted(TEMPLATES)))  # the files that are not the journal
_NAMES = "SOUL.md, PURPOSE.md, MEMORY.md, memory/**/*.md, settings.toml and prompts/<name of a prompt>.md"
_POINTER = "path/path"
_SETTLED_SECONDS = 2.0  # a file that changed later may change again without showing it in its times
_FRESH_SECONDS = 10.0


@dataclass(frozen=True, slots=True)
class FileListed:
    """A file: its path below the mind's folder, its ETag, its size, and when it changed."""

    path: str
    etag: str
    bytes: int
    changed_at: datetime


@dataclass(frozen=True, slots=True)
class FileList:
    """Every file by path. ``etag`` is of the whole list; None while a file has just changed."""

    files: tuple[FileListed, ...]
    etag: str | None


@dataclass(frozen=True, slots=True)
class WholeFile:
    """A file with all its bytes."""

    listed: FileListed
    content: bytes


class MindFiles:
    """People's files of any mind. One write at a time; a person's editor is not held up."""

    def __init__(
        self, freshness: JournalFreshness, *, max_file_bytes: int, now: Callable[[], datetime], mutex: threading.Lock
    ) -> None:
        """*mutex* is held by every door to the same files."""
        self._freshness = freshness
        self._most = max_file_bytes
        self._now = now
        self._mutex = mutex

    async def files(self, mind: Mind, *, known: str | None) -> FileList | None:
        """Every file; None where the list still has the ETag *known*. Raises HomeFault."""
        return await self._on_disk(lambda: self._list(mind.workspace.folder, known))

    async def read(self, mind: Mind, path: str) -> WholeFile:
        """A file. Raises JournalPathRefused, JournalFileNotFound, JournalFileTooLarge, HomeFault."""
        return await self._on_disk(lambda: self._read(mind.workspace.folder, path))

    async def put(self, mind: Mind, path: str, text: str, *, expected: str | None, is_new: bool) -> WholeFile:
        """
        Put *text* in the place of the file whose ETag is *expected*, or, if it *is_new*, where no file is.

        The next search finds its words. Raises as ``read`` does, InvalidRequest for settings or a prompt that could
        not be used, StoryPreconditionMissing, JournalFileChanged, Locked.
        """
        check_path(path)
        check_content(path, text, most_bytes=self._most)
        if expected is None and not is_new:
            raise StoryPreconditionMissing(
                "send If-Match with the ETag of the file that this one replaces, or `If-None-Match: *` for a new file"
            )
        root = mind.workspace.folder
        written = await self._on_disk(
            lambda: until_unchanged(lambda: self._put(root, path, text.encode(), None if is_new else expected))
        )
        await self._freshness.ensure_fresh(mind, seconds=_FRESH_SECONDS, with_vectors=False)
        return written

    async def delete(self, mind: Mind, path: str, *, expected: str | None) -> FileListed:
        """Delete the file whose ETag is *expected*, and return what it was. Raises as ``put`` does."""
        check_path(path)
        if expected is None:
            raise StoryPreconditionMissing("send If-Match with the ETag of the file that is to be deleted")
        gone = await self._on_disk(lambda: until_unchanged(lambda: self._delete(mind.workspace.folder, path, expected)))
        await self._freshness.ensure_fresh(mind, seconds=_FRESH_SECONDS, with_vectors=False)
        return gone

    async def _on_disk[Found](self, work: Callable[[], Found]) -> Found:
        try:
            return await anyio.to_thread.run_sync(work)
        except OSError as error:
            with _pointed():
                raise fault_of(error, doing="people's files can not be read or written") from error

    def _list(self, root: Path, known: str | None) -> FileList | None:
        stamps = {path: stamp for path, stamp in files_of(root, also=BESIDE).items() if path not in OWN_WRITINGS}
        etag = self._etag_of(stamps)
        if etag is not None and known is not None and etag in known:
            return None
        found = []
        for path in sorted(stamps):
            try:
                found.append(self._read(root, path).listed)
            except (JournalFileNotFound, JournalPathRefused, JournalFileTooLarge):
                continue  # it went or became another since; one that is too large can not be read either
        return FileList(tuple(found), etag)

    def _etag_of(self, stamps: dict[str, Stamp]) -> str | None:
        newest = max((max(stamp.mtime_ns, stamp.ctime_ns) for stamp in stamps.values()), default=0)
        if newest / 1e9 > self._now().timestamp() - _SETTLED_SECONDS:
            return None
        lines = "\n".join(f"{path}\x00{tuple(stamp)}" for path, stamp in sorted(stamps.items()))
        return f'"{hashlib.sha256(lines.encode()).hexdigest()[:24]}"'

    def _read(self, root: Path, path: str) -> WholeFile:
        check_path(path)
        with _pointed():
            content, stamp = read(root, path, most_bytes=self._most, also=BESIDE)
        return WholeFile(_listed(path, content, stamp), content)

    def _put(self, root: Path, path: str, content: bytes, expected: str | None) -> WholeFile:
        with self._held(root, path, makes=expected is None) as file:
            if expected is None:
                self._create(root, path, file, content)
            else:
                seen = stamp_of(file)
                self._check_unchanged(root, path, expected)
                replace_bytes(file, content, seen=seen)
            return WholeFile(_listed(path, content, Stamp.of(file.lstat())), content)

    def _delete(self, root: Path, path: str, expected: str) -> FileListed:
        with self._held(root, path, makes=False) as file:
            seen = stamp_of(file)
            present = self._check_unchanged(root, path, expected)
            remove(file, seen=seen)
            sync_folder(file.parent)
            return present.listed

    def _create(self, root: Path, path: str, file: Path, content: bytes) -> None:
        seen = stamp_of(file)
        if os.path.lexists(file):  # before anything is stored, which counts for everybody where the home is shared
            raise self._came_before(root, path)
        beside = file.with_name(f".{file.name}.new")
        beside.unlink(missing_ok=True)
        with new_file(beside) as opened:
            opened.write(content)
        try:
            with storing(file, beside, seen=seen):
                create(beside, file)
        except FileExistsError as error:
            raise self._came_before(root, path) from error
        finally:
            beside.unlink(missing_ok=True)

    def _came_before(self, root: Path, path: str) -> JournalFileChanged:
        """The error for a new file where there is one. Raises as ``read`` does, also for a link or a folder."""
        present = _text(self._read(root, path).content)
        return JournalFileChanged(present, etag=etag_of(present))

    def _check_unchanged(self, root: Path, path: str, expected: str) -> WholeFile:
        present = self._read(root, path)
        try:
            check_unchanged(_text(present.content), expected=expected)
        except StoryChanged as changed:
            raise JournalFileChanged(changed.current, etag=changed.etag) from changed
        return present

    @contextmanager
    def _held(self, root: Path, path: str, *, makes: bool) -> Iterator[Path]:
        """The file's place, while nobody else writes through here and its folder can not be swapped for a link."""
        *folders, name = path.split("/")
        with ExitStack() as held:
            held.enter_context(self._mutex)
            if path == SETTINGS:
                held.enter_context(exclusive(root / name, seconds=LOCK_SECONDS))
            with _pointed():
                _walk(root, folders, makes=makes)
            yield held.enter_context(held_folder(root.joinpath(*folders))) / name


def check_path(path: str) -> None:
    """Raise JournalPathRefused unless *path* is a file that only people write."""
    if path == "STORY.md":
        raise JournalPathRefused("the story has its own route: /v1/minds/{mind_id}/story", pointer=_POINTER)
    with _pointed():
        try:
            steps_of(path, also=BESIDE)
        except JournalPathRefused as refused:
            if path.endswith(".md") and "is not in the journal" not in str(refused):
                raise
            raise JournalPathRefused(f"only people's files are here: {_NAMES}", pointer=_POINTER) from refused
    if path in OWN_WRITINGS:
        raise JournalPathRefused(f"{path} is written by the agent's dreams; here are {_NAMES}", pointer=_POINTER)


def check_content(path: str, text: str, *, most_bytes: int) -> None:
    """Raise InvalidRequest where the service could not use *text* as the file at *path*."""
    most = min(most_bytes, MOST_BYTES) if path == SETTINGS else most_bytes
    if len(text.encode()) > most:
        raise JournalFileTooLarge(f"is larger than {most} bytes")
    if path == SETTINGS and (fault := understood(text).fault) is not None:
        place = "".join((f" ({fault.key})" if fault.key else "", f", line {fault.line}" if fault.line else ""))
        raise InvalidRequest(f"settings.toml could not be used: it {fault.detail}{place}")
    if path.startswith("prompts/") and (reason := fault_of_copy(path.removeprefix("prompts/"), text)) is not None:
        raise InvalidRequest(f"the prompt could not be used: {reason}")


def _walk(root: Path, folders: list[str], *, makes: bool) -> None:
    """See that each of *folders* is a folder and no link; make those that are missing if it *makes* them."""
    handle = os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        for step in folders:
            if step not in os.listdir(handle):  # noqa: PTH208 - an open folder has no path
                if not makes:
                    raise JournalFileNotFound("the mind has no such file")
                os.mkdir(step, 0o700, dir_fd=handle)
            try:
                inner = os.open(step, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=handle)
            except OSError as error:
                raise JournalPathRefused("the path leads over a link or a file", pointer=_POINTER) from error
            os.close(handle)
            handle = inner
    finally:
        os.close(handle)


@contextmanager
def _pointed() -> Iterator[None]:
    """Let an error point to the path of the request, and not to the parameter that another door has."""
    try:
        yield
    except InvalidRequest as error:
        error.pointer = _POINTER
        raise


def _listed(path: str, content: bytes, stamp: Stamp) -> FileListed:
    changed_at = datetime.fromtimestamp(stamp.mtime_ns / 1e9, UTC)
    return FileListed(path, etag_of(_text(content)), len(content), changed_at)


def _text(content: bytes) -> str:
    return content.decode("utf-8", "surrogateescape")
