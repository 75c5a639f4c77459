"""Which embedder makes the vectors, and refusing a graph that another one made."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import structlog

from consolidation.kernel.errors import ConfigurationFault, GraphFault
from service.adapters.hashing_embedder import HashingEmbedder
from service.adapters.litellm.embedder import LitellmEmbedder
from service.adapters.minilm import PACKAGE, MiniLM, find_weights
from service.adapters.multilingual_e5.embedder import MultilingualE5, missing_package
from service.ports.embedder import EmbedderIdentity, check_embedder, is_other_version
from service.settings.sections import MINILM, MULTILINGUAL

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from service.adapters.circuit_breaker import CircuitBreaker
    from service.ports.embedder import Embedder
    from service.ports.graph import Graphs
    from service.settings.settings import Settings

_CHECK_SECONDS = 2

log = structlog.get_logger()


def choose_embedder(settings: Settings, *, breaker: Callable[[], CircuitBreaker]) -> Embedder:
    """
    The configured one, a hosted one behind a *breaker*; else the multilingual one, MiniLM, or one that hashes.

    Which of these three depends on the packages that are installed.

    Raises ConfigurationFault where the configured one is built in and a package is missing.
    """
    chosen = settings.embedder
    if chosen.hosted_model is not None:
        return LitellmEmbedder(
            chosen.hosted_model,
            api_base=chosen.api_base,
            api_key=chosen.api_key.get_secret_value() if chosen.api_key else None,
            timeout_seconds=chosen.timeout_seconds,
            dimension=chosen.dimension,
            breaker=breaker(),
        )
    if chosen.model == MINILM:
        if find_weights() is None:
            raise ConfigurationFault(f"the embedder `{MINILM}` needs the package {PACKAGE}")
        return MiniLM()
    if (package := missing_package()) is None:
        return MultilingualE5()
    if chosen.model == MULTILINGUAL:
        raise ConfigurationFault(f"the embedder `{MULTILINGUAL}` needs the package {package}")
    return MiniLM() if find_weights() is not None else HashingEmbedder()


async def problem_of_embedder(embedder: Embedder) -> str | None:
    """What is wrong with the name or the key of a hosted *embedder*, and what to do; no provider is asked."""
    return await embedder.problem() if isinstance(embedder, LitellmEmbedder) else None


def refuse_known_embedders(minds: Sequence[tuple[str, str]], *, embedder: Embedder) -> None:
    """Raise EmbedderMismatch where *minds*, ids with the stored name of an embedder, has one of another embedder."""
    for _, name in minds:
        _check_name(name, embedder=embedder)


async def refuse_other_embedders(graphs: Graphs, minds: Sequence[str], *, embedder: Embedder) -> None:
    """
    Raise EmbedderMismatch where the graph of one of *minds* is known to hold another embedder's vectors.

    Only names are compared, and nobody outside is asked. A graph that is still loading, and a dimension that is not
    known yet, are checked later by the saving lane.
    """
    try:
        async with asyncio.timeout(_CHECK_SECONDS):
            for mind_id in minds:
                found = await graphs.of(mind_id).identity()
                if found is not None:
                    _check_name(found.embedder, embedder=embedder)
    except (GraphFault, TimeoutError) as error:
        log.info("embedder.unchecked", reason=str(error) or "no answer in time")


def _check_name(name: str, *, embedder: Embedder) -> None:
    """Raise EmbedderMismatch where *name* is of another embedder; what another version made is made anew later."""
    if not is_other_version(name, configured=embedder.stored_name):
        check_embedder(EmbedderIdentity(name, 0), configured=EmbedderIdentity(embedder.stored_name, 0))
