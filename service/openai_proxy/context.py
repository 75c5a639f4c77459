"""What the proxy uses of the service, and nothing else."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import tzinfo

    from consolidation.kernel.ports import Clock
    from consolidation.secrets.privacy_filter import PrivacyFilter
    from service.access.principal import Principal
    from service.composition.container import Memory
    from service.ingest.intake import Intake
    from service.mind.minds import Minds
    from service.observability.model_usage import UsageLedger
    from service.openai_proxy.rewrite import ChatPlacement
    from service.ports.upstream import Upstream
    from service.resonance.outcome_reports import OutcomeReports
    from service.resonance.pipeline import Pipeline
    from service.runtime.background import Background
    from service.runtime.last_seen import LastSeen
    from service.settings.sections import ResonanceSettings
    from service.voice.hearing import Hearing
    from service.voice.transcripts import Transcripts
    from service.workers.fleet import Fleet


@dataclass(frozen=True, slots=True)
class ProxyContext:
    """Memory before an answer (minds, pipeline), the answer (upstream), and what is stored after it (the others)."""

    clock: Clock
    minds: Minds
    pipeline: Pipeline
    privacy_filter: PrivacyFilter
    upstream: Upstream
    intake: Intake
    hearing: Hearing
    transcripts: Transcripts
    outcomes: OutcomeReports
    usage: UsageLedger
    background: Background
    first_attempts: LastSeen
    resonance: ResonanceSettings
    deadline_seconds: float | None
    placement: ChatPlacement
    timezone: tzinfo
    sees: Callable[[str], bool]
    fleet: Fleet | None

    @classmethod
    def of(cls, memory: Memory, *, caller: Principal) -> ProxyContext:
        """Take from *memory* what the proxy uses for *caller*."""
        return cls(
            clock=memory.clock,
            minds=memory.minds,
            pipeline=memory.pipeline,
            privacy_filter=memory.privacy_filter,
            upstream=memory.upstream,
            intake=memory.intake,
            hearing=memory.voice.hearing,
            transcripts=memory.voice.transcripts,
            outcomes=memory.outcomes,
            usage=memory.telemetry.usage,
            background=memory.background,
            first_attempts=memory.first_attempts,
            resonance=memory.settings.resonance,
            deadline_seconds=memory.deadline_seconds,
            placement=memory.settings.proxy.placement,
            timezone=ZoneInfo(memory.settings.proxy.timezone),
            sees=caller.sees,
            fleet=memory.fleet,
        )

    async def privacy_of(self, mind_id: str) -> PrivacyFilter:
        """What a mind keeps nothing of: the service's filter, and words of the mind's own."""
        return await self.intake.privacy_of(mind_id)
