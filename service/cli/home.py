"""The home folder as a command sees it: made where it is not there, and shown short."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from service.cli.faults import CommandFailed

if TYPE_CHECKING:
    from pathlib import Path


def make_home(home: Path) -> None:
    """Make the folder, if it is not there. Raises CommandFailed where it can not be, or can not be written."""
    try:
        home.mkdir(parents=True, exist_ok=True, mode=0o700)
        reason = "" if os.access(home, os.R_OK | os.W_OK | os.X_OK) else "it can not be written"
    except FileExistsError:
        reason = "it is a file"
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
    if reason:
        raise CommandFailed(f"{home} can not be the home ({reason}): choose a folder of yours with --home")


def shortened(path: Path) -> str:
    """A path with ``~`` for the person's own folder."""
    own = path.home()
    return f"~/{path.relative_to(own)}" if path.is_relative_to(own) and path != own else str(path)
