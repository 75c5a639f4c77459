"""Builds what answers questions from memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from consolidation.kernel.ports import Role
from service.ask.answerer import Answerer

if TYPE_CHECKING:
    from service.composition.resources import Resources
    from service.retrieval.remember import Recall
    from service.settings.settings import Settings

_SECONDS = 30.0  # a person waits for it


def build_answerer(settings: Settings, shared: Resources, *, recall: Recall) -> Answerer:
    """The subconscious model words the answers."""
    return Answerer(
        recall=recall,
        model=shared.models[Role.SUBCONSCIOUS],
        agent=settings.agent,
        privacy_filter=shared.privacy_filter,
        clock=shared.clock,
        seconds=_SECONDS,
    )
