"""Builds what loads the example life: the pipeline that its pre-turn calls go through asks no hosted model."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from service.adapters.extractive_model import ExtractiveModel
from service.composition.resonance import build_resonance
from service.example.loader import ExampleLoader, Limits

if TYPE_CHECKING:
    from service.composition.resources import Resources
    from service.corrections.desk import CorrectionDesk
    from service.ingest.intake import Intake
    from service.resonance.arms import Switches
    from service.settings.settings import Settings
    from service.story.scheduler import StoryScheduler


def build_example(
    settings: Settings,
    shared: Resources,
    *,
    switches: Switches,
    intake: Intake,
    corrections: CorrectionDesk,
    scheduler: StoryScheduler,
) -> ExampleLoader:
    """Build it; nothing is loaded yet."""
    knobs, quoting = settings.resonance, ExtractiveModel()
    unhosted = replace(shared, models=dict.fromkeys(shared.models, quoting))
    return ExampleLoader(
        shared.minds,
        intake=intake,
        pipeline=build_resonance(settings, unhosted, switches=switches, journal=None).pipeline,
        corrections=corrections,
        scheduler=scheduler,
        background=shared.background,
        clock=shared.clock,
        limits=Limits(knobs.max_fragments, knobs.max_tokens, knobs.relevance),
    )
