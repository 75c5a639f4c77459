"""Builds what autonomous agents call: actions, sleep, dreams."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from consolidation.dreams.dreamer import Dreamer
from consolidation.dreams.evaluation import PresentSettings
from consolidation.dreams.fatigue import FatigueThresholds
from consolidation.dreams.sleep_decision import SleepRules
from service.adapters.extractive_model import ExtractiveModel
from service.composition.models import narrators
from service.sleep.actions import ActionIntake, WonderKnobs
from service.sleep.dreaming import Dreaming
from service.sleep.evaluations import Evaluations
from service.sleep.sleeper import Sleeper

if TYPE_CHECKING:
    from service.composition.resources import Resources
    from service.ingest.intake import Intake
    from service.resonance.pipeline import Pipeline
    from service.settings.settings import Settings


@dataclass(frozen=True, slots=True)
class Sleep:
    """What takes an agent's actions, and what lets it sleep."""

    actions: ActionIntake
    sleeper: Sleeper
    evaluations: Evaluations
    thresholds: FatigueThresholds


def build_sleep(settings: Settings, shared: Resources, *, intake: Intake, pipeline: Pipeline) -> Sleep:
    """Build it; nothing runs yet."""
    knobs, models, tally = settings.sleep, shared.models, shared.telemetry.tally
    thresholds = FatigueThresholds(knobs.fatigue_warning, knobs.fatigue_limit)
    rules = SleepRules(
        knobs.nap_seconds,
        knobs.dream_interval_seconds,
        knobs.lightweight_actions,
        knobs.deep_every,
        knobs.deep_pause_seconds,
    )
    dreamer = Dreamer(tuple(models[role] for role in narrators(settings)), quoting=ExtractiveModel())
    relevance = settings.resonance.relevance
    present = PresentSettings(relevance, knobs.fatigue_warning, knobs.wonder_every)
    dreaming = Dreaming(dreamer, clock=shared.clock, agent=settings.agent, tally=tally, rules=rules, present=present)
    sleeper = Sleeper(
        dreaming,
        minds=shared.minds,
        clock=shared.clock,
        background=shared.background,
        tally=tally,
        thresholds=thresholds,
        rules=rules,
        retry_seconds=knobs.retry_seconds,
        sweep_seconds=settings.digestion.sweep_seconds,
    )
    actions = ActionIntake(
        intake,
        minds=shared.minds,
        sleeper=sleeper,
        pipeline=pipeline,
        clock=shared.clock,
        background=shared.background,
        tally=tally,
        thresholds=thresholds,
        wonder=WonderKnobs(knobs.wonder_every, relevance, knobs.wonder_seconds),
    )
    shared.minds.when_closed(sleeper.forget)
    evaluations = Evaluations(sleeper, minds=shared.minds, clock=shared.clock, relevance=relevance)
    return Sleep(actions, sleeper, evaluations, thresholds)
