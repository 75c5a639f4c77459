"""Hosted language models for a test: real litellm against a scripted provider."""

from __future__ import annotations

import asyncio
import contextlib

from consolidation.kernel.clock import SystemClock
from consolidation.kernel.ports import Role
from prompts.responses import Shape
from service.adapters.litellm.language_model import Deployment, LitellmModel, RoleSettings
from service.adapters.litellm.loader import close_litellm
from service.observability.model_usage import UsageLedger

# litellm silences these two itself, at its import (its __init__.py, first lines); pytest lifts that.
LITELLM_NOISE = (
    "ignore:Item '.+' on TypedDict class '.+' is using the `ReadOnly` qualifier:UserWarning",
    "ignore:Accessing the 'model_.+' attribute on the instance is deprecated:DeprecationWarning",
)

KEY = "sk-test-Secret123456"
HELLO = ({"role": "user", "content": "hello there"},)
BICYCLE = {"name": "bicycle", "wheels": 2}
NOWHERE = "http://127.0.0.1:9/v1"
REST = 60  # seconds that a provider at its limit asks for; who obeyed would be found out by half of it


class Thing(Shape):
    name: str
    wheels: int


@contextlib.asynccontextmanager
async def model_at(
    *urls,
    seconds=30.0,
    silence=30.0,
    limit=None,
    names=(),
    ledger=None,
    max_tokens=200,
    role=Role.SUBCONSCIOUS,
    window=None,
):
    names = names or tuple(f"openai/model-{i}" for i in range(len(urls)))
    deployments = tuple(Deployment(name, url, KEY, window) for name, url in zip(names, urls, strict=True))
    settings = RoleSettings(
        deployments, timeout_seconds=seconds, silence_seconds=silence, max_tokens=max_tokens, temperature=0.25
    )
    model = LitellmModel(
        role,
        settings,
        clock=SystemClock(),
        limit=limit or asyncio.Semaphore(4),
        ledger=ledger or UsageLedger(),
    )
    await model.warm()
    try:
        yield model
    finally:
        await model.aclose()
        await close_litellm()
