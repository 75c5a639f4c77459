"""Builds who answers the proxy's chats, from settings: the chat role's model, and those that clients may ask for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from service.adapters.echo_upstream import EchoUpstream
from service.adapters.litellm.upstream import LitellmUpstream, ModelRegistry
from service.composition.models import deployment, deployments_of, provider_of
from service.observability.redaction import Redactor
from service.ports.upstream import USUAL

if TYPE_CHECKING:
    from consolidation.kernel.ports import Clock
    from service.adapters.litellm.fallback_chain import Deployment
    from service.ports.upstream import Upstream
    from service.settings.settings import Settings


def open_upstream(settings: Settings, *, clock: Clock) -> Upstream:
    """Return what answers chats: the configured models, or an echo where there are none. Nothing is imported yet."""
    models = menu_of(settings)
    if not models.names:
        return EchoUpstream(clock=clock)
    return LitellmUpstream(models, timeout_seconds=settings.proxy.timeout_seconds, hiding=Redactor(settings.secrets))


def menu_of(settings: Settings) -> ModelRegistry:
    """
    The chat role's deployments under two names, then `proxy.models`; nothing where nothing is configured.

    Where the chat role has no model, the first of `proxy.models` stands in for it. The role's last resort, which no
    setting names, is left out: a client must get the model that it asks for.
    """
    chat = deployments_of(settings.models.chat, settings)
    others = {name: (_other(name, settings, chat=chat),) for name in settings.proxy.models}
    usual = chat or next(iter(others.values()), ())
    offers = {USUAL: usual, usual[0].model: usual} if usual else {}
    return ModelRegistry(offers | {name: found for name, found in others.items() if name not in offers})


def _other(name: str, settings: Settings, *, chat: tuple[Deployment, ...]) -> Deployment:
    """A model of `proxy.models`: at its own address, or at the chat role's where the provider is the same."""
    knobs = settings.proxy
    key = knobs.api_key.get_secret_value() if knobs.api_key is not None else None
    if knobs.api_base is not None or key is not None:
        return deployment(name, settings, api_base=knobs.api_base, api_key=key)
    if chat and provider_of(name) == provider_of(chat[0].model):
        return deployment(name, settings, api_base=chat[0].api_base, api_key=chat[0].api_key)
    return deployment(name, settings)
