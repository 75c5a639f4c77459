"""After a turn: whatever is killed, slow, poisoned or gone, what was accepted is kept, once, and found."""

import asyncio
import json
import threading

import anyio.to_thread
import pytest

from consolidation.kernel.errors import EmbedderMismatch
from tests.support.embedded_graph import column, kill_graph, redis_pids, rows
from tests.support.punctuality import timed_async
from tests.support.scripted_models import Brain, free, hosted, prompts, provider_of, read_turn, turns_read
from tests.support.service import running, settings_of
from tests.support.service_process import env_of, serving
from tests.support.waiting import GIVE_UP, until_async
from tests.twins.provider import Fails, Hangs, Says

pytestmark = pytest.mark.anyio

MARK = "Voldemort"
AWAY = Fails(402, "no credit left")  # an outage that the Router does not answer with a rest of 15 s
FRIENDS = ("Ada met Bruno.", "Bruno saw Carla.", "Carla called Ada.", "Ada thanked Carla.", "Bruno met Ada.")


async def happened(event):
    """Wait in a thread until a provider's thread has set *event*."""
    assert await anyio.to_thread.run_sync(event.wait, GIVE_UP), "it never happened"


async def is_found(service, mind_id, message, turn_id):
    """Whether what surfaces for *message* rests on the turn."""
    found = (await service.resonate(mind_id, message, session_id=turn_id, relevance=0)).json()
    return any(source["turn_id"] == turn_id for one in found["flashbacks"] for source in one["sources"])


@pytest.mark.timing
async def test_a_turn_is_recallable_within_a_second_while_extraction_hangs(tmp_path):
    with provider_of(Brain(extraction=Hangs())) as provider:
        async with running(tmp_path, settings=hosted(tmp_path, provider, "extraction")) as service:
            await service.keep("ada", "My cello is called Bruno.")
            await service.until("ada", lambda status: status["graph"]["saved"] == 1)
            await service.resonate("ada", "warm")

            kept = (await service.keep("ada", "Aunt Carla lives in Lyon.")).json()

            async def recalled():
                while not await is_found(service, "ada", "Where does my aunt Carla live?", kept["turn_id"]):
                    pass

            _, took, is_in_time = await timed_async(recalled, within=1)
            assert is_in_time, took
            assert (await service.status("ada"))["graph"]["sequence"] == 0
            free(provider)


async def test_turns_are_extracted_in_order_within_a_mind_and_in_parallel_across_minds(tmp_path):
    both, under_way = threading.Barrier(2), []

    def read(prompt):
        mind = "ada" if "Ada" in prompt.partition("<turn>")[2] else "bo"
        assert mind not in under_way
        under_way.append(mind)
        both.wait(20)  # passes only when both minds are read at the same time
        under_way.remove(mind)
        return read_turn(prompt)

    with provider_of(Brain(extraction=read)) as provider:
        async with running(tmp_path, settings=hosted(tmp_path, provider, "extraction")) as service:
            for number in range(3):
                await service.keep("ada", f"Ada said {number}.")
                await service.keep("bo", f"Boris said {number}.")
            await service.digested("ada")
            await service.digested("bo")

        read_of = [[turn for turn in turns_read(provider) if name in turn] for name in ("Ada", "Boris")]
        assert read_of == [[f"{name} said {number}." for number in range(3)] for name in ("Ada", "Boris")]


async def test_a_restart_extracts_nothing_twice_and_misses_nothing(tmp_path):
    with provider_of(Brain()) as provider:
        settings = hosted(tmp_path, provider, "extraction")
        for half in (FRIENDS[:3], FRIENDS[3:]):
            async with running(tmp_path, settings=settings) as service:
                for said in half:
                    await service.keep("ada", said)
                await service.digested("ada")
                contents = await column(service, "ada", "MATCH (n:Episodic) RETURN n.content ORDER BY n.content")

        assert turns_read(provider) == list(FRIENDS)
        assert contents == sorted(f"user: {said}" for said in FRIENDS)


@pytest.mark.parametrize("where", ["extraction", "settlements"])
async def test_a_service_killed_amid_extraction_tells_every_turn_once(tmp_path, where):
    asked, is_free = threading.Event(), threading.Event()

    def answer(prompt):
        if not is_free.is_set() and (where == "settlements" or "Carla called" in prompt.partition("<turn>")[2]):
            asked.set()
            return Hangs()
        return read_turn(prompt) if where == "extraction" else {"settlements": []}

    with provider_of(Brain(**{where: answer})) as provider:
        with serving(tmp_path, **env_of(provider)) as served:
            for said in FRIENDS:
                await anyio.to_thread.run_sync(served.keep, "ada", said)
            await happened(asked)
            served.kill()
        is_free.set()
        async with running(tmp_path, settings=hosted(tmp_path, provider, "extraction")) as service:
            status = await service.digested("ada")
            contents = await column(service, "ada", "MATCH (n:Episodic) RETURN n.content ORDER BY n.content")
            names = await column(service, "ada", "MATCH (n:Entity) RETURN n.name ORDER BY n.name")
            facts = await column(service, "ada", "MATCH ()-[e:RELATES_TO]->() RETURN e.fact ORDER BY e.fact")

    assert contents == sorted(f"user: {said}" for said in FRIENDS)
    assert names == ["Ada", "Bruno", "Carla"]
    assert facts == sorted(FRIENDS)
    assert (status["graph"]["sequence"], status["graph"]["parked"]) == (5, [])


POISON = {
    "nothing": Says("{}"),
    "prose": "I would rather not say.",
    "truncated": Says('{"entities": [{"na', finish="length"),
    "an error": Fails(500),
}


@pytest.mark.parametrize("poison", POISON)
async def test_a_poison_turn_is_parked_and_stops_nobody(tmp_path, poison):
    is_good = threading.Event()

    def read(prompt):
        is_poison = MARK in prompt.partition("<turn>")[2] and not is_good.is_set()
        return POISON[poison] if is_poison else read_turn(prompt)

    with provider_of(Brain(extraction=read)) as provider:
        async with running(tmp_path, settings=hosted(tmp_path, provider, "extraction")) as service:
            await service.keep("ada", "Ada met Bruno.")
            bad = (await service.keep("ada", f"The umbrella of {MARK} was in Prague.")).json()
            await service.keep("ada", "Carla called Ada.")
            status = await service.until("ada", lambda s: s["graph"]["parked"] and s["graph"]["lag"] == 0)
            [parked] = status["graph"]["parked"]
            assert (parked["turn_id"], parked["sequence"]) == (bad["turn_id"], 2)
            assert parked["attempts"] >= 5
            assert parked["error"].startswith(("Model", "InvalidModelOutput"))
            assert status["graph"]["sequence"] == 3

            assert await is_found(service, "ada", "Whose umbrella was in Prague?", bad["turn_id"])
            remembered = await service.http.get("/v1/minds/ada/remember", params={"query": "umbrella Prague"})
            assert remembered.json()["memories"][0]["sources"][0]["turn_id"] == bad["turn_id"]

            is_good.set()
            await service.until("ada", lambda s: s["graph"]["waiting_for"] is None)
            status = await retried(service, "ada")
            names = await column(service, "ada", "MATCH (n:Entity) RETURN n.name")
    assert MARK in names
    assert status["graph"]["sequence"] == 3


async def retried(service, mind_id):
    """Ask for parked turns to be tried again until none is parked: a provider may rest in between."""
    async with asyncio.timeout(GIVE_UP):
        while True:
            answer = await service.http.post(f"/v1/minds/{mind_id}/parked/retry")
            assert answer.status_code == 202
            status = await service.digested(mind_id)
            if not status["graph"]["parked"]:
                return status
            await asyncio.sleep(0.5)


async def test_an_outage_does_not_stop_recall_and_all_is_extracted_after_it(tmp_path):
    is_up, calls = threading.Event(), []

    def read(prompt):
        calls.append(prompt)
        return read_turn(prompt) if is_up.is_set() else AWAY

    with provider_of(Brain(extraction=read)) as provider:
        async with running(tmp_path, settings=hosted(tmp_path, provider, "extraction")) as service:
            kept = [(await service.keep("ada", said)).json() for said in FRIENDS]
            down = await service.until("ada", lambda s: s["graph"]["parked"])
            waiting = await service.until("ada", lambda s: s["graph"]["waiting_for"])
            assert "Model" in waiting["graph"]["waiting_for"]
            assert await is_found(service, "ada", "Who thanked Carla?", kept[3]["turn_id"])

            is_up.set()
            status = await service.until(
                "ada", lambda s: s["graph"]["lag"] == 0 and not s["graph"]["parked"], seconds=60
            )
            facts = await column(service, "ada", "MATCH ()-[e:RELATES_TO]->() RETURN e.fact ORDER BY e.fact")
    assert len(down["graph"]["parked"]) < len(FRIENDS)
    assert facts == sorted(FRIENDS)
    assert status["graph"]["waiting_for"] is None


async def test_what_an_outage_parked_is_extracted_after_a_restart_too(tmp_path):
    is_up = threading.Event()
    with provider_of(Brain(extraction=lambda p: read_turn(p) if is_up.is_set() else AWAY)) as provider:
        settings = hosted(tmp_path, provider, "extraction")
        async with running(tmp_path, settings=settings) as service:
            for said in FRIENDS[:2]:
                await service.keep("ada", said)
            await service.until("ada", lambda s: s["graph"]["parked"])
        is_up.set()
        async with running(tmp_path, settings=settings) as service:
            await service.until("ada", lambda s: s["graph"]["lag"] == 0 and not s["graph"]["parked"])
            facts = await column(service, "ada", "MATCH ()-[e:RELATES_TO]->() RETURN e.fact ORDER BY e.fact")
    assert facts == sorted(FRIENDS[:2])


NOISE = (
    ({"kind": "heartbeat"}, ("Are you there, Zebulon?",), "heartbeat"),
    ({}, ("Read HEARTBEAT.md of Zebulon; else answer HEARTBEAT_OK.", "Nothing to do."), "heartbeat"),
    ({}, ("Anything from Zebulon?", "**HEARTBEAT_OK**."), "heartbeat"),
    ({"session_id": "probe-1"}, ("Zebulon?", "Yes."), "probe"),
    ({"kind": "probe"}, ("Zebulon!", "Yes."), "probe"),
)


async def test_heartbeats_and_probes_are_kept_and_never_remembered(tmp_path):
    async with running(tmp_path) as service:
        for more, said, reason in NOISE:
            answer = (await service.keep("ada", *said, **more)).json()
            assert [one["reason"] for one in answer["dropped"]] == [reason] * len(said)
        await service.keep("ada", "Ada met Bruno.")
        await service.keep("ada", "Zebulon?", session_id="probe-2")
        status = await service.until("ada", lambda s: s["graph"]["sequence"] == 7 and s["graph"]["saved"] == 7)

        assert (status["turns"], status["graph"]["episodes"], status["graph"]["lag"]) == (7, 1, 0)
        found = (await service.resonate("ada", "Who is Zebulon?", relevance=0)).text
        assert "Are you there" not in found
        assert "HEARTBEAT" not in found
        [log] = (tmp_path / "minds/ada/transcript").glob("*.jsonl")
        kinds = [json.loads(line)["kind"] for line in log.read_text().splitlines()]
    assert kinds == [*["heartbeat"] * 3, "probe", "probe", "turn", "probe"]


async def test_a_turn_of_nothing_but_what_we_injected_is_refused_and_says_so(tmp_path):
    block = "---\n[SUBCONSCIOUS RESONANCE]\n- A few days ago — Jan 9, the secret of Zebulon.\n---"
    async with running(tmp_path) as service:
        injected = await service.keep("ada", {"role": "user", "content": block})
        empty = await service.keep("ada", {"role": "user", "content": " "})

    assert injected.status_code == empty.status_code == 422
    assert injected.json()["errors"][0]["detail"] == "every message is empty, but for text that was injected"
    assert empty.json()["errors"][0]["detail"] == "every message is empty"


async def test_a_turn_that_comes_again_has_the_first_answer_but_for_what_waits_now(tmp_path):
    async with running(tmp_path) as service:
        first = (await service.keep("ada", "My aunt lives in Lyon.", turn_id="p1")).json()
        second = (await service.keep("ada", "She plays the cello.", turn_id="p2")).json()
        again = (await service.keep("ada", "My aunt lives in Lyon.", turn_id="p1")).json()

    assert again == {**first, "duplicate": True, "pending_tokens": second["pending_tokens"]}
    assert again["pending_tokens"] > first["pending_tokens"]


async def test_what_we_injected_is_not_kept_as_something_said(tmp_path):
    block = "---\n[SUBCONSCIOUS RESONANCE]\n- A few days ago — Jan 9, the secret of Zebulon.\n---"
    story = "[MY STORY]\n### [2026-01-01 10:00] Zebulon\nOnce.\n[END OF MY STORY]"
    async with running(tmp_path) as service:
        messages = [
            {"role": "system", "content": f"You are kind.\n\n{story}"},
            {"role": "system", "content": block},
            {"role": "user", "content": f"{block}\nMy aunt lives in Lyon."},
        ]
        kept = (await service.keep("ada", *messages)).json()
        await service.digested("ada")
        found = (await service.resonate("ada", "Where does my aunt live?", relevance=0)).json()
        contents = await column(service, "ada", "MATCH (n:Episodic) RETURN n.content")

    assert kept["dropped"] == [{"index": 1, "reason": "injected"}]
    [log] = (tmp_path / "minds/ada/transcript").glob("*.jsonl")
    for text in (log.read_text(), str(contents), str(found["flashbacks"])):
        assert "Zebulon" not in text
        assert "RESONANCE" not in text
    assert "Lyon" in found["flashbacks"][0]["raw"]


async def test_the_same_turn_posted_again_gets_the_first_answer_and_other_content_is_refused(tmp_path):
    async with running(tmp_path) as service:
        first = await service.keep("ada", "Ada met Bruno.", turn_id="t1")
        again = await service.keep("ada", "Ada met Bruno.", turn_id="t1")
        other = await service.keep("ada", "Ada met Carla.", turn_id="t1")
        at_once = await asyncio.gather(*(service.keep("ada", "Bruno saw Carla.", turn_id="t2") for _ in range(8)))
        status = await service.digested("ada")

    assert again.json() == {**first.json(), "duplicate": True}
    assert (again.status_code, other.status_code) == (202, 409)
    assert {answer.json()["sequence"] for answer in at_once} == {2}
    assert sum(not answer.json()["duplicate"] for answer in at_once) == 1
    assert (status["turns"], status["graph"]["episodes"]) == (2, 2)


async def test_a_killed_graph_comes_back_by_itself_and_nothing_is_lost(tmp_path):
    async with running(tmp_path) as service:
        await service.keep("ada", FRIENDS[0])
        await service.digested("ada")
        [pid] = redis_pids(is_deep=False)
        kill_graph()
        for said in FRIENDS[1:]:
            assert (await service.keep("ada", said)).status_code == 202
        await service.until("ada", lambda s: s["graph"]["available"] and redis_pids(is_deep=False) != [pid])
        status = await service.digested("ada")
        contents = await column(service, "ada", "MATCH (n:Episodic) RETURN n.content ORDER BY n.content")

    assert contents == sorted(f"user: {said}" for said in FRIENDS)
    assert status["graph"]["waiting_for"] is None


async def test_an_emptied_graph_is_built_again_from_the_transcript(tmp_path):
    async with running(tmp_path) as service:
        for said in FRIENDS:
            await service.keep("ada", said)
        before = await service.digested("ada")
        client = await service.memory.graphs._connection.client()
        await client.select_graph("mind_ada").delete()
        after = await service.until("ada", lambda s: s["graph"] == before["graph"])
        sentinel = await rows(service, "ada", "MATCH (s:Sentinel) RETURN s.name")
        found = await service.http.get("/v1/minds/ada/remember", params={"query": "Ada Bruno", "kinds": "fact"})

    texts = [one["text"] for one in found.json()["memories"]]
    assert len(texts) == len(set(texts)), "facts of the lost graph are still found beside the new ones"
    assert sentinel == [["first"]]
    assert after["graph"]["episodes"] == len(FRIENDS)


async def recalled(service):
    """The ids of what is recalled, by kind: asked for all at once, the same thing is named once."""
    found = {}
    for kind in ("fact", "entity", "episode"):
        params = {"query": "Ada thanked Carla", "kinds": kind}
        answer = await service.http.get("/v1/minds/ada/remember", params=params)
        found[kind] = {one["id"] for one in answer.json()["memories"]}
    return found


async def test_a_dropped_text_index_is_built_again_with_its_facts(tmp_path):
    async with running(tmp_path) as service:
        for said in FRIENDS:
            await service.keep("ada", said)
        await service.digested("ada")
        before = await recalled(service)
    for file in (tmp_path / "minds/ada/derived").glob("text.sqlite3*"):
        file.unlink()
    async with running(tmp_path) as service:
        index = (await service.memory.minds.find("ada")).text
        await until_async(lambda: min(index.cursor("turns"), index.cursor("facts")) >= len(FRIENDS))
        after = await recalled(service)

    assert after == before
    assert all(after.values())


def vectors_of(provider):
    """Settings of an embedder at *provider*."""
    return {"model": "openai/vectors", "api_base": provider.url, "api_key": "k"}


async def test_another_embedder_on_the_same_home_is_refused_and_says_how_to_mend_it(tmp_path):
    async with running(tmp_path) as service:
        await service.keep("ada", "My aunt lives in Lyon.")
        await service.digested("ada")
    with provider_of(Brain(), dimension=384) as provider, pytest.raises(EmbedderMismatch) as refused:
        async with running(tmp_path, settings=settings_of(tmp_path, embedder=vectors_of(provider))):
            pass
    assert "multilingual-e5-small" in str(refused.value)
    assert "litellm:openai/vectors" in str(refused.value)
    assert "mind-memory reindex" in str(refused.value)


async def test_vectors_of_another_dimension_are_refused_in_the_status_and_never_mixed(tmp_path):
    for dimension in (32, 48):
        with provider_of(Brain(), dimension=dimension) as provider:
            async with running(tmp_path, settings=settings_of(tmp_path, embedder=vectors_of(provider))) as service:
                await service.keep("ada", f"My aunt Carla has {dimension} cats.")
                status = await service.until("ada", lambda s: s["graph"]["waiting_for"] or s["graph"]["lag"] == 0)
                found = (await service.resonate("ada", "How many cats has aunt Carla?", relevance=0)).json()

    assert "Mismatch" in status["graph"]["waiting_for"]
    assert "mind-memory reindex" in status["graph"]["waiting_for"]
    assert (status["graph"]["saved"], status["turns"]) == (1, 2)
    assert found["degraded"] == ["embedder_unavailable"]  # vectors of two embedders are never compared
    assert found["surfaced"]


async def test_twenty_ordinary_turns_take_at_most_three_model_calls_each(tmp_path):
    people = ("Ada", "Bruno", "Carla", "Dora", "Ada Keller", "Bruno Rossi")
    with provider_of(Brain()) as provider:
        async with running(tmp_path, settings=hosted(tmp_path, provider, "extraction")) as service:
            for number in range(20):
                one, other = people[number % 6], people[(number * 5 + 1) % 6]
                await service.keep("ada", f"{one} met {other} in Lyon. {other} saw {one} again.", f"So {one} did!")
            status = await service.digested("ada")

        assert [prompts(provider, "extraction")[at].count(f"{people[at % 6]} met") for at in range(20)] == [1] * 20
        assert status["usage"]["calls"] == len(provider.chats)
        assert 20 <= len(provider.chats) <= 60
    assert max(calls_a_turn(provider)) <= 3


def calls_a_turn(provider):
    """How many calls stand between one reading and the next."""
    calls = []
    for asked in provider.chats:
        if asked.words.startswith("Read one turn"):
            calls.append(0)
        calls[-1] += 1
    return calls


async def test_without_a_model_nobody_is_asked(tmp_path):
    with provider_of(Brain()) as provider:
        async with running(tmp_path) as service:
            await service.keep("ada", "Yesterday I met Bruno in Lyon.")
            status = await service.digested("ada")
    assert (provider.asked, status["usage"]["calls"], status["graph"]["facts"]) == ([], 0, 1)


async def test_a_search_without_words_waits_for_no_index(tmp_path):
    """Broken: it waited ten seconds for what it does not read; where that could not be used, it was 503."""
    async with running(tmp_path) as service:
        await service.keep("ada", "Hello.")
    index = tmp_path / "minds/ada/derived/text.sqlite3"
    index.unlink(missing_ok=True)
    index.mkdir(parents=True, exist_ok=True)
    async with running(tmp_path) as service:
        answers = [
            await service.http.get("/v1/minds/ada/remember", params={"query": query, "since": "2026-01-09T00:00:00Z"})
            for query in ("?", "hello")
        ]

    assert [one.status_code for one in answers] == [200, 503]
    assert answers[0].json() == {"memories": [], "degraded": []}
