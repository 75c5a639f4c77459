"""Which model answers for which role, from the settings: hosted ones with their fallbacks, or none at all."""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from consolidation.kernel.ports import Role
from service.adapters.extractive_model import ExtractiveModel
from service.adapters.litellm.fallback_chain import WAITED_FOR
from service.adapters.litellm.language_model import Deployment, LitellmModel, RoleSettings
from service.adapters.litellm.loader import close_litellm
from service.adapters.litellm.ollama import WINDOW_TOKENS, is_ollama
from service.runtime.slots import Slots

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Mapping

    from pydantic import SecretStr

    from consolidation.kernel.ports import Clock, LanguageModel
    from service.observability.dependency_health import Dependencies
    from service.observability.model_usage import UsageLedger
    from service.settings.sections import RoleModel
    from service.settings.settings import Settings

_SECONDS = {Role.CHAT: 120.0, Role.SUBCONSCIOUS: 30.0, Role.NARRATIVE: 300.0, Role.EXTRACTION: 120.0}
# What comes later is of use to the next turn at best, and the bot's own answer waits behind it.
_SECONDS_ON_THIS_MACHINE = 5.0
_COPILOT, _LAST_OF_COPILOT = "github_copilot/", "github_copilot/gpt-4o"
_HOSTED_BY_OPENAI = ("openai/", "gpt-", "o1", "o3", "o4", "chatgpt-")


def choose(settings: Settings) -> dict[Role, tuple[Deployment, ...]]:
    """The deployments of each role, the model first, then its fallbacks; none where nothing is configured."""
    sections = {role: getattr(settings.models, role.value) for role in Role}
    chat = deployments_of(sections[Role.CHAT], settings)
    chosen = {}
    for role in Role:
        own = deployments_of(sections[role], settings)
        rest = chat if role is Role.NARRATIVE or not own else ()
        found = tuple(dict.fromkeys((*own, *rest)))
        last = _last_resort(found[0], settings) if found else ()
        chosen[role] = tuple(dict.fromkeys((*found, *last)))
    return chosen


@asynccontextmanager
async def open_models(
    settings: Settings, *, clock: Clock, ledger: UsageLedger, dependencies: Dependencies | None = None
) -> AsyncIterator[Mapping[Role, LanguageModel]]:
    """A model for each role, whose health *dependencies* show; nothing heavy is imported before the first question."""
    chosen = choose(settings)
    # What a person waits for does not queue behind what is done in the background.
    waited_for = Slots(settings.models.at_once)
    background = Slots(at_once_in_background(settings, chosen))
    hosted = {
        role: LitellmModel(
            role,
            _role_settings(getattr(settings.models, role.value), deployments, role=role, hidden=settings.secrets),
            clock=clock,
            limit=waited_for if role in WAITED_FOR else background,
            ledger=ledger,
            dependency=dependencies.get(f"model_{role.value}") if dependencies is not None else None,
        )
        for role, deployments in chosen.items()
        if deployments
    }
    extractive = ExtractiveModel()
    try:
        yield {role: hosted.get(role, extractive) for role in Role}
    finally:
        for model in hosted.values():
            await model.aclose()
        await close_litellm()


async def problems_of(model: LanguageModel) -> tuple[str, ...]:
    """What is wrong with the names and keys of a role's models, and what to do; no provider is asked."""
    found = await model.problems() if isinstance(model, LitellmModel) else ()
    return tuple(dict.fromkeys(problem for problem in found if problem is not None))


def narrators(settings: Settings) -> tuple[Role, ...]:
    """
    The roles whose models narrate, in order: not the same model twice, whose answers were refused the first time.

    Where chat has no model, nothing follows the narrative one. Else turns would be quoted, for good, whenever the
    narrative model is away for a minute.
    """
    chosen = choose(settings)
    has_second = bool(chosen[Role.CHAT]) and chosen[Role.CHAT][:1] != chosen[Role.NARRATIVE][:1]
    return (Role.NARRATIVE, Role.CHAT) if has_second else (Role.NARRATIVE,)


def provider_of(model: str) -> str:
    """Whose model this is by its name: only there may its key go."""
    if model.startswith(_HOSTED_BY_OPENAI):
        return "openai"
    return "ollama" if is_ollama(model) else model.partition("/")[0]


def deployments_of(section: RoleModel, settings: Settings) -> tuple[Deployment, ...]:
    """
    The role's own model with its own address and key, else the common one with the common ones; then the fallbacks.

    A fallback of the same provider is asked at the same address: words that are sent to a private server must not go to
    a public one for want of an address.
    """
    if section.model is not None:
        first = deployment(section.model, settings, api_base=section.api_base, api_key=_plain(section.api_key))
    elif settings.model is not None:
        base = section.api_base or settings.api_base
        key = _plain(section.api_key or settings.api_key)
        first = deployment(settings.model, settings, api_base=base, api_key=key)
    else:
        return ()
    return (first, *(_like(first, name, settings) for name in section.fallbacks))


def deployment(
    model: str, settings: Settings, *, api_base: str | None = None, api_key: str | None = None
) -> Deployment:
    """A model where and as whom it is asked, with the window that the settings give it."""
    window = None
    if is_ollama(model) or api_base is not None:
        chosen = settings.models.context_tokens
        window = chosen if chosen is not None or not is_ollama(model) else WINDOW_TOKENS
    return Deployment(model, api_base, api_key, window or None)


def at_once_in_background(settings: Settings, chosen: Mapping[Role, tuple[Deployment, ...]]) -> int:
    """How many calls may run at once after turns: one where Ollama, which answers one after the other, is asked."""
    asked = (one.model for role in chosen.keys() - WAITED_FOR for one in chosen[role][:1])
    if "at_once" not in settings.models.model_fields_set and any(map(is_ollama, asked)):
        return 1
    return settings.models.at_once


def _like(first: Deployment, model: str, settings: Settings) -> Deployment:
    """*model* with the address and the key of *first*, if both are of one provider; else with its provider's own."""
    if provider_of(model) != provider_of(first.model):
        return deployment(model, settings)
    return deployment(model, settings, api_base=first.api_base, api_key=first.api_key)


def _plain(secret: SecretStr | None) -> str | None:
    return secret.get_secret_value() if secret is not None else None


def _last_resort(first: Deployment, settings: Settings) -> tuple[Deployment, ...]:
    """What is asked when all else fails: nothing that costs more than what was chosen, unless a setting names it."""
    if first.model.startswith(_COPILOT) and first.api_base is None:
        return (Deployment(_LAST_OF_COPILOT, None, first.api_key),)
    if settings.models.last_resort is not None and _is_plain_openai(first):
        return (Deployment(settings.models.last_resort, None, first.api_key),)
    return ()


def _is_plain_openai(deployment: Deployment) -> bool:
    """Whether this goes to OpenAI itself: only then may its last resort be asked, with the same key."""
    return deployment.api_base is None and deployment.model.startswith(_HOSTED_BY_OPENAI)


def _seconds(role: Role, first: Deployment) -> float:
    if role is Role.SUBCONSCIOUS and is_ollama(first.model):
        return _SECONDS_ON_THIS_MACHINE
    return _SECONDS[role]


def _role_settings(
    section: RoleModel, deployments: tuple[Deployment, ...], *, role: Role, hidden: tuple[str, ...]
) -> RoleSettings:
    return RoleSettings(
        deployments=deployments,
        timeout_seconds=section.timeout_seconds or _seconds(role, deployments[0]),
        silence_seconds=section.silence_seconds,
        max_tokens=section.max_tokens,
        temperature=section.temperature,
        reasoning_effort=section.reasoning_effort,
        hidden=hidden,
    )
