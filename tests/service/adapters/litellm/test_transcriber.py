"""The transcriber over litellm: what is sent, what comes back, what is told of failures, and what is imported when."""

import asyncio
import subprocess
import sys

import pytest

from consolidation.kernel.clock import SystemClock
from consolidation.kernel.errors import ModelTimedOut, ModelUnavailable, RecordingRefused
from service.adapters.litellm.fallback_chain import Deployment
from service.adapters.litellm.loader import close_litellm
from service.adapters.litellm.transcriber import LitellmTranscriber
from service.observability.dependency_health import Dependencies
from service.observability.model_usage import UsageLedger
from service.ports.transcriber import Recording
from service.voice.g711 import as_wav
from tests.support.hosted_models import KEY
from tests.support.paths import ROOT
from tests.support.speech import speech
from tests.twins.provider import Body, Closes, Fails, Hangs, ScriptedProvider

pytestmark = pytest.mark.anyio

RECORDING = Recording(as_wav(speech(1.0)), "wav", 1.0)
WARM = """
import asyncio, sys
from tests.service.adapters.litellm.test_transcriber import transcriber_at
asyncio.run(transcriber_at("http://127.0.0.1:9/v1").warm())
print("openai.resources.audio" in sys.modules)
"""


def transcriber_at(url, *, seconds=30.0, ledger=None, dependency=None, language=None):
    return LitellmTranscriber(
        Deployment("openai/whisper-1", url, KEY),
        language=language,
        timeout_seconds=seconds,
        clock=SystemClock(),
        limit=asyncio.Semaphore(2),
        ledger=ledger or UsageLedger(),
        dependency=dependency,
    )


@pytest.fixture
async def _closed():
    yield
    await close_litellm()


@pytest.mark.usefixtures("_closed")
class TestTranscriber:
    async def test_the_file_and_the_language_are_sent_and_the_words_come_back(self):
        with ScriptedProvider(hears=[" My mother lives in Lyon. "]) as provider:
            words = await transcriber_at(provider.url, language="en").transcribe(RECORDING)

        [sent] = provider.recorded
        assert words == "My mother lives in Lyon."
        assert (sent.file, sent.fields["model"], sent.fields["language"]) == (RECORDING.data, "whisper-1", "en")
        assert {name.lower(): value for name, value in sent.headers.items()}["authorization"] == f"Bearer {KEY}"

    @pytest.mark.parametrize(
        ("answer", "fault"),
        [
            (Fails(500), ModelUnavailable),
            (Fails(429), ModelUnavailable),
            (Fails(401, f"Incorrect API key: {KEY}"), ModelUnavailable),
            (Closes(), ModelUnavailable),
            (Body({"words": 7}), ModelUnavailable),
            (Hangs(), ModelTimedOut),
            (Fails(400, "Audio file is too short."), RecordingRefused),
            (Fails(413), RecordingRefused),
        ],
    )
    async def test_a_failure_is_ours_and_tells_no_key(self, answer, fault):
        ledger = UsageLedger()
        with ScriptedProvider(hears=[answer]) as provider:
            with pytest.raises(fault) as raised:
                await transcriber_at(provider.url, seconds=1.0, ledger=ledger).transcribe(RECORDING)

        assert type(raised.value) is fault
        assert KEY not in str(raised.value)
        assert [one.outcome for one in ledger.last_calls] == ["failed"]
        assert len(provider.recorded) == 1

    async def test_trouble_is_shown_until_it_answers_again(self):
        dependency = Dependencies(monotonic=SystemClock().monotonic).get("model_transcription")
        with ScriptedProvider(hears=[Fails(401), Fails(500), "words"]) as provider:
            model = transcriber_at(provider.url, dependency=dependency)
            troubles = []
            for _ in range(3):
                try:
                    await model.transcribe(RECORDING)
                except ModelUnavailable:
                    pass
                troubles.append(dependency.trouble is not None)

        assert troubles == [True, True, False]

    async def test_a_name_of_no_provider_is_reported(self):
        model = transcriber_at("http://127.0.0.1:9/v1")
        model._deployment = Deployment("whisper-of-nobody")

        assert "names no provider" in await model.problem()


def test_warming_imports_what_the_first_call_would_import_on_the_loop():
    run = subprocess.run([sys.executable, "-c", WARM], cwd=ROOT, capture_output=True, text=True, timeout=120)

    assert run.stdout.strip() == "True", run.stderr
