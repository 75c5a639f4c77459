"""
Phase 2: every arm is one row, what arms share is asked for once, and what does not answer is left out and named.

Every docstring says what was broken, once, to see the test fail.
"""

import asyncio
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from consolidation.kernel.errors import EmbedderUnavailable, GraphUnavailable
from consolidation.kernel.turns import Message, Speaker, StoredTurn, Turn
from service.ingest.episodes import as_indexed
from service.resonance.arms import ARMS, FragmentEvidence, FragmentHits, Switches, TurnArm
from service.resonance.entity_arm import EntityArm
from service.resonance.retrieval import Retrieval
from service.resonance.seeds import ModelQueries
from service.resonance.seeds_model import CallSeeds
from service.retrieval.fusion import SHARES
from tests.support.fragments import NOON, fragment_of, message_of
from tests.support.read_path import EMBEDDER, call_of, graphs_in_memory, mind_in

pytestmark = pytest.mark.anyio

AUNT, FENCE, CHOIR = "My aunt Carla lives in Lyon.", "We painted the fence green.", "Bruno sings in a choir."


class Embedder:
    """Embeds as ever, unless it hangs or fails; ``asked`` is what it was given, a list a call."""

    def __init__(self, *, fault=None, hangs=False):
        self.asked = []
        self._fault, self._hangs = fault, hangs

    async def embed(self, texts, /):
        self.asked.append(list(texts))
        if self._hangs:
            await asyncio.Event().wait()
        if self._fault is not None:
            raise self._fault
        return await EMBEDDER.embed(texts)

    embed_queries = embed


class Beside:
    """An arm that finds one fragment of its own in every call; ``found`` is what its rounds found."""

    def __init__(self, *rungs):
        self.rungs = rungs

    async def search(self, search):
        search.degrade(*self.rungs)
        return search.queries

    async def fragments(self, found, terms):
        self.found = found
        evidence = {"beside": FragmentEvidence(frozenset({"stem"}))}
        return FragmentHits((fragment_of("beside", sequences=(), score=0.5),), evidence, searched=7)


class KnowsMore:
    """A graph whose entities have a summary that a model wrote."""

    def __init__(self, graph, summary):
        self._graph, self._summary = graph, summary

    def __getattr__(self, name):
        return getattr(self._graph, name)

    async def entities(self, uuids):
        return tuple(replace(one, summary=self._summary) for one in await self._graph.entities(uuids))


@asynccontextmanager
async def one_talk(home, *turns):
    """A mind in which *turns*, pairs of what was said and the answer, followed each other, a day apart, up to now."""
    messages = [(message_of(own), message_of(answer, Speaker.ASSISTANT)) for own, answer in turns]
    async with mind_in(home, *messages) as mind:
        kept = await mind.transcript.after(0, limit=100)
        days = [timedelta(len(turns) - 1 - at) for at in range(len(turns))]
        kept = [StoredTurn(one.sequence, NOON - age, one.turn) for one, age in zip(kept, days, strict=True)]
        indexed = [
            as_indexed(one, uuid=f"e{one.sequence}", before=kept[max(0, at - 2) : at], fallback="en")
            for at, one in enumerate(kept)
        ]
        mind.text.add_turns(indexed, cursor=len(kept))
        yield mind


@pytest.fixture
def graphs():
    return graphs_in_memory()


@pytest.fixture
async def mind(tmp_path, graphs):
    async with mind_in(tmp_path, AUNT, FENCE, CHOIR, graphs=graphs) as mind:
        yield mind


def retrieval_of(*fragment_arms, embedder=EMBEDDER, **switches):
    return Retrieval(embedder=embedder, switches=Switches(**switches), fragment_arms=fragment_arms)


async def found_by(mind, *queries, late=(), names=(), retrieval=None, **asked):
    """What queries find in a call, and the trace of the call."""
    call = call_of(mind, "…", **asked)
    candidates = await (retrieval or retrieval_of()).search(
        call, CallSeeds(queries, ModelQueries(tuple(late), frozenset(names)))
    )
    return candidates, call.trace.document(call.moment, flashbacks=(), block="")


async def round_of(mind, *queries, retrieval=None, seconds=None, language="en", timezone=UTC):
    return await (retrieval or retrieval_of()).search_round(
        queries, mind=mind, language=language, now=NOON, timezone=timezone, seconds=seconds
    )


def arms_of(hits):
    return {arm.name: set(arm.hits) for arm in hits.arms}


async def test_each_arm_finds_the_turn_in_its_own_way(mind):
    """Broken: any of the six functions finds nothing."""
    [hits] = (await round_of(mind, "Where did my aunt Carla live this month?")).queries

    found = arms_of(hits)
    assert list(found) == ["words", "vectors", "concepts", "period", "days", "facts", "neighbours"]
    assert all(1 in turns for arm, turns in found.items() if arm != "days")  # of days to come, see tests/e2e


async def test_an_arm_is_one_row_and_its_function(mind):
    """Broken: ``search_round`` asks the shipped arms whatever the switches say; a row's weight or name is lost."""

    async def by_age(search):
        return [{2: 1.0} for _ in search.queries]

    arms = (*(replace(arm, weight=0.01) for arm in ARMS), TurnArm("age", by_age, weight=5.0, scale=SHARES))
    candidates, _ = await found_by(mind, "Where does Carla live?", retrieval=retrieval_of(arms=arms))

    assert candidates.fragments[0].sequences == {2}
    assert candidates.fragments[0].arms["age"] == 1


async def test_only_the_first_query_is_followed_to_neighbours(mind):
    """Broken: ``by_neighbours`` gives the same hits to every query."""
    first, second = (await round_of(mind, "Where does Carla live?", "Who is Carla?")).queries

    assert arms_of(first)["neighbours"]
    assert not arms_of(second)["neighbours"]


async def test_what_arms_share_is_asked_for_once_a_round(mind):
    """Broken: ``_once`` asks each time."""
    embedder = Embedder()
    await round_of(mind, "Where does Carla live?", "aunt", retrieval=retrieval_of(EntityArm(), embedder=embedder))

    assert len(embedder.asked) == 1
    assert len(embedder.asked[0]) == 2


async def test_names_of_people_who_have_spoken_are_taken_out_of_what_is_embedded(tmp_path):
    """Broken: ``without_names`` is given nobody, or every entity; a query of nothing but a name is embedded empty."""
    embedder = Embedder()
    async with mind_in(tmp_path, (message_of(AUNT, name="Ann"),)) as mind:
        await round_of(mind, "Does Ann know where Carla lives?", "Ann", retrieval=retrieval_of(embedder=embedder))

    assert embedder.asked == [["Does know where Carla lives?", "Ann"]]


@pytest.mark.parametrize(
    ("embedder", "seconds", "rung"),
    [
        (Embedder(fault=EmbedderUnavailable("away")), None, "embedder_unavailable"),
        (Embedder(hangs=True), 0.05, "embedder_unavailable"),
        (Embedder(), 0.0, "vectors_skipped"),
    ],
)
async def test_without_vectors_words_still_find(mind, embedder, seconds, rung):
    """Broken: the fault gets out; the rung is not named; no time left is time enough."""
    found = await round_of(mind, "Where does Carla live?", retrieval=retrieval_of(embedder=embedder), seconds=seconds)

    assert found.degraded == (rung,)
    assert (arms_of(found.queries[0])["words"], arms_of(found.queries[0])["vectors"]) == ({1}, set())
    assert found.queries[0].facts[1].text == f"they told me: {AUNT}"


async def test_without_the_graph_words_still_find_and_it_is_named_once(mind, graphs):
    """Broken: ``GraphFault`` gets out; each of its two questions is named."""
    graphs.outage = GraphUnavailable("away")
    found = await round_of(mind, "Where does Carla live?")

    assert found.degraded == ("graph_unavailable",)
    assert arms_of(found.queries[0])["words"] == {1}


async def test_an_arm_that_gives_up_takes_nothing_from_the_others(mind):
    """Broken: ``_once`` does without ``shield``: who gives up would cancel the vectors of all."""

    class Hasty(Beside):
        async def search(self, search):
            try:
                async with asyncio.timeout(0):
                    await search.vectors()
            except TimeoutError:
                search.degrade("hasty_skipped")

    found = await round_of(mind, "Where does Carla live?", retrieval=retrieval_of(Hasty()))

    assert found.degraded == ("hasty_skipped",)
    assert arms_of(found.queries[0])["vectors"]


async def test_no_query_asks_nobody(mind):
    """Broken: ``search_round`` goes on without a query."""
    embedder = Embedder()
    candidates, trace = await found_by(mind, retrieval=retrieval_of(embedder=embedder))

    assert (candidates.fragments, embedder.asked) == ((), [])
    assert trace.as_json()["phases"]["retrieval"] == {"queries": [], "candidates": []}


async def test_the_messages_own_queries_are_trusted_more_than_a_models(mind):
    """Broken: every query has the same trust."""
    own, models = "Who painted the fence?", "Who sings in a choir?"

    candidates, _ = await found_by(mind, own, late=(models,), retrieval=retrieval_of(facts=False))
    by_turn = {one.sequences: one.score for one in candidates.fragments}

    assert by_turn[frozenset({2})] == 1.0
    assert by_turn[frozenset({3})] == pytest.approx(0.9 * 0.95, abs=0.02)  # which is older


async def test_a_bare_name_that_a_model_adds_is_trusted_least(mind):
    """Broken: ``_NAME_TRUST`` is not applied: then all that names somebody crowds out what answers."""
    own, name = "Who painted the fence?", "choir"

    candidates, _ = await found_by(mind, own, late=(name,), names=(name,), retrieval=retrieval_of(facts=False))

    assert {one.sequences: one.score for one in candidates.fragments}[frozenset({3})] < 0.6
    assert candidates.added == {name}


async def test_candidates_are_best_first_and_all_of_them_are_in_the_trace(mind):
    """Broken: fragments are not sorted; the trace has the ranking, without what was found beside it."""
    candidates, trace = await found_by(mind, "Who painted the fence?", retrieval=retrieval_of(Beside()))

    scores = [one.score for one in candidates.fragments]
    assert scores == sorted(scores, reverse=True)
    noted = trace.phases.retrieval
    assert [one.id for one in noted.candidates] == [one.id for one in candidates.fragments]
    assert noted.queries == ("Who painted the fence?",)
    assert "beside" in [one.id for one in candidates.fragments]


async def test_an_arm_beside_the_turns_brings_its_evidence_its_size_and_its_rungs(mind):
    """Broken: ``evidence`` or ``searched`` is dropped; an arm's rungs are not in the trace."""
    arm = Beside("beside_late")

    candidates, trace = await found_by(mind, "fence", late=("choir",), retrieval=retrieval_of(arm))

    assert arm.found == [("fence", "choir")]
    assert candidates.evidence.keys() == {"beside"}
    assert candidates.searched == 7
    assert trace.degraded == ("beside_late",)


async def test_what_is_known_of_an_entity_that_a_query_names_is_a_candidate(tmp_path, graphs):
    """Broken: ``terms.entities`` is empty; ``EntityArm`` finds nothing; it is not boosted."""
    async with mind_in(tmp_path, AUNT, graphs=graphs) as mind:
        informed = replace(mind, graph=KnowsMore(mind.graph, "My aunt, a baker by trade."))
        candidates, _ = await found_by(informed, "Who is Carla?", retrieval=retrieval_of(EntityArm()))

    [entity] = [one for one in candidates.fragments if one.kind == "entity"]
    assert entity.text == "Carla: My aunt, a baker by trade."
    assert (entity.is_boosted, entity.sequences) == (True, {1})


async def test_an_entity_of_which_is_known_what_a_turn_said_is_no_candidate_beside_that_turn(mind):
    """Broken: ``_quotes`` says no."""
    candidates, _ = await found_by(mind, "Who is Carla?", retrieval=retrieval_of(EntityArm()))

    assert candidates.fragments[0].sequences == {1}
    assert not any(one.kind == "entity" for one in candidates.fragments)


async def test_a_graph_that_was_away_is_not_asked_again_for_entities(mind, graphs):
    """Broken: ``terms.degraded`` is not looked at."""

    class Back(Beside):
        async def search(self, search):
            await search.near()
            graphs.outage = None  # it would answer now

        async def fragments(self, found, terms):
            return FragmentHits()

    graphs.outage = GraphUnavailable("away")
    candidates, trace = await found_by(mind, "Who is Carla?", retrieval=retrieval_of(Back(), EntityArm()))

    assert trace.degraded == ("graph_unavailable",)
    assert not any(one.kind == "entity" for one in candidates.fragments)


@pytest.mark.parametrize(
    ("query", "language"),
    [
        ("What is my pet called?", "en"),
        ("Wie heißt mein Haustier?", "de"),
        ("¿Cómo se llama mi mascota?", "es"),
        ("我的宠物叫什么名字?", "zh"),
    ],
)
async def test_a_cat_is_found_for_a_pet_in_any_language(tmp_path, query, language):
    """Broken: ``by_concepts`` finds nothing; concepts are those of English alone."""
    async with mind_in(tmp_path, FENCE, "Our cat Momo is asleep.") as mind:
        [hits] = (await round_of(mind, query, language=language)).queries

    assert arms_of(hits)["concepts"] == {2}
    assert not arms_of(hits)["words"]


async def test_a_pet_is_found_for_a_cat_that_was_told_of_in_another_language(tmp_path):
    """Broken: concepts of a turn are not those of its language."""
    katze = "Unsere Katze Momo schläft heute den ganzen Tag auf dem Sofa."
    async with mind_in(tmp_path, "Wir haben gestern den Zaun im Garten gestrichen.", katze) as mind:
        [hits] = (await round_of(mind, "What is my pet called?")).queries

    assert arms_of(hits)["concepts"] == {2}


async def test_a_period_finds_what_was_told_in_it_without_a_word_in_common(tmp_path):
    """Broken: ``told_in_periods`` finds nothing; what only asks is told in it as well."""
    said = (
        ("We painted the fence, all of us together.", "Nice!"),
        ("What is the capital of Peru?", "Lima."),
        ("Bruno sings.", "Lovely."),
    )
    async with one_talk(tmp_path, *said) as mind:
        queries = "What happened the day before yesterday?", "What happened yesterday?", "What happened?"
        found = (await round_of(mind, *queries)).queries

    assert [arms_of(hits)["period"] for hits in found] == [{1}, set(), set()]
    assert not any(arms_of(hits)["words"] for hits in found)


async def test_a_day_is_that_of_the_caller(tmp_path):
    """Broken: ``_in_periods`` counts days in UTC."""
    async with mind_in(tmp_path) as mind:
        late = datetime(2026, 1, 26, 23, 30, tzinfo=UTC)  # the 27th in Berlin; NOON is on the 28th
        turn = StoredTurn(1, late, Turn("t1", "s1", (Message(Speaker.USER, FENCE),)))
        mind.text.add_turns((as_indexed(turn, uuid="e1", before=(), fallback="en"),), cursor=1)
        [here] = (await round_of(mind, "What did we do yesterday?")).queries
        [there] = (await round_of(mind, "What did we do yesterday?", timezone=ZoneInfo("Europe/Berlin"))).queries

    assert (arms_of(here)["period"], arms_of(there)["period"]) == (set(), {1})


async def test_the_denial_takes_the_place_of_what_it_denies(tmp_path):
    """Broken: ``denied_by`` is not asked; ``with_corrections`` leaves the denial out; a denied denial stays."""
    said = (
        ("My aunt moved, guess where.", "Your aunt Carla lives in Lyon."),
        ("No, that is wrong.", "You're right: it is Porto."),
        ("No, wrong again!", "Sorry, Turin then."),
    )
    async with one_talk(tmp_path, *said) as mind:
        candidates, _ = await found_by(mind, "Where does my aunt Carla live?", retrieval=retrieval_of(facts=False))

    scores = {sequence: one.score for one in candidates.fragments for sequence in one.sequences}
    assert candidates.denied == {1, 2}
    assert scores[3] >= scores[1]


async def test_candidates_say_whether_a_list_is_wanted_and_whether_somebody_known_is_named(mind):
    """Broken: ``wants_list`` or ``names_entities`` is False."""
    call = call_of(mind, "List all the towns that my family has lived in.")
    candidates = await retrieval_of().search(call, CallSeeds(("Where does Carla live?",)))

    assert (candidates.wants_list, candidates.names_entities) == (True, True)
    assert not (await found_by(mind, "Where is the fence?"))[0].wants_list
