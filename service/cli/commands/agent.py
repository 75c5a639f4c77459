"""What one does with an agent by hand: let it sleep, dream and wake, see what dreams observed and how it does."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import time
from typing import Annotated, Any, cast

import anyio
import typer
from mind_memory_client import AsyncMemoryClient
from mind_memory_client.evaluations import Evaluation
from mind_memory_client.observations import Observation, Observations
from mind_memory_client.sleep import Dream, Dreams, SleepBegun
from rich.console import Console
from rich.text import Text

from consolidation.dreams.waking import LEAST_TOKENS, MOST_TOKENS, MOST_TOKENS_EVER
from consolidation.workspace import DEFAULT_MIND
from service.cli.command import CommandFailed, Context, HowMany, MindName, check_one_of, command, instant_of
from service.cli.connection import connect
from service.cli.output.progress import bar
from service.cli.output.terminal import Row, counted, minute, note, out, plain, show_facts, show_json, shown_zone, typed

_STOPPED = "Stopped watching. A dream that began goes on by itself, now or at the next start of the service."
_KINDS = {"nap": "nap", "lightweight": "lightweight dream", "dream": "dream", "deep_sleep": "deep sleep"}
_POLL_SECONDS = 0.3
_STYLES = {"RED": "red", "YLW": "yellow", "GRN": "green"}


@command(interrupted=_STOPPED, json="The API's answer as it is, after the dream.")
async def sleep(
    context: Context,
    seconds: Annotated[
        float, typer.Argument(metavar="SECONDS", min=2, max=86_400, help="For how long; 300 if left out.")
    ] = 300,
    mind: MindName = DEFAULT_MIND,
    session: Annotated[str | None, typer.Option(metavar="ID", help="The session that ends by it.")] = None,
) -> None:
    """Let an agent sleep: a nap, or a sleep in which it dreams. Its own process does the pausing."""
    async with connect(context) as connection:
        begun = await connection.memory.sleep(mind, seconds, session=session)
        answer = connection.answer
        if not context.as_json:
            out().print(_told(mind, begun), style="bold")
        found = await _until_dreamt(connection.memory, mind) if begun.dream_id is not None else None
    if context.as_json:
        show_json(answer)
    elif found is not None and found.dreams:
        _show_dream(out(), found.dreams[0])


def _told(mind: str, begun: SleepBegun) -> str:
    kind = _KINDS.get(begun.kind, plain(begun.kind))
    return f"{mind} sleeps until {minute(begun.wake_at)} ({begun.pause_seconds:g} s): {kind}."


@command(interrupted=_STOPPED, json=True)
async def dream(
    context: Context,
    mind: MindName = DEFAULT_MIND,
    deep: Annotated[bool, typer.Option("--deep", help="A deep sleep: also tidy up and write the diary.")] = False,
) -> None:
    """Dream now of what an agent did since its last dream."""
    async with connect(context) as connection:
        memory = connection.memory
        before = await memory.dreams(mind, limit=1)
        await memory.dream(mind, deep=deep, wait=False)
        found = await _until_dreamt(memory, mind)
    if context.as_json:
        show_json(connection.answer)
    elif found.dreams == before.dreams:
        out().print(f"{mind} did nothing since its last dream.")
    else:
        _show_dream(out(), found.dreams[0])


async def _until_dreamt(memory: AsyncMemoryClient, mind: str) -> Dreams:
    """The newest dream, once none is under way. Raises CommandFailed where it could not be dreamt."""
    with bar("dreaming"):
        while (found := await memory.dreams(mind, limit=1)).status.state == "dreaming":  # noqa: ASYNC110 - of a service
            await anyio.sleep(_POLL_SECONDS)
    if (reason := found.status.waiting_for) is not None:
        raise CommandFailed(f"The dream waits, and is tried again by itself: {plain(reason)}")
    return found


def _show_dream(console: Console, dream: Dream) -> None:
    """Print a dream: its reflection, its priority, how much it observed."""
    console.print(f"{_KINDS.get(dream.kind, plain(dream.kind)).capitalize()} {dream.dream}", style="bold")
    show_facts(console, _rows(dream))


def _rows(dream: Dream) -> Iterator[Row]:
    failed = f", {dream.failed_calls:,} of which failed" if dream.failed_calls else ""
    yield Row("of", f"{counted(dream.actions, 'tool call')}{failed}")
    yield Row("reflection", dream.reflection or "–")
    yield Row("priority", dream.priority)
    yield Row("observations", f"{dream.observations:,}")
    if dream.is_quoted:
        yield Row("", "quoted from the log: no model dreamt it", "dim")


@command(json=True)
async def wake(
    context: Context,
    mind: MindName = DEFAULT_MIND,
    max_tokens: Annotated[
        int, typer.Option(metavar="NUMBER", min=LEAST_TOKENS, max=MOST_TOKENS_EVER, help="How long the text may be.")
    ] = MOST_TOKENS,
) -> None:
    """Wake an agent, and show what it is handed."""
    async with connect(context) as connection:
        await connection.memory.wake_up(mind, reason="woken by hand")
        found = await connection.memory.waking(mind, max_tokens=max_tokens)
    connection.show(context, lambda _: typer.echo(plain(found.text)))


@command(json=True)
async def observations(
    context: Context,
    mind: MindName = DEFAULT_MIND,
    level: Annotated[str | None, typer.Option(metavar="LEVEL", help="RED, YLW or GRN only.")] = None,
    since: Annotated[str | None, typer.Option(metavar="DAY", help="From this day on, like 2026-01-09.")] = None,
) -> None:
    """Show what dreams observed, by day."""
    check_one_of(_STYLES, level, "--level")
    begin = instant_of(since, "--since", at=time.min)
    first_day = begin.astimezone(shown_zone()).date() if begin is not None else None
    async with connect(context) as connection:
        found = await connection.memory.observations(mind, level=cast("Any", level), since=first_day)
    connection.show(context, _show, found, mind=mind)


def _show(console: Console, found: Observations, *, mind: str) -> None:
    last = None
    for one in found.observations:
        if one.day != last:
            console.print(Text(f"{'' if last is None else chr(10)}{one.day}", style="bold"))
            last = one.day
        console.print(_line(one), soft_wrap=True)
    if not found.observations:
        note(f"Nothing was observed for {mind} yet, or nothing that was asked for.")


def _line(one: Observation) -> Text:
    line = Text(style="dim" if one.is_superseded else "")
    line.append(one.level, style=f"bold {_STYLES[one.level]}")
    line.append(f" {one.at} {plain(one.text)}")
    if one.is_superseded:
        line.append(" (superseded)", style="italic")
    return line


@command(json=True)
async def evaluations(
    context: Context,
    mind: MindName = DEFAULT_MIND,
    limit: HowMany = 5,
    accept: Annotated[
        int | None, typer.Option(metavar="NUMBER", min=1, help="Set what the evaluation of this deep sleep proposes.")
    ] = None,
) -> None:
    """Show what deep sleeps measured of an agent, newest first, and accept a setting that one of them proposes."""
    async with connect(context) as connection:
        memory = connection.memory
        if accept is None:
            found = (await memory.evaluations(mind, limit=limit)).items
        else:
            found = (await memory.accept_evaluation(mind, dream=accept),)
    connection.show(context, _show_evaluations, found, mind=mind)


def _show_evaluations(console: Console, found: Sequence[Evaluation], *, mind: str) -> None:
    for one in found:
        console.print(f"Deep sleep {one.dream}, {minute(one.t)}", style="bold")
        show_facts(console, _measured(one, mind=mind))
    if not found:
        note(f"Nothing was measured of {mind} yet: its first deep sleep does.")


def _measured(one: Evaluation, *, mind: str) -> Iterator[Row]:
    yield Row("dreams", f"{one.dreams:,}, {one.forced_dreams:,} of which it had to be sent to")
    shares = f", {_percent(one.failed_share)} failed, {_percent(one.repeated_share)} repeated" if one.actions else ""
    yield Row("acted", f"{counted(one.actions, 'tool call')}{shares}")
    yield Row("surfaced", f"in {_percent(one.surface_rate)} of pre-turn calls" if one.surface_rate is not None else "–")
    yield Row("outcomes", _numbers(one.outcomes))
    yield Row("observations", _numbers(one.observations))
    if (proposal := one.proposal) is None:
        return
    change = f" from {proposal.value:g} to {proposal.proposed:g}" if proposal.proposed is not None else ""
    yield Row("proposed", f"{plain(proposal.setting)}{change}: {plain(proposal.reason)}")
    if one.accepted_at is not None:
        yield Row("", f"accepted on {minute(one.accepted_at)}", "green")
    elif proposal.is_acceptable:
        yield Row("", typed(f"evaluations --accept {one.dream}", mind=mind), "dim")
    elif proposal.proposed is not None:
        yield Row("", f"of the whole service: set MIND_MEMORY_{plain(proposal.setting)}", "dim")


def _numbers(found: Mapping[str, int]) -> str:
    return ", ".join(f"{number:,} {plain(name)}" for name, number in found.items()) or "–"


def _percent(share: float | None) -> str:
    return "–" if share is None else f"{share:.0%}"
