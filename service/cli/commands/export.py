"""`mind-memory export`: a mind's archive in a file, which is there only when it is whole."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from consolidation.kernel.clock import SystemClock
from consolidation.kernel.files import replacing
from consolidation.workspace import DEFAULT_MIND
from service.cli.command import CommandFailed, Context, MindName, command
from service.cli.connection import connect
from service.cli.output.progress import bar
from service.cli.output.terminal import out

_SIZES = ("bytes", "KB", "MB", "GB", "TB")
_STEP = 1000


@command(interrupted="Stopped. Nothing was written.")
async def export(
    context: Context,
    mind: MindName = DEFAULT_MIND,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="Where to; <mind>-<day>.zip when left out.")
    ] = None,
) -> None:
    """Write a mind, whole, into one archive; `import` reads it."""
    target = output or Path(f"{mind}-{SystemClock().now():%Y-%m-%d}.zip")
    if target.exists():
        raise CommandFailed(f"{target} is there already: move it away, or name another file with -o")
    if not target.parent.is_dir():
        raise CommandFailed(f"there is no folder {target.parent}: make it, or name another file with -o")
    async with connect(context) as connection:
        with bar("exporting", worded=_size) as reached, replacing(target) as archive:
            async for part in connection.memory.export(mind):
                archive.write(part)
                reached(archive.tell())
    size = _size(target.stat().st_size)
    out().print(f"{mind} is in {target}, {size}. It is not encrypted: protect it as you protect the home itself.")


def _size(size: float) -> str:
    for unit in _SIZES[:-1]:
        if size < _STEP:
            return f"{size:.0f} {unit}" if unit == "bytes" else f"{size:.1f} {unit}"
        size /= _STEP
    return f"{size:.1f} {_SIZES[-1]}"
