"""`mind-memory status`: what each mind holds, how far it has been read, what it waits for; with --watch, live."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Iterator
from contextlib import aclosing, suppress
from dataclasses import replace
from typing import Annotated, Any

import typer
from mind_memory_client import Mind, MindMemoryError, MindNotFound, RateLimited, RequestRefused, Unauthenticated
from mind_memory_client.models import StoryState
from mind_memory_client.service_status import ModelCall
from rich.console import Console
from rich.live import Live

from service.cli.command import Context, command
from service.cli.connection import Connection, connect, is_answered, mind_meant, status_of_all
from service.cli.output.board import Look, board, dependencies
from service.cli.output.progress import bar
from service.cli.output.terminal import (
    Row,
    counted,
    day,
    facts_and_entities,
    one_line,
    out,
    plain_table,
    ready_to_type,
    rows_of,
    show_facts,
    show_json,
    show_times_in,
    shown_zone,
    spent,
    typed,
)

_MOST_LISTED = 5
_MOST_OPENED = 50  # minds without trouble: opening one closes another that is in use
_UNAVAILABLE = "unavailable"  # how --json calls why a mind can not be opened


@command(json="As JSON; with --watch, one object a line.")
def status(
    context: Context,
    mind: Annotated[str | None, typer.Option(metavar="ID", help="One mind; all of them when left out.")] = None,
    watch: Annotated[bool, typer.Option("--watch", help="Go on looking, a line a mind, until Ctrl-C.")] = False,
    every: Annotated[float, typer.Option(metavar="SECONDS", min=0.1, help="How often, with --watch.")] = 2.0,
    calls: Annotated[bool, typer.Option("--calls", help="The last model calls instead.")] = False,
) -> None:
    """Show what each mind holds, and how far it has been read; with --watch, live; or the last model calls."""
    if calls:
        asyncio.run(_calls(context))
        return
    if not watch:
        asyncio.run(_once(context, mind))
        return
    with suppress(KeyboardInterrupt):  # how one ends it
        asyncio.run(_watch(context, mind, seconds=every))


async def _once(context: Context, mind: str | None) -> None:
    async with connect(context) as connection:
        service, answer = await status_of_all(connection, mind=mind)
        minds = await _minds(connection, answer, mind)
    if context.as_json:
        brief, opened = ({one["mind_id"]: one for one in found} for found in (answer["minds"], minds))
        names = opened if mind else brief | opened
        show_json({**answer, "minds": [brief.get(name, {}) | opened.get(name, {}) for name in names]})
        return
    console = out()
    if service.dependencies:
        console.print(dependencies(service))
        console.print()
    for one in minds:
        if _UNAVAILABLE in one:
            console.print(one["mind_id"], style="bold")
            show_facts(console, [Row("can not be opened", one_line(one[_UNAVAILABLE]), "red")], below=1)
        else:
            found = Mind.model_validate(one)
            if found.story.last_processed is not None:  # the only day that is shown of a mind
                show_times_in((await mind_meant(context, found.mind_id))[1])
            _show_mind(console, found)
    if left := len(answer["minds"]) - len(minds) if mind is None else 0:
        check = f"`{ready_to_type('doctor')}`"
        console.print(f"{left} more that wait for nothing: see one with --mind, or all with {check}.")
    if not minds:
        console.print(f"No minds yet: the first turn makes one. Try `{ready_to_type('chat')}`.")


async def _minds(connection: Connection, answer: dict[str, Any], mind: str | None) -> list[dict[str, Any]]:
    """
    What the service says of *mind*, or of each; of one that it can not open, its id and why.

    Of many minds, those beyond the first that have no trouble are not opened for it. Raises MindMemoryError, also where
    the one that was asked for can not be opened.
    """
    told = [
        one
        for at, one in enumerate(answer["minds"])
        if at < _MOST_OPENED or one.get("waiting_for") or one.get("parked")
    ]
    names, found = [mind] if mind else [one["mind_id"] for one in told], list[dict[str, Any]]()
    with bar("looking", total=len(names)) as reached:
        for at, name in enumerate(names):
            reached(at)
            try:
                found.append(await connection.memory.request("GET", f"/v1/minds/{name}"))
            except (RateLimited, Unauthenticated):
                raise
            except RequestRefused as refusal:
                if mind:
                    raise
                if not isinstance(refusal, MindNotFound):  # else it was erased at this moment
                    found.append({"mind_id": name, _UNAVAILABLE: connection.explain(refusal)})
    return found


async def _calls(context: Context) -> None:
    async with connect(context) as connection:
        calls = (await connection.memory.status()).model_calls
    console = out()
    if context.as_json:
        show_json(connection.answer["model_calls"])
        return
    if not calls:
        console.print("No model was called since the service started.")
        return
    headings = ("at", "role", "model", "host", "first words", "whole", "tokens", "outcome")
    console.print(plain_table(*headings, rows=map(_cells, calls)))


def _cells(call: ModelCall) -> tuple[str, ...]:
    first = "" if call.first_words_ms is None else f"{call.first_words_ms / 1000:.1f} s"
    outcome = call.outcome.replace("_", " ")
    return (
        call.at.astimezone(shown_zone()).strftime("%H:%M:%S"),
        call.role,
        one_line(call.model),
        one_line(call.host),
        first or ("" if call.streamed else "not streamed"),
        f"{call.ms / 1000:.1f} s",
        f"{call.prompt_tokens:,} + {call.completion_tokens:,}",
        f"{outcome}: {one_line(call.reason)}" if call.reason else outcome,
    )


def _show_mind(console: Console, mind: Mind) -> None:
    console.print(mind.mind_id, style="bold")
    show_facts(console, _rows(mind), below=1)


def _rows(mind: Mind) -> Iterator[Row]:
    graph, usage = mind.graph, mind.usage
    yield Row("holds", f"{counted(mind.turns, 'turn')} of {counted(mind.sessions, 'session')}")
    if graph.available:
        yield Row("graph", f"{counted(graph.episodes, 'episode')}, {facts_and_entities(graph.facts, graph.entities)}")
        yield _progress(mind)
    else:
        yield Row("graph", "unavailable: meanwhile turns are stored, and found by their words", "red")
    yield Row("waits for", one_line(graph.waiting_for or ""), "yellow")
    parked = (
        f"turn {one.sequence}, after {one.attempts} attempts: {one_line(one.error, most=200)}"
        for one in graph.parked[:_MOST_LISTED]
    )
    yield from rows_of("parked", parked, "yellow")
    if graph.parked:
        more = len(graph.parked) - _MOST_LISTED
        yield Row("", f"{f'and {more} more; ' if more > 0 else ''}{typed(f'retry --mind {mind.mind_id}')}")
    for damage in mind.damaged[:_MOST_LISTED]:
        why = f"{damage.file} at byte {damage.offset}: {damage.reason}; its bytes are in {damage.aside}"
        yield Row("damaged", why, "red")
    yield Row("story", _story(mind.story))
    if mind.story.waiting_for:
        yield Row("", f"it waits: {one_line(mind.story.waiting_for)}", "yellow")
    if usage.calls:
        yield Row("spent", f"{spent(usage)} since the service started")


def _progress(mind: Mind) -> Row:
    graph = mind.graph
    behind = mind.last_sequence - graph.saved
    if not graph.lag and behind <= 0:
        return Row("read", "everything", "green")
    words = f"up to turn {graph.sequence} of {mind.last_sequence}, {counted(graph.lag, 'turn')} to go"
    return Row("read", words + (f"; {counted(behind, 'turn')} still to be saved to the graph" if behind > 0 else ""))


def _story(story: StoryState) -> str:
    waits = f"{counted(story.pending_tokens, 'token')} not in it yet" if story.pending_turns else "nothing waits"
    if not story.words:
        return f"not begun, {waits}"
    size = f"{counted(story.chapters, 'chapter')}, {counted(story.words, 'word')}"
    return f"{size}{f', up to {day(story.last_processed)}' if story.last_processed else ''}; {waits}"


type _Seen = tuple[str, dict[str, Any], Look]


async def _watch(context: Context, mind: str | None, *, seconds: float) -> None:
    console = out()
    async with aclosing(_looks(context, mind, seconds=seconds)) as looks:
        if context.as_json:
            async for _, answer, look in looks:
                if look.lost is None:
                    show_json(answer, indent=None)
        elif console.is_terminal:
            await _draw(looks, console, footer=f"every {seconds:g} s, Ctrl-C ends")
        else:
            await _print_changes(looks, console)


async def _draw(looks: AsyncIterator[_Seen], console: Console, *, footer: str) -> None:
    with Live(console=console, auto_refresh=False, vertical_overflow="crop") as live:
        async for place, _, look in looks:
            shown = board(look, place=place, width=console.width, height=console.height, footer=footer)
            live.update(shown, refresh=True)


async def _print_changes(looks: AsyncIterator[_Seen], console: Console) -> None:
    """A board whenever something but the time has changed."""
    last = None
    async for place, _, look in looks:
        now = (look.lost, look.status.dependencies, look.status.minds)
        if now != last:
            console.print(board(replace(look, turns_before={}), place=place, width=console.width))
            console.print()
            console.file.flush()
        last = now


async def _looks(context: Context, mind: str | None, *, seconds: float) -> AsyncGenerator[_Seen]:
    """For ever, what is seen. A service that went is waited for; its home is never opened in its place."""
    before: dict[str, int] = {}
    unread: set[str] = set()  # minds that could not tell their turns, and had some
    seen: _Seen | None = None
    lost: _Seen
    while True:
        async with connect(context) as connection:
            try:
                while True:
                    found, answer = await status_of_all(connection, mind=mind)
                    if mind is not None and not found.minds and seen is None:
                        await connection.memory.mind(mind)  # which says that there is none, and which there are
                    for one in found.minds:
                        if one.turns is None:
                            unread.add(one.mind_id)
                        else:
                            is_new = seen is not None and one.mind_id not in unread
                            before.setdefault(one.mind_id, 0 if is_new else one.turns)
                    seen = (connection.place, answer, Look(found, before, mind=mind))
                    yield seen
                    await asyncio.sleep(seconds)
            except MindMemoryError as error:
                if seen is None:
                    raise
                place, answer, look = seen
                lost = (place, answer, replace(look, lost=connection.explain(error)))
        while not await is_answered(context):
            yield lost
            await asyncio.sleep(seconds)
