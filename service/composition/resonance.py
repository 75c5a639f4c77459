"""Builds the read path: the six phases from a message to what surfaces."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from consolidation.corrections.wording import forget_texts
from consolidation.kernel.ports import Role
from consolidation.text.words import forget_words
from consolidation.transcript.recovery import forget_lines
from service.adapters.word_rarity import WordRarity
from service.resonance.entity_arm import EntityArm
from service.resonance.filters import Filters
from service.resonance.late_answers import LateAnswers, Pace
from service.resonance.narration_model import NarrationModel
from service.resonance.other_minds import OtherMinds
from service.resonance.outcome_reports import OutcomeReports
from service.resonance.people_cards import PeopleCards
from service.resonance.pipeline import CallTelemetry, Pipeline, Search
from service.resonance.relevance_gate import RelevanceGate
from service.resonance.retrieval import Retrieval
from service.resonance.seeds_model import SeedsModel
from service.resonance.stable_prompt import StablePrompt
from service.resonance.statement_arm import StatementArm
from service.resonance.think_ahead import ThinkAhead
from service.resonance.turns_on_purpose import TurnsOnPurpose
from service.retrieval.excerpt import forget_excerpts
from service.runtime.places import Places

if TYPE_CHECKING:
    from service.composition.resources import Resources
    from service.resonance.arms import Switches
    from service.resonance.journal_arm import JournalArm
    from service.settings.settings import Settings

# With a hosted model, an answer of 1.2 s and two searches fit; it is waited for no longer than it takes.
_WITHOUT_MODEL_SECONDS, _WITH_MODEL_SECONDS = 1.5, 2.5
# Searches at once, where this process makes the vectors: more would keep no further core busy, and all be late. Where a
# provider makes them, a search waits for it most of the time.
_MOST_SEARCHES, _MOST_SEARCHES_WITH_PROVIDER = 4, 64


@dataclass(frozen=True, slots=True)
class Resonance:
    """
    The pipeline, the weight of words it uses, what it thinks and remembers between calls, the outcomes of its answers.

    ``deadline_seconds`` is for calls that name no deadline; None sets no limit.
    """

    pipeline: Pipeline
    turns: TurnsOnPurpose
    rarity: WordRarity
    think_ahead: ThinkAhead
    outcomes: OutcomeReports
    deadline_seconds: float | None
    cards: PeopleCards
    _late_answers: LateAnswers
    _stable_prompt: StablePrompt
    _shared: Resources

    def forget_answers(self, mind_id: str) -> None:
        """Drop what models answered about a mind's memories, and nobody heard yet: it may not hold any more."""
        self._late_answers.forget(mind_id)
        self.think_ahead.forget(mind_id)

    def forget(self, mind_id: str) -> None:
        """Drop a mind's words from memory: it is erased, or a part of it is."""
        self._shared.embedder.clear()
        for forget in (forget_texts, forget_words, forget_lines, forget_excerpts):
            forget()
        self.forget_answers(mind_id)
        self._stable_prompt.forget(self._shared.minds.workspace(mind_id))


def _deadline_seconds(settings: Settings, *, is_model_hosted: bool) -> float | None:
    chosen = settings.resonance.deadline_ms
    if chosen is None:
        return _WITH_MODEL_SECONDS if is_model_hosted else _WITHOUT_MODEL_SECONDS
    return chosen / 1000 or None


def build_resonance(
    settings: Settings, shared: Resources, *, switches: Switches, journal: JournalArm | None
) -> Resonance:
    """The read path; *journal* is the arm that searches notes, None where the settings switch it off."""
    model, rarity = shared.models[Role.SUBCONSCIOUS], WordRarity()
    late_answers = LateAnswers(shared.background)
    pace = Pace()
    think_ahead = ThinkAhead(
        model=model, agent=settings.agent, late_answers=late_answers, pace=pace, clock=shared.clock
    )
    cards = PeopleCards()
    stable_prompt = StablePrompt(
        story_tokens=settings.resonance.story_tokens,
        cards=cards,
        shows_cards=settings.resonance.people_cards,
        clock=shared.clock,
    )
    notes = (journal,) if journal is not None and switches.journal else ()
    arms = (EntityArm(), StatementArm(embedder=shared.embedder), *notes)
    gate = RelevanceGate(rarity=rarity, are_cosines_calibrated=shared.embedder.is_calibrated)
    retrieval = Retrieval(embedder=shared.embedder, switches=switches, fragment_arms=arms)
    filters = Filters(
        gate=gate,
        echo_turns=settings.resonance.echo_turns,
        compares_turns=shared.embedder.is_calibrated and switches.vectors,
    )
    other_minds = OtherMinds(
        retrieval=retrieval, filters=filters, monotonic=shared.clock.monotonic, spans=shared.telemetry.spans
    )
    most = _MOST_SEARCHES if shared.embedder.is_in_process else _MOST_SEARCHES_WITH_PROVIDER
    places = Places(most, monotonic=shared.clock.monotonic)
    pipeline = Pipeline(
        seeds=SeedsModel(
            model=model,
            agent=settings.agent,
            late_answers=late_answers,
            think_ahead=think_ahead,
            pace=pace,
            tally=shared.telemetry.tally,
        ),
        search=Search(retrieval, filters, other_minds, places),
        narration=NarrationModel(model=model, agent=settings.agent, late_answers=late_answers),
        stable=stable_prompt,
        privacy_filter=shared.privacy_filter,
        clock=shared.clock,
        telemetry=CallTelemetry(shared.telemetry.tally, shared.telemetry.spans, shared.events.publish),
        foreground=shared.foreground,
        background=shared.background,
    )
    deadline_seconds = _deadline_seconds(settings, is_model_hosted=model.is_hosted)
    outcomes = OutcomeReports(
        clock=shared.clock,
        tally=shared.telemetry.tally,
        background=shared.background,
        notices=settings.resonance.notice_outcomes,
    )
    turns = TurnsOnPurpose(
        retrieval=retrieval,
        clock=shared.clock,
        spans=shared.telemetry.spans,
        are_cosines_calibrated=shared.embedder.is_calibrated,
    )
    return Resonance(
        pipeline, turns, rarity, think_ahead, outcomes, deadline_seconds, cards, late_answers, stable_prompt, shared
    )
