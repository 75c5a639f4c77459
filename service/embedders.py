"""Which embedder makes the vectors, what a graph remembers it by, and refusing a graph that another one made."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import structlog

from consolidation.kernel.errors import GraphFault
from service.adapters.graph.writing import check
from service.adapters.hashing import HashingEmbedder
from service.adapters.litellm_embedder import LitellmEmbedder
from service.adapters.minilm import MiniLM, find_weights
from service.ports import Identity

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from service.adapters.breaker import Breaker
    from service.ports import Embedder, EpisodicGraph
    from service.settings import Settings

_CHECK_SECONDS = 2

log = structlog.get_logger()


def choose_embedder(settings: Settings, *, breaker: Callable[[], Breaker]) -> Embedder:
    """The configured one, behind a *breaker*; else the built-in one; else, without its weights, one that hashes."""
    chosen = settings.embedder
    if chosen.model is not None:
        return LitellmEmbedder(
            chosen.model,
            api_base=chosen.api_base,
            api_key=chosen.api_key.get_secret_value() if chosen.api_key else None,
            timeout_seconds=chosen.timeout_seconds,
            dimension=chosen.dimension,
            breaker=breaker(),
        )
    return MiniLM() if find_weights() is not None else HashingEmbedder()


def identify(settings: Settings, embedder: Embedder) -> Callable[[], Awaitable[Identity]]:
    """Ask for what *embedder* is, at its first use: a hosted one may have to be asked for its dimension."""

    async def identity() -> Identity:
        if isinstance(embedder, LitellmEmbedder) and settings.embedder.dimension is None:
            await embedder.probe()
        return Identity(_name(embedder), embedder.dimension)

    return identity


async def refuse_strangers(graph: EpisodicGraph, minds: Sequence[str], *, embedder: Embedder) -> None:
    """
    Raise EmbedderMismatch now where that can be known now, by name and without asking anybody outside.

    A graph that is still loading, and a dimension that is not known yet, are looked at by the saving lane.
    """
    ours = _name(embedder)
    try:
        async with asyncio.timeout(_CHECK_SECONDS):
            for mind_id in minds:
                found = await graph.identity(mind_id)
                if found is not None and found.embedder != ours:
                    check(found, configured=Identity(ours, 0))
    except (GraphFault, TimeoutError) as error:
        log.info("embedder.unchecked", reason=str(error) or "no answer in time")


def _name(embedder: Embedder) -> str:
    """What a graph remembers an embedder by: its name, and the hash of its weights where they are ours."""
    return f"{embedder.name}@{embedder.fingerprint[:12]}" if isinstance(embedder, MiniLM) else embedder.name
