"""
By what an erase knows the traces that have to go: their session, their turns, the words they were asked with or quote.

Every docstring says what was broken, once, to see the test fail.
"""

import pytest

from consolidation.corrections.record import Correction, Target, What
from service.erasure.pending import DoomedTurn, ErasurePlan
from service.erasure.receipt import ErasureRequest
from service.erasure.unique_words import UniqueWords, is_doomed, is_doomed_correction
from service.mind.trace_document import (
    CandidateTrace,
    FiltersTrace,
    LabelsTrace,
    NarrationTrace,
    PhasesTrace,
    RetrievalTrace,
    SeedsTrace,
    ShownTrace,
    TraceDocument,
)
from tests.support.fragments import NOON, kept_of

SECRET = "My aunt Zerlina keeps her rubies in Xanadupolis."
PLAN = ErasurePlan(
    ErasureRequest("ada", turn_id="t7"),
    NOON,
    turns=(DoomedTurn(7, "t7", "s1", "e7"),),
    words=("rubies", "zerlina"),
    forms=("Xanadupolis",),
    messages=(SECRET,),
)


def trace_of(*, session_id="s2", **more):
    return TraceDocument("t1", "ada", session_id, NOON, **more)


def goes(trace, plan=PLAN):
    return is_doomed(trace, plan=plan)


def test_a_trace_that_has_nothing_of_an_erased_turn_stays():
    """Broken: everything goes."""
    assert not goes(trace_of(message="Where does Tom live?", shown=(ShownTrace("episode:6", (6,), "In Lyon."),)))


def test_a_trace_that_rests_on_an_erased_turn_goes_though_nothing_surfaced():
    """Broken: only what was shown is looked at."""
    candidate = CandidateTrace("episode:7", "episode", "…", 0.1, False, NOON, (7,), {})

    assert goes(trace_of(phases=PhasesTrace(retrieval=RetrievalTrace(candidates=(candidate,)))))
    assert goes(trace_of(shown=(ShownTrace("fact:1", (3, 7), ""),)))


def test_a_trace_that_says_what_only_the_erased_turn_said_goes_wherever_it_says_so():
    """Broken: one of the fields is marked as ours; words are compared as they are written."""
    rubies = "RUBIES"

    assert goes(trace_of(message=f"Any {rubies}?"))
    assert goes(trace_of(block=f"- {rubies}"))
    assert goes(trace_of(silence=f"no {rubies}"))
    assert goes(trace_of(phases=PhasesTrace(seeds=SeedsTrace(late=(rubies,)))))
    assert goes(trace_of(phases=PhasesTrace(seeds=SeedsTrace(model={"wonders": [{"query": "in Xanadupolis"}]}))))
    assert goes(trace_of(phases=PhasesTrace(narration=NarrationTrace(reasons={"fact:1": "the name 'Zerlina'"}))))


def test_what_we_wrote_ourselves_is_no_reason_to_let_a_trace_go():
    """Broken: labels and reasons count as words: who once said "yesterday" would erase every trace of a yesterday."""
    ours = PhasesTrace(
        filters=FiltersTrace(dropped={"f1": "horizon: still in sight"}), labels=LabelsTrace({"f1": "yesterday"})
    )
    plan = ErasurePlan(PLAN.request, NOON, turns=PLAN.turns, words=("yesterday", "sight"), forms=("horizon", "filters"))

    assert not goes(trace_of(phases=ours, degraded=("horizon",)), plan)


def test_a_trace_of_an_erased_session_goes_whatever_it_says():
    """Broken: ``session_id`` of the plan is not compared."""
    plan = ErasurePlan(ErasureRequest("ada", session_id="s2"), NOON)

    assert goes(trace_of(), plan)
    assert not goes(trace_of(session_id="s3"), plan)


def test_a_trace_that_was_asked_with_the_words_of_an_erased_turn_goes_in_its_session_alone():
    """Broken: a message is compared in every session; short ones, which anybody says, are compared as well."""
    plan = ErasurePlan(PLAN.request, NOON, turns=PLAN.turns, messages=("Where did I put them?", "ok fine"))

    assert goes(trace_of(session_id="s1", message="Where did I put them?"), plan)
    assert goes(trace_of(session_id="s1", message="did I put them"), plan)
    assert not goes(trace_of(session_id="s2", message="Where did I put them?"), plan)
    assert not goes(trace_of(session_id="s1", message="ok fine"), plan)


def test_words_that_others_say_too_are_no_sign():
    """Broken: ``subtract`` takes nothing away."""
    only = UniqueWords((kept_of(7, SECRET),))
    only.subtract((kept_of(8, "My aunt loves rubies."),))

    assert "xanadupolis" in only.words
    assert "rubies" not in only.words
    assert "Xanadupolis" in only.forms
    assert "rubies" not in only.forms


def test_a_word_of_the_graph_servers_own_log_proves_nothing():
    """Fails without _OF_SERVER_LOG: an erased agent that ran a command was never verified to be gone."""
    only = UniqueWords((kept_of(7, 'shell: {"command": "restart Xanadupolis"}'),))

    assert only.forms == ("Xanadupolis", "restart")


FILM = ErasurePlan(
    ErasureRequest("ada", turn_id="t7"),
    NOON,
    turns=(DoomedTurn(7, "t7", "s1", "e7"),),
    words=("can", "children", "film", "in", "so", "suggest"),
    forms=("children", "suggest"),
    messages=("So, can you suggest a film in which children win?",),
)
NANTES = Target("fact", "My sister lives near Lyon.", ("t1",), ("my sister", "Lyon"))


@pytest.mark.parametrize(
    ("target", "said", "goes"),
    [
        (NANTES, "My sister lives in Nantes with her children.", False),
        (Target("fact", "I am allergic to it: never suggest nuts."), "I am allergic to it: never suggest nuts.", False),
        (Target("fact", "It can be in or so."), "It can be in or so.", False),
        (Target("fact", "A film about children."), "A cartoon about pirates.", True),
        (Target("entity", "The Children"), "The Kids", True),
    ],
)
def test_a_correction_goes_with_a_turn_that_half_of_it_comes_from(target, said, goes):
    """Broken: one word of the turn is enough, and an allergy goes with a joke that shares "so"."""
    what = What.RENAME if target.kind == "entity" else What.SAY
    made = Correction("c1", NOON, "owner", what, target, said)

    assert is_doomed_correction(made, plan=FILM) is goes


def test_a_reason_counts_as_what_is_said():
    """Broken: the reason is not looked at."""
    made = Correction("c1", NOON, "owner", What.PIN, NANTES, reason="the film")

    assert is_doomed_correction(made, plan=FILM)
