"""
What a conversation by voice gets within 300 ms: ``python -m tests.benchmarks.voice``.

A made-up mind of some hundred turns is asked before each turn with ``deadline_ms`` 300, over HTTP: in words, and in audio
that a scripted transcription model hears at once, late, or never. Beside it a telephone stream comes in all the time.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import tempfile
import time
from collections import Counter
from pathlib import Path

import numpy as np

from service.adapters.minilm import limit_threads
from service.observability.logging import configure_logs
from tests.benchmarks.synthetic import FACTS_A_TURN, TURNS_A_SESSION, SyntheticMind
from tests.support.scripted_models import free
from tests.support.speech import silence, speech, spoken
from tests.support.voice import calling, hearing, serving
from tests.twins.provider import ScriptedProvider

BUDGET_MS = 300
HEARS_WITHIN = {"words": None, "audio, heard in 80 ms": 0.08, "audio, heard in 500 ms": 0.5, "audio, never heard": 60.0}
_FRAME_SECONDS = 0.02


async def measured(home: Path, *, turns: int, calls: int) -> dict[str, dict[str, object]]:
    """For each way to ask: how long calls take, how many of them keep to the budget, and what comes of them."""
    found = {}
    mind = SyntheticMind(turns * FACTS_A_TURN)
    with ScriptedProvider() as provider:
        async with serving(hearing(home, provider)) as service:
            for number in range(1, turns + 1):
                said = mind.told(number).kept.turn.messages
                messages = [{"role": one.role.value, "content": one.content} for one in said]
                await service.http.post(
                    "/v1/minds/voice/turns", json={"session_id": f"s{number // TURNS_A_SESSION}", "messages": messages}
                )
            await service.digested("voice")
            streaming = asyncio.create_task(_telephone(service.url))
            for name, seconds in HEARS_WITHIN.items():
                questions = [mind.question(number).message for number in range(calls)]
                found[name] = await _asked(service, provider, questions, seconds=seconds)
            streaming.cancel()
            free(provider)
    return found


async def _telephone(url: str) -> None:
    """A silent call, at the pace of a telephone."""
    async with calling(url, mind="caller") as caller:
        while True:
            await caller.send(silence(_FRAME_SECONDS))
            await asyncio.sleep(_FRAME_SECONDS)


async def _asked(service, provider, questions, *, seconds) -> dict[str, object]:
    taken, outcomes = [], Counter()
    for number, question in enumerate(questions):
        message = {"role": "user", "content": question}
        if seconds is not None:
            audio = speech(1.0 + number / 1_000, pitch=100 + number + seconds)  # no two are alike, nor known
            provider._hears = lambda _, question=question: "" if provider.wait(seconds) else question
            message = spoken(audio)
        body = {
            "session_id": f"call-{number}",
            "deadline_ms": BUDGET_MS,
            "include": ["flashbacks"],
            "messages": [message],
        }
        began = time.perf_counter()
        answer = (await service.http.post("/v1/minds/voice/resonance", json=body)).json()
        taken.append((time.perf_counter() - began) * 1000)
        outcomes.update(["surfaced" if answer["flashbacks"] else "silent", *answer["degraded"]])
    p50, p95 = np.percentile(taken, (50, 95))
    within = sum(one <= BUDGET_MS for one in taken) / len(taken)
    figures = {"p50 ms": round(float(p50), 1), "p95 ms": round(float(p95), 1), "longest ms": round(max(taken), 1)}
    return {"calls": len(taken), **figures, "within 300 ms": round(within, 3), **outcomes}


def main() -> None:
    """Measure, and print a row for each way to ask."""
    words = argparse.ArgumentParser(description=__doc__)
    words.add_argument("--turns", type=int, default=400)
    words.add_argument("--calls", type=int, default=100)
    given = words.parse_args()
    limit_threads()
    configure_logs(level="ERROR", as_json=False)
    with tempfile.TemporaryDirectory() as folder:
        rows = asyncio.run(measured(Path(folder) / "home", turns=given.turns, calls=given.calls))
    for name, row in rows.items():
        print(f"{name}: {json.dumps(row)}")


if __name__ == "__main__":
    main()
