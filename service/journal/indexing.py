"""
Brings a journal index up to date: changed files are read, cut into chunks and indexed; the others are left alone.

A file counts as unchanged by its stamp (size, times, inode), and by its digest where the stamp proves nothing: after a
change, or if the file was written so shortly before it was read that a second write could have the same stamp.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

import structlog

from consolidation.kernel.errors import InvalidRequest, NotFound
from consolidation.secrets.redaction import redact
from consolidation.text.language import detect
from consolidation.text.words import stems, tokens
from service.index.chunking import chunk_markdown
from service.index.journal_files import ENDING, FOLDER, NOTES, files_of, read
from service.index.journal_store import IndexedChunk, KnownFile
from service.index.observed_lines import OBSERVATIONS, chunk_observations

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from datetime import datetime
    from pathlib import Path

    from consolidation.kernel.shared_files import Stamp
    from service.index.chunking import MarkdownChunk
    from service.index.journal_index import JournalIndex
    from service.index.observed_lines import ObservedLine

_RACY_NS = 2_000_000_000  # the coarsest clock of a file system

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class ChunkingOptions:
    """How files are read and cut."""

    chunk_tokens: int
    overlap_tokens: int
    max_file_bytes: int
    redacts: bool

    @property
    def name(self) -> str:
        """A name for the options; other options make other chunks."""
        words = "without secrets" if self.redacts else "as written"
        return f"{self.chunk_tokens}/{self.overlap_tokens}/{self.max_file_bytes}/{words}"


def is_up_to_date(index: JournalIndex, root: Path, *, options: ChunkingOptions) -> bool:
    """Whether the index matches the files, by their stamps. Does blocking I/O. Raises OSError, HomeFault."""
    found, known = files_of(root), index.known()
    return (
        index.chunking == options.name
        and found.keys() == known.keys()
        and all(_is_unchanged(known[path], stamp) for path, stamp in found.items())
    )


def refresh(index: JournalIndex, root: Path, *, options: ChunkingOptions, now: Callable[[], datetime]) -> int:
    """Index changed files and return how many there were. Does blocking I/O. Raises OSError, HomeFault."""
    index.set_chunking(options.name)
    found, known = files_of(root), index.known()
    changed = 0
    for path, stamp in sorted(found.items()):
        if path not in known or not _is_unchanged(known[path], stamp):
            changed += _reindex(index, root, path, known, options=options, now=now)
    gone = tuple(known.keys() - found.keys())
    index.remove(gone)
    if changed or gone:
        index.set_chunking(options.name)  # new files count too
        index.delete_unused_vectors()
    return changed + len(gone)


def _is_unchanged(known: KnownFile, stamp: Stamp) -> bool:
    return known.stamp == stamp and abs(known.read_ns - stamp.mtime_ns) > _RACY_NS


def _reindex(
    index: JournalIndex,
    root: Path,
    path: str,
    known: Mapping[str, KnownFile],
    *,
    options: ChunkingOptions,
    now: Callable[[], datetime],
) -> bool:
    """Read one file, and index it if its content differs."""
    read_ns = int(now().timestamp() * 1e9)
    try:
        content, stamp = read(root, path, most_bytes=options.max_file_bytes)
    except NotFound:
        index.remove((path,))
        return True
    except (InvalidRequest, PermissionError) as error:
        return _leave_out(index, root, path, known, reason=str(error), read_ns=read_ns)
    digest = hashlib.blake2b(content, digest_size=16).hexdigest()
    fresh = KnownFile(stamp, read_ns, digest)
    if path in known and known[path].digest == digest:
        index.update_stamp(path, fresh)
        return False
    text = content.decode("utf-8", errors="replace").removeprefix("\ufeff")
    index.put(path, fresh, _indexed(path, text, options))
    return True


def _leave_out(
    index: JournalIndex, root: Path, path: str, known: Mapping[str, KnownFile], *, reason: str, read_ns: int
) -> bool:
    """Leave out a file that is too large or not readable. It is tried again only after it changes."""
    stamp = files_of(root).get(path)
    if stamp is None:
        index.remove((path,))
        return True
    if path not in known or known[path].digest:
        log.warning("journal.file_skipped", file=path, reason=reason)
        index.put(path, KnownFile(stamp, read_ns, ""), ())
        return True
    index.update_stamp(path, KnownFile(stamp, read_ns, ""))
    return False


def _indexed(path: str, text: str, options: ChunkingOptions) -> tuple[IndexedChunk, ...]:
    def redacted(text: str) -> str:
        return redact(text, keeps_lines=True).text if options.redacts else text

    observations, notes = chunk_observations(text, redacted=redacted) if path == OBSERVATIONS else ((), redacted(text))
    main = detect("\n".join((notes, *(one.cut.text for one in observations))))
    chunks = chunk_markdown(notes, size=options.chunk_tokens, overlap=options.overlap_tokens)
    return (
        *(_as_indexed(path, one.cut, main, observed=one.observed) for one in observations),
        *(_as_indexed(path, one, main) for one in chunks),
    )


def _as_indexed(path: str, one: MarkdownChunk, main: str, *, observed: ObservedLine | None = None) -> IndexedChunk:
    language = detect(one.text, fallback=main)
    digest = hashlib.blake2b(f"{one.above}\n{one.text}".encode(errors="replace"), digest_size=16).hexdigest()
    file_words = _file_words(path) if observed is None else ()
    above = (*(stems(one.above, language=language) if one.above else ()), *file_words)
    return IndexedChunk(one, digest, language, stems(one.text, language=language), above, observed)


def _file_words(path: str) -> tuple[str, ...]:
    """The words of a file's name: ``memory/2026-01-09-lyon.md`` is found by its day and by Lyon."""
    return tokens(path.removeprefix(f"{FOLDER}/").removesuffix(ENDING)) if path != NOTES else ()
