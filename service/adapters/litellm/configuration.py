"""What is wrong with a model's configuration, as far as litellm knows it without asking a provider: name and key."""

from __future__ import annotations

import os
from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import ModuleType

    from service.adapters.litellm.fallback_chain import Deployment

_KEY = "_API_KEY"
_BARE_OPENAI = ("gpt-", "o1", "o3", "o4", "chatgpt-")
# The variables that may hold the key of a provider, as litellm reads them. To ask litellm takes seconds, since it has
# to be imported; a test holds these to what it says.
KEY_VARIABLES = MappingProxyType(
    {
        "anthropic": ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"),
        "cerebras": ("CEREBRAS_API_KEY",),
        "cohere": ("COHERE_API_KEY",),
        "deepinfra": ("DEEPINFRA_API_KEY",),
        "deepseek": ("DEEPSEEK_API_KEY",),
        "gemini": ("GOOGLE_API_KEY", "GEMINI_API_KEY"),
        "groq": ("GROQ_API_KEY",),
        "huggingface": ("HUGGINGFACE_API_KEY",),
        "mistral": ("MISTRAL_API_KEY",),
        "openai": ("OPENAI_API_KEY",),
        "openrouter": ("OPENROUTER_API_KEY",),
        "together_ai": ("TOGETHERAI_API_KEY",),
        "voyage": ("VOYAGE_API_KEY",),
        "xai": ("XAI_API_KEY",),
    }
)
# Where servers of one's own are asked, if no address is set for the model: a variable of litellm's, or this machine.
_OWN_SERVERS = MappingProxyType(
    {
        "ollama": ("OLLAMA_API_BASE", "http://localhost:11434"),
        "ollama_chat": ("OLLAMA_API_BASE", "http://localhost:11434"),
        "lm_studio": ("LM_STUDIO_API_BASE", "http://localhost:1234/v1"),
        "llamafile": ("LLAMAFILE_API_BASE", "http://127.0.0.1:8080/v1"),
        "hosted_vllm": ("HOSTED_VLLM_API_BASE", "http://localhost:8000/v1"),
    }
)


class ModelUnusable(Exception):
    """A model is not asked, since its configuration can not work: the text says why, and what to do."""


def problem_of(litellm: ModuleType, deployment: Deployment) -> str | None:
    """Why *deployment* can not answer, with what to do about it; None where nothing is known to be wrong."""
    model = deployment.model
    if not has_provider(litellm, model):
        return f"{model} names no provider that litellm knows: write it in front, as openai/{model} or ollama/{model}"
    if deployment.api_key is not None:
        return None
    try:
        missing = litellm.validate_environment(model, api_base=deployment.api_base)["missing_keys"]
    except Exception:  # noqa: BLE001 - as below; then the first call tells
        return None
    if not missing and deployment.api_base is None:
        return missing_key_of(model, api_key=None)  # litellm takes a variable that is empty for a key
    # Other variables (of clouds, of local servers) have other sources or defaults.
    if not missing or not all(name.endswith(_KEY) for name in missing):
        return None
    return _without_key(model, missing)


def missing_key_of(model: str, *, api_key: str | None) -> str | None:
    """
    Why *model* lacks its key, as ``problem_of`` says it, for well-known providers alone: litellm is not imported.

    None where a key is there, and where only litellm knows.
    """
    provider = "openai" if model.startswith(_BARE_OPENAI) else model.partition("/")[0]
    names = KEY_VARIABLES.get(provider, ())
    if not names or api_key is not None or any(os.environ.get(name) for name in names):
        return None
    return _without_key(model, [name for name in names if name.endswith(_KEY)])


def own_server_of(model: str) -> str | None:
    """Where litellm asks for a model that people run themselves and for which no address is set; None of others."""
    provider, slash, _ = model.partition("/")
    if not slash or provider not in _OWN_SERVERS:
        return None
    variable, usual = _OWN_SERVERS[provider]
    return os.environ.get(variable) or usual


def _without_key(model: str, names: Sequence[str]) -> str:
    return f"{model} has no key: set {' or '.join(names)}, or api_key where the model is set"


def has_provider(litellm: ModuleType, model: str) -> bool:
    """Whether litellm knows whom to ask for *model*; no provider is asked."""
    prefix, slash, _ = model.partition("/")
    if slash and prefix in {str(getattr(one, "value", one)) for one in litellm.provider_list}:
        return True  # get_llm_provider would sign in at some of them
    try:
        litellm.get_llm_provider(model)
    except Exception:  # noqa: BLE001 - litellm raises whatever its lookup raises
        return False
    return True
