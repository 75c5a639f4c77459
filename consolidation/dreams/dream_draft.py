"""
``.dream.json``: a dream that was thought through and is being written, step by step.

It is on disk before the first step. A process that dies in between goes on behind the last step that was done, and asks
no model again: so nothing is dreamt twice.
"""

from __future__ import annotations

from datetime import date  # noqa: TC003 - pydantic reads it
from typing import TYPE_CHECKING, Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from consolidation.dreams.dream_log import DreamRecord  # noqa: TC001 - pydantic reads it
from consolidation.dreams.observations import Level, Observation
from consolidation.kernel.files import replace_text
from consolidation.kernel.links import open_regular

if TYPE_CHECKING:
    from pathlib import Path

type DreamStep = Literal["observations", "rules", "briefing", "line"]


class DraftedObservation(BaseModel):
    """An observation that is to be written."""

    model_config = ConfigDict(frozen=True)

    day: date
    level: Literal["RED", "YLW", "GRN"]
    at: str
    text: str

    @property
    def observation(self) -> Observation:
        """The value that it stands for."""
        return Observation(self.day, Level(self.level), self.at, self.text)


class DreamDraft(BaseModel):
    """What a dream will write, and which steps are done."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    record: DreamRecord
    observations: tuple[DraftedObservation, ...] = ()
    rules_added: tuple[str, ...] = ()
    rules_removed: tuple[str, ...] = ()
    briefing: str | None = None
    done: tuple[DreamStep, ...] = ()


def read_draft(file: Path) -> DreamDraft | None:
    """The draft in *file*; None where there is none, or it is garbled. Raises OSError."""
    try:
        with open_regular(file) as found:
            return DreamDraft.model_validate_json(found.read())
    except FileNotFoundError:
        return None
    except ValidationError:
        return None


def write_draft(file: Path, draft: DreamDraft) -> None:
    """Put *draft* into *file*, whole or not at all; it is on disk then. Raises OSError."""
    replace_text(file, draft.model_dump_json())
