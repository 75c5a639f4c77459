"""Builds who answers the proxy's chats, from settings: the chat role's model, and those that clients may ask for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from service.adapters.deployment_chain import Deployment
from service.adapters.litellm_upstream import LitellmUpstream
from service.adapters.model_menu import Menu
from service.hiding import Hiding
from service.models import deployments_of, provider_of

if TYPE_CHECKING:
    from service.settings import Settings

USUAL = "memory"  # the chat role's model, whatever it is called


def open_upstream(settings: Settings) -> LitellmUpstream:
    """Ready to be asked; nothing heavy is imported yet."""
    return LitellmUpstream(
        menu_of(settings), timeout_seconds=settings.proxy.timeout_seconds, hiding=Hiding(settings.secrets)
    )


def menu_of(settings: Settings) -> Menu:
    """
    The chat role's deployments under two names, then `proxy.models`, whose first stands in for a chat role without any
    model; nothing where nothing is configured. Pure.

    The role's last resort, which no setting names, is none of them: a client asks for the model that it gets.
    """
    chat = deployments_of(settings.models.chat, settings)
    others = {name: (_other(name, settings, chat=chat),) for name in settings.proxy.models}
    usual = chat or next(iter(others.values()), ())
    offers = {USUAL: usual, usual[0].model: usual} if usual else {}
    return Menu(offers | {name: found for name, found in others.items() if name not in offers})


def _other(name: str, settings: Settings, *, chat: tuple[Deployment, ...]) -> Deployment:
    """A model of `proxy.models`: at its own address, or at the chat role's where the provider is the same."""
    knobs = settings.proxy
    key = knobs.api_key.get_secret_value() if knobs.api_key is not None else None
    if knobs.api_base is not None or key is not None:
        return Deployment(name, knobs.api_base, key)
    if chat and provider_of(name) == provider_of(chat[0].model):
        return Deployment(name, chat[0].api_base, chat[0].api_key)
    return Deployment(name)
