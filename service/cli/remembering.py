"""`mind-memory remember`: recall on purpose, as a list a person can read or as the API's own answer."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass
from datetime import date, datetime, time
from typing import TYPE_CHECKING, Any

from consolidation.kernel.clock import SystemClock
from consolidation.workspace import checked_mind_id
from service.cli.configuration import read_settings
from service.cli.faults import CommandFailed
from service.cli.reaching import reach
from service.cli.surfaced import show_memory
from service.cli.terminal import day, out
from service.cli.zone import here
from service.resonance.labels import label
from service.telemetry import configure_logs

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from rich.console import Console

KINDS = ("fact", "entity", "episode")
_LAST_MOMENT = time(23, 59, 59, 999_999)


@dataclass(frozen=True, slots=True)
class Question:
    """What is to be recalled, as it was typed."""

    query: str
    kinds: tuple[str, ...] = ()
    since: str | None = None
    until: str | None = None
    limit: int = 10


def remember(question: Question, *, mind: str, as_json: bool, home: Path | None, url: str | None) -> None:
    """Ask and print. Raises CommandFailed."""
    configure_logs(level="ERROR", as_json=False)
    checked_mind_id(mind)
    asked = _asked(question)
    answer = asyncio.run(_answer(mind, asked, home=home, url=url))
    if as_json:
        out().file.write(json.dumps(answer, ensure_ascii=False, indent=2) + "\n")
    else:
        show_memories(out(), answer)


def show_memories(console: Console, answer: Mapping[str, Any]) -> None:
    """Print a list of memories, best first."""
    zone, now = here(), SystemClock().now()
    for memory in answer["memories"]:
        told = memory["occurred_at"]
        words = date_shown = ""
        if told is not None:
            age = label(datetime.fromisoformat(told), now=now, timezone=zone, language="en")
            words, date_shown = age.words, age.date
        if memory["invalid_at"] is not None:
            date_shown += f", until {day(memory['invalid_at'])}"
        show_memory(console, words, memory, date=date_shown)
    if not answer["memories"]:
        console.print("Nothing is remembered about that.")
    if answer["degraded"]:
        console.print(f"Looked without: {', '.join(answer['degraded'])}", style="dim")


async def _answer(mind: str, asked: Mapping[str, object], *, home: Path | None, url: str | None) -> dict[str, Any]:
    async with reach(read_settings(home=home), url=url) as memory:
        return await memory.remember(mind, **asked)


def _asked(question: Question) -> dict[str, object]:
    for kind in question.kinds:
        if kind not in KINDS:
            raise CommandFailed(f"--kind {kind}: there are {', '.join(KINDS)}")
    if not question.query.strip():
        raise CommandFailed("say what to recall: the query is empty")
    return {
        "query": question.query,
        "kinds": list(question.kinds) or None,
        "since": _instant(question.since, "--since", at=time.min),
        "until": _instant(question.until, "--until", at=_LAST_MOMENT),
        "limit": question.limit,
    }


def _instant(text: str | None, option: str, *, at: time) -> str | None:
    """A day or a time as RFC 3339; a day begins and ends where this machine is."""
    if text is None:
        return None
    try:
        found = datetime.fromisoformat(text)
        if len(text) <= len("2026-01-09"):
            found = datetime.combine(date.fromisoformat(text), at)
    except ValueError as error:
        raise CommandFailed(f"{option}: {text!r} is no day; write it like 2026-01-09 or 2026-01-09T18:30") from error
    return (found if found.tzinfo else found.replace(tzinfo=here())).isoformat()
