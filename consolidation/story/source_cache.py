"""
The file that remembers where sentences come from, by the digest of their chapter: derived, and made again on demand.

It has no sentence in it but the words that are missing in turns; erasing turns deletes it. A chapter whose text changes
has another digest, so what is remembered never goes stale.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from consolidation.kernel.files import replace_text
from consolidation.story.sentence_sources import SentenceSource, SentenceState

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

_METHOD = 1  # another number where the same sentence may get another state

type SourcesByChapter = Mapping[str, tuple[SentenceSource, ...]]  # by the chapter's digest


def read_sources(file: Path, *, by: str) -> SourcesByChapter:
    """What is remembered; nothing where the file is missing, garbled, or made *by* another embedder."""
    try:
        found = json.loads(file.read_text(encoding="utf-8"))
        if found["method"] != _METHOD or found["by"] != by:
            return {}
        return {str(digest): tuple(map(_source, chapter)) for digest, chapter in found["chapters"].items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return {}


def write_sources(file: Path, chapters: SourcesByChapter, *, by: str) -> None:
    """Remember *chapters*, and no others. Raises OSError."""
    content = {
        "method": _METHOD,
        "by": by,
        "chapters": {digest: [_row(one) for one in chapter] for digest, chapter in sorted(chapters.items())},
    }
    file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    replace_text(file, json.dumps(content))


def _row(source: SentenceSource) -> list[object]:
    return [source.start, source.end, source.state.value, source.turns, source.missing]


def _source(row: Sequence[object]) -> SentenceSource:
    """One row of the file. Raises ValueError, TypeError."""
    start, end, state, turns, missing = row
    if not (isinstance(start, int) and isinstance(end, int) and isinstance(turns, list) and isinstance(missing, list)):
        raise TypeError("not a sentence")
    return SentenceSource(start, end, SentenceState(str(state)), tuple(map(int, turns)), tuple(map(str, missing)))
