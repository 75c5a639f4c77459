"""`mind-memory import` of an archive: one file, one mind, all of it or nothing."""

from __future__ import annotations

import zipfile
from collections.abc import AsyncIterator
from pathlib import Path
from typing import NamedTuple

import anyio
from mind_memory_client import MindNotFound

from service.archive.layout import MANIFEST
from service.archive.manifest import Manifest
from service.archive.unpack import manifest_in
from service.cli.catch_up import until_caught_up
from service.cli.command import CommandFailed, Context
from service.cli.connection import connect
from service.cli.output.progress import bar
from service.cli.output.terminal import counted, day, known, one_line, out, show_json

_CHUNK = 1024 * 1024


def is_archive(path: Path) -> bool:
    """Whether *path* is a zip with the manifest of a mind."""
    try:
        with zipfile.ZipFile(path) as opened:
            return MANIFEST in opened.namelist()
    except (OSError, ValueError, zipfile.BadZipFile, NotImplementedError):
        return False


class HowToImport(NamedTuple):
    """The options of an import."""

    is_dry: bool
    waits: bool
    reembeds: bool
    takes_prompts: bool


async def import_archive(context: Context, path: Path, *, mind: str | None, how: HowToImport) -> None:
    """Import the archive. Raises CommandFailed, MemoryFault; then nothing was imported."""
    manifest = manifest_in(path)
    mind = mind or manifest.mind_id
    if how.is_dry and context.as_json:
        counts = {"turns": manifest.counts.turns, "facts": manifest.counts.facts}
        show_json({"mind_id": mind, "is_dry_run": True, "made_at": manifest.made_at.isoformat(), **counts})
        return
    if how.is_dry:
        out().print(f"Nothing imported: a dry run for {mind}. {_content(manifest)}")
        return
    async with connect(context, makes_home=True) as connection:
        memory = connection.memory
        try:
            await memory.mind(mind)
        except MindNotFound:
            with bar("importing"):
                made = await memory.import_archive(
                    mind, archive=_parts(path), reembed=how.reembeds, prompts=how.takes_prompts
                )
        else:
            raise CommandFailed(f"there is a mind {mind!r} already: name another id with --mind; nothing was imported")
        held_up_by = (await until_caught_up(memory, mind))[1] if how.waits else None
    if context.as_json:
        show_json({**made.model_dump(mode="json"), "waiting_for": held_up_by})
        return
    out().print(f"Imported {mind}: {counted(made.turns, 'turn')}, {known(made.facts, made.entities)}")
    if made.prompts_left_out:
        left_out = counted(made.prompts_left_out, "prompt")
        out().print(f"  {left_out} of its own left out: read them, then import with --prompts", style="yellow")
    if held_up_by is not None:
        out().print(f"  not all of it can be found yet: {one_line(held_up_by)}. It is tried again", style="yellow")


async def _parts(path: Path) -> AsyncIterator[bytes]:
    async with await anyio.open_file(path, "rb") as file:
        while part := await file.read(_CHUNK):
            yield part


def _content(manifest: Manifest) -> str:
    turns, facts = counted(manifest.counts.turns, "turn"), counted(manifest.counts.facts, "fact")
    return f"{manifest.mind_id} as of {day(manifest.made_at)}: {turns}, {facts}"
