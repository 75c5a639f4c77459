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
_MOST_LOOKED_AT = 50  # minds of a shared home, which may have a hundred thousand

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
    for name in await _names_of(graphs, minds):
        _check_name(name, embedder=embedder)


async def refuse_embedder_of_others(graphs: Graphs, minds: Sequence[str], *, embedder: Embedder) -> None:
    """
    The same for *minds* of a home that several services share, of which some are looked at.

    What half of them have is the embedder of the home: a service that once began a few minds with another one does not
    keep the others from starting.
    """
    names = await _names_of(graphs, minds[:: len(minds) // _MOST_LOOKED_AT + 1])
    others = [name for name in names if not _is_usable(name, embedder=embedder)]
    if others and 2 * len(others) >= len(names):
        _check_name(others[0], embedder=embedder)


async def _names_of(graphs: Graphs, minds: Sequence[str]) -> list[str]:
    """The stored names of the embedders of those of *minds* that have a graph, as far as there is time."""
    names = []
    try:
        async with asyncio.timeout(_CHECK_SECONDS):
            for mind_id in minds:
                found = await graphs.of(mind_id).identity()
                if found is not None:
                    names.append(found.embedder)
    except (GraphFault, TimeoutError) as error:
        log.info("embedder.unchecked", reason=str(error) or "no answer in time")
    return names


def _is_usable(name: str, *, embedder: Embedder) -> bool:
    """Whether vectors of the embedder of this *name* are ours, or are made anew later, as those of another version."""
    return name == embedder.stored_name or is_other_version(name, configured=embedder.stored_name)


def _check_name(name: str, *, embedder: Embedder) -> None:
    """Raise EmbedderMismatch where *name* is of another embedder."""
    if not _is_usable(name, embedder=embedder):
        check_embedder(EmbedderIdentity(name, 0), configured=EmbedderIdentity(embedder.stored_name, 0))
