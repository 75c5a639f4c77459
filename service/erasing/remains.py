"""What lies in a mind's folder: ours, people's, and which of it shows words that are to be gone. Blocks."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from consolidation.story.anchor import without_marks
from consolidation.story.chapters import parse
from consolidation.story.ledger import read_ledger

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from consolidation.workspace import Workspace

_OURS = ("transcript/", "story-history/", "derived/", ".STORY.md.late/")
_OUR_FILES = frozenset(
    {"STORY.md", "STORY.md.lock", "pending-episodes.log", "subconscious.jsonl", "subconscious.jsonl.1"}
)
_MIRROR = "derived/journal.sqlite3"  # shows what people's notes show, and is dropped when a part is erased
_PIECE = 1 << 20


def files_of(workspace: Workspace) -> Iterator[tuple[Path, str, bool]]:
    """Every file and link of a mind: its path, its name below the folder, whether it is ours."""
    for file in sorted(workspace.folder.rglob("*")):
        if file.is_symlink() or file.is_file():
            name = file.relative_to(workspace.folder).as_posix()
            is_ours = name in _OUR_FILES or name.startswith(_OURS) or (name.startswith(".") and name.endswith(".new"))
            yield file, name, is_ours


def drop_litter(workspace: Workspace) -> None:
    """Delete what a kill left half written: it may hold anything."""
    for folder in (workspace.folder, workspace.transcript, workspace.history):
        for pattern in (".*.new", "*.writing"):
            for file in folder.glob(pattern):
                file.unlink(missing_ok=True)


def showing(workspace: Workspace, forms: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The names of files that show one of *forms*: of ours, of people's; a person's words in the story are theirs."""
    ours, people = [], []
    for file, name, is_ours in files_of(workspace) if forms else ():
        if file == workspace.story:
            in_ours, in_theirs = _in_story(workspace, forms)
            ours += [name] if in_ours else []
            people += [name] if in_theirs else []
        elif file.is_file() and not name.startswith(_MIRROR) and holds(file, forms):
            (ours if is_ours else people).append(name)
    return tuple(ours), tuple(people)


def not_in(forms: Sequence[str], files: Iterable[Path]) -> tuple[str, ...]:
    """Those of *forms* that none of *files* holds."""
    left = list(forms)
    for file in files:
        left = [form for form in left if not holds(file, [form])]
    return tuple(left)


def holds(file: Path, forms: Sequence[str]) -> bool:
    """Whether a file holds one of *forms*; one that has just gone holds nothing."""
    wanted = [form.encode("utf-8", "surrogatepass") for form in forms]
    longest = max(map(len, wanted), default=0)
    tail = b""
    with suppress(FileNotFoundError), file.open("rb") as handle:
        while piece := handle.read(_PIECE):
            window = tail + piece
            if any(one in window for one in wanted):
                return True
            tail = window[-longest:]
    return False


def _in_story(workspace: Workspace, forms: Sequence[str]) -> tuple[bool, bool]:
    story = workspace.story.read_bytes().decode("utf-8", "surrogateescape")
    book, ours = parse(without_marks(story)), read_ledger(workspace.published).digests
    told = [chapter.text for chapter in book.chapters if chapter.digest in ours]
    theirs = [book.opening, *(chapter.text for chapter in book.chapters if chapter.digest not in ours)]
    return any(form in text for form in forms for text in told), any(form in text for form in forms for text in theirs)
