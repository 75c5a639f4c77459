"""
A text while a person edits it: a file in a folder of its own that no other person can read.

Invariant: what was changed in it is never lost. The file goes only when its text has found its place.
"""

from __future__ import annotations

import shutil
import tempfile
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from consolidation.kernel.errors import MemoryFault
from service.cli.faults import CommandFailed
from service.cli.terminal import complain

if TYPE_CHECKING:
    from collections.abc import Iterator

_NAME = "STORY.md"


@dataclass(frozen=True, slots=True)
class Draft:
    """The file, and the bytes it began with."""

    file: Path
    began: bytes

    @property
    def is_changed(self) -> bool:
        """Whether another text stands in it than the one it began with."""
        try:
            return self.file.read_bytes() != self.began
        except OSError:
            return self.file.exists()

    def read(self) -> str:
        """What stands in it, line ends and all. Raises CommandFailed."""
        try:
            return self.file.read_bytes().decode()
        except FileNotFoundError as error:
            raise CommandFailed("the editor left no text behind: nothing was written") from error
        except UnicodeDecodeError as error:
            raise CommandFailed(f"the text is not UTF-8 any more (at byte {error.start:,})") from error


@contextmanager
def drafted(text: str) -> Iterator[Draft]:
    """Lend a draft that begins with *text*; it stays, and its place is told, when the block fails after a change."""
    folder = Path(tempfile.mkdtemp(prefix="mind-memory-"))
    draft = Draft(folder / _NAME, text.encode(errors="surrogateescape"))
    draft.file.write_bytes(draft.began)
    try:
        yield draft
    except BaseException as fault:
        if not draft.is_changed:
            shutil.rmtree(folder, ignore_errors=True)
            raise
        if isinstance(fault, (CommandFailed, MemoryFault, OSError)):
            raise CommandFailed(f"{str(fault).rstrip('.')}. Your text is kept in {draft.file}") from fault
        complain(f"Your text is kept in {draft.file}")
        raise
    else:
        shutil.rmtree(folder, ignore_errors=True)
