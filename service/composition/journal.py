"""Builds what searches, reads and watches the journals: MEMORY.md and memory/**/*.md of every mind."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING

from service.adapters.folder_watch import changes
from service.journal.file_watch import JournalWatch
from service.journal.freshness import JournalFreshness
from service.journal.indexing import ChunkingOptions
from service.journal.journal import Journal, Ranking
from service.journal.mind_files import MindFiles
from service.journal.observations import ObservationSearch
from service.journal.scoring import JournalWeights
from service.resonance.journal_arm import JournalArm

if TYPE_CHECKING:
    from service.composition.resources import Resources
    from service.runtime.background import Background
    from service.settings.settings import Settings


@dataclass(frozen=True, slots=True)
class JournalPath:
    """
    What reads notes and observations on purpose, people's whole files, what searches before a turn, and what sees at
    once that somebody wrote.

    The last two are None where the settings switch them off.
    """

    journal: Journal
    files: MindFiles
    observations: ObservationSearch
    arm: JournalArm | None
    watch: JournalWatch | None

    def start(self, background: Background) -> None:
        """Watch for what people write."""
        if self.watch is not None:
            background.start_daemon("journal watch", self.watch.watch)


def build_journal(settings: Settings, shared: Resources) -> JournalPath:
    """All of it; nothing runs yet."""
    knobs, clock = settings.journal, shared.clock
    weights = JournalWeights(knobs.vector_weight, knobs.word_weight, knobs.day_weight, knobs.keep_share)
    # Where the embedder knows no meaning, words alone find as much, and the answer says so.
    has_meaning = knobs.vector_weight > 0 and shared.embedder.has_meaning
    freshness = JournalFreshness(
        background=shared.background,
        embedder=shared.plain_embedder if has_meaning else None,  # chunks keep their vectors themselves
        identity=shared.plain_embedder.identity,
        options=ChunkingOptions(
            knobs.chunk_tokens, knobs.overlap_tokens, knobs.max_file_bytes, shared.privacy_filter.redacts
        ),
        now=clock.now,
    )
    mutex = threading.Lock()
    journal = Journal(
        freshness,
        embedder=shared.embedder if has_meaning else None,
        clock=clock,
        ranking=Ranking(weights, knobs.mmr_lambda, knobs.half_life_days, knobs.min_score),
        max_file_bytes=knobs.max_file_bytes,
        mutex=mutex,
    )
    arm = JournalArm(freshness, weights=weights) if knobs.surfaces else None
    folder = settings.folder / "minds"
    watch = JournalWatch(folder, minds=shared.minds, freshness=freshness, changes=changes) if knobs.watch else None
    observations = ObservationSearch(freshness, weights=weights, now=clock.now)
    files = MindFiles(freshness, max_file_bytes=knobs.max_file_bytes, now=clock.now, mutex=mutex)
    return JournalPath(journal, files, observations, arm, watch)
