"""Builds what tells the stories, from settings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from consolidation.kernel.ports import Role
from consolidation.story.consolidate import ConsolidationService
from consolidation.story.narrator import Narrator
from consolidation.story.triggers import Patience
from consolidation.workspace import checked_mind_id
from service.erasing.plans import Erasures
from service.storytelling.editing import StoryEditing
from service.storytelling.outcome import Outcomes
from service.storytelling.runs import Storytelling
from service.storytelling.session_files import SessionFolders
from service.storytelling.syncing import Syncing

if TYPE_CHECKING:
    from collections.abc import Mapping

    from consolidation.kernel.discretion import Discretion
    from consolidation.kernel.ports import Clock, LanguageModel
    from service.background import Background
    from service.digestion.digest import Digestion
    from service.minds import Minds
    from service.settings import Settings
    from service.spans import Spans
    from service.tally import Tally


@dataclass(frozen=True, slots=True)
class Stories:
    """What tells them, what people do to them, what is read in before."""

    telling: Storytelling
    editing: StoryEditing
    syncing: Syncing


def build_stories(
    settings: Settings,
    *,
    clock: Clock,
    background: Background,
    minds: Minds,
    digestion: Digestion,
    models: Mapping[Role, LanguageModel],
    discretion: Discretion,
    tally: Tally,
    spans: Spans,
) -> Stories:
    """All of it, nothing begun. Raises InvalidMindId where the settings name a mind that can not be."""
    knobs = settings.story
    narrator = Narrator((models[Role.NARRATIVE], models[Role.CHAT]))
    consolidation = ConsolidationService(
        narrator, clock=clock, batch_tokens=knobs.batch_tokens, most_words=knobs.most_words
    )
    telling = Storytelling(
        consolidation,
        minds=minds,
        clock=clock,
        background=background,
        agent=settings.agent,
        patience=Patience(knobs.threshold_tokens, knobs.idle_seconds, knobs.retry_seconds),
        sweep_seconds=settings.digestion.sweep_seconds,
        outcomes=Outcomes(tally=tally, spans=spans, clock=clock),
    )
    folder = knobs.sessions_folder.expanduser().absolute() if knobs.sessions_folder is not None else None
    erased_at = Erasures(settings.folder).at
    folders = SessionFolders(folder, checked_mind_id(knobs.sessions_mind), knobs.newest_sessions, erased_at)
    syncing = Syncing(
        minds=minds,
        digestion=digestion,
        storytelling=telling,
        clock=clock,
        discretion=discretion,
        tally=tally,
        folders=folders,
    )
    return Stories(telling, StoryEditing(telling), syncing)
