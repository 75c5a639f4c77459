"""`mind-memory consolidate`: the story told now, watched until it is told, and what came of it."""

from __future__ import annotations

import asyncio
import sys
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import anyio
import httpx
import typer

from consolidation.kernel.clock import SystemClock
from consolidation.workspace import checked_mind_id, workspace_of
from service.cli.configuration import read_settings
from service.cli.consolidation_report import Report, show_report
from service.cli.faults import CommandFailed, Refused, Unreachable
from service.cli.progress import bar
from service.cli.reaching import reach
from service.cli.terminal import counted, note
from service.telemetry import configure_logs

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from service.cli.client import Answer, MemoryClient

_POLL_SECONDS = 0.3
_SILENT_SECONDS = 5  # in which a run that was asked for must begin
_WAITS = "Nothing is lost: {turns} still {wait} to be told; the same command tries again."


@dataclass(frozen=True, slots=True)
class Wish:
    """Whose story, what is gathered first, and whether what waits is told or skipped."""

    mind: str
    is_bootstrap: bool
    is_sessions: bool
    skips: bool
    is_sure: bool

    @property
    def trigger(self) -> str:
        """Why the story is told, as the service calls it."""
        return "bootstrap" if self.is_bootstrap else "global_sync" if self.is_sessions else "manual"


def consolidate(wish: Wish, *, home: Path | None, url: str | None) -> None:
    """Tell and report. Raises CommandFailed where it could not all be told."""
    configure_logs(level="ERROR", as_json=False)
    checked_mind_id(wish.mind)
    if wish.is_bootstrap and wish.is_sessions:
        raise CommandFailed("--bootstrap and --sessions are two wishes: ask for one after the other")
    if wish.skips and not wish.is_sure and sys.stdin.isatty():
        typer.confirm(f"Count all that waits for {wish.mind} as told, without telling it?", abort=True, err=True)
    settings = read_settings(home=home)
    file = workspace_of(settings.folder, wish.mind).story if url is None else None
    report = asyncio.run(_told(wish, home=home, url=url))
    show_report(replace(report, file=file if file is not None and file.exists() else None))
    error = report.run["error"]
    if error is not None:
        raise CommandFailed(f"The story could not be told to its end: {error}. {_waiting(report.pending_turns)}")


async def _told(wish: Wish, *, home: Path | None, url: str | None) -> Report:
    async with reach(read_settings(home=home), url=url) as memory:
        before = await _before(memory, wish.mind)
        try:
            run, after = await _Watch(memory, wish, before).until_ended()
        except Unreachable as fault:
            raise CommandFailed(f"{fault}. {_waiting(before['pending_turns'])}") from fault
        pending = {"pending_turns": after["pending_turns"], "pending_tokens": after["pending_tokens"]}
        return Report(mind=wish.mind, is_skipped=wish.skips, run=run, **pending)


async def _before(memory: MemoryClient, mind: str) -> Answer:
    """How the telling is now; a mind that is not there yet may begin with what is gathered."""
    try:
        return await memory.consolidation(mind)
    except Refused as refusal:
        if refusal.status != httpx.codes.NOT_FOUND:
            raise
        return {"is_running": False, "pending_turns": 0, "last_run": None}


class _Watch:
    """Begins a run and follows it; runs that others began are told from it by their trigger and when they started."""

    def __init__(self, memory: MemoryClient, wish: Wish, before: Answer) -> None:
        self._memory = memory
        self._wish = wish
        self._before = before
        self._told = 0

    async def until_ended(self) -> tuple[Answer, Answer]:
        """Our run as it ended, and how the story is then. Raises CommandFailed."""
        if self._before["is_running"]:
            note("The story is being told already; this run follows.")
        state = await self._memory.consolidate(self._wish.mind, trigger=self._wish.trigger, skip=self._wish.skips)
        run, state = await self._until(_is_counted, state)
        with bar("telling", total=run["turns"]) as advance:
            return await self._until(_is_ended, state, advance=advance)

    async def _until(
        self, is_so: Callable[[Answer], bool], state: Answer, *, advance: Callable[[int], None] = lambda _: None
    ) -> tuple[Answer, Answer]:
        """Our run when it is as wanted, or when nothing runs any more, and the state that it stands in."""
        clock = SystemClock()
        since, run = clock.monotonic(), None
        while True:
            run = self._ours(state) or run
            if run is not None:
                advance(max(0, run["told"] - self._told))
                self._told = max(self._told, run["told"])
                if is_so(run):
                    return run, state
            if state["is_running"]:
                since = clock.monotonic()
            elif _is_new(state, self._before) and _is_ended(state["last_run"]):
                return state["last_run"], state  # another's, that was quick and came after ours
            elif clock.monotonic() - since > _SILENT_SECONDS:
                raise CommandFailed(f"The telling stopped without a word. {_waiting(state['pending_turns'])}")
            await anyio.sleep(_POLL_SECONDS)
            state = await self._memory.consolidation(self._wish.mind)

    def _ours(self, state: Answer) -> Answer | None:
        if _is_new(state, self._before) and state["last_run"]["trigger"] == self._wish.trigger:
            return dict(state["last_run"])
        return None


def _is_new(state: Answer, before: Answer) -> bool:
    run, known = state["last_run"], before["last_run"]
    return run is not None and (known is None or run["started_at"] != known["started_at"])


def _is_counted(run: Answer) -> bool:
    return run["turns"] > 0 or _is_ended(run)


def _is_ended(run: Answer) -> bool:
    return run["ended_at"] is not None


def _waiting(turns: int) -> str:
    return _WAITS.format(turns=counted(turns, "turn"), wait="waits" if turns == 1 else "wait")
