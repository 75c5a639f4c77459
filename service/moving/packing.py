"""A zip written as it is sent: files in, bytes out, nothing held but what is on its way."""

from __future__ import annotations

import hashlib
import io
import zipfile
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from consolidation.kernel.errors import HomeFault
from service.moving.manifest import Member, stamp
from service.moving.members import MANIFEST

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from datetime import datetime
    from pathlib import Path

_CHUNK = 256 * 1024
_LEVEL = 3  # vectors hardly shrink, words do at any level
_PRIVATE = 0o600 << 16


@dataclass(frozen=True, slots=True)
class Piece:
    """A member to be: its name, where its bytes stand, and how many of them, from the first, belong to it."""

    name: str
    file: Path
    size: int


def packed(
    pieces: Sequence[Piece], *, made_at: datetime, manifest: Callable[[tuple[Member, ...]], bytes]
) -> Iterator[bytes]:
    """
    The zip of *pieces*, chunk by chunk, and last the manifest, which is told what each of them was.

    Raises HomeFault where a file has become shorter than it was.
    """
    pipe = _Pipe()
    members: list[Member] = []
    with zipfile.ZipFile(pipe, "w", zipfile.ZIP_DEFLATED, compresslevel=_LEVEL) as archive:
        for piece in pieces:
            digest = hashlib.sha256()
            with (
                piece.file.open("rb") as source,
                archive.open(_named(piece.name, made_at), "w", force_zip64=True) as to,
            ):
                for chunk in _chunks(source, piece):
                    digest.update(chunk)
                    to.write(chunk)
                    yield from pipe.taken()
            members.append(Member(name=piece.name, bytes=piece.size, sha256=digest.hexdigest()))
        archive.writestr(_named(MANIFEST, made_at), manifest(tuple(members)))
    yield from pipe.taken(at_least=1)


def _chunks(source: io.BufferedReader, piece: Piece) -> Iterator[bytes]:
    left = piece.size
    while left:
        chunk = source.read(min(_CHUNK, left))
        if not chunk:
            raise HomeFault(f"{piece.name} became shorter while it was exported")
        left -= len(chunk)
        yield chunk


def _named(name: str, made_at: datetime) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(name, stamp(made_at))
    info.compress_type, info.external_attr = zipfile.ZIP_DEFLATED, _PRIVATE
    info._compresslevel = _LEVEL  # type: ignore[attr-defined]  # noqa: SLF001 - public from Python 3.13 on
    return info


class _Pipe(io.RawIOBase):
    """Takes what a zip writes, in order, and can not seek."""

    def __init__(self) -> None:
        self._waiting = bytearray()

    def writable(self) -> bool:
        return True

    def write(self, data: Any, /) -> int:  # noqa: ANN401 - any buffer
        self._waiting += data
        return len(data)

    def taken(self, *, at_least: int = _CHUNK) -> Iterator[bytes]:
        """What was written since, once it is worth sending."""
        if len(self._waiting) >= at_least:
            taken, self._waiting = bytes(self._waiting), bytearray()
            yield taken
