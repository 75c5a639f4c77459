"""
The one door to litellm: imported at first use, in a thread, with everything that phones home turned off.

Importing it takes three to five seconds of CPU, so that a service without a hosted model never does. One thread imports
it and the others wait: Python hands a thread that waits for a failing import the half-made module, and gives a second
import none of the submodules that the first one loaded ("module 'litellm' has no attribute 'exceptions'").
"""

from __future__ import annotations

import functools
import logging
import os
import sys
import threading
import warnings
from contextlib import suppress
from importlib import import_module
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import anyio.to_thread

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType

# Read by litellm while it is imported. Without the first two it fetches price and header tables from
# GitHub, synchronously; without the third it loads whatever .env lies in the working directory.
BEFORE_IMPORT = MappingProxyType(
    {
        "LITELLM_LOCAL_MODEL_COST_MAP": "True",
        "LITELLM_LOCAL_ANTHROPIC_BETA_HEADERS": "True",
        "LITELLM_MODE": "PRODUCTION",
    }
)
AFTER_IMPORT = MappingProxyType(
    {
        "telemetry": False,
        "suppress_debug_info": True,
        "turn_off_message_logging": True,
        "disable_hf_tokenizer_download": True,  # else counting tokens of a llama asks huggingface.co
        "expose_router_debug_in_errors": False,
        "DEFAULT_MAX_RETRIES": 0,  # embedding reads max_retries=0 as "not given" and takes this
    }
)
AS_GIVEN = "_is_ours_as_given"
_WHOLE_ANSWERS = (
    ("litellm.llms.openai.openai", "OpenAIChatCompletion", "make_openai_chat_completion_request"),
    ("litellm.llms.azure.azure", "AzureChatCompletion", "make_azure_openai_chat_completion_request"),
)
# Two threads that import these at once may each wait for the other, and one of them fails ("deadlock detected").
_AT_FIRST_CALL = (
    "openai.resources",
    "openai.resources.chat",
    "litellm._service_logger",
    "litellm.proxy._types",
    "litellm.litellm_core_utils.default_encoding",
)
_READY, _REFUSED = "_is_ours_and_ready", "_is_ours_and_refused"
_IMPORTING = threading.Lock()
_QUOTES = "Pydantic serializer warnings"  # of an answer that has not litellm's shape: they show what it says
LOGGERS = ("LiteLLM", "LiteLLM Router", "LiteLLM Proxy")


async def open_litellm() -> ModuleType:
    """Return the litellm module, ready and silent; the loop runs on while it is first imported."""
    return await anyio.to_thread.run_sync(_import_litellm, abandon_on_cancel=True)


async def close_litellm() -> None:
    """
    Close the connections litellm keeps open, all roles' and the embedder's; the last thing before the loop ends.

    One that a thread is still importing has none; to touch it would break its import for the rest of the process.
    """
    litellm = sys.modules.get("litellm")
    if litellm is not None and _READY in vars(litellm):
        await litellm.close_litellm_async_clients()
        litellm.in_memory_llm_clients_cache.flush_cache()


def _import_litellm() -> ModuleType:
    with _IMPORTING:
        known = sys.modules.get("litellm")
        if known is not None and _READY in vars(known):
            return known
        os.environ.update(BEFORE_IMPORT)
        try:
            import litellm
        except BaseException:
            _forget_half_imported()
            raise
        _bind_submodules()
        _notice_refusals(litellm)
        _remember_answers()
        for name, value in AFTER_IMPORT.items():
            setattr(litellm, name, value)
        getattr(litellm, "cost_per_token", None)  # loaded at first use, as these are
        for name in _AT_FIRST_CALL:
            with suppress(ImportError):  # another version's
                import_module(name)
        for name in LOGGERS:  # each fault reaches us as an exception; its log line may quote what was said
            logging.getLogger(name).setLevel(logging.CRITICAL)
        warnings.filterwarnings("ignore", _QUOTES)
        module: ModuleType = litellm
        setattr(module, _READY, True)
        return module


def _notice_refusals(litellm: ModuleType) -> None:
    """
    Have a streamed answer end with "content_filter" where its model refused.

    litellm drops the pieces of a refusal (``delta.refusal``), and what is left looks like an answer without a word: it
    would be asked for again, and paid again.
    """
    wrapper = getattr(litellm, "CustomStreamWrapper", None)
    if wrapper is None:  # another version: a refusal costs a second call there
        return
    read: Callable[[Any, Any], dict[str, Any]] = wrapper.handle_openai_chat_completion_chunk

    def read_refusal(stream: Any, chunk: Any) -> dict[str, Any]:  # noqa: ANN401 - litellm has no types
        found = read(stream, chunk)
        if any(getattr(one.delta, "refusal", None) for one in getattr(chunk, "choices", None) or ()):
            vars(stream)[_REFUSED] = True
        is_end = found["is_finished"] and _REFUSED in vars(stream)
        return found | {"finish_reason": "content_filter"} if is_end else found

    wrapper.handle_openai_chat_completion_chunk = read_refusal


def _remember_answers() -> None:
    """
    Have a ``logger_fn`` see a whole answer as the provider gave it, under ``AS_GIVEN``.

    Its "original_response" is what OpenAI's library made of that: each field that the provider left out is in it, null.
    """
    for module, client, name in _WHOLE_ANSWERS:
        kind = getattr(sys.modules.get(module), client, None)
        if hasattr(kind, name):  # else another version: an answer has nulls more there
            setattr(kind, name, _remembering(getattr(kind, name)))


def _remembering(ask: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(ask)
    async def ask_and_remember(*given: Any, logging_obj: Any, **more: Any) -> Any:  # noqa: ANN401 - as above
        headers, answer = await ask(*given, logging_obj=logging_obj, **more)
        if hasattr(answer, "to_dict"):  # a stream has none
            given_back = {AS_GIVEN: answer.to_dict(warnings=False)}
            logging_obj.model_call_details |= given_back
            hear = getattr(logging_obj, "logger_fn", None)
            if callable(hear):  # at once: litellm may fail to read the answer before it tells of it
                hear(given_back)
        return headers, answer

    return ask_and_remember


def _bind_submodules() -> None:
    """Put each loaded submodule into its package: a package imported a second time does not know of them."""
    for name, module in list(sys.modules.items()):
        parent, _, child = name.rpartition(".")
        package = sys.modules.get(parent)
        if name.startswith("litellm.") and package is not None and child not in vars(package):
            setattr(package, child, module)


def _forget_half_imported() -> None:
    """So that the next try begins at the beginning: the submodules that are there would not be put into it."""
    for name in [name for name in sys.modules if name.partition(".")[0] == "litellm"]:
        del sys.modules[name]
