"""What becomes of pre-turn calls when many come at once: how long they take, and how many are answered whole."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import httpx2

from tests.benchmarks.latency import timed
from tests.benchmarks.lives import live, read_life
from tests.benchmarks.served import serving as in_process
from tests.support.cli_process import serving

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.benchmarks.lives import Life

CALLERS = (4, 16, 48, 128)  # from what two cores serve easily to far more than they can serve


async def crowds(
    home: Path, life_file: Path, *, seconds: float, advanced: Callable[[], None], callers: tuple[int, ...] = CALLERS
) -> dict[str, dict[str, Any]]:
    """
    By number of callers, who ask a told life's questions again and again for *seconds*, each in sessions of their own.

    A call is not whole where its deadline came first.
    """
    life = read_life(life_file)
    async with in_process(home) as service:
        await live(service, life)
    found = {}
    with serving(home) as (_, url):
        limits = httpx2.Limits(max_connections=max(callers))
        async with httpx2.AsyncClient(base_url=url, timeout=60, limits=limits) as http:
            await _ask(http, life, 0, of="first", deadline_ms=0)  # it loads what later calls find loaded
            for many in callers:
                found[str(many)] = await _asked(http, life, many=many, seconds=seconds)
                advanced()
                await asyncio.sleep(0.5)  # what was given up ends
    return found


async def _asked(http: httpx2.AsyncClient, life: Life, *, many: int, seconds: float) -> dict[str, Any]:
    async def ask(number: int) -> str | None:
        return "deadline" if "deadline" in await _ask(http, life, number, of=str(many)) else None

    taken = await timed([ask] * many, seconds=seconds)
    whole = len(taken.each) - sum(taken.wrong.values())
    return {**taken.figures, "whole per second": round(whole / taken.together, 1)}


async def _ask(http: httpx2.AsyncClient, life: Life, number: int, *, of: str, **more: object) -> list[str]:
    """What was left out of the answer to one of the life's questions."""
    query = life.queries[number % len(life.queries)]
    body = {"session_id": f"of-{of}-{number}", "messages": [dict(one) for one in query.messages], "now": query.now}
    answer = await http.post(f"/v1/minds/{life.mind_id}/resonance", json={**body, **more})
    degraded: list[str] = answer.raise_for_status().json()["degraded"]
    return degraded
