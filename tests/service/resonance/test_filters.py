"""
Phase 3 as a whole: which filter drops what, in which order, and which reason silence has.

Every docstring says what was broken, once, to see the test fail.
"""

import pytest

from consolidation.kernel.turns import Speaker
from service.mind.trace_document import ShownTrace, TraceDocument
from service.mind.trace_log import Echoes
from service.resonance.arms import FragmentEvidence, QueryHits
from service.resonance.filters import Filters, unseen
from service.resonance.horizon import horizon_of
from service.resonance.relevance_gate import RelevanceGate
from service.resonance.retrieval import Candidates
from tests.support.fragments import NOON, fragment_of, kept_of, message_of
from tests.support.read_path import call_of, mind_in

pytestmark = pytest.mark.anyio

AUNT, FENCE, CHOIR = "My aunt Carla lives in Lyon.", "We painted the fence green.", "Bruno sings in a choir."
ASKS_FOR_AUNT = "Where does my aunt Carla live?"


@pytest.fixture
async def mind(tmp_path):
    async with mind_in(tmp_path, AUNT, FENCE, CHOIR) as mind:
        yield mind


async def choose(mind, message=ASKS_FOR_AUNT, *texts, **asked):
    """The ids of what the filters let surface of fragments 1, 2, 3 …, whose turns say *texts*; the trace beside it."""
    shortlist, trace = await choose_for_model(mind, message, *texts, most_judged=0, **asked)
    assert shortlist.more == ()
    return [one.id for one in shortlist.first], trace


async def choose_for_model(
    mind, message, *texts, most_judged, cosine=0.9, echo_turns=25, beside=(), found=None, **asked
):
    """The same as a shortlist, of which a model judges *most_judged*."""
    fragments = tuple(
        fragment_of(f"f{number}", text, score=1 - number / 100, sequences=(number,), session_id="s1")
        for number, text in enumerate(texts, start=1)
    )
    cosines = {number: cosine - number / 100 for number in range(1, len(texts) + 1)}
    queries = (QueryHits(message, (), cosines, {}),) if message else ()
    call = call_of(mind, message, **asked)
    gate = RelevanceGate(rarity=lambda word: 6.0, are_cosines_calibrated=True)
    turns = {turn.sequence: turn for turn in await mind.transcript.read_many(range(1, len(texts) + 1))}
    candidates = Candidates((*fragments, *beside), turns, queries, **(found or {}))
    chosen = await Filters(gate=gate, echo_turns=echo_turns, compares_turns=False).choose(
        call, candidates, most_judged=most_judged
    )
    return chosen, call.trace.document(call.moment, flashbacks=(), block="")


def show(mind, *sequences, session_id="s2"):
    """Let fragments have surfaced in the session's last turn."""
    shown = tuple(ShownTrace(f"f{one}", (one,), "…") for one in sequences)
    mind.trace_log.add(TraceDocument("t", "ada", session_id, NOON, surfaced=True, shown=shown))


def test_what_is_in_sight_is_dropped_before_what_was_shown_lately():
    """Broken: ``unseen`` asks the echoes first; ``unseen`` passes over the horizon."""
    horizon = horizon_of([message_of(AUNT)], session_id="s2", turns=[kept_of(1, AUNT), kept_of(2, FENCE)])
    fragments = [fragment_of(f"f{one}", sequences=(one,)) for one in (1, 2, 3)]

    left = unseen(fragments, horizon=horizon, echoes=Echoes(frozenset({"f1", "f2"})))

    assert [one.id for one in left.fragments] == ["f3"]
    assert left.dropped == {"f1": "horizon: still in sight", "f2": "echo: shown lately"}


def test_a_memory_in_the_words_of_one_that_was_shown_is_an_echo_too():
    """Broken: ``wording`` is a set, so that what was moved back seems to be told again."""
    horizon = horizon_of([], session_id="s2", turns=[])
    texts = ["They told me: I moved from Lyon to Nice.", "I moved from Lyon to Nice!", "I moved from Nice to Lyon."]
    fragments = [fragment_of(f"f{one}", text, sequences=(one,)) for one, text in enumerate(texts, start=1)]

    left = unseen(fragments, horizon=horizon, echoes=Echoes(frozenset({"f1"})))

    assert [one.id for one in left.fragments] == ["f3"]
    assert left.dropped == {"f1": "echo: shown lately", "f2": "echo: the same was shown lately"}


def test_a_memory_is_an_echo_by_its_id_or_by_all_its_turns():
    """Broken: ``Echoes.include`` compares ids alone; ``<=`` is ``&``; no turns at all count as all of them."""
    echoes = Echoes(frozenset({"f0"}), frozenset({1, 5}))

    assert echoes.include("f0", frozenset({9}))
    assert echoes.include("another", frozenset({1, 5}))
    assert not echoes.include("another", frozenset({1, 2}))
    assert not echoes.include("another", frozenset())


async def test_an_answer_passes_all_filters(mind):
    """Broken: any filter drops everything."""
    chosen, trace = await choose(mind, ASKS_FOR_AUNT, AUNT)

    assert (chosen, trace.silence) == (["f1"], None)
    assert trace.phases.filters.kept == ("f1",)


async def test_a_question_that_says_all_of_a_memory_gets_it_again(mind):
    """Broken: no word is left that the bot could have told, and so it is taken as told."""
    show(mind, 1)
    asks = "Does my aunt Carla live in Lyon?"
    talk = [message_of("Let us talk about dinner."), message_of("Sure.", Speaker.ASSISTANT)]

    again, _ = await choose(mind, asks, AUNT, window=talk, found={"is_asked": True})
    told, trace = await choose(
        mind,
        asks,
        AUNT,
        window=[message_of("Yes, your aunt Carla is in Lyon.", Speaker.ASSISTANT)],
        found={"is_asked": True},
    )

    assert again == ["f1"]
    assert (told, trace.phases.filters.dropped) == ([], {"f1": "echo: shown lately"})


async def test_without_a_query_there_is_nothing_to_look_for(mind):
    """Broken: the first guard of ``choose`` is gone."""
    assert (await choose(mind, ""))[1].silence == "there is nothing to look for"


async def test_silence_says_whether_anything_was_found(mind):
    """Broken: one reason for both."""
    assert (await choose(mind, ASKS_FOR_AUNT))[1].silence == "nothing was found"
    show(mind, 1)
    chosen, trace = await choose(mind, ASKS_FOR_AUNT, AUNT)
    assert (chosen, trace.silence) == ([], "all that was found is in sight or was shown lately")
    assert trace.phases.filters.dropped == {"f1": "echo: shown lately"}


async def test_the_echoes_are_those_of_this_session_and_of_so_many_turns(mind):
    """Broken: ``choose`` asks for the echoes of another session, or of all turns."""
    show(mind, 1, session_id="another")
    assert (await choose(mind, ASKS_FOR_AUNT, AUNT))[0] == ["f1"]
    show(mind, 1)
    assert (await choose(mind, ASKS_FOR_AUNT, AUNT, echo_turns=0))[0] == ["f1"]


async def test_a_session_hides_its_own_newest_turns_though_no_candidate_rests_on_them(mind):
    """Broken: ``_horizon`` looks at the candidates' turns alone: then the older turn is not known to be in sight."""
    window = [message_of(AUNT)]

    chosen, trace = await choose(mind, "Who sings in which choir?", "?", "?", CHOIR, session_id="s1", window=window)

    assert chosen == []
    assert trace.phases.filters.dropped["f3"] == "horizon: still in sight"


async def test_the_reason_of_a_silence_is_what_hides_the_best(mind):
    """Broken: "nothing stored seems to be meant", though what is meant stands in the window."""
    weak = fragment_of("weak", "Carla, my aunt, likes Lyon.", score=0.1, sequences=(2,), session_id="s1")

    chosen, trace = await choose(
        mind, ASKS_FOR_AUNT, AUNT, "Carla, my aunt, likes Lyon.", beside=(weak,), window=[message_of(AUNT)]
    )
    again, shown = await choose(mind, ASKS_FOR_AUNT, AUNT, beside=(weak,), window=[message_of(AUNT)])

    assert (chosen, trace.silence) == (["f2"], None)
    assert (again, shown.silence) == ([], "what fits best is in sight or was shown lately")


async def test_the_gate_weighs_what_horizon_and_echo_left(mind):
    """Broken: ``weigh`` is given all candidates: the aunt, who is an echo, would vouch for the fence."""
    show(mind, 1)

    chosen, trace = await choose(mind, ASKS_FOR_AUNT, AUNT, FENCE, cosine=0.05)

    assert (chosen, trace.silence) == ([], "what fits best is in sight or was shown lately")
    assert trace.phases.filters.relevance.probability < 0.5


async def test_a_fragment_without_a_word_in_common_is_dropped_though_another_is_meant(mind):
    """Broken: ``strays`` are not taken out."""
    chosen, trace = await choose(mind, ASKS_FOR_AUNT, AUNT, FENCE, cosine=0.11)

    assert chosen == ["f1"]
    assert trace.phases.filters.dropped["f2"] == "relevance: not a word in common"


async def test_no_relevance_asked_for_lets_everything_pass(mind):
    """Broken: strays, or what scores far below the first, are dropped at relevance 0."""
    chosen, trace = await choose(mind, ASKS_FOR_AUNT, AUNT, FENCE, CHOIR, cosine=0.2, relevance=0)

    assert (chosen, trace.phases.filters.dropped) == (["f1", "f2", "f3"], {})
    assert trace.phases.filters.relevance.needed == 0


async def test_no_flashbacks_asked_for_is_a_silence_of_its_own(mind):
    """Broken: a limit of 0 is silent as if nothing was meant."""
    chosen, trace = await choose(mind, ASKS_FOR_AUNT, AUNT, max_fragments=0)

    assert (chosen, trace.silence) == ([], "no flashbacks were asked for")


async def test_every_candidate_is_kept_or_dropped_with_a_reason(mind):
    """Broken: ``Filtered.without`` forgets the reasons."""
    _, trace = await choose(mind, ASKS_FOR_AUNT, AUNT, AUNT, CHOIR, max_fragments=1)

    noted = trace.phases.filters
    assert {*noted.kept, *noted.dropped} == {"f1", "f2", "f3"}
    assert all(noted.dropped.values())


async def test_a_denied_turn_is_dropped_with_its_reason_and_what_rests_on_no_turn_is_not(mind):
    """Broken: ``denied`` is not looked at; the reason is noted only where something is left; no turns are all denied."""
    note = fragment_of("note", "A note on Carla.", sequences=(), kind="journal", score=0.5)
    found = {"denied": frozenset({1}), "evidence": {"note": FragmentEvidence(frozenset({"carla", "aunt"}))}}

    alone, trace = await choose(mind, ASKS_FOR_AUNT, AUNT, found=found)
    chosen, _ = await choose(mind, ASKS_FOR_AUNT, AUNT, beside=(note,), found=found)

    assert (alone, chosen) == ([], ["note"])
    assert trace.phases.filters.dropped == {"f1": "denied: it was said to be wrong"}


async def test_a_fact_that_another_turn_tells_as_well_outlives_the_denial_of_one(mind):
    """Broken: ``<=`` is ``&``."""
    told_twice = fragment_of("twice", AUNT, sequences=(1, 2))

    found = {"denied": frozenset({1})}
    chosen, _ = await choose(mind, ASKS_FOR_AUNT, "told once", "told then", beside=(told_twice,), found=found)

    assert chosen == ["twice", "f2"]


async def test_in_a_small_mind_few_surface_unless_a_list_is_asked_for(mind):
    """Broken: ``most_shown`` is not asked; ``wants_list`` is not handed on."""
    texts = [f"My aunt Carla lives in Lyon, {more}." for more in ("far off", "alone", "with a cat", "by a river")]
    more = tuple(fragment_of(f"f{n}", one, score=1 - n / 100) for n, one in enumerate(texts))

    few, trace = await choose(mind, ASKS_FOR_AUNT, beside=more)
    every, _ = await choose(mind, ASKS_FOR_AUNT, beside=more, found={"wants_list": True})

    assert (len(few), len(every)) == (3, 4)
    assert list(trace.phases.filters.dropped.values()) == ["limit"]


async def test_a_model_judges_the_next_best_too_but_nothing_that_is_denied_or_was_shown(mind):
    """Broken: ``more`` is of the candidates instead of what is left; strays are left out of it."""
    show(mind, 3)
    texts = (AUNT, FENCE, CHOIR)
    shortlist, trace = await choose_for_model(mind, ASKS_FOR_AUNT, *texts, most_judged=12, cosine=0.11)
    denied, _ = await choose_for_model(
        mind, ASKS_FOR_AUNT, *texts, most_judged=12, cosine=0.11, found={"denied": frozenset({2})}
    )

    assert [[one.id for one in some] for some in (shortlist.first, shortlist.more)] == [["f1"], ["f2"]]
    assert shortlist.limit == 3  # of a mind of few turns
    assert trace.phases.filters.dropped["f2"] == "relevance: not a word in common"
    assert denied.more == ()


async def test_no_more_is_judged_than_a_model_is_asked_about(mind):
    """Broken: what surfaces anyway is not counted."""
    shortlist, _ = await choose_for_model(mind, ASKS_FOR_AUNT, AUNT, FENCE, CHOIR, most_judged=2, cosine=0.11)

    assert [one.id for one in shortlist.every] == ["f1", "f2"]


async def test_a_model_is_asked_where_half_of_what_is_needed_is_likely_and_else_all_is_silent(mind):
    """Broken: ``_WORTH_ASKING`` is 0; it is 1."""
    _, trace = await choose(mind, ASKS_FOR_AUNT, AUNT)
    likely = trace.phases.filters.relevance.probability
    assert 0.5 < likely < 1
    doubted = await choose_for_model(mind, ASKS_FOR_AUNT, AUNT, FENCE, most_judged=12, relevance=0.9999)
    silent = await choose_for_model(mind, "What is 17 times 23?", AUNT, FENCE, most_judged=12, relevance=0.9999)

    assert (doubted[0].first, [one.id for one in doubted[0].more]) == ((), ["f1", "f2"])
    assert doubted[1].silence == "nothing stored seems to be meant"
    assert silent[0].every == ()


@pytest.mark.parametrize("asked", [{"relevance": 0}, {"max_fragments": 0}])
async def test_a_model_chooses_nothing_besides_where_all_is_asked_for_or_nothing(mind, asked):
    """Broken: the guard is gone."""
    shortlist, _ = await choose_for_model(mind, ASKS_FOR_AUNT, AUNT, FENCE, most_judged=12, cosine=0.11, **asked)

    assert shortlist.more == ()
