"""Write a zip while it is sent: files in, bytes out. Only the chunk that is being sent is in memory."""

from __future__ import annotations

import hashlib
import io
import zipfile
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from consolidation.kernel.errors import HomeFault
from service.archive.layout import MANIFEST
from service.archive.manifest import Member, stamp

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from datetime import datetime
    from pathlib import Path

_CHUNK = 256 * 1024
_LEVEL = 3  # vectors hardly compress, and text does at any level
_PRIVATE = 0o600 << 16


@dataclass(frozen=True, slots=True)
class Piece:
    """A future member: its name, the file with its bytes, and how many of them, from the start, belong to it."""

    name: str
    file: Path
    size: int


def packed(
    pieces: Sequence[Piece], *, made_at: datetime, manifest: Callable[[tuple[Member, ...]], bytes]
) -> Iterator[bytes]:
    """
    The zip of *pieces*, chunk by chunk. *manifest* makes the last member from the list of all others.

    Raises HomeFault if a file has become shorter.
    """
    pipe = _Pipe()
    members: list[Member] = []
    with zipfile.ZipFile(pipe, "w", zipfile.ZIP_DEFLATED, compresslevel=_LEVEL) as archive:
        for piece in pieces:
            digest = hashlib.sha256()
            with (
                piece.file.open("rb") as source,
                archive.open(_zip_info(piece.name, made_at), "w", force_zip64=True) as to,
            ):
                for chunk in _chunks(source, piece):
                    digest.update(chunk)
                    to.write(chunk)
                    yield from pipe.drain()
            members.append(Member(name=piece.name, bytes=piece.size, sha256=digest.hexdigest()))
        archive.writestr(_zip_info(MANIFEST, made_at), manifest(tuple(members)))
    yield from pipe.drain(at_least=1)


def _chunks(source: io.BufferedReader, piece: Piece) -> Iterator[bytes]:
    left = piece.size
    while left:
        chunk = source.read(min(_CHUNK, left))
        if not chunk:
            raise HomeFault(f"{piece.name} became shorter while it was exported")
        left -= len(chunk)
        yield chunk


def _zip_info(name: str, made_at: datetime) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(name, stamp(made_at))
    info.compress_type, info.external_attr = zipfile.ZIP_DEFLATED, _PRIVATE
    info._compresslevel = _LEVEL  # type: ignore[attr-defined]  # noqa: SLF001 - public from Python 3.13 on
    return info


class _Pipe(io.RawIOBase):
    """Buffers what a zip writes. It can not seek, so the zip writes strictly in order."""

    def __init__(self) -> None:
        self._buffer = bytearray()

    def writable(self) -> bool:
        return True

    def write(self, data: Any, /) -> int:  # noqa: ANN401 - any buffer
        self._buffer += data
        return len(data)

    def drain(self, *, at_least: int = _CHUNK) -> Iterator[bytes]:
        """What was written since the last call, if it is at least *at_least* bytes."""
        if len(self._buffer) >= at_least:
            chunk, self._buffer = bytes(self._buffer), bytearray()
            yield chunk
