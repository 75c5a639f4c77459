"""
`mind-memory import`: exports read twice, once to count them, once to post each turn through the door a backend uses.

Turns go one after another, so that a session stays in order; a turn posted again is answered as the duplicate it is,
so the same command, run again after any interruption, goes on where it stopped.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import httpx

from consolidation.kernel.clock import SystemClock
from consolidation.kernel.turns import Kind
from consolidation.workspace import checked_mind_id
from service.cli.configuration import read_settings
from service.cli.digested import until_digested
from service.cli.faults import CommandFailed, Refused
from service.cli.import_report import Report, show_report
from service.cli.options import GOES_ON
from service.cli.progress import bar
from service.cli.reaching import reach
from service.cli.survey import Survey, survey
from service.importing.formats import read_conversations
from service.importing.found import FoundTurn
from service.telemetry import configure_logs

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from consolidation.kernel.turns import Message, Turn
    from service.cli.client import MemoryClient

_REFUSED = frozenset({httpx.codes.UNPROCESSABLE_ENTITY, httpx.codes.REQUEST_ENTITY_TOO_LARGE})


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is to be imported, and how."""

    mind: str
    only: str | None
    waits: bool


def bring_in(
    paths: tuple[Path, ...],
    *,
    mind: str,
    only: str | None,
    dry_run: bool,
    waits: bool,
    home: Path | None,
    url: str | None,
) -> None:
    """Import and report. Raises CommandFailed where a path could not be read, after the others are done."""
    configure_logs(level="ERROR", as_json=False)
    settings = read_settings(home=home)
    checked_mind_id(mind)
    clock = SystemClock()
    began = clock.monotonic()
    found = survey(paths, only=only)
    report = Report(mind, found, is_dry=dry_run)
    if found.readable and not dry_run:

        async def run() -> None:
            async with reach(settings, url=url) as memory:
                await _import(memory, report, Wanted(mind, only, waits))

        asyncio.run(run())
    report.seconds = clock.monotonic() - began
    if found.readable:
        show_report(report)
    if found.unreadable:
        raise CommandFailed("\n".join(found.unreadable))


async def _import(memory: MemoryClient, report: Report, wanted: Wanted) -> None:
    report.before = _size(await memory.mind_or_none(wanted.mind))
    with bar("importing", total=report.survey.turns) as advance:
        for turn in _turns(report.survey, only=wanted.only):
            await _post(memory, report, turn, mind=wanted.mind)
            advance(1)
    status = await memory.mind_or_none(wanted.mind)
    if status is not None and wanted.waits:
        status = await _wait(memory, report, wanted.mind, lag=int(status["graph"]["lag"]))
    report.after = _size(status)
    report.left = int(status["graph"]["lag"]) if status is not None else 0


async def _post(memory: MemoryClient, report: Report, turn: Turn, *, mind: str) -> None:
    try:
        kept = await memory.keep(mind, body_of(turn))
    except Refused as refusal:
        if refusal.status == httpx.codes.GONE:
            report.erased += 1
        elif refusal.status == httpx.codes.CONFLICT:
            report.conflicts.append(turn.turn_id)
        elif refusal.status in _REFUSED:
            report.refused.append(f"{turn.turn_id}: {refusal}")
        else:
            raise CommandFailed(f"{refusal}. {GOES_ON}") from refusal
    except CommandFailed as fault:
        raise CommandFailed(f"{fault}. {GOES_ON}") from fault
    else:
        report.count(kept)


async def _wait(memory: MemoryClient, report: Report, mind: str, *, lag: int) -> dict[str, Any]:
    with bar("reading", total=lag) as advance:
        done = 0

        def advanced(status: Any) -> None:  # noqa: ANN401 - the API's answer
            nonlocal done
            read = max(lag - int(status["graph"]["lag"]), done)
            advance(read - done)
            done = read

        digested = await until_digested(memory, mind, advanced=advanced)
    report.held_up_by = digested.held_up_by
    return dict(digested.mind)


def _turns(found: Survey, *, only: str | None) -> Iterator[Turn]:
    for path in found.readable:
        for one in read_conversations(path, only=only):
            if isinstance(one, FoundTurn):
                yield one.turn


def body_of(turn: Turn) -> dict[str, object]:
    """A turn as `POST …/turns` takes it. Pure."""
    return {
        "turn_id": turn.turn_id,
        "session_id": turn.session_id,
        "messages": [_message(message) for message in turn.messages],
        "metadata": dict(turn.metadata),
        **({"off_the_record": True} if turn.kind is Kind.OFF_THE_RECORD else {"kind": turn.kind.value}),
    }


def _message(message: Message) -> dict[str, str]:
    said = {
        "role": message.role.value,
        "content": message.content,
        "timestamp": message.timestamp.isoformat() if message.timestamp else None,
        "name": message.name,
        "id": message.id,
    }
    return {name: value for name, value in said.items() if value is not None}


def _size(mind: dict[str, Any] | None) -> tuple[int, int] | None:
    """Facts and entities; None while the graph does not tell."""
    if mind is None:
        return 0, 0
    graph = mind["graph"]
    return (int(graph["facts"]), int(graph["entities"])) if graph["available"] else None
