"""`mind-memory import` of an archive: one file, one mind, all of it or nothing."""

from __future__ import annotations

import asyncio
import zipfile
from dataclasses import dataclass
from typing import TYPE_CHECKING

import anyio

from consolidation.workspace import checked_mind_id
from service.cli.configuration import read_settings
from service.cli.digested import until_digested
from service.cli.faults import CommandFailed
from service.cli.reaching import reach
from service.cli.terminal import counted, day, one_line, out
from service.moving.members import MANIFEST
from service.moving.unpacking import manifest_in
from service.telemetry import configure_logs

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from service.moving.manifest import Manifest

_CHUNK = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Wanted:
    """What was asked for; ``mind`` is None where the archive's own id will do."""

    paths: tuple[Path, ...]
    mind: str | None
    only: str | None
    is_dry: bool
    waits: bool
    reembeds: bool


def is_archive(path: Path) -> bool:
    """Whether *path* is a zip that tells what is in it as an archive of a mind does."""
    try:
        with zipfile.ZipFile(path) as opened:
            return MANIFEST in opened.namelist()
    except (OSError, ValueError, zipfile.BadZipFile, NotImplementedError):
        return False


def restore(wanted: Wanted, *, home: Path | None, url: str | None) -> None:
    """Import the archive. Raises CommandFailed, MemoryFault; then nothing was imported."""
    configure_logs(level="ERROR", as_json=False)
    if len(wanted.paths) > 1 or wanted.only is not None:
        raise CommandFailed("an archive is imported alone and whole: give no other path, and no --only")
    [path] = wanted.paths
    manifest = manifest_in(path)
    mind = checked_mind_id(wanted.mind or manifest.mind_id)
    if wanted.is_dry:
        out().print(f"Nothing imported: a dry run for {mind}. {_told(manifest)}")
        return
    asyncio.run(_restore(wanted, path, mind, home=home, url=url))


async def _restore(wanted: Wanted, path: Path, mind: str, *, home: Path | None, url: str | None) -> None:
    async with reach(read_settings(home=home), url=url) as memory:
        if await memory.mind_or_none(mind) is not None:
            raise CommandFailed(f"there is a mind {mind!r} already: name another id with --mind; nothing was imported")
        became = await memory.bring_in(mind, _parts(path), reembeds=wanted.reembeds)
        held_up_by = (await until_digested(memory, mind)).held_up_by if wanted.waits else None
    facts, entities = counted(became["facts"], "fact"), counted(became["entities"], "entity", "entities")
    out().print(f"{mind} is here: {counted(became['turns'], 'turn')}, {facts}, {entities}")
    if held_up_by is not None:
        out().print(f"  not all of it is found yet: {one_line(held_up_by)}. It is tried again", style="yellow")


async def _parts(path: Path) -> AsyncIterator[bytes]:
    async with await anyio.open_file(path, "rb") as file:
        while part := await file.read(_CHUNK):
            yield part


def _told(manifest: Manifest) -> str:
    turns, facts = counted(manifest.counts.turns, "turn"), counted(manifest.counts.facts, "fact")
    return f"{manifest.mind_id} as of {day(manifest.made_at)}: {turns}, {facts}"
