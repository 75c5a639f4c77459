"""When a story is due, as the settings say."""

from __future__ import annotations

from typing import TYPE_CHECKING

from consolidation.story.triggers import TriggerThresholds

if TYPE_CHECKING:
    from service.settings.settings import Settings


def story_thresholds(settings: Settings) -> TriggerThresholds:
    """After how many tokens, how much quiet, and how long after a failure."""
    knobs = settings.story
    return TriggerThresholds(knobs.threshold_tokens, knobs.idle_seconds, knobs.retry_seconds)
