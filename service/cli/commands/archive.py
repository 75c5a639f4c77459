"""An archive of a mind, whole: `mind-memory export` writes it, and `import` makes a mind of one."""

from __future__ import annotations

import zipfile
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Annotated

import anyio
import typer
from rich.filesize import decimal

from consolidation.kernel.clock import SystemClock
from consolidation.kernel.files import replacing
from consolidation.workspace import DEFAULT_MIND, workspace_of
from service.archive.layout import folder_of_archive
from service.archive.manifest import Manifest
from service.archive.unpack import manifest_in
from service.cli.catch_up import until_caught_up
from service.cli.command import CommandFailed, Context, MindName, command
from service.cli.connection import connect, mind_or_none
from service.cli.output.progress import bar
from service.cli.output.terminal import counted, day, facts_and_entities, one_line, out, show_json, shown_zone

_CHUNK = 1024 * 1024


@command(interrupted="Stopped. Nothing was written.")
async def export(
    context: Context,
    mind: MindName = DEFAULT_MIND,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="Where to; <mind>-<day>.zip when left out.")
    ] = None,
) -> None:
    """Write a mind, whole, into one archive; `import` reads it."""
    target = output or Path(f"{mind}-{SystemClock().now().astimezone(shown_zone()):%Y-%m-%d}.zip")
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


def _size(size: int) -> str:
    """``312 bytes``, ``3.4 MB``."""
    return decimal(size).replace("k", "K")


def is_archive(path: Path) -> bool:
    """Whether *path* is a zip with the manifest of a mind."""
    try:
        with zipfile.ZipFile(path) as opened:
            return folder_of_archive(opened.namelist()) is not None
    except (OSError, ValueError, zipfile.BadZipFile, NotImplementedError):
        return False


async def import_archive(
    context: Context, path: Path, *, mind: str | None, is_dry: bool, waits: bool, reembeds: bool, takes_prompts: bool
) -> None:
    """Import the archive. Raises CommandFailed, MemoryFault; then nothing was imported."""
    manifest = manifest_in(path)
    mind = mind or manifest.mind_id
    if await _is_there(context, mind):
        raise CommandFailed(f"there is a mind {mind!r} already: name another id with --mind; nothing was imported")
    if is_dry and context.as_json:
        counts = {"turns": manifest.counts.turns, "facts": manifest.counts.facts}
        show_json({"mind_id": mind, "is_dry_run": True, "made_at": manifest.made_at.isoformat(), **counts})
        return
    if is_dry:
        out().print(f"Nothing imported: a dry run for {mind}. {_content(manifest)}")
        return
    async with connect(context, makes_home=True) as connection:
        memory = connection.memory
        with bar("importing"):
            made = await memory.import_archive(mind, archive=_parts(path), reembed=reembeds, prompts=takes_prompts)
        held_up_by = (await until_caught_up(memory, mind))[1] if waits else None
    if context.as_json:
        show_json({**made.model_dump(mode="json"), "waiting_for": held_up_by})
        return
    out().print(f"Imported {mind}: {counted(made.turns, 'turn')}, {facts_and_entities(made.facts, made.entities)}")
    if made.prompts_left_out:
        left_out = counted(made.prompts_left_out, "prompt")
        out().print(f"  {left_out} of its own left out: read them, then import with --prompts", style="yellow")
    if held_up_by is not None:
        out().print(f"  not all of it can be found yet: {one_line(held_up_by)}. It is tried again", style="yellow")


async def _is_there(context: Context, mind: str) -> bool:
    """Whether there is such a mind. Of a home in files, its folder says so: a dry run makes and opens no home."""
    settings = context.settings()
    if context.url is None and settings.database is None:
        return workspace_of(settings.folder, mind).exists
    async with connect(context, is_quiet=True) as connection:
        return await mind_or_none(connection.memory, mind) is not None


async def _parts(path: Path) -> AsyncIterator[bytes]:
    async with await anyio.open_file(path, "rb") as file:
        while part := await file.read(_CHUNK):
            yield part


def _content(manifest: Manifest) -> str:
    turns, facts = counted(manifest.counts.turns, "turn"), counted(manifest.counts.facts, "fact")
    return f"{manifest.mind_id} as of {day(manifest.made_at)}: {turns}, {facts}"
