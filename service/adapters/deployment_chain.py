"""
The deployments of a role in their order: each is asked in the best way it bears, the first that answers wins.

Why the order is ours and not the Router's ``fallbacks``: the Router raises the first error and swallows the
others, sleeps ``Retry-After`` before it falls back, and sends one ``response_format`` to all, so that a model
which refuses a schema would lose its turn instead of being asked again without.
"""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import anyio.to_thread

from consolidation.kernel.ports import Role, Usage
from prompts.library import render
from service.adapters.litellm_calls import LETTERS_PER_TOKEN, Said, counted, listen, open_router
from service.adapters.litellm_door import open_litellm
from service.adapters.model_faults import is_unbearable, together, translated
from service.adapters.structured_answer import schema_of

if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import ModuleType

    from pydantic import BaseModel

    from consolidation.kernel.errors import ModelFault
    from consolidation.kernel.ports import Clock
    from service.usage import UsageLedger

    type Messages = tuple[Mapping[str, str], ...]

# A lone model that is asked in the background is asked as patiently as its caller is: one question that it can not
# bear must not cost the others a rest.
WAITED_FOR = frozenset({Role.CHAT, Role.SUBCONSCIOUS})
SHARE = 2 / 3  # of the time left, for a deployment with others behind it
GRACE = 1.05  # litellm's own time-out comes first, so that the Router hears of it and lets the deployment rest


@dataclass(frozen=True, slots=True)
class Deployment:
    """A model somewhere: litellm's name for it, and where and as whom to ask."""

    model: str
    api_base: str | None = None
    api_key: str | None = None


@dataclass(frozen=True, slots=True)
class RoleSettings:
    """
    What serves a role: the model, then its fallbacks in order. The seconds are for a whole answer.

    *hidden* must not be quoted from any provider's words.
    """

    deployments: tuple[Deployment, ...]
    timeout_seconds: float
    max_tokens: int
    temperature: float
    hidden: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Way:
    """A way to ask; from the first to the last they ask less of the provider."""

    options: Mapping[str, object]
    told: str = ""

    def applied(self, messages: Messages) -> Messages:
        """The messages, with what must be told in words because no option tells it."""
        return (*messages, {"role": "user", "content": self.told}) if self.told else messages


# A server that knows no stream_options must not cost us the answer: the tokens are then counted here.
PROSE = (Way({"stream": True, "stream_options": {"include_usage": True}}), Way({"stream": True}))


@dataclass(frozen=True, slots=True)
class Spoken:
    """What was said, by the deployment at ``position``, and what all attempts cost together."""

    said: Said
    position: int
    usage: Usage


class DeploymentChain:
    """Asks a role's deployments, in order, until one answers."""

    def __init__(self, role: Role, settings: RoleSettings, *, clock: Clock, ledger: UsageLedger) -> None:
        self._role, self._settings, self._clock, self._ledger = role, settings, clock, ledger
        self._ids = tuple(f"{role}-{clock.fresh_id()}-{i}" for i in range(len(settings.deployments)))
        self._known: dict[tuple[int, bool], int] = {}
        self._opening = asyncio.Lock()
        self._litellm: Any = None
        self._router: Any = None

    async def say(self, messages: Messages, *, shape: type[BaseModel] | None, until: float, start: int = 0) -> Spoken:
        """Ask from *start* on, until *until* on the loop's clock; raises what the deployments failed with."""
        await self.open()
        failures: list[Exception] = []
        spent = Usage()
        for position in range(start, len(self._ids)):
            begun, said = self._clock.monotonic(), None
            try:
                async with asyncio.timeout(self._seconds(position, until=until) * GRACE):
                    said = await self._ask(position, messages, shape=shape)
            except Exception as error:  # noqa: BLE001 - litellm raises whatever its providers' parsers raise
                failures.append(error)
            finally:
                spent += self._record(position, said, begun=begun)
            if said is not None:
                return Spoken(said, position, spent)
        raise self._fault(failures, start=start) from failures[-1]

    async def open(self) -> None:
        """Import litellm and build the Router, once; worth doing before the first question."""
        async with self._opening:
            if self._router is None:
                self._litellm = await open_litellm()
                self._router = await anyio.to_thread.run_sync(self._build, self._litellm)

    def close(self) -> None:
        """Take the Router out of litellm's global lists."""
        if self._router is not None:
            self._router.discard()

    def _build(self, litellm: ModuleType) -> Any:  # noqa: ANN401 - litellm has no types
        total = self._settings.timeout_seconds
        # The same at each call: litellm opens a new client, and a new connection, for every other time-out.
        seconds = (*(total * SHARE for _ in self._ids[1:]), total)
        listed = zip(self._ids, self._settings.deployments, seconds, strict=True)
        return open_router(
            litellm,
            {i: {"model": d.model, "api_base": d.api_base, "api_key": d.api_key, "timeout": s} for i, d, s in listed},
            timeout=total,
            may_rest=len(self._ids) > 1 or self._role in WAITED_FOR,
        )

    async def _ask(self, position: int, messages: Messages, *, shape: type[BaseModel] | None) -> Said:
        model, ways = self._settings.deployments[position].model, self._ways(position, shape=shape)
        first = self._known.get((position, shape is None), 0)
        for number, way in enumerate(ways[first:], start=first):
            try:
                said = await self._call(position, way.applied(messages), way.options)
            except Exception as error:
                if not is_unbearable(error) or number + 1 == len(ways):
                    raise
            else:
                self._known[position, shape is None] = number
                return await counted(said, litellm=self._litellm, model=model, messages=messages)
        raise AssertionError("unreachable: the last way returns or raises")

    async def _call(self, position: int, messages: Messages, options: Mapping[str, object]) -> Said:
        retries = {} if position + 1 == len(self._ids) else {"num_retries": 0}  # with a fallback, go there at once
        response = await self._router.acompletion(
            model=self._ids[position],
            messages=[dict(message) for message in messages],
            max_tokens=self._settings.max_tokens,
            temperature=self._settings.temperature,
            drop_params=True,  # what a provider does not know of is left out
            **options,
            **retries,
        )
        return await listen(response, most_letters=self._settings.max_tokens * LETTERS_PER_TOKEN)

    def _seconds(self, position: int, *, until: float) -> float:
        left = max(until - asyncio.get_running_loop().time(), 0.001)
        return left if position + 1 == len(self._ids) else left * SHARE

    def _ways(self, position: int, *, shape: type[BaseModel] | None) -> tuple[Way, ...]:
        if shape is None:
            return PROSE
        deployment, schema = self._settings.deployments[position], schema_of(shape)
        told = render("answer_shape", schema=json.dumps(schema, ensure_ascii=False))
        wanted = {"type": "json_schema", "json_schema": {"name": shape.__name__, "schema": schema}}
        # Not "strict": that refuses optional fields and defaults. An own address says nothing of itself: try.
        knows = deployment.api_base is not None or self._litellm.supports_response_schema(model=deployment.model)
        weaker = (Way({"response_format": {"type": "json_object"}}, told), Way({}, told))
        return (Way({"response_format": wanted}), *weaker) if knows else weaker

    def _record(self, position: int, said: Said | None, *, begun: float) -> Usage:
        seconds = self._clock.monotonic() - begun
        usage = Usage(calls=1, seconds=seconds)
        if said is not None:
            usage = Usage(1, said.prompt_tokens, said.completion_tokens, said.cost_usd, seconds)
        model = self._settings.deployments[position].model
        self._ledger.record(self._role, model, usage, is_answered=said is not None)
        return usage

    def _fault(self, failures: list[Exception], *, start: int) -> ModelFault:
        deployments = self._settings.deployments
        keys = [*self._settings.hidden, *(d.api_key for d in deployments if d.api_key)]
        asked = self._settings.deployments[start:]
        return together(
            tuple(translated(error, model=d.model, keys=keys) for d, error in zip(asked, failures, strict=True))
        )
