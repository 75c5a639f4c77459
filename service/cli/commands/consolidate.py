"""`mind-memory consolidate`: what waits is written into the story now, watched until it is done, and reported."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Literal

import anyio
import typer
from mind_memory_client import AsyncMemoryClient, MindNotFound, Unreachable
from mind_memory_client.models import Consolidation, ConsolidationRun, ImportedFiles

from consolidation.kernel.clock import SystemClock
from consolidation.workspace import DEFAULT_MIND, workspace_of
from service.cli.command import CommandFailed, Context, MindName, command
from service.cli.connection import Connection, connect
from service.cli.output.progress import bar
from service.cli.output.terminal import (
    Row,
    confirm,
    counted,
    first_of,
    note,
    out,
    plain,
    shortened,
    show_facts,
    show_json,
    spent,
)

_STOPPED = "Stopped watching. What is in the story stays; the service goes on with the rest, or does it later."
_POLL_SECONDS = 0.3
_SILENT_SECONDS = 5  # in which a run that was asked for must begin
type Trigger = Literal["manual", "global_sync", "bootstrap"]


@command(interrupted=_STOPPED, json=True)
async def consolidate(
    context: Context,
    mind: MindName = DEFAULT_MIND,
    bootstrap: Annotated[
        bool,
        typer.Option(
            "--bootstrap",
            help="First read in old notes with a day in their names, like 2025-03-04.md: those of the mind's memory/, "
            "and of its folder legacy/, if you made one for an older history.",
        ),
    ] = False,
    sessions: Annotated[bool, typer.Option("--sessions", help="First read in the newest session files.")] = False,
    skip: Annotated[bool, typer.Option("--skip", help="Leave all that waits out of the story, for good.")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Skip without asking.")] = False,
) -> None:
    """Write the story now: what waits becomes chapters of STORY.md."""
    if bootstrap and sessions:
        raise CommandFailed("--bootstrap and --sessions exclude each other: run one after the other")
    if skip and not yes:
        if not sys.stdin.isatty():
            raise CommandFailed("nobody is here to confirm it: add --yes")
        await confirm(f"Leave all that waits for {mind} out of the story, for good?")
    trigger: Trigger = "bootstrap" if bootstrap else "global_sync" if sessions else "manual"
    async with connect(context) as connection:
        run, after = await _consolidated(connection, mind, trigger, skip=skip)
        if context.as_json:
            show_json(connection.answer)
    if not context.as_json:
        file = _file_to_edit(context.settings().folder, mind) if context.url is None else None
        out().print(_head(mind, run, is_skipped=skip), style="bold")
        show_facts(out(), _rows(run, after, file))
    if run.error is not None:
        raise CommandFailed(f"The story was not finished: {run.error}. {_waiting(after.pending_turns)}")


def _file_to_edit(home: Path, mind: str) -> Path | None:
    """STORY.md of *mind*, where that is the file itself and not a copy of one in a database."""
    from service.composition.shared_home import has_copies

    file = workspace_of(home, mind).story
    return file if file.exists() and not has_copies(home) else None


async def _consolidated(
    connection: Connection, mind: str, trigger: Trigger, *, skip: bool
) -> tuple[ConsolidationRun, Consolidation]:
    """The run as it ended, and what waits then. Raises CommandFailed, MindMemoryError."""
    memory = connection.memory
    try:
        before = await memory.consolidation(mind)
    except MindNotFound:
        before = None  # a mind that is not there yet may begin with what is read in
    try:
        if before is not None and before.is_running:
            note("The story is being written already; this run follows.")
        state = await memory.consolidate(mind, trigger=trigger, wait=False, skip=skip)
        return await _ended(memory, trigger, before, state)
    except Unreachable as error:
        pending = before.pending_turns if before is not None else 0
        raise CommandFailed(f"{connection.explain(error)}. {_waiting(pending)}") from error


async def _ended(
    memory: AsyncMemoryClient, trigger: Trigger, before: Consolidation | None, state: Consolidation
) -> tuple[ConsolidationRun, Consolidation]:
    """
    Our run as it ended, and what waits then. Raises CommandFailed.

    Runs that others began are told apart by their trigger and by when they started.
    """
    clock = SystemClock()
    since = clock.monotonic()
    with bar("writing") as reached:
        while True:
            run = _new_run(before, state)
            is_ours = run is not None and run.trigger == trigger
            if run is not None and is_ours and run.turns:
                reached(run.told, of=run.turns)
            if state.is_running:
                since = clock.monotonic()
            if run is not None and run.ended_at is not None and (is_ours or not state.is_running):
                return run, state  # another's was quick and came after ours
            if clock.monotonic() - since > _SILENT_SECONDS:
                raise CommandFailed(f"The run ended without a result. {_waiting(state.pending_turns)}")
            await anyio.sleep(_POLL_SECONDS)
            state = await memory.consolidation(state.mind_id)


def _new_run(before: Consolidation | None, state: Consolidation) -> ConsolidationRun | None:
    known, run = before.last_run if before is not None else None, state.last_run
    return None if run is not None and known is not None and run.started_at == known.started_at else run


def _waiting(turns: int) -> str:
    waits = f"{counted(turns, 'turn')} still {'waits' if turns == 1 else 'wait'} to enter the story"
    return f"Nothing is lost: {waits}; the same command tries again."


def _head(mind: str, run: ConsolidationRun, *, is_skipped: bool) -> str:
    if is_skipped:
        turns = counted(run.turns, "turn")
        return f"{turns} of {mind} will not enter the story." if run.turns else "Nothing waited."
    if run.told and not run.chapters and run.error is None:
        it = "it" if run.told == 1 else "them"
        return f"Read {counted(run.told, 'turn')} of {mind}: nothing in {it} was worth a new chapter."
    if run.told:
        chapters = f", in {counted(run.chapters, 'new chapter')}" if run.chapters else ""
        of = f" of {run.turns:,}" if run.told < run.turns else ""
        return f"Wrote {run.told:,}{of} {'turn' if run.turns == 1 else 'turns'} of {mind} into the story{chapters}."
    if run.error is not None:
        return f"Nothing of {mind} was written."
    return "Nothing waits: the story is up to date."


def _rows(run: ConsolidationRun, after: Consolidation, file: Path | None) -> Iterator[Row]:
    if run.quoted:
        why = f": {plain(run.refused[-1])}" if run.refused else ""
        yield Row("quoted", f"{counted(run.quoted, 'turn')}, since no answer of the model could be used{why}")
    if run.compressed:
        yield Row("shortened", f"{counted(run.compressed, 'old chapter')}, as the story has grown long")
    if run.gathered is not None:
        yield from _gathered(run.gathered)
    if run.usage.calls:
        yield Row("spent", spent(run.usage))
    if file is not None:
        yield Row("story", shortened(file))
    if after.pending_turns and run.error is None:
        waiting = f"{counted(after.pending_turns, 'turn')} ({counted(after.pending_tokens, 'token')})"
        yield Row("waiting", f"{waiting} that came meanwhile: written next time")


def _gathered(files: ImportedFiles) -> Iterator[Row]:
    known = f", {files.turns - files.new:,} were there already" if files.turns > files.new else ""
    yield Row("read in", f"{counted(files.new, 'new turn')} from {counted(files.files, 'file')}{known}")
    yield from first_of("skipped", "that can not be read or give no turn", list(files.skipped))
