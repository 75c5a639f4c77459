"""`mind-memory status --watch`: the board, drawn anew while one looks; lines where nobody does."""

from __future__ import annotations

import asyncio
import json
from contextlib import aclosing, suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from rich.live import Live

from service.cli.board import Look, board
from service.cli.faults import Refused, Unreachable
from service.cli.home import shortened
from service.cli.reaching import answers, reach
from service.cli.terminal import out

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, AsyncIterator

    from rich.console import Console

    from service.cli.client import MemoryClient
    from service.settings import Settings

type Seen = tuple[str, Look]


def watch(settings: Settings, *, url: str | None, mind: str | None, seconds: float, as_json: bool) -> None:
    """Look every so many *seconds* until Ctrl-C. Raises CommandFailed where there is nothing to look at."""
    with suppress(KeyboardInterrupt):  # how one ends it
        asyncio.run(_watch(settings, url=url, mind=mind, seconds=seconds, as_json=as_json))


async def _watch(settings: Settings, *, url: str | None, mind: str | None, seconds: float, as_json: bool) -> None:
    async with aclosing(_looks(settings, url=url, mind=mind, seconds=seconds)) as looks:
        if as_json:
            await _as_json(looks)
        elif (console := out()).is_terminal:
            await _drawn(looks, console, footer=f"every {seconds:g} s, Ctrl-C ends")
        else:
            await _as_lines(looks, console)


async def _drawn(looks: AsyncIterator[Seen], console: Console, *, footer: str) -> None:
    with Live(console=console, auto_refresh=False, vertical_overflow="crop") as live:
        async for place, look in looks:
            live.update(
                board(look, place=place, width=console.width, height=console.height, footer=footer), refresh=True
            )


async def _as_lines(looks: AsyncIterator[Seen], console: Console) -> None:
    """A board whenever something but the time has changed."""
    last = None
    async for place, look in looks:
        now = (look.lost, [look.standing["dependencies"], look.standing["minds"]])
        if now != last:
            console.print(board(replace(look, turns_before={}), place=place, width=console.width))
            console.print()
            console.file.flush()
        last = now


async def _as_json(looks: AsyncIterator[Seen]) -> None:
    """The API's answer, one a line, for as long as there is one."""
    async for _, look in looks:
        if look.lost is None:
            out().print(json.dumps(look.standing, ensure_ascii=False), soft_wrap=True)


async def _looks(settings: Settings, *, url: str | None, mind: str | None, seconds: float) -> AsyncGenerator[Seen]:
    """For ever, what is seen; a service that went is waited for, and never replaced by opening its home."""
    before: dict[str, int] = {}
    seen: Seen | None = None
    lost = ""
    while True:
        async with reach(settings, url=url) as memory:
            place = shortened(settings.folder) if memory.is_own else memory.place
            try:
                while True:
                    standing = await _standing(memory, mind)
                    for one in standing["minds"]:
                        before.setdefault(one["mind_id"], one["turns"] if seen is None else 0)
                    seen = (place, Look(standing, before))
                    yield seen
                    await asyncio.sleep(seconds)
            except (Unreachable, Refused) as error:
                if seen is None:
                    raise
                lost = str(error)
        while not await answers(settings, url=url):
            yield (place, replace(seen[1], lost=lost))
            await asyncio.sleep(seconds)


async def _standing(memory: MemoryClient, mind: str | None) -> dict[str, Any]:
    found = await memory.standing()
    minds = found["minds"] if mind is None else [one for one in found["minds"] if one["mind_id"] == mind]
    return {**found, "minds": minds}
