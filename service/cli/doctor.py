"""`mind-memory doctor`: what is configured, what answers, what is wrong and how to mend it; exit 1 if so."""

from __future__ import annotations

import asyncio
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from consolidation.kernel.errors import ConfigurationFault, MemoryFault
from service.cli.configuration import origins, read_settings
from service.cli.examining_access import examine_access
from service.cli.examining_machine import examine_embedder, examine_graph, examine_home, examine_tokens
from service.cli.examining_memory import examine_graph_answer, examine_minds
from service.cli.examining_models import examine_models
from service.cli.faults import CommandFailed
from service.cli.findings import State, broken, noted, show_findings, sound
from service.cli.home import shortened
from service.cli.reaching import open_home, reach
from service.cli.terminal import counted, out
from service.cli.wiring import network_of
from service.presence import find_service
from service.telemetry import configure_logs

if TYPE_CHECKING:
    from collections.abc import Iterator

    from service.cli.client import MemoryClient
    from service.cli.findings import Finding
    from service.settings import Settings

_LOADING_SECONDS, _SERVER_SECONDS = 20, 2
type Section = tuple[str, list[Finding]]


def examine(*, calls_models: bool, home: Path | None) -> None:
    """Print section after section. Raises typer.Exit with 1 if anything is broken."""
    configure_logs(level="ERROR", as_json=False)
    console = out()
    wrong: list[Finding] = []
    try:
        settings = read_settings(home=home)
    except ConfigurationFault as fault:
        wrong = [broken("settings", str(fault), mend="every setting is listed in service/README.md")]
        show_findings(console, "Configuration", wrong)
        raise typer.Exit(1) from fault
    for title, findings in _sections(settings, calls_models=calls_models, home=home):
        show_findings(console, title, findings)
        wrong += [one for one in findings if one.state is State.BROKEN]
    if wrong:
        names = tuple(dict.fromkeys(one.what for one in wrong))
        console.print(f"{counted(len(names), 'thing')} to mend: {', '.join(names)}.", style="red")
        raise typer.Exit(1)
    console.print("Nothing is broken.", style="green")


def _sections(settings: Settings, *, calls_models: bool, home: Path | None) -> Iterator[Section]:
    yield "Configuration", _configuration(settings, home)
    yield "This machine", [*examine_home(settings), *examine_graph(settings), *examine_tokens()]
    yield "Access", examine_access(settings)
    yield "Models", asyncio.run(_models(settings, calls_models=calls_models))
    yield "Memory", asyncio.run(_memory(settings))


def _configuration(settings: Settings, home: Path | None) -> list[Finding]:
    decided = [noted(one.name, f"{one.shown} ({one.place})") for one in origins(settings, home=home)]
    rest = "all other settings are at their defaults" if decided else "all settings are at their defaults"
    return [*decided, noted("defaults", rest), noted("network", network_of(settings))]


async def _models(settings: Settings, *, calls_models: bool) -> list[Finding]:
    return [
        *await examine_embedder(settings, is_called=calls_models),
        *await examine_models(settings, are_called=calls_models),
    ]


async def _memory(settings: Settings) -> list[Finding]:
    """The service on this home; else the home itself; else, where there is none yet, an empty one made for a moment."""
    home = settings.folder
    try:
        if home.is_dir():
            async with reach(settings, is_quiet=True) as memory:
                return await _answers(memory, settings)
        with tempfile.TemporaryDirectory(prefix="mind-memory-") as folder:
            async with open_home(settings.model_copy(update={"home": Path(folder)})) as memory:
                return await _answers(memory, settings, is_passing=True)
    except (CommandFailed, MemoryFault) as fault:
        return [broken("memory", str(fault), mend="see above; the home opens once that is mended")]


def _patience(settings: Settings) -> float:
    """How long the graph may take to answer: an embedded one loads first."""
    return _LOADING_SECONDS if settings.falkordb_url is None else _SERVER_SECONDS


async def _answers(memory: MemoryClient, settings: Settings, *, is_passing: bool = False) -> list[Finding]:
    if is_passing:
        who = noted("service", "none runs; a service on an empty home was started for a moment")
    elif memory.is_own:
        who = noted("service", f"none runs on {shortened(settings.folder)}; it was opened for a moment")
    else:
        present = find_service(settings.folder)
        who = sound("service", f"answers at {memory.place}" + (f", process {present.pid}" if present else ""))
    return [who, *await examine_graph_answer(memory, seconds=_patience(settings)), *await examine_minds(memory)]
