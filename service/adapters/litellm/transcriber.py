"""The transcriber over litellm: a recording goes to any provider's model and comes back as words."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal

import anyio.to_thread

from consolidation.kernel.errors import ModelTimedOut, ModelTruncated, ModelUnavailable, RecordingRefused
from consolidation.kernel.ports import Usage
from consolidation.text.surrogates import without_lone_surrogates
from service.adapters.litellm.configuration import problem_of
from service.adapters.litellm.loader import open_litellm
from service.adapters.litellm.model_errors import translated
from service.observability.model_usage import ModelCall
from service.ports.transcriber import TranscriptionRole

if TYPE_CHECKING:
    from contextlib import AbstractAsyncContextManager
    from datetime import datetime
    from types import ModuleType

    from consolidation.kernel.errors import ModelFault
    from consolidation.kernel.ports import Clock
    from service.adapters.litellm.fallback_chain import Deployment
    from service.observability.dependency_health import Dependency
    from service.observability.model_usage import UsageLedger
    from service.ports.transcriber import Recording

_ROLE = TranscriptionRole.TRANSCRIPTION
_TYPES = {"wav": "audio/wav", "mp3": "audio/mpeg"}
_UNREADABLE = frozenset({400, 413, 415, 422})  # what providers say of a file that they can not read
_AWAY = 3  # failures in a row, or sound recordings refused, after which the provider counts as unavailable
_CONFIGURATION = "configuration"
_FIRST_CALL_IMPORTS = "openai.resources.audio"


@dataclass(slots=True)
class _Call:
    """One call, as it goes."""

    at: datetime
    begun: float
    outcome: Literal["answered", "failed", "given_up"] = "given_up"
    reason: str | None = None
    cost_usd: float = 0.0


class LitellmTranscriber:
    """
    One transcription model, asked for one recording at a time within *limit*.

    ``timeout_seconds`` covers the queue and the answer. *hidden* must not be quoted from any provider's words.
    """

    def __init__(
        self,
        deployment: Deployment,
        *,
        language: str | None,
        timeout_seconds: float,
        clock: Clock,
        limit: AbstractAsyncContextManager[object, bool | None],
        ledger: UsageLedger,
        dependency: Dependency | None,
        hidden: tuple[str, ...] = (),
    ) -> None:
        self._deployment = deployment
        self._language = language
        self._timeout = timeout_seconds
        self._clock = clock
        self._limit = limit
        self._ledger = ledger
        self._dependency = dependency
        self._hidden = (*hidden, *((deployment.api_key,) if deployment.api_key else ()))
        self._failures = 0
        self._refused: set[str] = set()  # digests of sound recordings, since one was understood

    @property
    def name(self) -> str:
        """The model's name."""
        return self._deployment.model

    async def warm(self) -> None:
        """Import litellm, and report a configuration that can not work; who starts the service logs it."""
        problem = await self.problem()
        if problem is not None and self._dependency is not None:
            self._dependency.failed(problem, part=_CONFIGURATION, stays=True, is_logged=True)

    async def problem(self) -> str | None:
        """What is wrong with the model's name or key, and what to do; no provider is asked."""
        litellm = await _opened()
        return await anyio.to_thread.run_sync(problem_of, litellm, self._deployment, abandon_on_cancel=True)

    async def transcribe(self, recording: Recording, /) -> str:
        """The words of *recording*. Raises ModelUnavailable, ModelRefused, RecordingRefused."""
        litellm = await _opened()  # not within the time limit: it is the machine's time, not the model's
        call = _Call(self._clock.now(), self._clock.monotonic())
        try:
            async with asyncio.timeout(self._timeout), self._limit:
                text, call.cost_usd = await self._asked(litellm, recording)
            call.outcome = "answered"
        except Exception as error:
            fault = self._fault(error)
            call.outcome, call.reason = "failed", str(fault)
            if isinstance(fault, RecordingRefused) and recording.is_ours:
                if len(self._refused) < _AWAY:
                    self._refused.add(recording.digest)
                fault.needs_mending = len(self._refused) >= _AWAY
            self._tell(fault)
            raise fault from error
        finally:
            self._record(call)
        self._refused.clear()
        self._tell(None)
        return text

    async def _asked(self, litellm: ModuleType, recording: Recording) -> tuple[str, float]:
        language = {"language": self._language} if self._language else {}
        response = await litellm.atranscription(
            model=self.name,
            file=(f"speech.{recording.format}", recording.data, _TYPES[recording.format]),
            api_base=self._deployment.api_base,
            api_key=self._deployment.api_key,
            timeout=self._timeout,
            max_retries=0,
            drop_params=True,
            **language,
        )
        if not (found := _type_of(response)).endswith("json"):  # a web page is not what somebody said
            raise ModelUnavailable(f"{self.name} answered {found}, not JSON: is API_BASE the model's address?")
        text = getattr(response, "text", None)
        if not isinstance(text, str):
            raise ModelUnavailable(f"{self.name} gave no text")
        words = without_lone_surrogates(text).replace("\0", "").strip()  # as it can be stored
        return words, await anyio.to_thread.run_sync(_cost, litellm, response)

    def _fault(self, error: Exception) -> ModelFault:
        if isinstance(error, ModelUnavailable):
            return error
        if isinstance(error, TimeoutError):
            return ModelTimedOut(f"{self.name} did not answer within {self._timeout:g} s")
        fault = translated(error, model=self.name, keys=self._hidden)
        if type(fault) in {ModelUnavailable, ModelTruncated} and getattr(error, "status_code", None) in _UNREADABLE:
            too_large = f"{self.name}: the recording is larger than it takes"
            return RecordingRefused(too_large if type(fault) is ModelTruncated else str(fault))
        return fault

    def _tell(self, fault: ModelFault | None) -> None:
        """Report to the operator; one recording that can not be read says nothing of the provider, several do."""
        if self._dependency is None:
            return
        if isinstance(fault, RecordingRefused) and fault.needs_mending:
            self._dependency.failed(f"the last {_AWAY} recordings or more were refused: {fault}")
            return
        if not isinstance(fault, ModelUnavailable):
            self._failures = 0
            self._dependency.worked()
            return
        self._failures += 1
        if fault.needs_mending or self._failures >= _AWAY:
            self._dependency.failed(str(fault))

    def _record(self, call: _Call) -> None:
        usage = Usage(1, cost_usd=call.cost_usd, seconds=self._clock.monotonic() - call.begun)
        host = self._deployment.host
        self._ledger.record(ModelCall(_ROLE, self.name, host, call.at, usage, call.outcome, reason=call.reason))


async def _opened() -> ModuleType:
    """litellm, and what it would otherwise import on the loop at the first call, which takes a second."""
    litellm = await open_litellm()
    await anyio.to_thread.run_sync(import_module, _FIRST_CALL_IMPORTS, abandon_on_cancel=True)
    return litellm


def _type_of(response: Any) -> str:  # noqa: ANN401 - litellm has no types
    """The media type of a provider's answer, or that it names none; that of JSON where litellm passes no headers on."""
    headers = getattr(response, "hidden_params", {}).get("headers")
    if headers is None:
        return "application/json"
    named = {name.lower(): value for name, value in headers.items()}
    return str(named.get("content-type", "")).partition(";")[0].strip().lower() or "without a Content-Type"


def _cost(litellm: ModuleType, response: Any) -> float:  # noqa: ANN401 - litellm has no types
    """What it cost in US dollars; 0 where litellm has no price."""
    try:
        return float(litellm.completion_cost(completion_response=response, call_type="atranscription") or 0)
    except Exception:  # noqa: BLE001 - an unpriced model raises a bare Exception
        return 0.0
