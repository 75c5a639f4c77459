"""What the proxy adds to the time to the first token: the same chat, straight to a scripted upstream and through us."""

from __future__ import annotations

import asyncio
import json
import time
from typing import TYPE_CHECKING, Any

import httpx2

from tests.benchmarks.latency import latency
from tests.benchmarks.talk import talks
from tests.support.cli_process import serving
from tests.twins.provider import ScriptedProvider

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

MIND = "proxied"
_MODEL = "openai/scripted"  # of no role: memory itself has no model
_TOLD = 60
_QUESTIONS = (
    "What was it again that {name} told me about the new job?",
    "I need a present for {name}, any idea what would be right?",
    "Did you hear anything from {name} lately?",
)


async def proxy(home: Path, *, calls: int, advanced: Callable[[], None], turns: int = _TOLD) -> dict[str, Any]:
    """
    Ask so often each way, by turns, each when the turn before is digested; no model but the upstream.

    *turns* are those that the mind holds before.
    """
    return await asyncio.to_thread(_measured, home, calls=calls, advanced=advanced, turns=turns)


def _measured(home: Path, *, calls: int, advanced: Callable[[], None], turns: int) -> dict[str, Any]:
    told = talks(turns)
    with ScriptedProvider(respond=lambda _: "Of course.") as provider:
        upstream = {"MODELS": json.dumps([_MODEL]), "API_BASE": provider.url, "API_KEY": "none"}
        settings = {f"MIND_MEMORY_PROXY__{name}": value for name, value in upstream.items()}
        with serving(home, **settings) as (_, url), httpx2.Client(timeout=60) as http:
            for talk in told:
                said = [{"role": "user", "content": talk.user}, {"role": "assistant", "content": talk.bot}]
                body = {"session_id": f"told-{talk.number}", "messages": said}
                http.post(f"{url}/v1/minds/{MIND}/turns", json=body).raise_for_status()
            _rest(http, url, turns=turns)
            ways = {
                "straight to the upstream": (provider.url, {}),
                "through the proxy, memory bypassed": (f"{url}/v1", {"X-Memory-Bypass": "1"}),
                "through the proxy": (f"{url}/v1", {}),
            }
            taken: dict[str, list[float]] = {name: [] for name in ways}
            outcomes: dict[str, int] = {}
            for number in range(-2, calls):  # the first ones pay for imports
                name = told[number % turns].names[1]
                question = _QUESTIONS[number % len(_QUESTIONS)].format(name=name)
                for way, (base, headers) in ways.items():
                    place = {"X-Mind-Id": MIND, "X-Session-Id": f"asked-{number}"}
                    seconds, outcome = _first_token(http, base, question, headers={**place, **headers})
                    if number >= 0:
                        taken[way].append(seconds)
                        outcomes[outcome] = outcomes.get(outcome, 0) + 1
                _rest(http, url, turns=turns + number + 3)
                advanced()
    figures = {way: latency(seconds) for way, seconds in taken.items()}
    added = [
        slow - fast for slow, fast in zip(taken["through the proxy"], taken["straight to the upstream"], strict=True)
    ]
    outcomes.pop("", None)
    return {**figures, "added by the proxy, call by call": latency(added), "outcomes": outcomes}


def _rest(http: httpx2.Client, url: str, *, turns: int) -> None:
    """Wait until so many turns are kept and digested: what a person who reads the answer leaves time for."""
    while True:
        found = http.get(f"{url}/v1/minds/{MIND}").raise_for_status().json()
        if found["turns"] >= turns and found["graph"]["saved"] >= found["last_sequence"] and not found["graph"]["lag"]:
            return
        time.sleep(0.02)


def _first_token(http: httpx2.Client, base: str, question: str, *, headers: dict[str, str]) -> tuple[float, str]:
    """The seconds until the first word of a streamed answer, which is then read to its end, and what memory did."""
    body = {"model": _MODEL, "stream": True, "messages": [{"role": "user", "content": question}]}
    seconds = 0.0
    began = time.perf_counter()
    with http.stream("POST", f"{base}/chat/completions", json=body, headers=headers) as answer:
        for line in answer.raise_for_status().iter_lines():
            if (
                not seconds
                and line.startswith("data: {")
                and json.loads(line[6:])["choices"][0]["delta"].get("content")
            ):
                seconds = time.perf_counter() - began
        return seconds, answer.headers.get("x-memory", "")
