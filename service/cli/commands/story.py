"""`mind-memory story`: shown, traced to turns, compared and restored; rendered on a terminal, as it is elsewhere."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal

import typer
from mind_memory_client import AsyncMemoryClient, Story
from mind_memory_client.story import SourcedChapter, StoryFidelity, StorySentence, StoryVersion
from rich.console import Console
from rich.markdown import Markdown
from rich.text import Text

from consolidation.story.anchor import without_marks
from consolidation.workspace import DEFAULT_MIND
from service.cli.command import CommandFailed, Context, MindName, command, group
from service.cli.commands.story_edit import edit
from service.cli.connection import connect
from service.cli.output.progress import bar
from service.cli.output.terminal import (
    counted,
    day,
    indented,
    minute,
    note,
    one_line,
    out,
    plain,
    plain_table,
    show_json,
    typed,
)

app = group("Read and edit the story, and take back what was changed.")

_VERSION = "A version that `story history` lists, the beginning of its name, or `last`."
_RESTORED = f"{_VERSION} `beginning` is before all chapters: with --retell, the whole life is written again."
_LAST, _BEGINNING = "last", "beginning"
_MOST_NAMED = 5
_WIDEST = 100  # columns a person reads a text in
_DIFF_STYLES = (("+++", "bold"), ("---", "bold"), ("@@", "cyan"), ("+", "green"), ("-", "red"))
_PAGE = 20
_MARKS = {
    "carried": ("✓", "green"),
    "quoted": ("“", "green"),
    "partly": ("~", "yellow"),
    "in_no_turn": ("✗", "red"),
    "a_persons": ("·", "dim"),
}
_State = Literal["carried", "quoted", "partly", "in_no_turn", "a_persons"]


@app.command()
@command(json=True)
async def show(
    context: Context,
    mind: MindName = DEFAULT_MIND,
    version: Annotated[str | None, typer.Option(metavar="VERSION", help=_VERSION)] = None,
    raw: Annotated[bool, typer.Option("--raw", help="STORY.md byte for byte, as a pipe gets it.")] = False,
) -> None:
    """Show the story."""
    if raw and context.as_json:
        raise CommandFailed("--raw and --json exclude each other: choose one")
    async with connect(context) as connection:
        memory = connection.memory
        if context.as_json and version is None:
            await memory.story(mind)
            show_json(connection.answer)
            return
        kept = None if version is None else version_named(version, await memory.story_history(mind))
        story = await memory.story_bytes(mind, version=None if kept is None else kept.version)
        is_empty = not without_marks(story.decode(errors="replace")).strip()
        why = await _why_empty(memory, mind) if is_empty else ""
    if context.as_json and kept is not None:
        show_json(
            {**kept.model_dump(mode="json", include={"version", "saved_at"}), "text": story.decode(errors="replace")}
        )
        return
    console, text = out(), without_marks(story.decode(errors="replace"))
    if not text.strip():
        note(f"{mind} has no story yet: {why}.")
    if raw or not console.is_terminal:
        typer.echo(story, nl=False)
    elif text.strip():
        console.print(Markdown(plain(text), hyperlinks=False), width=min(console.width, _WIDEST))


async def _why_empty(memory: AsyncMemoryClient, mind: str) -> str:
    """Why there is no chapter yet, and which command writes one, if any does."""
    if (await memory.consolidation(mind)).pending_turns:
        return f"it begins when enough was said, or with {typed('consolidate', mind=mind)}"
    return "nothing waits to be told, and nothing that was said so far was worth a chapter"


app.command()(edit)


@app.command()
@command(json=True)
async def sources(
    context: Context,
    mind: MindName = DEFAULT_MIND,
    state: Annotated[_State | None, typer.Option(help="Only sentences in this state.")] = None,
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
        why = "" if chapters or context.as_json else await _why_empty(connection.memory, mind)
    if context.as_json:
        if state is not None:
            sifted = ((one, [told for told in one["sentences"] if told["state"] == state]) for one in as_it_is)
            as_it_is = [one | {"sentences": wanted} for one, wanted in sifted if wanted]
        show_json({**connection.answer, "chapters": as_it_is})
        return
    if not chapters:
        note(f"{mind} has no chapter yet: {why}.")
    console = out()
    for chapter in chapters:
        _show(console, chapter, state)
    if found.fidelity is not None and chapters:
        console.print(_summary(found.fidelity), style="dim")


@app.command()
@command(json=True)
async def history(context: Context, mind: MindName = DEFAULT_MIND) -> None:
    """List the story's earlier versions, newest first."""
    async with connect(context) as connection:
        versions = await connection.memory.story_history(mind)
    connection.show(context, _show_history, versions, mind=mind)


def _show_history(console: Console, versions: Sequence[StoryVersion], *, mind: str) -> None:
    if not versions:
        _note_no_version(mind)
        return
    rows = ((one.version, _until(one), f"{one.size:,} bytes") for one in versions)
    console.print(plain_table("version", "until", "size", rows=rows))


@app.command()
@command()
async def diff(
    context: Context,
    version: Annotated[
        str | None,
        typer.Argument(metavar="VERSION", help="From this version; the newest one when left out.", show_default=False),
    ] = None,
    to: Annotated[
        str | None,
        typer.Argument(metavar="TO", help="To this version; the story as it is now when left out.", show_default=False),
    ] = None,
    mind: MindName = DEFAULT_MIND,
) -> None:
    """Show what changed between two versions."""
    async with connect(context) as connection:
        versions = await connection.memory.story_history(mind)
        if version is None and not versions:
            _note_no_version(mind)
            return
        first = version_named(version or _LAST, versions).version
        second = None if to is None else version_named(to, versions).version
        found = (await connection.memory.story_diff(mind, since=first, until=second)).diff
    if not found:
        note(f"Not a word differs between {first} and {second or 'the story as it is now'}.")
    elif out().is_terminal:
        out().print(_coloured(found), soft_wrap=True)
    else:
        typer.echo(found.encode(errors="replace"), nl=not found.endswith("\n"))


@app.command()
@command()
async def restore(
    context: Context,
    version: Annotated[str, typer.Argument(metavar="VERSION", help=_RESTORED)],
    retell: Annotated[bool, typer.Option("--retell", help="Write again what was written after that version.")] = False,
    mind: MindName = DEFAULT_MIND,
) -> None:
    """Put an earlier version in the story's place."""
    async with connect(context) as connection:
        memory = connection.memory
        chosen = version_named(version, await memory.story_history(mind)) if version != _BEGINNING else None
        name = chosen.version if chosen is not None else _BEGINNING
        story = await memory.restore_story(mind, version=name, retell=retell)
        waiting = (await memory.mind(mind)).story.pending_turns
    console = out()
    was = f"as it was until {_until(chosen)}: {_size(story)}" if chosen is not None else "empty, as at its beginning"
    console.print(f"The story of {mind} is {was}.")
    if retell and waiting:
        now = typed("consolidate", mind=mind)
        console.print(f"{counted(waiting, 'turn')} will be written again; {now} does it now.")
    elif retell:
        console.print("Nothing was written after it, so nothing will be written again.")
    else:
        console.print("What was written after it will not be written again; --retell would do that.", style="dim")
    console.print(f"{typed('story restore last', mind=mind)} takes this back.", style="dim")


def version_named(name: str, versions: Sequence[StoryVersion]) -> StoryVersion:
    """The one of *versions*, newest first, that *name* stands for: its start will do. Raises CommandFailed."""
    if not versions:
        raise CommandFailed("this story has no earlier version yet: it has not been changed")
    if name == _LAST:
        return versions[0]
    exact = [one for one in versions if one.version == name]
    found = exact or [one for one in versions if name and one.version.startswith(name)]
    if not found:
        raise CommandFailed(f"no version is called {one_line(name)!r}; {typed('story history')} lists them")
    if len(found) > 1:
        names = ", ".join(one.version for one in found[:_MOST_NAMED])
        more = f" and {len(found) - _MOST_NAMED} more" if len(found) > _MOST_NAMED else ""
        raise CommandFailed(f"{one_line(name)!r} may be {names}{more}: write more of it")
    return found[0]


def _note_no_version(mind: str) -> None:
    note(f"The story of {mind} has no earlier version yet: it has not been changed.")


def _until(version: StoryVersion) -> str:
    """``21 Nov 2026, 14:20``: when the version was replaced."""
    return f"{day(version.saved_at)}, {minute(version.saved_at)[-5:]}"


def _size(story: Story) -> str:
    return f"{counted(len(story.chapters), 'chapter')}, {counted(story.words, 'word')}"


def _coloured(diff: str) -> Text:
    """A unified diff as it is known from elsewhere: what came is green, what went is red."""
    lines = Text()
    for line in plain(diff).splitlines():
        style = next((style for mark, style in _DIFF_STYLES if line.startswith(mark)), "")
        lines.append(f"{line}\n", style=style)
    lines.rstrip()
    return lines


def _show(console: Console, chapter: SourcedChapter, state: _State | None) -> None:
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
