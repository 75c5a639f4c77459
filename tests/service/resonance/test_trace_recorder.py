"""
What a trace notes of a call: what each phase did, how long it took, what failed; of one off the record, figures alone.

Every docstring says what was broken, once, to see the test fail.
"""

from contextlib import contextmanager
from datetime import timedelta
from types import SimpleNamespace

import pytest

from consolidation.kernel.clock import FixedClock
from consolidation.kernel.ports import Usage
from service.mind.trace_document import FiltersTrace, RetrievalTrace, SeedsTrace
from service.resonance.trace_recorder import candidate_trace
from service.retrieval.moment import JournalLines
from tests.support.fragments import NOON, flashback_of, fragment_of
from tests.support.read_path import call_of

ADA = SimpleNamespace(mind_id="ada")


class Spans:
    """Notes the spans that were opened, with their attributes."""

    def __init__(self):
        self.opened = []

    @contextmanager
    def inside(self, name, /, **attributes):
        self.opened.append((name, attributes))
        yield lambda **more: attributes.update(more)


@pytest.fixture
def clock():
    return FixedClock(NOON)


def document(call, *flashbacks, block=""):
    call.trace.finish()
    return call.trace.document(call.moment, flashbacks=flashbacks, block=block)


def test_what_is_noted_later_is_added_to_what_was_noted_before():
    """Broken: ``note`` replaces the whole part."""
    call = call_of(ADA, "Hello.")
    with call.trace.phase("seeds"):
        call.trace.note(SeedsTrace(queries=("Hello.",), names=()))
    call.trace.note(SeedsTrace(model="too late"))

    assert document(call).phases.seeds == SeedsTrace(queries=("Hello.",), names=(), model="too late")


def test_a_phase_that_was_reached_is_there_though_it_noted_nothing_and_one_that_was_not_is_not():
    """Broken: ``phase`` adds no part; every phase has one."""
    call = call_of(ADA, "Hello.")
    with call.trace.phase("injection"):
        pass

    assert document(call).as_json()["phases"] == {"injection": {}}


def test_what_was_noted_before_a_failure_is_kept():
    """Broken: a phase hands in its notes when it ends well, and only then."""
    call = call_of(ADA, "Hello.")
    with pytest.raises(TimeoutError), call.trace.phase("filters"):
        call.trace.note(FiltersTrace(dropped={"f1": "limit"}))
        raise TimeoutError

    assert document(call).phases.filters.dropped == call.trace.dropped == {"f1": "limit"}
    assert "filters" in call.trace.timings


def test_each_phase_is_timed_and_waiting_for_anothers_model_is_that_others_time(clock):
    """Broken: ``counted_as`` leaves its time where it is, too; a second stretch replaces the first."""
    call = call_of(ADA, "Hello.", clock=clock)
    with call.trace.phase("seeds"):
        clock.advance(timedelta(milliseconds=10))
    with call.trace.phase("retrieval"):
        clock.advance(timedelta(milliseconds=20))
        with call.trace.counted_as("seeds"):
            clock.advance(timedelta(milliseconds=400))
        clock.advance(timedelta(milliseconds=5))
    call.trace.finish()

    assert call.trace.timings == pytest.approx({"seeds": 410, "retrieval": 25, "total": 435}, abs=0.02)


def test_a_span_says_how_many_and_not_which():
    """Broken: ``annotate`` is given the values; it is not called."""
    spans = Spans()
    call = call_of(ADA, "Hello.", spans=spans)
    with call.trace.phase("retrieval"):
        call.trace.note(RetrievalTrace(queries=("a secret", "another"), candidates=()))

    assert spans.opened == [("resonance.retrieval", {"queries": 2, "candidates": 0})]


def test_silence_has_its_reason_unless_something_surfaced_all_the_same():
    """Broken: ``document`` gives the reason beside flashbacks."""
    call = call_of(ADA, "Hello.")
    assert call.trace.silent("nothing was found") == ()

    assert document(call).silence == "nothing was found"
    assert document(call, flashback_of("Lyon")).silence is None


def test_rungs_are_named_once_and_in_order_and_costs_add_up():
    """Broken: a rung is named twice; the second cost replaces the first."""
    call = call_of(ADA, "Hello.")
    call.trace.degrade("graph_unavailable", "seeds_skipped")
    call.trace.degrade("seeds_skipped", "deadline")
    call.trace.spend(Usage(1, 10, 2, 0.5))
    call.trace.spend(Usage(1, 30, 3, 0.25))

    found = document(call)
    assert found.degraded == ("graph_unavailable", "seeds_skipped", "deadline")
    assert (found.usage.calls, found.usage.prompt_tokens, found.usage.cost_usd) == (2, 40, 0.75)


def test_what_is_off_the_record_leaves_no_words():
    """Broken: any of the four ``if is_off``."""
    call = call_of(ADA, "A secret.", is_off_the_record=True)
    with call.trace.phase("seeds"):
        call.trace.note(SeedsTrace(queries=("A secret.",)))

    found = document(call, flashback_of("A secret."), block="A secret.")
    assert not any(found.texts())
    assert (found.phases.seeds, found.surfaced, found.sequences) == (None, True, {1})


def test_a_candidate_is_shown_with_its_arms_and_its_notes_and_not_at_endless_length():
    """Broken: the text is not cut; notes are left out."""
    lines = JournalLines("MEMORY.md", 3, 4, NOON, "…")
    found = candidate_trace(fragment_of("f", "x" * 1000, sequences=(3, 1)))

    assert (len(found.text), found.sequences, found.notes) == (300, (1, 3), None)
    noted = fragment_of("n", sequences=(), kind="journal", notes=(lines,))
    assert candidate_trace(noted).notes == ("MEMORY.md:3-4",)
