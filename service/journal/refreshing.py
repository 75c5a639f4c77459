"""
Brings an index in line with the files: what was changed is read, cut and indexed again, the rest is left alone.

A file counts as unchanged by its stamp, and by its digest where the stamp says nothing: when it has changed, or when
the file was written so shortly before it was read that another write may have left the same stamp.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

import structlog

from consolidation.kernel.errors import InvalidRequest, NotFound
from consolidation.kernel.language import detect
from consolidation.kernel.secrets import redact
from consolidation.kernel.words import stems, tokens
from service.journal.cutting import cut
from service.journal.places import ENDING, FOLDER, NOTES, Stamp, files_of, read
from service.journal.store import Indexed, Known

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from datetime import datetime
    from pathlib import Path

    from service.journal.cutting import Cut
    from service.journal.index import JournalIndex

_RACY_NS = 2_000_000_000  # the coarsest clock of a file system

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class Ways:
    """How files are read and cut."""

    chunk_tokens: int
    overlap_tokens: int
    max_file_bytes: int
    redacts: bool

    @property
    def name(self) -> str:
        """What of it makes other chunks."""
        words = "without secrets" if self.redacts else "as written"
        return f"{self.chunk_tokens}/{self.overlap_tokens}/{self.max_file_bytes}/{words}"


def is_settled(index: JournalIndex, root: Path, *, ways: Ways) -> bool:
    """Whether the index holds what the files hold, as far as their stamps tell. Blocks. Raises OSError, HomeFault."""
    found, known = files_of(root), index.known()
    return (
        index.way == ways.name
        and found.keys() == known.keys()
        and all(_is_sure(known[path], stamp) for path, stamp in found.items())
    )


def refresh(index: JournalIndex, root: Path, *, ways: Ways, now: Callable[[], datetime]) -> int:
    """Index what has changed; how many files that were. Blocks. Raises OSError, HomeFault."""
    index.cut_as(ways.name)
    found, known = files_of(root), index.known()
    changed = 0
    for path, stamp in sorted(found.items()):
        if path not in known or not _is_sure(known[path], stamp):
            changed += _take_in(index, root, path, known, ways=ways, now=now)
    gone = tuple(known.keys() - found.keys())
    index.forget(gone)
    if changed or gone:
        index.cut_as(ways.name)  # a file that was made just now is told, too
        index.tidy()
    return changed + len(gone)


def _is_sure(known: Known, stamp: Stamp) -> bool:
    return known.stamp == stamp and abs(known.read_ns - stamp.mtime_ns) > _RACY_NS


def _take_in(
    index: JournalIndex, root: Path, path: str, known: Mapping[str, Known], *, ways: Ways, now: Callable[[], datetime]
) -> bool:
    """Read one file and index it, if it says something else than before."""
    read_ns = int(now().timestamp() * 1e9)
    try:
        content, stamp = read(root, path, most_bytes=ways.max_file_bytes)
    except NotFound:
        index.forget((path,))
        return True
    except (InvalidRequest, PermissionError) as error:
        return _leave_out(index, root, path, known, reason=str(error), read_ns=read_ns)
    digest = hashlib.blake2b(content, digest_size=16).hexdigest()
    fresh = Known(stamp, read_ns, digest)
    if path in known and known[path].digest == digest:
        index.note(path, fresh)
        return False
    text = content.decode("utf-8", errors="replace").removeprefix("\ufeff")
    if ways.redacts:
        text = redact(text, keeps_lines=True).text
    index.put(path, fresh, _indexed(path, text, ways))
    return True


def _leave_out(
    index: JournalIndex, root: Path, path: str, known: Mapping[str, Known], *, reason: str, read_ns: int
) -> bool:
    """A file that is too large, or may not be read: nothing of it is found, and it is not tried again unchanged."""
    stamp = files_of(root).get(path)
    if stamp is None:
        index.forget((path,))
        return True
    if path not in known or known[path].digest:
        log.warning("journal.file_left_out", file=path, reason=reason)
        index.put(path, Known(stamp, read_ns, ""), ())
        return True
    index.note(path, Known(stamp, read_ns, ""))
    return False


def _indexed(path: str, text: str, ways: Ways) -> tuple[Indexed, ...]:
    main = detect(text)
    cuts = cut(text, size=ways.chunk_tokens, overlap=ways.overlap_tokens)
    return tuple(_as_indexed(path, one, main) for one in cuts)


def _as_indexed(path: str, one: Cut, main: str) -> Indexed:
    language = detect(one.text, fallback=main)
    digest = hashlib.blake2b(f"{one.above}\n{one.text}".encode(errors="replace"), digest_size=16).hexdigest()
    above = (*(stems(one.above, language=language) if one.above else ()), *_named(path))
    return Indexed(one, digest, language, stems(one.text, language=language), above)


def _named(path: str) -> tuple[str, ...]:
    """The words of a file's name: ``memory/2026-01-09-lyon.md`` is found by its day and by Lyon."""
    return tokens(path.removeprefix(f"{FOLDER}/").removesuffix(ENDING)) if path != NOTES else ()
