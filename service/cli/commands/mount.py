"""
`mind-memory mount`: a mind's files in a folder of this machine, kept in step with a service elsewhere.

What a person saves is sent, and what the service writes arrives. A service that is away is waited for.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager
from pathlib import Path
from typing import Annotated

import typer
from anyio import to_thread
from mind_memory_client import MindMemoryError, errors

from consolidation.kernel.clock import SystemClock
from consolidation.kernel.errors import Locked, StoryFault
from consolidation.workspace import DEFAULT_MIND
from service.adapters.folder_watch import changes
from service.adapters.local_zone import here
from service.cli.command import CommandFailed, Context, MindName, command
from service.cli.connection import Address, Connection, connection_to, find_address, which_there_are
from service.cli.mounting.file_sync import FileSync
from service.cli.mounting.state import STATE, MountState
from service.cli.mounting.story_sync import StorySync
from service.cli.output.terminal import note, out, plain, shortened

_SERVICE = "service"  # the trouble that all kinds of its absence are
_AWAY = (errors.Unreachable, errors.Unavailable, errors.RateLimited)


@command(interrupted="Stopped. What you save from now on is sent when it runs again.")
async def mount(
    context: Context,
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="Where; it is made if it is not there.")],
    mind: MindName = DEFAULT_MIND,
    once: Annotated[bool, typer.Option("--once", help="Merge both ways once, and end.")] = False,
    interval: Annotated[
        float, typer.Option(metavar="SECONDS", min=0.2, max=3600, help="How often to ask the service for news.")
    ] = 2.0,
) -> None:
    """Lay STORY.md, SOUL.md, MEMORY.md, memory/ and more out as files, and merge both ways until Ctrl-C."""
    address = _address(context, folder)
    state = await to_thread.run_sync(lambda: _opened(folder, mind, address[0]))
    try:
        async with connection_to(address) as connection:
            mounted = _Mounted(state, connection, mind=mind)
            if once:
                await mounted.step(is_patient=False)
            else:
                note(f"{mind} of {connection.place} is in {shortened(state.folder)}, until Ctrl-C.")
                await _follow(mounted, interval=interval)
    finally:
        state.close()


def _address(context: Context, folder: Path) -> Address:
    settings = context.settings()
    if folder.resolve().is_relative_to(settings.folder.resolve()):
        raise CommandFailed(f"{folder} is in the home itself, where the files are already: edit them there")
    address = find_address(settings, url=context.url)
    if address is None:
        raise CommandFailed(
            "no service runs on this machine: name the one that has the mind with --url or MIND_MEMORY_URL, "
            "and its key with MIND_MEMORY_KEY"
        )
    return address


def _opened(folder: Path, mind: str, url: str) -> MountState:
    folder.mkdir(parents=True, exist_ok=True)
    state = MountState(folder.resolve())
    state.open(mind=mind, service=url.rstrip("/"))
    return state


class _Mounted:
    """A folder and a service: what one step is, and what is said of it."""

    def __init__(self, state: MountState, connection: Connection, *, mind: str) -> None:
        self.state = state
        self._connection = connection
        self._mind = mind
        self._trouble: str | None = None
        memory = connection.memory
        self._steps = tuple(kind(state, memory, mind=mind, say=_say) for kind in (StorySync, FileSync))

    async def step(self, *, is_patient: bool) -> None:
        """Merge both ways. What will pass is said once if it *is_patient*. Raises CommandFailed."""
        if not await to_thread.run_sync(self.state.place.is_dir):
            raise CommandFailed(f"{self.state.place} is gone: nothing is sent or deleted without it; run it again")
        try:
            for one in self._steps:
                await one.step()
        except errors.MindNotFound as error:
            others = await which_there_are(self._connection.memory)
            raise CommandFailed(f"{self._connection.explain(error)}{others}") from error
        except (*_AWAY, StoryFault, Locked) as error:
            words = self._connection.explain(error) if isinstance(error, MindMemoryError) else str(error)
            if not is_patient:
                raise CommandFailed(words) from error
            trouble = _SERVICE if isinstance(error, MindMemoryError) else words
            if trouble != self._trouble:
                _say(f"{words}. Waiting; your edits are safe in the folder")
            self._trouble = trouble
        except MindMemoryError as error:
            raise CommandFailed(self._connection.explain(error)) from error
        else:
            if self._trouble is not None:
                _say(f"{self._connection.place} answers again" if self._trouble == _SERVICE else "It works again")
            self._trouble = None


async def _follow(mounted: _Mounted, *, interval: float) -> None:
    async with _woken(mounted.state.folder) as woken:
        while True:
            woken.clear()
            await mounted.step(is_patient=True)
            try:
                async with asyncio.timeout(interval):
                    await woken.wait()
            except TimeoutError:
                continue


@asynccontextmanager
async def _woken(folder: Path) -> AsyncIterator[asyncio.Event]:
    """An event that is set whenever a person saves something in *folder*."""
    woken = asyncio.Event()

    async def watch() -> None:
        try:
            async with aclosing(changes(folder, within={""})) as found:
                async for changed in found:
                    if any(steps[0] != STATE and not steps[-1].endswith(".lock") for steps in changed):
                        woken.set()
        except OSError as error:
            note(
                f"{shortened(folder)} can not be watched ({error}): it is looked at with every question to the service."
            )

    watching = asyncio.get_running_loop().create_task(watch())
    try:
        yield woken
    finally:
        watching.cancel()


def _say(words: str) -> None:
    out().print(f"{SystemClock().now().astimezone(here()):%H:%M:%S} {plain(words)}")
