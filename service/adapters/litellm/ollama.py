"""
What Ollama has to be told with each question, since a person's own machine is asked as well as a provider.

By itself Ollama gives most models a window of 4,096 tokens, for a prompt and its answer together, and drops what is
longer without a word: the beginning of a story's turns, or the rules of a prompt. A model is loaded anew whenever it is
asked for another window, so all of our questions ask for the same one.
"""

from __future__ import annotations

WINDOW_TOKENS = 16_384  # of Llama 3.1 with 8 billion weights, 2 GiB: 128 KiB of keys and values a token

_ALWAYS_THINKING = ("gpt-oss",)  # Ollama refuses to be told that these should not think
_CHAT, _TEXT = "ollama_chat/", "ollama/"


def is_ollama(model: str) -> bool:
    """Whether litellm asks an Ollama for *model*."""
    return model.startswith((_CHAT, _TEXT))


def least_effort(model: str) -> str:
    """The least that a model can be told to think, as litellm calls it: "none", or "low" of those that always think."""
    return "low" if any(name in model for name in _ALWAYS_THINKING) else "none"


def pull_hint(model: str) -> str:
    """What a person does where Ollama does not have *model*."""
    return f"run `ollama pull {chat_name(model).removeprefix(_CHAT)}`"


def chat_name(model: str) -> str:
    """The name by which litellm asks Ollama's chat API, in which a message has a role; other names as they are."""
    return _CHAT + model.removeprefix(_TEXT) if model.startswith(_TEXT) else model
