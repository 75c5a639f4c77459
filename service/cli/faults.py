"""What a command can not do, said in one sentence with how to mend it; a traceback is only for what nobody foresaw."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import typer

from consolidation.kernel.errors import MemoryFault
from service.adapters.minilm import limit_threads
from service.cli.terminal import complain

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

INTERRUPTED = 130


class CommandFailed(Exception):
    """The command can not go on; the text is for a person."""


class Unreachable(CommandFailed):
    """No service answers where one should."""


class Refused(CommandFailed):
    """The service answered, but not what was asked for; ``status`` is HTTP's, ``body`` the problem it told."""

    def __init__(self, detail: str, *, status: int, body: Mapping[str, Any] | None = None) -> None:
        super().__init__(detail)
        self.status = status
        self.body = body or {}


@contextmanager
def plainly(*, interrupted: str = "Stopped.") -> Iterator[None]:
    """Run a command's body: what was foreseen becomes one sentence on stderr and exit code 1, Ctrl-C ends quietly."""
    limit_threads()  # before anything below imports numpy
    try:
        yield
    except (CommandFailed, MemoryFault) as fault:
        complain(str(fault))
        raise typer.Exit(1) from fault
    except BrokenPipeError:
        raise  # whoever read our output has had enough
    except OSError as fault:
        place = f"{fault.filename}: " if fault.filename else ""
        complain(f"{place}{fault.strerror or fault}")
        raise typer.Exit(1) from fault
    except KeyboardInterrupt as stop:
        complain(interrupted, style="dim")
        raise typer.Exit(INTERRUPTED) from stop
