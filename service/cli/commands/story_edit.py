"""
`mind-memory story edit`: the story in a person's own editor, and back where it belongs.

Nothing is held while the person writes: neither the home nor a connection. What was written meanwhile is merged; where
both changed the same lines, the person's stand. Invariant: an edit is never lost. The draft, a file in a folder that
only this person can read, is removed only when its text is in the story.
"""

from __future__ import annotations

import os
import shlex
import shutil
import signal
import subprocess
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from mind_memory_client import AsyncMemoryClient, Story, StoryChanged

from consolidation.kernel.clock import SystemClock
from consolidation.kernel.errors import MemoryFault
from consolidation.story.anchor import without_marks
from consolidation.story.chapters import Book, parse
from consolidation.story.merge import Merged, merge
from consolidation.text.surrogates import as_bytes
from consolidation.workspace import DEFAULT_MIND
from service.cli.command import CommandFailed, Context, MindName, command
from service.cli.connection import connect
from service.cli.output.terminal import complain, counted, note, out, typed

_NAMED_BY = ("VISUAL", "EDITOR")
_KNOWN_EDITORS = ("nano", "vim", "vi")
_AT_ONCE_SECONDS = 1.0
_MOST_ATTEMPTS = 20
_UNREADABLE = "\ufffd"


@command()
async def edit(context: Context, mind: MindName = DEFAULT_MIND) -> None:
    """Edit the story in $VISUAL or $EDITOR; nothing is lost."""
    editor = _find_editor()
    async with connect(context) as connection:
        story = await connection.memory.story(mind)
    base = without_marks(story.text)
    if _UNREADABLE in base:
        note(f"{_UNREADABLE} stands where the story holds what is not UTF-8; history has it as it was.")
    with _drafted(base) as draft:
        hint = _let_edit(editor, draft)
        edited = draft.read()
        if edited == base:
            out().print(f"Nothing was changed: the story of {mind} stays as it is.{hint}")
            return
        async with connect(context, is_quiet=True) as connection:
            merged = await _save(connection.memory, story, base=base, edited=edited)
    _show(merged, changes_in_words(base, edited), mind=mind)


def _find_editor() -> tuple[str, ...]:
    """The words that start it. Raises CommandFailed where there is none."""
    for name in _NAMED_BY:
        value = os.environ.get(name, "")
        try:
            words = tuple(shlex.split(value))
        except ValueError as error:
            raise CommandFailed(f"{name} can not be understood ({value}): {str(error).lower()}") from error
        if words:
            return words
    found = next((name for name in _KNOWN_EDITORS if shutil.which(name)), None)
    if found is None:
        raise CommandFailed(f"there is no editor: none of {', '.join(_KNOWN_EDITORS)} is here; set EDITOR to yours")
    return (found,)


def _let_edit(editor: tuple[str, ...], draft: _Draft) -> str:
    """
    Run the editor; Ctrl-C is the editor's meanwhile. Raises CommandFailed.

    Returns a hint for the case that the editor did not wait for the person.
    """
    clock = SystemClock()
    began = clock.monotonic()
    before = signal.signal(signal.SIGINT, lambda *_: None)
    try:
        code = subprocess.run([*editor, str(draft.file)], check=False).returncode  # noqa: S603 - nothing else runs
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise CommandFailed(f"the editor {editor[0]} can not be started ({reason}); set EDITOR to another") from error
    finally:
        signal.signal(signal.SIGINT, before)
    if code:
        raise CommandFailed(f"The editor {editor[0]} ended with {code}: nothing was written to the story")
    if clock.monotonic() - began > _AT_ONCE_SECONDS:
        return ""
    return " If your editor does not wait until you close the file, make it wait, like EDITOR='code --wait'."


@dataclass(frozen=True, slots=True)
class _Draft:
    """The file that is edited, and the bytes it began with."""

    file: Path
    began: bytes

    @property
    def is_changed(self) -> bool:
        """Whether its text is another than it began with."""
        try:
            return self.file.read_bytes() != self.began
        except OSError:
            return self.file.exists()

    def read(self) -> str:
        """Its text, line ends and all. Raises CommandFailed."""
        try:
            return self.file.read_bytes().decode()
        except FileNotFoundError as error:
            raise CommandFailed("the editor left no text behind: nothing was written") from error
        except UnicodeDecodeError as error:
            raise CommandFailed(f"the text is not UTF-8 any more (at byte {error.start:,})") from error


@contextmanager
def _drafted(text: str) -> Iterator[_Draft]:
    """Lend a draft that begins with *text*. Where the block fails after a change, it stays, and its place is said."""
    folder = Path(tempfile.mkdtemp(prefix="mind-memory-"))
    draft = _Draft(folder / "STORY.md", as_bytes(text))
    draft.file.write_bytes(draft.began)
    try:
        yield draft
    except BaseException as fault:
        if not draft.is_changed:
            shutil.rmtree(folder, ignore_errors=True)
            raise
        if isinstance(fault, (CommandFailed, MemoryFault, OSError)):
            raise CommandFailed(f"{str(fault).rstrip('.')}. Your text is in {draft.file}") from fault
        complain(f"Your text is in {draft.file}")
        raise
    else:
        shutil.rmtree(folder, ignore_errors=True)


async def _save(memory: AsyncMemoryClient, story: Story, *, base: str, edited: str) -> Merged | None:
    """
    Put *edited*, which was made of *base*, into the story; None where nothing was written meanwhile.

    Raises CommandFailed, MindMemoryError.
    """
    text, etag, merged = edited, story.etag, None
    for _ in range(_MOST_ATTEMPTS):
        try:
            await memory.edit_story(story.mind_id, text=text, etag=etag)
        except StoryChanged as change:
            if change.current is None or change.etag is None:
                raise
            current, etag = without_marks(change.current), change.etag
            found = merge(base, ours=current, theirs=edited)
            text, merged = found.text, found if current != base else None
        else:
            return merged
    raise CommandFailed("the story keeps changing: your edit could not be put into it")


def _show(merged: Merged | None, changes: str, *, mind: str) -> None:
    console = out()
    console.print(f"Your edit is in the story: {changes}.")
    if merged is not None:
        console.print("The story was written meanwhile; your edit was merged with that.")
    if merged is not None and merged.conflicts:
        others, places = typed("story diff", mind=mind), counted(len(merged.conflicts), "place")
        console.print(f"At {places} both changed the same lines: yours were taken, {others} shows the others.")
    console.print(f"{typed('story restore last', mind=mind)} takes it back.", style="dim")


def changes_in_words(before: str, after: str) -> str:
    """``1 chapter changed, 2 added``: what became of a story."""
    old, new = parse(before), parse(after)
    added, gone = _chapters(new) - _chapters(old), _chapters(old) - _chapters(new)
    changed = (Counter(first for first, _ in added.elements()) & Counter(first for first, _ in gone.elements())).total()
    words: list[str] = []
    for number, what in ((changed, "changed"), (added.total() - changed, "added"), (gone.total() - changed, "removed")):
        if number:
            words.append(f"{number:,} {what}" if words else f"{counted(number, 'chapter')} {what}")
    if old.opening.split() != new.opening.split():
        words.append("the text before the chapters changed")
    return ", ".join(words) or "only blanks changed"


def _chapters(book: Book) -> Counter[tuple[str, str]]:
    return Counter((chapter.first, chapter.digest) for chapter in book.chapters)
