"""Builds what reads, narrates, edits and imports the stories."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from consolidation.story.consolidation import ConsolidationService
from consolidation.story.narrator import Narrator
from service.adapters.extractive_model import ExtractiveModel
from service.composition.models import narrators
from service.composition.resources import story_thresholds
from service.erasure.pending import ErasedMinds
from service.story.context_window import ContextWindows
from service.story.editor import StoryEditor
from service.story.pending_log import PendingLog
from service.story.reader import StoryReader
from service.story.run_telemetry import RunTelemetry
from service.story.scheduler import StoryScheduler
from service.story.session_files import SessionFolders
from service.story.sources import StorySources
from service.story.sync import StorySync
from service.story.writer import StoryWriter

if TYPE_CHECKING:
    from service.composition.resources import Resources
    from service.ingest.intake import Intake
    from service.settings.settings import Settings


@dataclass(frozen=True, slots=True)
class Narration:
    """What reads and narrates the stories, and when. The intake wakes it, so it is built before the intake."""

    reader: StoryReader
    sources: StorySources
    writer: StoryWriter
    scheduler: StoryScheduler


@dataclass(frozen=True, slots=True)
class Story:
    """What reads and narrates the stories, what people do to them, and what imports turns before they are narrated."""

    reader: StoryReader
    sources: StorySources
    writer: StoryWriter
    scheduler: StoryScheduler
    editor: StoryEditor
    sync: StorySync
    windows: ContextWindows


def build_narration(settings: Settings, shared: Resources) -> Narration:
    """Build it; nothing runs yet."""
    knobs, models = settings.story, shared.models
    consolidation = ConsolidationService(
        Narrator(tuple(models[role] for role in narrators(settings)), quoting=ExtractiveModel()),
        clock=shared.clock,
        batch_tokens=knobs.batch_tokens,
        most_words=knobs.most_words,
    )
    pending_log = PendingLog(shared.background)
    shared.minds.when_closed(pending_log.forget)
    reader = StoryReader(consolidation, clock=shared.clock)
    sources = StorySources(
        reader,
        embedder=shared.plain_embedder,  # its memory of vectors is for what is searched
        background=shared.background,
        gate=shared.minds.gate,
        clock=shared.clock,
    )
    shared.minds.when_closed(sources.forget)
    writer = StoryWriter(
        consolidation,
        clock=shared.clock,
        agent=settings.agent,
        pending_log=pending_log,
        sources=sources,
        telemetry=RunTelemetry(
            tally=shared.telemetry.tally,
            spans=shared.telemetry.spans,
            clock=shared.clock,
            publish=shared.events.publish,
        ),
        minds=shared.minds,
    )
    scheduler = StoryScheduler(
        writer,
        minds=shared.minds,
        clock=shared.clock,
        background=shared.background,
        pending_log=pending_log,
        thresholds=story_thresholds(settings),
        sweep_seconds=settings.digestion.sweep_seconds,
    )
    return Narration(reader, sources, writer, scheduler)


def build_story(settings: Settings, shared: Resources, *, narration: Narration, intake: Intake) -> Story:
    """Build the rest; nothing runs yet. Raises InvalidMindId where the settings name an invalid mind."""
    knobs = settings.story
    folder = knobs.sessions_folder.expanduser().absolute() if knobs.sessions_folder is not None else None
    sync = StorySync(
        minds=shared.minds,
        intake=intake,
        scheduler=narration.scheduler,
        background=shared.background,
        clock=shared.clock,
        privacy_filter=shared.privacy_filter,
        folders=SessionFolders(
            folder,
            knobs.sessions_mind,
            knobs.newest_sessions,
            ErasedMinds(settings.folder).at,
        ),
    )
    editor = StoryEditor(narration.reader, writer=narration.writer, scheduler=narration.scheduler, clock=shared.clock)
    windows = ContextWindows(sync, shared.clock)
    return Story(narration.reader, narration.sources, narration.writer, narration.scheduler, editor, sync, windows)
