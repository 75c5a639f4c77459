"""A person's editor: which one it is, and a text opened in it until it ends."""

from __future__ import annotations

import os
import shlex
import shutil
import signal
import subprocess
from typing import TYPE_CHECKING

from service.cli.faults import CommandFailed

if TYPE_CHECKING:
    from pathlib import Path

_NAMED_BY = ("VISUAL", "EDITOR")
_KNOWN = ("nano", "vim", "vi")


def find_editor() -> tuple[str, ...]:
    """The words that start it. Raises CommandFailed where there is none."""
    for name in _NAMED_BY:
        said = os.environ.get(name, "")
        try:
            words = tuple(shlex.split(said))
        except ValueError as error:
            raise CommandFailed(f"{name} can not be understood ({said}): {str(error).lower()}") from error
        if words:
            return words
    found = next((name for name in _KNOWN if shutil.which(name)), None)
    if found is None:
        raise CommandFailed(f"there is no editor: none of {', '.join(_KNOWN)} is here; set EDITOR to yours")
    return (found,)


def open_in(editor: tuple[str, ...], file: Path) -> int:
    """Open *file* and return what the editor ended with; Ctrl-C is the editor's meanwhile. Raises CommandFailed."""
    before = signal.signal(signal.SIGINT, lambda *_: None)
    try:
        return subprocess.run([*editor, str(file)], check=False).returncode  # noqa: S603 - a person's own editor
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise CommandFailed(f"the editor {editor[0]} can not be started ({reason}); set EDITOR to another") from error
    finally:
        signal.signal(signal.SIGINT, before)
