"""`mind-memory export`: a mind's archive in a file, there when it is whole."""

from __future__ import annotations

import asyncio
import os
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from consolidation.kernel.clock import SystemClock
from consolidation.workspace import checked_mind_id
from service.cli.configuration import read_settings
from service.cli.faults import CommandFailed
from service.cli.reaching import reach
from service.cli.terminal import out
from service.telemetry import configure_logs

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

_SIZES = ("bytes", "KB", "MB", "GB", "TB")
_STEP = 1000


def export(*, mind: str, output: Path | None, home: Path | None, url: str | None) -> None:
    """Write the archive. Raises CommandFailed, and nothing is written."""
    configure_logs(level="ERROR", as_json=False)
    checked_mind_id(mind)
    target = output or Path(f"{mind}-{SystemClock().now():%Y-%m-%d}.zip")
    if target.exists():
        raise CommandFailed(f"{target} is there already: move it away, or name another file with -o")
    asyncio.run(_export(mind, target, home=home, url=url))
    size = _size(target.stat().st_size)
    out().print(f"{mind} is in {target}, {size}. It is not encrypted: keep it as you keep the home itself.")


async def _export(mind: str, target: Path, *, home: Path | None, url: str | None) -> None:
    beside = target.with_name(f".{target.name}.part")
    try:
        async with reach(read_settings(home=home), url=url) as memory:
            await _write(memory.export(mind), beside)
        beside.replace(target)
    finally:
        with suppress(FileNotFoundError):
            beside.unlink()


async def _write(parts: AsyncIterator[bytes], file: Path) -> None:
    handle = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
    with os.fdopen(handle, "wb") as to:
        async for part in parts:
            to.write(part)
        to.flush()
        os.fsync(to.fileno())


def _size(size: float) -> str:
    for unit in _SIZES[:-1]:
        if size < _STEP:
            return f"{size:.0f} {unit}" if unit == "bytes" else f"{size:.1f} {unit}"
        size /= _STEP
    return f"{size:.1f} {_SIZES[-1]}"
