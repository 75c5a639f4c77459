"""
Unpack an archive into a folder of its own. Nothing in it is trusted before it is checked.

Everything that is read has a limit: the directory of the zip and the manifest a fixed one, each member the size that
the manifest states, and all members together a setting.
"""

from __future__ import annotations

import hashlib
import io
import os
import stat
import struct
import zipfile
import zlib
from collections import Counter
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from consolidation.kernel.errors import ArchiveTooLarge, ArchiveUnreadable, HomeFault
from service.archive.layout import BESIDE, MANIFEST, fault_of, folder_of_archive, is_added, is_lines, is_prompt
from service.archive.manifest import Manifest, Member, manifest_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

MIND = "mind"  # the subfolder that becomes the mind's folder
_CHUNK = 256 * 1024
_MOST_READ = 8 * 1024 * 1024  # of a zip's directory, and of a manifest
LONGEST_LINE = 64 * 1024 * 1024
_ENCRYPTED = 0x1
_NOT_OURS = "it is not of a mind; conversations are sent to …/import/conversations, or given to `mind-memory import`"
_COMPRESSIONS = frozenset({zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED})
_BROKEN = (zipfile.BadZipFile, zlib.error, struct.error, EOFError, NotImplementedError, RuntimeError, ValueError)


def unpack(archive: Path, *, folder: Path, most_bytes: int, takes_prompts: bool) -> Manifest:
    """
    Unpack the mind's files into ``folder/mind`` and the others into *folder*. Returns the manifest. Blocking.

    The mind's own prompts are left out unless *takes_prompts*.

    Raises ArchiveUnreadable, ArchiveTooLarge, HomeFault. The caller deletes *folder* then.
    """
    with _reading(MANIFEST), _Bounded(archive, "rb") as source:
        if not archive.stat().st_size:
            raise ArchiveUnreadable("the archive is empty")
        with zipfile.ZipFile(source) as opened:
            found = _members(opened)
            manifest = manifest_of(_manifest(opened, found))
            _check(manifest, found, most_bytes=most_bytes)
            (folder / MIND).mkdir(mode=0o700)
            for member in manifest.members:
                if is_prompt(member.name) and not takes_prompts:
                    continue
                target = folder / member.name if member.name in BESIDE else folder / MIND / member.name
                _extract(opened, found[member.name], member, target=target)
    return manifest


def manifest_in(archive: Path) -> Manifest:
    """The manifest of *archive*. Its members are not checked. Blocking. Raises ArchiveUnreadable."""
    with _reading(MANIFEST), _Bounded(archive, "rb") as source, zipfile.ZipFile(source) as opened:
        return manifest_of(_manifest(opened, _members(opened)))


def _members(opened: zipfile.ZipFile) -> dict[str, zipfile.ZipInfo]:
    """The members by their names within the archive. Raises ArchiveUnreadable if one can not be read."""
    infos = [info for info in opened.infolist() if not info.is_dir()]
    within = folder_of_archive([info.filename for info in infos])
    if within is None:
        raise ArchiveUnreadable(f"the archive has no {MANIFEST}: {_NOT_OURS}", pointer=MANIFEST)
    found: dict[str, zipfile.ZipInfo] = {}
    for info in infos:
        name = info.filename.removeprefix(within)
        reason = None if is_added(name) else fault_of(name) or _fault_of(info)
        if name in found:
            reason = "it is in the archive twice"
        if reason is not None:
            raise _unreadable(name, reason)
        found[name] = info
    return found


def _fault_of(info: zipfile.ZipInfo) -> str | None:
    mode = info.external_attr >> 16
    if stat.S_IFMT(mode) not in {0, stat.S_IFREG}:
        return "it is a link or not a regular file"
    if info.flag_bits & _ENCRYPTED:
        return "it is encrypted"
    return None if info.compress_type in _COMPRESSIONS else "its compression is not supported"


def _manifest(opened: zipfile.ZipFile, found: dict[str, zipfile.ZipInfo]) -> bytes:
    with opened.open(found[MANIFEST]) as member:
        text = member.read(_MOST_READ + 1)
    if len(text) > _MOST_READ:
        raise _unreadable(MANIFEST, "it is too long")
    return text


def _check(manifest: Manifest, found: dict[str, zipfile.ZipInfo], *, most_bytes: int) -> None:
    named = [member.name for member in manifest.members]
    for name, times in Counter(named).items():
        if times > 1:
            raise _unreadable(name, "the manifest names it twice")
    for name in sorted({*named} ^ (found.keys() - {MANIFEST})):
        if is_added(name):
            continue
        raise _unreadable(
            name, "the manifest names it, but it is missing" if name in named else "the manifest does not name it"
        )
    if sum(member.bytes for member in manifest.members) > most_bytes:
        raise ArchiveTooLarge(f"the unpacked archive may have at most {most_bytes} bytes")


def _extract(opened: zipfile.ZipFile, info: zipfile.ZipInfo, member: Member, *, target: Path) -> None:
    digest, left, line = hashlib.sha256(), member.bytes, 0
    with _reading(member.name), opened.open(info) as source, _written(target, name=member.name) as to:
        while chunk := source.read(_CHUNK):
            left -= len(chunk)
            if left < 0:
                raise _unreadable(member.name, "it is longer than the manifest says")
            line = line + len(chunk) if b"\n" not in chunk else len(chunk) - chunk.rindex(b"\n")
            if is_lines(member.name) and line > LONGEST_LINE:
                raise _unreadable(member.name, "one of its lines is too long")
            digest.update(chunk)
            _put(to, chunk)
    if left:
        raise _unreadable(member.name, "it is shorter than the manifest says")
    if digest.hexdigest() != member.sha256:
        raise _unreadable(member.name, "its SHA-256 is not the one the manifest says")


@contextmanager
def _written(target: Path, *, name: str) -> Iterator[int]:
    """A new file, synced at the end."""
    try:
        target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        handle = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    except (FileExistsError, NotADirectoryError) as error:
        raise _unreadable(name, "another member has the same path") from error
    except OSError as error:
        raise HomeFault(f"{name} could not be unpacked: {error.strerror}") from error
    try:
        yield handle
        _sync(handle, name=name)
    finally:
        os.close(handle)


def _sync(handle: int, *, name: str) -> None:
    try:
        os.fsync(handle)
    except OSError as error:
        raise HomeFault(f"{name} could not be unpacked: {error.strerror}") from error


def _put(handle: int, chunk: bytes) -> None:
    rest = memoryview(chunk)
    try:
        while rest:
            rest = rest[os.write(handle, rest) :]
    except OSError as error:
        raise HomeFault(f"the archive could not be unpacked: {error.strerror}") from error


@contextmanager
def _reading(name: str) -> Iterator[None]:
    """Translate what a broken zip raises into ArchiveUnreadable."""
    try:
        yield
    except (*_BROKEN, OSError) as error:
        reason = "the archive is not a complete zip" if name == MANIFEST else f"{name} can not be read from the archive"
        raise ArchiveUnreadable(f"{reason}: {_printable(error)}", pointer=name) from error


def _printable(error: Exception) -> str:
    return str(error).encode("ascii", "replace").decode()[:200] or type(error).__name__


def _unreadable(name: str, reason: str) -> ArchiveUnreadable:
    shown = ascii(name)[:200]
    return ArchiveUnreadable(f"{shown} in the archive: {reason}", pointer=shown.strip("'\""))


class _Bounded(io.FileIO):
    """A file that refuses to read much at once: the directory of a zip may claim any size."""

    def read(self, size: int | None = -1, /) -> Any:  # noqa: ANN401 - as its base
        wanted = os.fstat(self.fileno()).st_size - self.tell() if size is None or size < 0 else size
        if wanted > _MOST_READ:
            raise zipfile.BadZipFile("its directory is too long")
        return super().read(wanted)
