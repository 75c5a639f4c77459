"""Builds what hears: the transcription model of the settings, posted audio in words, and telephone streams."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING

from service.adapters.litellm.fallback_chain import Deployment
from service.adapters.litellm.transcriber import LitellmTranscriber
from service.composition.ingest import backoff_of
from service.ports.transcriber import TranscriptionRole
from service.voice.hearing import Hearing
from service.voice.live_streams import LiveStreams
from service.voice.stream import StreamContext
from service.voice.transcripts import Transcripts

if TYPE_CHECKING:
    from consolidation.kernel.ports import Clock
    from service.composition.resources import Resources
    from service.ingest.intake import Intake
    from service.observability.dependency_health import Dependency
    from service.observability.model_usage import UsageLedger
    from service.ports.transcriber import Transcriber
    from service.settings.settings import Settings

DEPENDENCY = f"model_{TranscriptionRole.TRANSCRIPTION}"


@dataclass(frozen=True, slots=True)
class Voice:
    """What doors may do with audio; the transcription model, which is made ready at the start, or None without one."""

    transcriber: Transcriber | None
    transcripts: Transcripts
    hearing: Hearing
    streams: LiveStreams


def build_voice(settings: Settings, shared: Resources, *, intake: Intake) -> Voice:
    """All of it; nothing is imported yet, and no provider is asked."""
    transcriber = choose_transcriber(
        settings,
        clock=shared.clock,
        ledger=shared.telemetry.usage,
        dependency=shared.telemetry.dependencies.get(DEPENDENCY) if settings.models.transcription.model else None,
    )
    transcripts = Transcripts(transcriber, clock=shared.clock, background=shared.background)
    context = StreamContext(
        intake=intake,
        gate=shared.minds.gate,
        transcripts=transcripts,
        clock=shared.clock,
        background=shared.background,
        new_backoff=backoff_of(settings),
        tally=shared.telemetry.tally,
        silence_ms=settings.voice.silence_ms,
        utterance_seconds=settings.voice.utterance_seconds,
    )
    hearing = Hearing(transcripts, shared.minds, privacy_filter=shared.privacy_filter)
    streams = LiveStreams(shared.minds, context, most=settings.voice.most_streams)
    return Voice(transcriber, transcripts, hearing, streams)


def choose_transcriber(
    settings: Settings, *, clock: Clock, ledger: UsageLedger, dependency: Dependency | None
) -> LitellmTranscriber | None:
    """The configured one; None without a model. Nothing is imported yet."""
    chosen = settings.models.transcription
    if chosen.model is None:
        return None
    key = chosen.api_key.get_secret_value() if chosen.api_key is not None else None
    return LitellmTranscriber(
        Deployment(chosen.model, chosen.api_base, key),
        language=chosen.language,
        timeout_seconds=chosen.timeout_seconds,
        clock=clock,
        limit=asyncio.Semaphore(settings.models.at_once),
        ledger=ledger,
        dependency=dependency,
        hidden=settings.secrets,
    )
