"""What is wrong with a model's configuration, as far as litellm knows it without asking a provider: name and key."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import ModuleType

    from service.adapters.litellm.fallback_chain import Deployment

_KEY = "_API_KEY"


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
    # Other variables (of clouds, of local servers) have other sources or defaults.
    if not missing or not all(name.endswith(_KEY) for name in missing):
        return None
    return f"{model} has no key: set {' or '.join(missing)}, or api_key where the model is set"


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
