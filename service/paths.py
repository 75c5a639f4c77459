"""Builds the two paths from settings: what is made of a turn, and what surfaces before one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from service.adapters.graph.naming import episode_uuid
from service.adapters.minilm import MiniLM
from service.digestion.digest import Digestion
from service.digestion.extracting import Extracting
from service.digestion.patience import Patience
from service.digestion.steps import Steps
from service.resonance.fusion import Weights
from service.resonance.gate import Gate
from service.resonance.gathering import Gathering
from service.resonance.pipeline import Pipeline
from service.resonance.retrieval import Retrieval
from service.resonance.telling import Telling
from service.resonance.wondering import Wondering

if TYPE_CHECKING:
    from consolidation.kernel.discretion import Discretion
    from consolidation.kernel.ports import Clock, LanguageModel
    from service.adapters.rarity import Rarity
    from service.background import Background
    from service.digestion.saving import Saving
    from service.minds import Minds
    from service.ports import Embedder, EpisodicGraph
    from service.resonance.afterthoughts import Afterthoughts
    from service.resonance.notes import Notes
    from service.resonance.retrieval import Switches
    from service.resonance.stable import Stable
    from service.settings import Settings
    from service.spans import Spans
    from service.tally import Tally


@dataclass(frozen=True, slots=True)
class Outside:
    """What the two paths share."""

    clock: Clock
    background: Background
    minds: Minds
    graph: EpisodicGraph
    model: LanguageModel
    embedder: Embedder
    discretion: Discretion
    tally: Tally
    spans: Spans

    @property
    def steps(self) -> Steps:
        """What is told of each step of a turn."""
        return Steps(tally=self.tally, spans=self.spans, monotonic=self.clock.monotonic)


def build_digestion(settings: Settings, outside: Outside, *, saving: Saving) -> Digestion:
    """The write path behind the transcript, nothing begun."""
    knobs = settings.digestion
    return Digestion(
        outside.minds,
        saving=saving,
        extracting=Extracting(
            outside.graph,
            clock=outside.clock,
            uuid_of=episode_uuid,
            most_attempts=knobs.most_attempts,
            turn_seconds=knobs.turn_seconds,
            steps=outside.steps,
        ),
        steps=outside.steps,
        background=outside.background,
        patience=lambda: Patience(first_seconds=knobs.first_retry_seconds, most_seconds=knobs.most_retry_seconds),
        sweep_seconds=knobs.sweep_seconds,
    )


def build_pipeline(
    settings: Settings,
    outside: Outside,
    *,
    rarity: Rarity,
    switches: Switches,
    afterthoughts: Afterthoughts,
    stable: Stable,
    journal: Notes | None,
) -> Pipeline:
    """The read path; *afterthoughts* and *stable* are what it keeps in memory; *journal* is the arm of the notes."""
    gathering = Gathering(
        retrieval=Retrieval(outside.graph, embedder=outside.embedder, switches=switches, notes=journal),
        graph=outside.graph,
        wondering=Wondering(
            model=outside.model, agent=settings.agent, background=outside.background, afterthoughts=afterthoughts
        ),
        weights=Weights(),
        gate=Gate(rarity=rarity, are_cosines_calibrated=outside.embedder.name == MiniLM.name),
        echo_turns=settings.resonance.echo_turns,
    )
    telling = Telling(
        model=outside.model, agent=settings.agent, background=outside.background, afterthoughts=afterthoughts
    )
    return Pipeline(
        clock=outside.clock,
        discretion=outside.discretion,
        gathering=gathering,
        telling=telling,
        stable=stable,
        tally=outside.tally,
        spans=outside.spans,
    )
