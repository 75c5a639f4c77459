"""
How many phases a model acts in, and by when, where it takes as long as a hosted one does: one call's latency a row.

Several people talk to a bot at once, ten turns each. Before each turn the bot asks what surfaces; then it thinks for as
long as the model takes for a call, and stores the turn. The model tells half of its words as a stream would.
"""

from __future__ import annotations

import asyncio
import json
import time
from typing import TYPE_CHECKING, Any

import numpy as np

from tests.benchmarks.served import digested, serving
from tests.support.scripted_models import Brain, numbers
from tests.support.service import settings_of
from tests.twins.provider import Says, ScriptedProvider

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.support.service import Running

LATENCIES = (0.3, 0.8, 1.2, 2.5)  # seconds of a call
_MIND, _TURNS, _AT_ONCE = "slow", 10, 5
_CHOSEN = 3
_PIECES, _MOST_PIECES = 8, 100  # letters that the twin streams at once, or more of a long text
_FIRST_SHARE = 0.4  # of a call's time, before its first word
_PEOPLE = (
    ("Carla", "aunt", "lives in Lyon and keeps bees"),
    ("Pavel", "brother", "works as a baker in Brno"),
    ("Ines", "sister", "is allergic to peanuts"),
    ("Tobias", "neighbour", "restores old sailing boats"),
    ("Aisha", "boss", "moved the office to Porto"),
    ("Declan", "cousin", "plays the cello in Cork"),
    ("Yuki", "dentist", "closes her practice on Wednesdays"),
    ("Grace", "landlady", "raised the rent to 940 euros"),
    ("Henrik", "uncle", "broke his leg in Bergen"),
    ("Sofia", "friend", "adopted a dog called Pixel"),
)


async def slow_model(home: Path, *, sessions: int, advanced: Callable[[], None]) -> dict[str, Any]:
    """For each latency: how often seeds and narration acted, p50 and p95 of a pre-turn call, and calls a turn."""
    return {
        f"{seconds:g} s a call": await _measured(home / f"{seconds:g}", seconds, sessions=sessions, advanced=advanced)
        for seconds in LATENCIES
    }


async def _measured(home: Path, seconds: float, *, sessions: int, advanced: Callable[[], None]) -> dict[str, Any]:
    brain = Brain(narration=_retold)

    def respond(body: dict[str, Any]) -> Says:
        text = json.dumps(brain(body))
        pieces = min(max(len(text) // _PIECES, 1), _MOST_PIECES)
        if not body.get("stream"):
            return Says(text, delay=seconds)
        return Says(text, delay=_FIRST_SHARE * seconds, drip=(1 - _FIRST_SHARE) * seconds / pieces)

    with ScriptedProvider(respond=respond) as provider:
        model = {"model": "openai/scripted", "api_base": provider.url, "api_key": "none"}
        settings = settings_of(home, models={"subconscious": model, "at_once": 20})
        async with serving(home, settings=settings) as service:
            for name, relation, told in _PEOPLE:
                (await service.keep(_MIND, f"My {relation} {name} {told}.", session_id="told")).raise_for_status()
            await digested(service, _MIND)
            await service.resonate(_MIND, "Good morning!", session_id="warm")
            asked = len(provider.chats)
            found = await _talked(service, seconds, sessions=sessions, advanced=advanced)
            await asyncio.sleep(seconds)
            calls = len(provider.chats) - asked
            deadline = service.memory.deadline_seconds
    return {
        "turns": len(found),
        "seeds acted": sum(one["seeds"] for one in found),
        "narration acted": sum(one["narration"] for one in found),
        "surfaced": sum(one["surfaced"] for one in found),
        "p50 ms": round(float(np.quantile([one["ms"] for one in found], 0.5))),
        "p95 ms": round(float(np.quantile([one["ms"] for one in found], 0.95))),
        "deadline ms": round((deadline or 0) * 1000),
        "calls a turn": round(calls / len(found), 2),
        "rungs": sorted({rung for one in found for rung in one["rungs"]}),
    }


async def _talked(
    service: Running, seconds: float, *, sessions: int, advanced: Callable[[], None]
) -> list[dict[str, Any]]:
    limit, found = asyncio.Semaphore(_AT_ONCE), []

    async def talk(number: int) -> None:
        async with limit:
            for name, relation, _ in _PEOPLE[:_TURNS]:
                found.append(await _turn(service, f"What was it with my {relation} {name}?", f"s{number}", seconds))
                advanced()

    await asyncio.gather(*(talk(number) for number in range(sessions)))
    return found


async def _turn(service: Running, message: str, session_id: str, seconds: float) -> dict[str, Any]:
    began = time.monotonic()
    answer = await service.resonate(_MIND, message, session_id=session_id, deadline_ms=None)
    took = time.monotonic() - began
    answer.raise_for_status()
    surfaced = answer.json()
    trace = (await service.http.get(f"/v1/minds/{_MIND}/traces/{surfaced['trace_id']}")).json()
    await asyncio.sleep(seconds)  # the bot asks its own model
    bot = {"role": "assistant", "content": "I remember."}
    said = {"role": "user", "content": message}
    (await service.keep(_MIND, said, bot, session_id=session_id)).raise_for_status()
    return {
        "ms": took * 1000,
        "seeds": isinstance(trace["phases"]["seeds"]["model"], dict),
        "narration": any(one["text"].startswith("I remember") for one in surfaced["flashbacks"]),
        "surfaced": bool(surfaced["flashbacks"]),
        "rungs": surfaced["degraded"],
    }


def _retold(prompt: str) -> dict[str, Any]:
    """Each candidate in the bot's words, without a word that is not in it."""
    found = dict(list(numbers(prompt).items())[:_CHOSEN])
    return {
        "surfaces": list(found),
        "lines": [{"number": at, "text": f"I remember: {text}"} for at, text in found.items()],
    }
