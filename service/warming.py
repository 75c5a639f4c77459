"""
What the first calls would otherwise wait for, loaded beside the start: imports, tables, weights.

All of it in worker threads, one thing after another: first what every pre-turn call needs, last what takes longest.
What is asked before its turn has come loads what it needs by itself, in a thread, and its deadline holds all the same.
"""

from __future__ import annotations

import asyncio
from importlib import import_module
from typing import TYPE_CHECKING

import anyio.to_thread
import structlog

from consolidation.kernel.language import detect
from consolidation.kernel.tokens import count_tokens
from service.adapters.graph.connection import warm_client
from service.adapters.litellm_model import LitellmModel
from service.adapters.litellm_upstream import LitellmUpstream
from service.adapters.minilm import MiniLM

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from consolidation.kernel.ports import LanguageModel
    from service.ports import Embedder
    from service.upstream import Upstream

_HEAD_START_SECONDS = 0.3  # of the doors: two threads at once would both be late
_TEMPLATES = "jinja2.sandbox"

log = structlog.get_logger()


async def warm(
    embedder: Embedder, *, rarity: Callable[[str], float], models: Iterable[LanguageModel | Upstream]
) -> None:
    """Load it all; a hosted one of *models* last, since litellm alone takes seconds."""
    await asyncio.sleep(_HEAD_START_SECONDS)
    await anyio.to_thread.run_sync(count_tokens, "warm")
    await anyio.to_thread.run_sync(import_module, _TEMPLATES)
    await warm_client()
    if isinstance(embedder, MiniLM):
        await embedder.warm()
    await anyio.to_thread.run_sync(rarity, "warm")
    await anyio.to_thread.run_sync(detect, "Good morning, how are you today?")
    for model in models:
        if isinstance(model, LitellmModel | LitellmUpstream):
            await model.warm()
    log.info("service.warmed")
