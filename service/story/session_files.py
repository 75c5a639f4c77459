"""Session files of a chatbot: where they are, which are the newest, and their turns."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from consolidation.kernel.errors import ImportUnreadable
from service.importing.formats import read_conversations
from service.importing.ids import identifier
from service.importing.results import FoundTurn

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from consolidation.kernel.turns import Turn
    from consolidation.workspace import Workspace

_UNNAMED = "import:"


@dataclass(frozen=True, slots=True)
class SessionFolders:
    """
    Where a chatbot has its session files: for one mind in *folder*, for all others in their own sessions/.

    *erased_at* gives the time when a mind was erased, in seconds since 1970. Files from before it are not read again.
    """

    folder: Path | None
    mind_id: str
    newest: int
    erased_at: Callable[[str], float] = field(default=lambda _: 0.0)

    def outside(self, mind_id: str) -> Path | None:
        """The folder of a mind's session files if it is outside of the home."""
        return self.folder if mind_id == self.mind_id else None

    def newest_of(self, mind_id: str, workspace: Workspace) -> list[Path]:
        """The newest session files of a mind, oldest first; none from before it was erased."""
        since = self.erased_at(mind_id)
        found = newest_sessions(self.of(mind_id, workspace), self.newest)
        return [file for file in found if file.stat().st_mtime > since]

    def of(self, mind_id: str, workspace: Workspace) -> Path:
        """The folder of a mind's session files, whether it is there or not."""
        return self.folder if self.folder is not None and mind_id == self.mind_id else workspace.sessions


def newest_sessions(folder: Path, most: int) -> list[Path]:
    """The *most* newest ``.jsonl`` files of *folder*, oldest first; links are not followed."""
    found = [file for file in folder.glob("*.jsonl") if file.is_file() and not file.is_symlink()]
    return sorted(found, key=lambda file: (file.stat().st_mtime_ns, file.name))[-most:] if most else []


def read_session(file: Path) -> tuple[list[Turn], list[str]]:
    """The turns of a session file, and what gave no turn. A session without a name is named after the file."""
    turns, skipped = [], []
    try:
        for found in read_conversations(file):
            if isinstance(found, FoundTurn):
                is_unnamed = found.turn.session_id.startswith(_UNNAMED)
                session_id = identifier(file.stem) if is_unnamed else found.turn.session_id
                turns.append(replace(found.turn, session_id=session_id))
            else:
                skipped.append(f"{found.where}: {found.reason}")
    except ImportUnreadable as fault:
        skipped.append(f"{fault.where}: {fault.found}")
    return turns, skipped
