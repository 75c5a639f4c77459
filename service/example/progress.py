"""How far the example life is loaded: a small file in its mind's folder, which also marks the mind as the example."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date  # noqa: TC003 - pydantic reads it
from typing import TYPE_CHECKING, Literal

from pydantic import TypeAdapter, ValidationError

from consolidation.kernel.files import replace_text

if TYPE_CHECKING:
    from consolidation.workspace import Workspace

type State = Literal["loading", "ready"]


@dataclass(frozen=True, slots=True)
class Progress:
    """``last_day`` is the day of the life's last session, in UTC: a load that goes on later keeps to it."""

    last_day: date
    state: State = "loading"


_PROGRESS = TypeAdapter(Progress)


def read_progress(workspace: Workspace) -> Progress | None:
    """The progress of the mind that *workspace* is of; None where it is not the example. Reads a file."""
    try:
        return _PROGRESS.validate_json(workspace.example.read_bytes())
    except (OSError, ValidationError):
        return None


def write_progress(workspace: Workspace, progress: Progress) -> None:
    """Write it, whole or not at all. Raises OSError."""
    workspace.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    replace_text(workspace.example, _PROGRESS.dump_json(progress).decode() + "\n")
