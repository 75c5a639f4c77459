"""Search the files of a mind for words that must be gone, and tell our files from people's. Everything blocks."""

from __future__ import annotations

import os
from contextlib import suppress
from typing import TYPE_CHECKING

from consolidation.dreams.dream_files import WRITINGS
from consolidation.kernel.links import LinkRefused
from consolidation.story.anchor import without_marks
from consolidation.story.chapters import parse
from consolidation.story.ledger import read_ledger
from consolidation.text.surrogates import as_text
from service.mind.trace_files import day_of, words_in
from service.mind.trace_log import FIGURES

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from consolidation.workspace import Workspace

_HISTORIES = tuple(f"{name}-history" for name in WRITINGS)
_OUR_FOLDERS = ("transcript/", "story-history/", "derived/", ".STORY.md.late/", *(f"{name}/" for name in _HISTORIES))
_OF_SLEEP = ("dreams.jsonl", "sleep.json", ".dream.json", "evaluation.jsonl", *(f"{name}.md.lock" for name in WRITINGS))
_LOGS = ("corrections.jsonl", "outcomes.jsonl")
_OUR_FILES = frozenset(
    {"STORY.md", "STORY.md.lock", "pending-episodes.log", ".example.json", FIGURES, *_LOGS, *_OF_SLEEP}
)
_JOURNAL_INDEX = "derived/journal.sqlite3"  # mirrors people's notes, and is dropped when a session or turn is erased
_READ_BYTES = 1 << 20


def files_of(workspace: Workspace) -> Iterator[tuple[Path, str, bool]]:
    """
    Every file and link of a mind: its path, its name below the folder, and whether it is ours.

    The name is for people and receipts: bytes of it that are not UTF-8 become U+FFFD.
    """
    for file in sorted(workspace.folder.rglob("*")):
        if _is_file_or_link(file):
            name = os.fsencode(file.relative_to(workspace.folder).as_posix()).decode("utf-8", "replace")
            is_temporary = name.startswith(".") and name.endswith(".new")
            is_traces = day_of(name) is not None
            yield file, name, is_temporary or is_traces or name in _OUR_FILES or name.startswith(_OUR_FOLDERS)


def delete_half_written(workspace: Workspace) -> None:
    """Delete temporary files that a kill left behind: they may contain anything."""
    histories = (workspace.folder / name for name in _HISTORIES)
    for folder in (workspace.folder, workspace.transcript, workspace.history, *histories):
        for pattern in (".*.new", "*.writing"):
            for file in folder.glob(pattern):
                file.unlink(missing_ok=True)


def files_with(forms: Sequence[str], *, workspace: Workspace) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """
    Names of our files and of people's files that contain one of *forms*.

    STORY.md counts as ours for its published chapters, and as a person's for what a person wrote into it. A file that
    can not be read is named too, since nobody knows what it contains.
    """
    ours, peoples = [], []
    for file, name, is_ours in files_of(workspace) if forms else ():
        try:
            if file == workspace.story and not _is_refused(workspace):
                in_ours, in_peoples = _in_story(workspace, forms)
            else:
                is_searched = file.is_file() and not file.is_symlink() and not name.startswith(_JOURNAL_INDEX)
                is_found = is_searched and _shows(file, forms)
                in_ours, in_peoples = is_found and is_ours, is_found and not is_ours
        except OSError:
            in_ours, in_peoples = is_ours, not is_ours
        ours += [name] if in_ours else []
        peoples += [name] if in_peoples else []
    return tuple(ours), tuple(peoples)


def in_none_of(files: Iterable[Path], *, forms: Sequence[str]) -> tuple[str, ...]:
    """Those of *forms* that none of *files* contains. One that can not be read is passed over: more is looked for."""
    absent = list(forms)
    for file in files:
        with suppress(OSError):
            absent = [form for form in absent if not contains(file, [form])]
    return tuple(absent)


def contains(file: Path, forms: Sequence[str]) -> bool:
    """Whether a file contains one of *forms*. A file that was just deleted contains none."""
    patterns = [form.encode("utf-8", "surrogatepass") for form in forms]
    longest = max(map(len, patterns), default=0)
    tail = b""
    with suppress(FileNotFoundError), file.open("rb") as handle:
        while block := handle.read(_READ_BYTES):
            window = tail + block
            if any(pattern in window for pattern in patterns):
                return True
            tail = window[-longest:]
    return False


def _is_file_or_link(file: Path) -> bool:
    try:
        return file.is_symlink() or file.is_file()
    except OSError:
        return True  # whoever asks what it contains is told


def _shows(file: Path, forms: Sequence[str]) -> bool:
    """Whether a file contains one of *forms*. Of traces only the words count, not the keys and labels that we write."""
    if day_of(file.name) is None:
        return contains(file, forms)
    with suppress(FileNotFoundError):
        return any(form in text for text in words_in(file) for form in forms)
    return False


def _in_story(workspace: Workspace, forms: Sequence[str]) -> tuple[bool, bool]:
    """Whether our chapters contain one of *forms*, and whether a person's chapters or the opening do."""
    story = as_text(workspace.locate(workspace.story).read_bytes())
    book, published = parse(without_marks(story)), read_ledger(workspace.published).digests
    ours = [chapter.text for chapter in book.chapters if chapter.digest in published]
    peoples = [book.opening, *(chapter.text for chapter in book.chapters if chapter.digest not in published)]
    return _any_in(ours, forms), _any_in(peoples, forms)


def _is_refused(workspace: Workspace) -> bool:
    try:
        workspace.locate(workspace.story)
    except LinkRefused:
        return True
    return False


def _any_in(texts: Iterable[str], forms: Sequence[str]) -> bool:
    return any(form in text for text in texts for form in forms)
