"""Builds what finds, reads and watches the journals, from settings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from service.adapters.folder_watch import changes
from service.adapters.hashing import HashingEmbedder
from service.journal.journal import Journal, Ranking
from service.journal.keeping import Keeping
from service.journal.matching import Weights
from service.journal.refreshing import Ways
from service.journal.watching import Watching
from service.resonance.notes import Notes

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from service.background import Background
    from service.paths import Outside
    from service.ports import Embedder, Identity
    from service.settings import Settings


@dataclass(frozen=True, slots=True)
class Journals:
    """On purpose, before a turn, and as soon as somebody writes; None is what the settings switch off."""

    journal: Journal
    arm: Notes | None
    watching: Watching | None

    def begin(self, background: Background) -> None:
        """Watch for what people write."""
        if self.watching is not None:
            background.watch("journal watch", self.watching.watch)


def build_journal(
    settings: Settings, outside: Outside, *, embedder: Embedder, identity: Callable[[], Awaitable[Identity]]
) -> Journals:
    """All of it, nothing begun; *embedder* is the one without a cache: chunks keep their vectors themselves."""
    knobs, clock = settings.journal, outside.clock
    weights = Weights(knobs.vector_weight, knobs.word_weight, knobs.day_weight, knobs.keep_share)
    # One that hashes words knows no meaning: words alone find as much, and say so.
    has_meaning = knobs.vector_weight > 0 and not isinstance(embedder, HashingEmbedder)
    keeping = Keeping(
        background=outside.background,
        embedder=embedder if has_meaning else None,
        identity=identity,
        ways=Ways(knobs.chunk_tokens, knobs.overlap_tokens, knobs.max_file_bytes, outside.discretion.redacts),
        now=clock.now,
    )
    journal = Journal(
        keeping,
        embedder=outside.embedder if has_meaning else None,
        clock=clock,
        ranking=Ranking(weights, knobs.mmr_lambda, knobs.half_life_days, knobs.min_score),
        max_file_bytes=knobs.max_file_bytes,
    )
    arm = Notes(keeping, weights=weights) if knobs.surfaces else None
    folder = settings.folder / "minds"
    watching = Watching(folder, minds=outside.minds, keeping=keeping, changes=changes) if knobs.watch else None
    return Journals(journal, arm, watching)
