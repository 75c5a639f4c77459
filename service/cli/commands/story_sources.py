"""`mind-memory story sources`: chapter by chapter, each sentence, how far turns bear it out, and which."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer
from mind_memory_client.story import SourcedChapter, StoryFidelity, StorySentence
from rich.console import Console
from rich.text import Text

from consolidation.workspace import DEFAULT_MIND
from service.cli.command import AS_IT_IS, Context, MindName, command
from service.cli.connection import connect
from service.cli.output.progress import bar
from service.cli.output.terminal import counted, indented, minute, note, one_line, out, show_json, typed

_PAGE = 20
_MARKS = {
    "carried": ("✓", "green"),
    "quoted": ("“", "green"),
    "partly": ("~", "yellow"),
    "in_no_turn": ("✗", "red"),
    "a_persons": ("·", "dim"),
}


class State(StrEnum):
    """The states that a sentence may have, as `--state` names them."""

    CARRIED = "carried"
    QUOTED = "quoted"
    PARTLY = "partly"
    IN_NO_TURN = "in_no_turn"
    A_PERSONS = "a_persons"


@command(json=AS_IT_IS)
async def sources(
    context: Context,
    mind: MindName = DEFAULT_MIND,
    state: Annotated[State | None, typer.Option(help="Only sentences in this state.")] = None,
) -> None:
    """Show which turns the story's sentences come from, and which words no turn has."""
    async with connect(context) as connection:
        with bar("looking") as reached:
            found = await connection.memory.story_sources(mind, limit=_PAGE)
            chapters, as_it_is = list(found.chapters), connection.answer["chapters"]
            while found.next is not None:
                reached(len(chapters))
                found = await connection.memory.story_sources(mind, after=found.next, limit=_PAGE)
                chapters += found.chapters
                as_it_is += connection.answer["chapters"]
    if context.as_json:
        show_json({**connection.answer, "chapters": as_it_is})
        return
    if not chapters:
        note(f"{mind} has no chapter yet: {typed('consolidate', mind=mind)} writes what waits.")
    console = out()
    for chapter in chapters:
        _show(console, chapter, state)
    if found.fidelity is not None and chapters:
        console.print(_summary(found.fidelity), style="dim")


def _show(console: Console, chapter: SourcedChapter, state: State | None) -> None:
    """A chapter's heading, and its sentences in that state; nothing where it has none."""
    wanted = [one for one in chapter.sentences if state is None or one.state == state]
    if not wanted:
        return
    console.print(Text(one_line(chapter.heading.lstrip("# ")), style="bold"))
    for sentence in wanted:
        line = _line(sentence)
        if console.is_terminal:
            indented(console, line)
        else:
            console.print(Text.assemble("  ", line), soft_wrap=True)
    console.print()


def _line(sentence: StorySentence) -> Text:
    """``✓ Ann's mother lives in Lyon.  (s1, 2026-01-09 18:30)``, and the words that are missing."""
    mark, style = _MARKS.get(sentence.state, ("?", ""))
    line = Text.assemble((f"{mark} ", style), one_line(sentence.text))
    if sentence.turns:
        best = sentence.turns[0]
        line.append(f"  ({one_line(best.session_id, most=40)}, {minute(best.occurred_at)})", style="dim")
    if sentence.missing:
        line.append(f"  not there: {', '.join(map(one_line, sentence.missing))}", style=style)
    return line


def _summary(found: StoryFidelity) -> str:
    if found.share is None:
        return "No sentence is the service's own."
    parts = f"{found.carried} carried, {found.quoted} quoted, {found.partly} in part, {found.in_no_turn} in no turn"
    return f"{found.share:.0%} of {counted(found.sentences, 'sentence')} come from turns: {parts}."
