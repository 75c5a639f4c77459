"""What a configuration means in plain words: where the graph is, which models answer, what leaves this machine."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

from consolidation.kernel.ports import Role
from consolidation.secrets.redaction import without_secrets_of
from service.access.addresses import is_loopback
from service.adapters.litellm.configuration import missing_key_of, own_server_of
from service.adapters.minilm import DIMENSION, PACKAGE, find_weights
from service.adapters.multilingual_e5.embedder import MultilingualE5, missing_package
from service.composition.models import choose
from service.composition.upstream import menu_of
from service.ports.database_address import database_hosts, shown_database
from service.ports.graph_address import hosts_of, shown
from service.settings.otlp_endpoint import shown as shown_collector
from service.settings.sections import MINILM
from service.settings.settings import Settings

NO_MODEL = "none: memories are quoted as they were said"
_WITH_ONE = (
    "one judges what surfaces, retells it, tells the story and extracts facts in its own words:",
    "set MIND_MEMORY_MODEL and its key, as MIND_MEMORY_MODEL=openai/gpt-4o-mini OPENAI_API_KEY=…",
)
_TASKS = {
    Role.CHAT: "answers",
    Role.SUBCONSCIOUS: "retells memories",
    Role.NARRATIVE: "tells the story",
    Role.EXTRACTION: "extracts facts",
}


def graph_of(settings: Settings) -> str:
    """Where the graph is."""
    if settings.falkordb_url is None:
        return "FalkorDB, embedded"
    return f"FalkorDB at {shown(settings.falkordb_url.get_secret_value())}"


def database_of(settings: Settings) -> str | None:
    """The database that holds the minds, if one does."""
    if settings.database is None:
        return None
    return f"PostgreSQL at {shown_database(settings.database.get_secret_value())}"


def models_of(settings: Settings) -> dict[Role, str]:
    """Each role's model with its fallbacks; empty where it has none."""
    return {role: " → ".join(one.model for one in found) for role, found in choose(settings).items()}


def model_lines(settings: Settings) -> tuple[str, ...]:
    """Which model does what: on one line where all roles have the same, else a line a role; or what one would do."""
    models = models_of(settings)
    if not any(models.values()):
        return (NO_MODEL, *_WITH_ONE)
    if len(set(models.values())) == 1:
        return (f"{models[Role.CHAT]}: {', '.join(_TASKS.values())}",)
    width = max(map(len, _TASKS.values()))
    return tuple(f"{_TASKS[role]:{width}}  {model or NO_MODEL}" for role, model in models.items())


def missing_keys(settings: Settings) -> tuple[str, ...]:
    """Which models have no key, and which variable it goes into; as far as that is known without importing litellm."""
    used = dict.fromkeys((model, key) for model, _, key in _models_asked(settings))
    found = (missing_key_of(model, api_key=key) for model, key in used)
    return tuple(dict.fromkeys(one for one in found if one is not None))


def embedder_of(settings: Settings) -> str:
    """What makes vectors."""
    if settings.embedder.hosted_model is not None:
        dimension = f", {settings.embedder.dimension} dimensions" if settings.embedder.dimension else ""
        return f"{settings.embedder.hosted_model}{dimension}"
    if settings.embedder.model != MINILM and missing_package() is None:
        return f"{MultilingualE5.name}, built in: a hundred languages, {MultilingualE5.dimension} dimensions"
    if find_weights() is None:
        return f"hashed words only: the package {PACKAGE} is not installed"
    return f"all-MiniLM-L6-v2, built in: English, {DIMENSION} dimensions"


def missing_folders(settings: Settings) -> Iterator[tuple[str, Path]]:
    """The folders that settings name and that are not there, each with its setting. They may come later, as a mount."""
    named = [("sessions_folder", settings.story.sessions_folder)]
    named += [("linked_folders", one) for one in settings.story.linked_folders]
    for name, folder in named:
        if folder is not None and not folder.expanduser().is_dir():
            yield name, folder


def network_of(settings: Settings) -> str:
    """What leaves this machine, and to where."""
    places = tuple(dict.fromkeys(_places(settings)))
    return f"only to {', '.join(places)}" if places else "none: nothing leaves this machine"


def _models_asked(settings: Settings) -> Iterator[tuple[str, str | None, str | None]]:
    """Every model that may be asked, with its address and its key, where they are configured."""
    for deployments in (*choose(settings).values(), *menu_of(settings).offers.values()):
        yield from ((one.model, one.api_base, one.api_key) for one in deployments)
    embedder, transcription = settings.embedder, settings.models.transcription
    for model, section in ((embedder.hosted_model, embedder), (transcription.model, transcription)):
        if model is not None:
            yield model, section.api_base, section.api_key.get_secret_value() if section.api_key is not None else None


def _places(settings: Settings) -> Iterator[str]:
    for model, api_base, _ in _models_asked(settings):
        yield from _place(model, api_base)
    if settings.falkordb_url is not None:
        yield from (host for host in hosts_of(settings.falkordb_url.get_secret_value()) if not is_loopback(host))
    if settings.database is not None:
        address = settings.database.get_secret_value()
        hosts = database_hosts(address)
        if not hosts or not all(is_loopback(one) or one.startswith("/") for one in hosts):
            yield shown_database(address)
    if settings.traces_endpoint is not None and not _is_here(settings.traces_endpoint):
        yield f"{shown_collector(settings.traces_endpoint)} (spans)"
    for endpoint in settings.webhooks.endpoints:
        if not _is_here(address := endpoint.url.get_secret_value()):
            yield f"{urlsplit(address).netloc} (webhooks)"


def _place(model: str, api_base: str | None) -> Iterator[str]:
    """The host a model is asked at; nothing for one on this machine."""
    address = api_base or own_server_of(model)
    if address is None:
        yield f"the provider of {model}"
    elif not _is_here(address):
        yield urlsplit(address).hostname or without_secrets_of(address)


def _is_here(address: str) -> bool:
    return is_loopback(urlsplit(address).hostname or "")
