"""`mind-memory ask`: a question answered from memory, each line with its numbered sources."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import time
from typing import Annotated, Any

import typer
from mind_memory_client.ask import Evidence, MemoryAnswer
from mind_memory_client.sources import PersonSource
from rich.console import Console
from rich.text import Text

from consolidation.workspace import DEFAULT_MIND
from service.cli.command import Asker, CommandFailed, Context, MindName, command, instant_of
from service.cli.connection import connect
from service.cli.output.memories import show_degraded
from service.cli.output.progress import bar
from service.cli.output.terminal import day, indented, note, one_line, plain, shown_zone

_LONGEST = 280
_LINES_DROPPED = "answer_lines_dropped"  # which the line on what was left out tells
_STATES = {
    "holding": "What holds",
    "ended": "What ended",
    "planned": "What is planned",
    "said": "What was said",
    "wrong": "What a person said is wrong",
}


@command(json=True)
async def ask(
    context: Context,
    question: Annotated[str, typer.Argument(metavar="QUESTION", help="In any words.")],
    mind: MindName = DEFAULT_MIND,
    since: Annotated[str | None, typer.Option(metavar="DAY", help="Said from this day or time on.")] = None,
    until: Annotated[str | None, typer.Option(metavar="DAY", help="Said up to this day or time.")] = None,
    at: Annotated[str | None, typer.Option(metavar="DAY", help="What held on this day, like 2026-01-09.")] = None,
    language: Annotated[str | None, typer.Option(metavar="CODE", help="Of the answer, like de.")] = None,
    asker: Asker = None,
    limit: Annotated[int, typer.Option(metavar="NUMBER", min=1, max=50, help="How many memories at most.")] = 12,
) -> None:
    """Ask memory a question; each line of the answer names its sources."""
    if not question.strip():
        raise CommandFailed("say what to answer: the question is empty")
    asked: dict[str, Any] = {
        "limit": limit,
        "since": instant_of(since, "--since", at=time.min),
        "until": instant_of(until, "--until", at=time.max),
        "at": instant_of(at, "--at", at=time(12)),
        "language": language,
        "timezone": shown_zone().key,
        "asker": asker,
    }
    async with connect(context) as connection:
        with bar("asking"):
            found = await connection.memory.ask(mind, question, **asked)
    connection.show(context, _show, found)


def _show(console: Console, found: MemoryAnswer) -> None:
    numbers = {one.id: number for number, one in enumerate(found.evidence, start=1)}
    for line in found.answer:
        indented(console, Text(f"{one_line(line.text)} {_marks(line.sources, numbers)}"))
    if found.missing:
        indented(console, Text(f"Not in memory: {'; '.join(map(one_line, found.missing))}"))
    for one in found.contradictions:
        told = " ↔ ".join(one_line(text, most=_LONGEST) for text in one.texts)
        indented(console, Text(f"Contradicting: {told} {_marks(one.sources, numbers)}"))
    if found.by_model:
        _show_evidence(console, "Sources", found.evidence, numbers)
    else:
        for state, words in _STATES.items():
            _show_evidence(console, words, [one for one in found.evidence if one.state == state], numbers)
    if found.dropped:
        note(f"left out, as memory does not bear it out: {'; '.join(map(one_line, found.dropped))}")
    show_degraded(console, tuple(one for one in found.degraded if one != _LINES_DROPPED))


def _show_evidence(console: Console, words: str, evidence: Iterable[Evidence], numbers: Mapping[str, int]) -> None:
    for first, one in enumerate(evidence):
        if not first:
            console.print(Text(f"\n{words}", style="bold"))
        line = Text(f"[{numbers[one.id]}] {one_line(one.text, most=_LONGEST)} ")
        line.append(f"‹{', '.join(_about(one))}›", style="dim")
        indented(console, line)


def _about(one: Evidence) -> Iterable[str]:
    """The kind, how it stands, its days, and the turn or the line that it comes from."""
    yield one.kind
    if one.state != "said":
        yield one.state
    for word, instant in (("told", one.occurred_at), ("since", one.valid_at), ("until", one.invalid_at)):
        if instant is not None:
            yield f"{word} {day(instant)}"
    for source in one.sources[:1]:
        if isinstance(source, PersonSource):
            yield f"put right by {plain(source.by)}"
            continue
        place = f"{source.path}:{source.start_line}" if source.turn_id is None else source.session_id
        yield plain(place) if source.turn_id is None else f"{plain(place)} #{source.sequence}"
    if one.is_contradicted:
        yield "found wrong once"
    if any(decided.what == "mute" for decided in one.corrections):
        yield "muted"


def _marks(ids: Iterable[str], numbers: Mapping[str, int]) -> str:
    return " ".join(f"[{numbers[one]}]" for one in ids if one in numbers)
