"""`mind-memory demo`: loads the example life; shows what surfaces for three questions, and how its story begins."""

from __future__ import annotations

from typing import Annotated, NamedTuple

import anyio
import typer
from mind_memory_client import AsyncMemoryClient, Conflict, MindNotFound, Resonance
from mind_memory_client.example import Example
from rich.console import Console
from rich.markdown import Markdown

from service.cli.command import CommandFailed, Context, command
from service.cli.connection import Connection, connect
from service.cli.output.memories import show_surfaced
from service.cli.output.progress import bar
from service.cli.output.terminal import counted, out, plain, ready_to_type

EXAMPLE = "example"

_POLL_SECONDS, _STUCK_SECONDS = 0.3, 180.0
_SESSION = "demo"
_WIDEST = 100
_HEADING = "\n### "


class _Question(NamedTuple):
    """What is asked, and what to look for in the answer."""

    words: str
    about: str


_QUESTIONS = (
    _Question("Where does my mother live?", "She moved in these months: what was true before has ended."),
    _Question("What are my allergies?", "It was said seven months ago, in a talk about a bakery."),
    _Question("Nice weather, isn't it?", "Small talk: nothing needs to come to mind."),
)


@command(interrupted="Stopped. What was loaded so far is stored; the same command goes on from there.")
async def demo(
    context: Context,
    remove: Annotated[bool, typer.Option("--remove", help="Erase the example again, everywhere.")] = False,
) -> None:
    """Load an example life, and show what surfaces from it and why."""
    async with connect(context, makes_home=True) as connection:
        if remove:
            await _remove(connection.memory)
            return
        loaded = await _until_ready(connection)
        console = out()
        console.print(f"Ann and her bot Ada: {counted(loaded.turns, 'turn')} of a made-up life. Three questions.\n")
        for question in _QUESTIONS:
            await _ask(console, connection.memory, question)
        await _begin_story(console, connection.memory)
        _what_next(console)


async def _remove(memory: AsyncMemoryClient) -> None:
    try:
        await memory.example()
    except MindNotFound:
        raise CommandFailed("there is no example to remove") from None
    with bar("erasing"):
        receipt = await memory.erase(EXAMPLE)
    out().print("The example is erased." if receipt.verified else "The example is being erased.")


async def _until_ready(connection: Connection) -> Example:
    """Load the example, and wait until it is read and told."""
    try:
        loaded = await connection.memory.load_example()
    except Conflict as refusal:
        raise CommandFailed(connection.explain(refusal)) from refusal
    with bar("loading", total=loaded.of) as reached:
        stuck_at, turns = anyio.current_time() + _STUCK_SECONDS, -1
        while loaded.state == "loading":
            if loaded.turns != turns:
                stuck_at, turns = anyio.current_time() + _STUCK_SECONDS, loaded.turns
            if anyio.current_time() > stuck_at:
                raise CommandFailed(f"loading does not go on: `{ready_to_type('status')}` says what it waits for")
            await anyio.sleep(_POLL_SECONDS)
            loaded = await connection.memory.example()
            reached(loaded.turns)
    return loaded


async def _ask(console: Console, memory: AsyncMemoryClient, question: _Question) -> None:
    """What surfaces for a question, asked without leaving anything behind."""
    with bar("asking"):
        found = await memory.probe(EXAMPLE, _SESSION, [{"role": "user", "content": question.words}], deadline_ms=0)
    console.print(f"Ann › {question.words}", style="bold")
    show_surfaced(console, found)
    console.print(f"  {_why(found)}\n  {question.about}\n", style="cyan")


def _why(found: Resonance) -> str:
    """How relevant the best was, how many were found, and how many of them surfaced, in a sentence."""
    phases = (found.trace or {}).get("phases", {})
    candidates = phases.get("retrieval", {}).get("candidates", [])
    relevance = phases.get("filters", {}).get("relevance")
    weighed = f"{relevance['probability']:.2f} relevant, {relevance['needed']:.2f} needed; " if relevance else ""
    return f"why: {weighed}{len(candidates)} found, {len(found.flashbacks)} of them surfaced."


async def _begin_story(console: Console, memory: AsyncMemoryClient) -> None:
    """The first chapter."""
    _, *chapters = f"\n{plain((await memory.story(EXAMPLE)).text)}".split(_HEADING)
    if chapters:
        console.print("How Ada's story begins\n", style="bold")
        console.print(Markdown(f"{_HEADING}{chapters[0]}", hyperlinks=False), width=min(console.width, _WIDEST))
        console.print()


def _what_next(console: Console) -> None:
    console.print("What next", style="bold")
    console.print(f"  {ready_to_type(f'why --mind {EXAMPLE} --what-if "Who is Harold Tovey?"')}")
    console.print(f"  {ready_to_type(f'story show --mind {EXAMPLE}')}")
    console.print(f"  {ready_to_type('chat')}")
    console.print(f"  {ready_to_type('demo --remove')}")
