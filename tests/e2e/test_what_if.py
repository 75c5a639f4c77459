"""A pre-turn call with ``probe`` says what would surface, and leaves nothing behind."""

import asyncio
from datetime import UTC, datetime

import pytest

from tests.support.scripted_models import Brain, between, hosted, prompts, provider_of
from tests.support.service import running

pytestmark = pytest.mark.anyio

LYON, ASKS = "My mother lives in Lyon.", "Where does my mother live?"
ASKS_AGAIN = [
    {"role": "user", "content": ASKS},
    {"role": "assistant", "content": "In Lyon."},
    {"role": "user", "content": ASKS},
]


async def probed(service, message=ASKS, **more):
    """What a probe answers."""
    answer = await service.resonate("ada", message, probe=True, **more)
    assert answer.status_code == 200, answer.text
    return answer.json()


async def told(service, *contents, session_id="s0"):
    for content in contents:
        await service.keep("ada", content, session_id=session_id)
    await service.digested("ada")


def texts(found):
    return " ".join(one["raw"] for one in found["flashbacks"])


async def left_behind(service, folder):
    """All that a pre-turn call may leave: files of the mind, traces, metrics of pre-turn calls."""
    figures = await service.figures()
    named = ("resonance", "flashbacks", "fragments", "wonders", "outcomes")
    counted = {key: one for key, one in figures.items() if key[0].removeprefix("mind_memory_").startswith(named)}
    counted.pop(("mind_memory_resonance_probes_total",))
    traces = (await service.http.get("/v1/minds/ada/traces")).json()
    return counted, traces, list((folder / "minds/ada").glob("subconscious*"))


async def test_a_probe_surfaces_what_a_call_would_and_leaves_nothing_behind(tmp_path):
    async with running(tmp_path) as service:
        await told(service, LYON)
        before = await left_behind(service, tmp_path)

        found = [await probed(service) for _ in range(2)]
        after = await left_behind(service, tmp_path)
        real = (await service.resonate("ada", ASKS)).json()
        figures = await service.figures()

    assert before == after
    assert all("Lyon" in texts(one) for one in (*found, real))
    assert [one["trace_id"] for one in found] == [None, None]
    assert real["trace_id"] is not None
    assert figures["mind_memory_resonance_probes_total",] == 2


async def test_a_probe_sees_what_was_shown_lately_and_shows_nothing_itself(tmp_path):
    async with running(tmp_path) as service:
        await told(service, LYON)
        await probed(service)
        real = (await service.resonate("ada", ASKS)).json()

        found = await probed(service, ASKS_AGAIN, include=["trace"])

    assert real["surfaced"]
    assert not found["surfaced"]
    assert "echo: shown lately" in found["trace"]["phases"]["filters"]["dropped"].values()


async def test_what_a_call_showed_does_not_hold_back_a_probe_of_the_same_call(tmp_path):
    async with running(tmp_path) as service:
        await told(service, LYON)
        real = (await service.resonate("ada", ASKS)).json()

        again = await probed(service, ASKS_AGAIN, again_of=real["trace_id"])
        of_another = await probed(service, ASKS_AGAIN, again_of="of-no-call")

    assert "Lyon" in texts(again)
    assert not of_another["surfaced"]


async def test_the_trace_of_a_probe_is_in_its_answer_and_nowhere_else(tmp_path):
    async with running(tmp_path) as service:
        await told(service, LYON)

        found = await probed(service, include=["trace"])
        other = await probed(service)
        asked = await service.http.get(f"/v1/minds/ada/traces/{found['trace']['trace_id']}")

    assert found["trace"]["surfaced"]
    assert found["trace"]["phases"]["retrieval"]["candidates"]
    assert other["trace"] is None
    assert asked.status_code == 404


@pytest.mark.parametrize(
    ("more", "pointer"),
    [
        ({"as_of": "2026-01-09T18:30:00Z"}, "#/as_of"),
        ({"without": ["model"]}, "#/without"),
        ({"again_of": "a-trace"}, "#/again_of"),
        ({"include": ["flashbacks", "trace"]}, "#/include"),
        ({"probe": True, "without": ["story"]}, "#/without/0"),
        ({"probe": True, "as_of": "yesterday"}, "#/as_of"),
    ],
)
async def test_what_is_for_a_probe_alone_is_refused_without_it(tmp_path, more, pointer):
    async with running(tmp_path) as service:
        await told(service, LYON)

        answer = await service.resonate("ada", ASKS, **more)

    assert answer.status_code == 422
    assert [one["pointer"] for one in answer.json()["errors"]] == [pointer]


async def test_as_of_a_time_what_was_accepted_or_occurred_later_is_not_known(tmp_path):
    planned = {"role": "user", "content": "My mother flies to Porto.", "timestamp": "2199-01-01T00:00:00Z"}
    async with running(tmp_path) as service:
        await told(service, "My mother called from Ghent.", planned)
        await asyncio.sleep(0.01)
        then = datetime.now(UTC).isoformat()
        await told(service, *(f"My mother lives in Lyon, in house {n}." for n in range(5)))

        now, earlier = await probed(service, relevance=0), await probed(service, relevance=0, as_of=then)
        before = await probed(service, as_of="2020-01-01T00:00:00Z", include=["trace"])

    assert "Lyon" in texts(now)
    assert "Ghent" in texts(earlier)
    assert "Lyon" not in texts(earlier)
    assert "Porto" not in texts(earlier)
    assert not before["surfaced"]
    assert (
        "candidates" not in before["trace"]["phases"]["retrieval"]
        or not before["trace"]["phases"]["retrieval"]["candidates"]
    )


async def test_as_of_a_time_only_what_was_shown_before_it_echoes_and_later_outcomes_do_not_count(tmp_path):
    async with running(tmp_path) as service:
        await told(service, LYON)
        await asyncio.sleep(0.01)
        then = datetime.now(UTC).isoformat()
        real = (await service.resonate("ada", ASKS)).json()
        outcomes = [{"id": real["flashbacks"][0]["id"], "outcome": "contradicted"}]
        await service.http.post("/v1/minds/ada/outcomes", json={"trace_id": real["trace_id"], "outcomes": outcomes})

        now, earlier = await probed(service, session_id="s9"), await probed(service, as_of=then)

    assert "Lyon" not in texts(now)
    assert "Lyon" in texts(earlier)


@pytest.mark.parametrize(
    ("what", "more", "shown"),
    [("pin", {}, "Lyon"), ("wrong", {}, ""), ("mute", {}, ""), ("edit", {"to": "My mother lives in Porto."}, "Porto")],
)
async def test_as_of_a_time_what_people_had_put_right_by_then_holds(tmp_path, what, more, shown):
    """Broken: the positions of the turns until then do not know the ids of turns."""
    async with running(tmp_path) as service:
        await told(service, LYON)
        await decided(service, "episode:1", what, **more)
        await asyncio.sleep(0.01)
        then = datetime.now(UTC).isoformat()
        await told(service, "My mother has a parrot.")
        await decided(service, "episode:2", "pin")

        found = await probed(service, as_of=then)

    assert "parrot" not in texts(found)
    assert (shown in texts(found)) if shown else not found["surfaced"]


def said(name, content, day):
    return {"role": "user", "name": name, "content": content, "timestamp": f"2026-01-{day:02}T10:00:00Z"}


async def test_as_of_a_time_several_people_with_names_are_known(tmp_path):
    """Broken: who speaks in a mind is asked of positions that can not tell the last turns of then."""
    async with running(tmp_path) as service:
        await told(service, said("Ann", LYON, 5), said("Ben", "My dog is called Rex.", 6))
        await asyncio.sleep(0.01)
        then = datetime.now(UTC).isoformat()
        await told(service, said("Ann", "My mother moved to Porto.", 7))

        found, before = await probed(service, as_of=then), await probed(service, as_of="2020-01-01T00:00:00Z")

    assert "Lyon" in texts(found)
    assert "Porto" not in texts(found)
    assert not before["surfaced"]


async def test_cards_as_of_a_time_are_as_they_were_and_leave_those_of_now_as_they_are(tmp_path):
    """Broken: the cards of a probe as of a time take the place of those of the day, which are made anew then."""

    def read(prompt):
        words = between(prompt, "turn")
        known = next(({"target": one, "fact": f"Ann has a {one}."} for one in ("boat", "kite") if one in words), None)
        facts = [{"source": "Ann", "relation": "HAS", "importance": 0.9, **known}] if known else []
        return {"entities": [{"name": one} for one in ("Ann", "boat", "kite")], "facts": facts}

    async def shown(**more):
        found = await service.resonate("ada", "Hello there!", **more)
        return [one for one in ("boat", "kite", "garden") if one in found.json()["stable"]["text"]]

    with provider_of(Brain(extraction=read)) as provider:
        async with running(tmp_path, settings=hosted(tmp_path, provider, "extraction")) as service:
            await told(service, said("Ann", "I have a boat.", 5), said("Ben", "My dog is called Rex.", 6))
            await asyncio.sleep(0.01)
            then = datetime.now(UTC).isoformat()
            await decided(service, "episode:1", "right")
            live = await shown()
            await told(service, said("Ann", "I have a kite.", 7))
            of_the_day = await shown()
            earlier = await shown(probe=True, as_of=then)
            before = await shown(probe=True, as_of="2020-01-01T00:00:00Z")
            after = await shown()
            body = {"what": "say", "to": "Ann has a garden."}
            (await service.http.post("/v1/minds/ada/corrections", json=body)).raise_for_status()
            at_last, earlier_again = await shown(), await shown(probe=True, as_of=then)

    assert live == of_the_day == after == ["boat"]
    assert (earlier, before, earlier_again) == (["boat"], [], ["boat"])
    assert at_last == ["boat", "kite", "garden"]


async def decided(service, memory, what, **more):
    body = {"what": what, "target": {"kind": "turn", "id": memory}, **more}
    (await service.http.post("/v1/minds/ada/corrections", json=body)).raise_for_status()


async def test_without_the_graph_a_probe_goes_down_the_ladder_as_in_an_outage(tmp_path):
    async with running(tmp_path) as service:
        await told(service, LYON)

        found, other = await probed(service, without=["graph"]), await probed(service)
        _, parts = await service.ready()

    assert found["degraded"] == ["graph_unavailable"]
    assert "Lyon" in texts(found)
    assert other["degraded"] == []
    assert parts["graph"] == "ready"


async def test_without_a_model_none_is_asked(tmp_path):
    with provider_of(Brain()) as provider:
        async with running(tmp_path, settings=hosted(tmp_path, provider, "subconscious")) as service:
            await told(service, LYON)

            without = await probed(service, without=["model"])
            asked = len(provider.chats)
            await probed(service)

    assert "Lyon" in texts(without)
    assert (asked, without["usage"]["calls"], without["degraded"]) == (0, 0, [])
    assert prompts(provider, "seeds")
    assert prompts(provider, "narration")


async def test_a_probe_leaves_a_models_wonders_to_the_session(tmp_path):
    wonder = {"hypothesis": "an allergy", "query": "allergic to peanuts"}
    brain = Brain(seeds={"entities": [], "queries": [], "wonders": [wonder]})
    with provider_of(brain) as provider:
        async with running(tmp_path, settings=hosted(tmp_path, provider, "subconscious")) as service:
            await told(service, "Bruno is terribly allergic to peanuts.")
            await probed(service, "Let us choose a restaurant!")
            real = (await service.resonate("ada", "Let us choose a Thai restaurant!")).json()
            trace = (await service.http.get(f"/v1/minds/ada/traces/{real['trace_id']}")).json()

    assert wonder["query"] in trace["phases"]["retrieval"]["queries"]


async def test_a_probe_of_a_mind_that_does_not_exist_is_silent_and_creates_none(tmp_path):
    async with running(tmp_path) as service:
        found = await probed(service, include=["trace"], without=["graph"])
        minds = (await service.http.get("/v1/minds")).json()["minds"]

    assert (found["surfaced"], found["trace"], minds) == (False, None, [])
