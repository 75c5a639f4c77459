"""Translates what litellm raises into our tree, once; no message holds a key."""

from __future__ import annotations

import ast
import json
import re
from contextlib import suppress
from typing import TYPE_CHECKING, cast

from consolidation.kernel.errors import (
    ModelCircuitOpen,
    ModelFault,
    ModelRefused,
    ModelTimedOut,
    ModelTruncated,
    ModelUnavailable,
)
from consolidation.secrets.redaction import redact
from service.adapters.litellm.ollama import is_ollama, pull_hint
from service.adapters.retry_after import seconds_asked

if TYPE_CHECKING:
    from collections.abc import Iterable

REASONS = {
    400: "did not understand the request",
    401: "refused the key",
    402: "has no credit left",
    403: "denied access",
    404: "is not found at this address",
    408: "did not answer in time",
    429: "is at its rate limit or quota",
}
TO_BE_MENDED = frozenset({401, 402, 403, 404})  # key, credit, rights, name or address: no second try helps
SERVER_ERROR = 500
BUSY = frozenset({429, 503})  # who answers so takes no more questions just now, whatever they are
OVERLOADED = re.compile(r"\boverloaded\b", re.IGNORECASE)  # litellm makes a 500 of some providers' 529
REFUSALS = ("content_filter", "content management policy", "content policy", "ContentPolicyViolationError")
# How servers say that a prompt is longer than their model's window, where litellm does not know their words.
TOO_LONG = re.compile(
    r"\b(?:prompt|inputs?|messages|context)\b.{0,60}"
    r"\b(?:too (?:long|large)|longer than|greater than|must have less|exceed|not enough)"
    r"|reduce the length of the (?:messages|prompt)"
    r"|\bexceed\w{0,3}\b.{0,30}\b(?:context|max\w{0,4} (?:model |context )?length)"
    r"|\bcontext (?:length|window|size)\b.{0,60}\b(?:exceeded|not enough)",
    re.IGNORECASE,
)
# How a provider says that one prompt is more than an account may send in a minute: waiting does not help.
TOO_MUCH_AT_ONCE = re.compile(r"request too large|tokens must be reduced|reduce your message size", re.IGNORECASE)
NO_MAX_TOKENS = re.compile(r"\bmax_tokens\b.{0,80}\buse\b.{0,10}\bmax_completion_tokens\b", re.IGNORECASE | re.DOTALL)
NO_TEMPERATURE = re.compile(
    r"\btemperature\b.{0,80}\b(?:support|deprecated|only|must be (?:1|the default)|not allowed)"
    r"|\bunsupported\b.{0,30}\btemperature\b",
    re.IGNORECASE | re.DOTALL,
)
NOT_FETCHED = re.compile(r"\bmodel\b.{0,80}\bnot found\b")
REPEATING = "The model is repeating the same chunk"  # litellm's, of a stream that it ends
TOO_LONG_STATUSES = frozenset({400, 422})
NOT_FOUND, TOO_LARGE, RATE_LIMITED = 404, 413, 429
PREFIX = re.compile(
    r"^(?:litellm\.|[A-Za-z_]{1,40}(?:Error|Exception)(?::(?: |$)| -(?: |$)| (?=[A-Za-z]{1,40}Error\b)|$)){1,8}"
)
BODY = re.compile(r"^(?:Error code: \d{3} - )?(\{.{1,9999}\})")  # JSON, or what Python shows of it
# What Python says where litellm reads an answer that is not one, such as a page.
PYTHONS_WORDS = re.compile(
    r"' object (?:has no attribute '|is not (?:iterable|subscriptable))|argument must be a string"
    r"|^Expecting value: line"
)
UNREADABLE = "its answer can not be read: see its address (api_base)"
# Whether the routes of a server of one's own are below /v1. A 404 that does not name the model mostly comes of that.
ADDRESS_HINTS = {
    **dict.fromkeys(("openai", "hosted_vllm", "lm_studio", "llamafile"), "its api_base should end with /v1"),
    **dict.fromkeys(("ollama", "ollama_chat"), "its api_base should not end with /v1"),
}
SECRET = re.compile(
    r"\b(?:(?:sk|pk|gsk|xai|AIza|Bearer)[-_ ]?|key[-_ ]?(?=[A-Za-z_.-]{0,200}[\d*]))[\w*.-]{6,200}|\b[\w*-]{24,400}"
)
LEAST_HIDDEN = 5  # letters; a shorter key, as servers of one's own are given, occurs inside ordinary words
MOST_LETTERS = 160
MOST_RETRY_AFTER = 300.0


class PromptTooLong(Exception):
    """A question is not asked, since it leaves no room for an answer in the window of a model."""

    def __init__(self, asked: int, window: int) -> None:
        super().__init__(
            f"the prompt takes about {asked} tokens, and leaves no room for an answer in a context window of {window} "
            "(MIND_MEMORY_MODELS__CONTEXT_TOKENS)"
        )


def translated(error: Exception, *, model: str, keys: Iterable[str] = ()) -> ModelFault:
    """Return the fault of ours that *error* is; the caller raises it ``from error``."""
    name, words = type(error).__name__, str(error)
    if name == "ModelSilent":
        return ModelTimedOut(f"{model} {words}")
    if name in {"Timeout", "APITimeoutError", "TimeoutError"}:
        return ModelTimedOut(f"{model} {REASONS[408]}")
    if _is_too_long(error):
        told = words if isinstance(error, PromptTooLong) else "the prompt is longer than its context window or limit"
        fault = ModelTruncated(f"{model}: {told}")
        fault.is_of_window = True
        return fault
    if _is_refusal(error):
        return ModelRefused(f"{model}: the provider's content filter refused")
    if name.startswith("RouterRateLimitError"):
        return ModelCircuitOpen(f"{model} rests for {getattr(error, 'cooldown_time', 0):.0f} s after repeated failures")
    return _unavailable(error, model=model, keys=keys)


def _unavailable(error: Exception, *, model: str, keys: Iterable[str]) -> ModelFault:
    name, words = type(error).__name__, str(error)
    if REPEATING in words:
        return ModelTruncated(f"{model} repeats itself without an end")
    is_unusable = name == "ModelUnusable"
    said = _provider_words(error, model=model, keys=keys)
    told = f"{model} {_reason(error)}: {said}" if said else f"{model} {_reason(error)}"
    if is_ollama(model) and NOT_FETCHED.search(words):
        told = f"{told}: {pull_hint(model)}"
    fault = ModelUnavailable(words if is_unusable else told)
    fault.needs_mending = is_unusable or getattr(error, "status_code", None) in TO_BE_MENDED
    fault.is_busy, fault.retry_after = is_busy(error), retry_after(error)
    return fault


def _provider_words(error: Exception, *, model: str, keys: Iterable[str]) -> str:
    """What the provider says, which may be nothing; where its answer is none of the API's, what that may come from."""
    told, status = redacted(str(error), keys=keys), getattr(error, "status_code", None)
    if status not in REASONS and (PYTHONS_WORDS.search(told) if told else (status or 0) < SERVER_ERROR):
        return UNREADABLE
    if status != NOT_FOUND or "model" in told.lower():
        return told
    hint = ADDRESS_HINTS.get(model.partition("/")[0])
    return f"{told}; {hint}" if hint else told


def is_busy(error: Exception) -> bool:
    """Whether a provider takes no more questions just now: its rate limit is reached, or it is overloaded."""
    status = getattr(error, "status_code", None)
    return status in BUSY or (status == SERVER_ERROR and OVERLOADED.search(str(error)) is not None)


def retry_after(error: Exception) -> float:
    """The seconds for which a provider wishes to be left alone; 0 where it says nothing that can be read."""
    headers = getattr(error, "litellm_response_headers", None) or {}
    lower = {str(name).lower(): str(value) for name, value in headers.items()}
    return seconds_asked(lower, most=MOST_RETRY_AFTER) or 0.0


def is_unbearable(error: Exception) -> bool:
    """Whether the provider did not bear an option, so that the same question without it may be answered."""
    # By name, not by isinstance: a prompt too long or refused is a BadRequestError too, and stays one.
    is_bad = type(error).__name__ in {"BadRequestError", "UnsupportedParamsError"}
    return is_bad and not _is_refusal(error) and not _is_too_long(error)


def refused_parameter(error: Exception) -> str | None:
    """Which of max_tokens and temperature a model does not take, as reasoning models do; None for all else."""
    if type(error).__name__ not in {"BadRequestError", "UnsupportedParamsError", "UnprocessableEntityError"}:
        return None
    words = str(error)
    if NO_MAX_TOKENS.search(words):
        return "max_tokens"
    return "temperature" if NO_TEMPERATURE.search(words) else None


def together(faults: tuple[ModelFault, ...]) -> ModelFault:
    """
    Join the faults of all into one: their common type, else unavailable.

    Too long is too long for one of them where no other can be waited for.
    """
    kinds = {type(fault) for fault in faults}
    others = [fault for fault in faults if not isinstance(fault, ModelTruncated)]
    is_too_long = len(others) < len(faults) and all(
        fault.needs_mending or isinstance(fault, ModelRefused) for fault in others
    )
    kind = kinds.pop() if len(kinds) == 1 else ModelTruncated if is_too_long else ModelUnavailable
    fault = kind("; ".join(str(fault) for fault in faults))
    if isinstance(fault, ModelTruncated):
        fault.is_of_window = any(isinstance(one, ModelTruncated) and one.is_of_window for one in faults)
    if isinstance(fault, ModelUnavailable):
        fault.needs_mending = all(isinstance(one, ModelUnavailable) and one.needs_mending for one in faults)
        rests = [one.retry_after for one in faults if isinstance(one, ModelUnavailable) and one.is_busy]
        # One that fails otherwise may fail of what it was asked.
        says_nothing = all(
            one.needs_mending
            or isinstance(one, ModelCircuitOpen)
            or (isinstance(one, ModelUnavailable) and one.is_busy)
            for one in faults
        )
        fault.is_busy, fault.retry_after = bool(rests) and says_nothing, min(rests, default=0.0)
    return fault


def resting(fault: ModelCircuitOpen, *, cause: ModelFault | None) -> ModelCircuitOpen:
    """Return *fault*, that a model rests, with the *cause* in front: what a person may have to mend."""
    if cause is None:
        return fault
    found = ModelCircuitOpen(f"{cause}; {fault}")
    found.needs_mending = isinstance(cause, ModelUnavailable) and cause.needs_mending
    return found


def redacted(text: str, *, keys: Iterable[str] = ()) -> str:
    """Return a provider's words on one line, short, and without anything that looks like a key."""
    line = _one_line(text)
    line = _message(line) or line
    for key in sorted((one for one in keys if len(one) >= LEAST_HIDDEN), key=len, reverse=True):
        line = line.replace(key, "***")
    return SECRET.sub("***", redact(line).text)[:MOST_LETTERS]


def _one_line(text: str) -> str:
    return PREFIX.sub("", " ".join(text.split()))


def _message(line: str) -> str | None:
    """The message of an error in JSON, or in what Python shows of it; None of other words."""
    found = BODY.match(line)
    body = _read(found[1]) if found is not None else None
    if not isinstance(body, dict):
        return None
    inner = body.get("error") or body
    told = inner.get("message", inner.get("detail")) if isinstance(inner, dict) else inner
    return told if isinstance(told, str) and told.strip() else None


def _read(text: str) -> object:
    """The value that *text* writes in JSON or in Python; None where it writes none, such as a template."""
    for read in (json.loads, ast.literal_eval):
        with suppress(ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
            return cast("object", read(text))
    return None


def _is_too_long(error: Exception) -> bool:
    if isinstance(error, PromptTooLong) or type(error).__name__ == "ContextWindowExceededError":
        return True
    status, words = getattr(error, "status_code", None), str(error)
    is_above_limit = status in {*TOO_LONG_STATUSES, RATE_LIMITED} and TOO_MUCH_AT_ONCE.search(words) is not None
    return status == TOO_LARGE or is_above_limit or (status in TOO_LONG_STATUSES and TOO_LONG.search(words) is not None)


def _is_refusal(error: Exception) -> bool:
    words = f"{type(error).__name__} {error}"
    return any(sign in words for sign in REFUSALS)


def _reason(error: Exception) -> str:
    status = getattr(error, "status_code", None)
    if "Connection error" in str(error):
        return "can not be reached"
    if isinstance(status, int) and status >= SERVER_ERROR:
        return "failed"
    return REASONS.get(status, "failed") if isinstance(status, int) else "failed"
