"""What a turn costs with a hosted model: calls and tokens, ours and stock Graphiti's, on the same made-up talk."""

from __future__ import annotations

from contextlib import AsyncExitStack
from typing import TYPE_CHECKING, Any

import numpy as np

from consolidation.text.tokens import count_tokens
from tests.benchmarks.brain import Brain
from tests.benchmarks.figures import mean
from tests.benchmarks.served import digested, serving
from tests.benchmarks.talk import talks
from tests.support.service import settings_of
from tests.twins.provider import ScriptedProvider

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from service.ports.embedder import Embedder
    from service.settings.settings import Settings
    from tests.benchmarks.talk import Talk
    from tests.support.service import Running

    Calls = Sequence[tuple[str, int, int]]

_MIND = "cost"
_SETTLED = 10  # the first turns are cheap: there is nothing yet to compare with
_ASKED = (
    "Did you hear anything from {name} lately?",
    "I need a present for {name}, any idea what would be right?",
    "What was it again that {name} told me about the new job?",
    "I might travel to see {name}, where would that be?",
)


async def cost(home: Path, *, turns: int, advanced: Callable[[], None]) -> dict[str, Any]:
    """Keep *turns* turns with a scripted provider, then ask; then the same turns through stock Graphiti."""
    told = talks(turns)
    async with AsyncExitStack() as stack:
        brain = Brain(told)
        provider = stack.enter_context(ScriptedProvider(respond=brain))
        service = await stack.enter_async_context(serving(home / "ours", settings=_hosted(home / "ours", provider)))
        ours = await _kept(service, told, brain, advanced=advanced)
        asked = await _asked(service, told, brain)
        embedder = service.memory.embedder
        stock = await _stock(home / "stock", told, embedder, advanced=advanced)
    return {
        "turns": turns,
        "tokens of a turn": mean([count_tokens(f"Nora: {talk.user}\nassistant: {talk.bot}") for talk in told]),
        "entities of a turn": mean([len(talk.names) for talk in told]),
        "facts of a turn": mean([len(talk.facts) for talk in told]),
        f"extraction, turns {min(_SETTLED, turns)} to {turns}": _summary(ours[_SETTLED - 1 :] or ours),
        "extraction, all turns": _summary(ours),
        "resonance": _summary(asked),
        f"stock Graphiti, turns {min(_SETTLED, turns)} to {turns}": _summary(stock[_SETTLED - 1 :] or stock),
        "stock Graphiti, all turns": _summary(stock),
    }


def _hosted(home: Path, provider: ScriptedProvider) -> Settings:
    model = {"model": "openai/scripted", "api_base": provider.url, "api_key": "none"}
    return settings_of(home, models={"extraction": model, "subconscious": model})


async def _kept(service: Running, told: Sequence[Talk], brain: Brain, *, advanced: Callable[[], None]) -> list[Calls]:
    """The calls that each turn's extraction took."""
    calls = []
    for talk in told:
        messages = [
            {"role": "user", "content": talk.user, "timestamp": talk.at.isoformat(), "name": "Nora"},
            {"role": "assistant", "content": talk.bot, "timestamp": talk.at.isoformat()},
        ]
        (await service.keep(_MIND, *messages, turn_id=f"talk-{talk.number}")).raise_for_status()
        if await digested(service, _MIND):
            raise RuntimeError("a turn could not be extracted: the scripted provider was not understood")
        calls.append(brain.take())
        advanced()
    return calls


async def _asked(service: Running, told: Sequence[Talk], brain: Brain) -> list[Calls]:
    """The calls that each of some questions took, with the last eight messages still in the window."""
    calls = []
    window = [
        {"role": role, "content": text}
        for talk in told[-4:]
        for role, text in (("user", talk.user), ("assistant", talk.bot))
    ]
    for number, talk in enumerate(told[:12]):
        question = _ASKED[number % len(_ASKED)].format(name=talk.names[1])
        answer = await service.resonate(
            _MIND, [*window, {"role": "user", "content": question}], session_id=f"cost-{number}"
        )
        if answer.json()["degraded"]:
            raise RuntimeError(f"the service was not whole: {answer.json()['degraded']}")
        calls.append(brain.take())
    return calls


async def _stock(
    folder: Path, told: Sequence[Talk], embedder: Embedder, *, advanced: Callable[[], None]
) -> list[Calls]:
    from tests.benchmarks.stock import add_episodes

    brain = Brain(told)
    calls: list[Calls] = []
    with ScriptedProvider(respond=brain) as provider:
        async for _ in add_episodes(folder, told, base_url=provider.url, embedder=embedder):
            calls.append(brain.take())
            advanced()
    return calls


def _summary(turns: Sequence[Calls]) -> dict[str, Any]:
    """Mean and maximum, a turn; and which calls they are, by the shape asked for."""
    counts = {
        "calls": [len(calls) for calls in turns],
        "prompt tokens": [sum(asked for _, asked, _ in calls) for calls in turns],
        "completion tokens": [sum(said for _, _, said in calls) for calls in turns],
    }
    shapes = [shape for calls in turns for shape, _, _ in calls]
    return {
        **{name: {"mean": round(float(np.mean(of)), 2), "max": int(max(of))} for name, of in counts.items()},
        "calls by kind": {shape: round(shapes.count(shape) / len(turns), 2) for shape in sorted(set(shapes))},
    }
