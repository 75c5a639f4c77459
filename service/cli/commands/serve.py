"""`mind-memory serve`: the service in this process, until a signal."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import AsyncExitStack
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from consolidation.kernel.clock import SystemClock
from consolidation.kernel.release import installed_version
from service.access.addresses import is_loopback
from service.access.principal import OWNER
from service.cli.command import CommandFailed, Context, act_on_signals, command, configure_logs_of, make_home
from service.cli.output.configuration import (
    database_of,
    embedder_of,
    graph_of,
    missing_folders,
    missing_keys,
    model_lines,
    network_of,
)
from service.cli.output.progress import bar
from service.cli.output.terminal import Row, counted, out, ready_to_type, rows_of, shortened, show_facts, typed
from service.composition.access import is_guarded
from service.settings.settings import Settings

if TYPE_CHECKING:
    from contextlib import AbstractAsyncContextManager

    from rich.console import Console

    from service.composition.container import Memory
    from service.serving.home import ServedHome

_TRIES = (
    ("after a turn: store it", "turns", "hello", "My mother lives in Lyon."),
    ("before a turn: what surfaces?", "resonance", "later", "Where does my mother live?"),
)


@command(has_url=False, logs=True)
async def serve(
    context: Context,
    host: Annotated[str | None, typer.Option(metavar="ADDRESS", help="Where to listen (127.0.0.1).")] = None,
    port: Annotated[int | None, typer.Option(metavar="NUMBER", help="The port (8001); 0 takes a free one.")] = None,
    workers: Annotated[
        int | None, typer.Option(metavar="NUMBER", help="Processes that share the minds (1), so that cores add up.")
    ] = None,
) -> None:
    """Run the service: two HTTP calls a turn, an embedded graph."""
    settings = context.settings(host=host, port=port, workers=workers)
    if not is_guarded(settings, now=SystemClock().now()):
        raise CommandFailed(
            f"{settings.host} can be reached from outside this machine, and no key protects the memory: "
            f"make one with {typed('keys create')}, or keep --host 127.0.0.1; where the port is published on "
            "loopback only, as a container's may be, MIND_MEMORY_TRUST_NETWORK=true lets it listen without a key"
        )
    make_home(settings)
    configure_logs_of(settings)
    is_stopped = asyncio.Event()
    act_on_signals(is_stopped.set)
    async with AsyncExitStack() as opened:
        with bar("opening"):
            served = await opened.enter_async_context(_served(settings))
        # uvicorn raises the signal again when it is done: ours stays, so that memory still closes in order.
        act_on_signals(served.stop)
        if is_stopped.is_set():
            served.stop()
        _show_welcome(settings, served)
        await served.answer()
        with bar("closing"):
            await opened.aclose()


def _served(settings: Settings) -> AbstractAsyncContextManager[ServedHome]:
    """The home, served by this process alone or by several."""
    if settings.workers > 1:
        from service.serving.front import home_served_by_workers

        return home_served_by_workers(settings)
    from service.serving.home import served_home

    return served_home(settings)


def _show_welcome(settings: Settings, served: ServedHome) -> None:
    """What is configured, where it listens, and two calls to try; lines to be copied are never wrapped."""
    console, url, keys = out(), served.presence.url, served.memory.authenticator.live_keys()
    console.print(Text.assemble(("mind-memory ", "bold"), installed_version(), (f"  {url}", "bold green")))
    console.print()
    show_facts(console, _facts(settings, served.memory, keys=keys), below=1)
    for why, call, session, said in _TRIES:
        console.print(f"  # {why}", style="dim")
        key = ' -H "Authorization: Bearer $MIND_MEMORY_KEY"' if keys else ""
        console.print(f"  curl -s {url}/v1/minds/demo/{call}{key} --json \\", soft_wrap=True)
        body = f'{{"session_id": "{session}", "messages": [{{"role": "user", "content": "{said}"}}]}}'
        console.print(f"    '{body}'", soft_wrap=True)
        console.print()
    console.print(f"  All calls: {url}/docs\n  MCP tools: {url}/mcp", style="dim")
    console.print(f"  Talk to it: {ready_to_type('chat')}\n  Ctrl-C stops it", style="dim", soft_wrap=True)
    console.print(f"  Console: {_console_link(served, console)}", soft_wrap=True)
    console.file.flush()


def _console_link(served: ServedHome, console: Console) -> str:
    """The console, with a ticket where one is needed; but none goes into a log, such as a container's."""
    page = f"{served.presence.url}/console/"
    if served.memory.authenticator.needs_no_key():
        return page
    issued = served.memory.sign_in.issue_ticket(OWNER) if console.is_terminal else None
    return f"{page}#t={issued[0]}" if issued is not None else f"{page} (`{ready_to_type('console')}` signs you in)"


def _facts(settings: Settings, memory: Memory, *, keys: int) -> Iterator[Row]:
    minds, deadline = len(memory.minds.ids()), memory.deadline_seconds
    held = counted(minds, "mind") if minds else "empty: the first turn makes a mind"
    database = database_of(settings)
    yield Row("home", f"{shortened(settings.folder) if database is None else database} ({held})")
    if database is not None:
        yield Row("copies", f"{shortened(settings.folder)}: of minds that are in use")
    yield Row("graph", graph_of(settings))
    yield from rows_of("models", model_lines(settings))
    for problem in missing_keys(settings):
        yield Row("no key", problem, "yellow")
    for name, folder in missing_folders(settings):
        yield Row("missing", f"{name}: {shortened(folder)} is not there yet", "yellow")
    yield Row("recall", "waits as long as it takes" if deadline is None else f"answers within {deadline:g} s")
    yield Row("vectors", embedder_of(settings))
    yield Row("tokens", "counted here, offline")
    yield Row("network", network_of(settings))
    if settings.workers > 1:
        yield Row("workers", f"{settings.workers} processes, each with its own minds")
    if keys:
        yield Row("keys", f"{counted(keys, 'key')}: every call needs one")
    elif settings.trust_network:
        yield Row("open", "without a key, to all who reach its published port: keep that on loopback")
    elif not is_loopback(settings.host):
        yield Row("open", f"to all who reach {settings.host}: no key protects it", "yellow")
