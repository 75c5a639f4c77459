"""
What a person calls right, or says, holds: whatever outcomes say of it, and whatever end a model gave it.

Every docstring says what was broken, once, to see the test fail.
"""

import pytest

from tests.e2e.test_corrections import (
    ASKS,
    MOTHER,
    OTHERS,
    asked,
    by_id,
    correct,
    fact_of,
    remembered,
    said,
    told,
    undo,
)
from tests.support.scripted_models import Brain, hosted, provider_of
from tests.support.service import running, settings_of
from tests.support.waiting import eventually

pytestmark = pytest.mark.anyio

ENDS = {"settlements": [{"number": 1, "repeats": [], "contradicts": [0]}]}


async def contradict(service, memory, trace_id=None):
    body = {"outcomes": [{"id": memory["id"], "outcome": "contradicted"}]}
    body |= {"trace_id": trace_id} if trace_id else {}
    answer = await service.http.post("/v1/minds/ada/outcomes", json=body)
    assert answer.json()["applied"] == 1, answer.text


async def listed(service, **more):
    facts = (await service.http.get("/v1/minds/ada/facts", params=more)).json()["items"]
    return [(one["state"], one["invalid_at"]) for one in facts if "Lyon" in one["text"]]


@pytest.mark.parametrize("first", ["outcome", "right"])
@pytest.mark.parametrize("contradicted", ["what surfaced", "the fact"])
async def test_a_confirmed_fact_surfaces_although_it_was_contradicted(tmp_path, first, contradicted):
    """Broken: only a decision of the turn itself counts against an outcome; ``remember`` looks at outcomes alone."""
    async with running(tmp_path) as service:
        await told(service, MOTHER, *OTHERS)
        fact, shown = await fact_of(service), await asked(service, session_id="before")

        async def outcome():
            one = shown["flashbacks"][0] if contradicted == "what surfaced" else fact
            await contradict(service, one, shown["trace_id"] if contradicted == "what surfaced" else None)

        if first == "outcome":
            await outcome()
        await correct(service, "right", by_id("fact", fact))
        if first == "right":
            await outcome()
        after = await asked(service, session_id="after")
        found = await remembered(service)

    assert "Lyon" in after["block"]
    about_lyon = [one for one in found if "Lyon" in one["text"] and one["kind"] != "entity"]
    assert about_lyon
    assert not [one for one in about_lyon if one["is_contradicted"]]


async def test_a_confirmed_turn_is_not_contradicted_when_it_is_found_on_purpose(tmp_path):
    """Broken: ``remember`` looks at outcomes alone."""
    async with running(tmp_path) as service:
        await told(service, MOTHER, *OTHERS)
        shown = await asked(service, session_id="before")
        await contradict(service, shown["flashbacks"][0], shown["trace_id"])
        before = await remembered(service, kinds="episode")
        await correct(service, "right", by_id("turn", shown["flashbacks"][0]))
        after = await remembered(service, kinds="episode")

    def contradicted(found):
        return [one["is_contradicted"] for one in found if "Lyon" in one["text"]]

    assert (contradicted(before), contradicted(after)) == ([True], [False])


async def test_what_only_a_contradicted_turn_told_is_contradicted_and_stands_behind_what_is_not(tmp_path):
    """Broken: a fact has the outcomes of its own id alone, and ``ask`` shows what was contradicted first."""
    async with running(tmp_path) as service:
        await told(service, MOTHER, *OTHERS, "My mother Ingrid sings in a choir.")
        shown = await asked(service, session_id="before")
        (turn,) = (one for one in shown["flashbacks"] if one["id"] == "episode:1")

        async def seen():
            facts = await remembered(service, kinds="fact")
            posted = {"question": "Where does my mother Ingrid live?"}
            answer = await service.http.post("/v1/minds/ada/ask", json=posted)
            evidence = answer.json()["evidence"]
            lyon = [one["is_contradicted"] for one in (*facts, *evidence) if "Lyon" in one["text"]]
            return set(lyon), "Lyon" in evidence[0]["text"]

        found = [await seen()]
        await contradict(service, turn, shown["trace_id"])
        found.append(await seen())
        made = await correct(service, "right", by_id("turn", turn))
        found.append(await seen())
        await undo(service, made)
        await told(service, MOTHER, session_id="again")
        found.append(await seen())

    assert found == [({False}, True), ({True}, False), ({False}, True), ({False}, True)]


async def test_the_lists_of_facts_show_what_was_contradicted_and_those_of_mem0_leave_it_out(tmp_path):
    """Broken: lists look at what people decided alone, and not at outcomes."""
    async with running(tmp_path, settings=settings_of(tmp_path, facades={"mem0": True})) as service:
        await told(service, MOTHER, "Thanks, see you!", *OTHERS)
        turn = next(one for one in (await asked(service, session_id="before"))["flashbacks"] if "Lyon" in one["raw"])
        (thanks,) = (
            one for one in await remembered(service, "Thanks, see you!", kinds="episode") if "Thanks" in one["text"]
        )

        async def seen():
            facts = (await service.http.get("/v1/minds/ada/facts")).json()["items"]
            (lyon,) = (one for one in facts if "Lyon" in one["text"])
            alone = (await service.http.get(f"/v1/minds/ada/facts/{lyon['id']}")).json()
            posted = {"filters": {"user_id": "ada"}}
            listed = (await service.http.post("/mem0/v3/memories/", json=posted)).json()["results"]
            in_mem0 = [word for word in ("Lyon", "Thanks") if any(word in one["memory"] for one in listed)]
            return [one["is_contradicted"] for one in (lyon, alone)], in_mem0

        found = [await seen()]
        await contradict(service, turn)
        await contradict(service, thanks)
        found.append(await seen())
        for one in (turn, thanks):
            await correct(service, "right", by_id("turn", one))
        found.append(await seen())

    so = ([False, False], ["Lyon", "Thanks"])
    assert found == [so, ([True, True], []), so]


async def test_what_a_person_said_is_contradicted_by_its_id_alone_and_shows_so_in_the_list(tmp_path):
    """Broken: without a trace, its id is of nothing; it is listed without its outcomes."""
    async with running(tmp_path) as service:
        await told(service, MOTHER, *OTHERS)
        made = await correct(service, "edit", by_id("fact", await fact_of(service)), to="Ingrid lives in Porto.")
        await contradict(service, {"id": f"fact:{made['id']}"})
        facts = (await service.http.get("/v1/minds/ada/facts")).json()["items"]

    assert {one["said"] is not None for one in facts if one["is_contradicted"]} == {True}


async def test_a_fact_that_a_model_ended_holds_again_wherever_it_is_asked_for(tmp_path):
    """Broken: the index is asked for a state, and an instant is compared, before the decision is looked at."""
    now = "2026-11-28T00:00:00Z"
    brain = Brain()
    with provider_of(brain) as provider:
        async with running(tmp_path, settings=hosted(tmp_path, provider, "extraction")) as service:
            await told(service, "Ingrid lives in Lyon.", *OTHERS)
            brain.rules["settlements"] = lambda prompt: (
                ENDS if "0. Ingrid lives in Lyon" in prompt else {"settlements": []}
            )
            await service.keep("ada", said("Ingrid visited Porto.", "2026-01-11T18:30:00Z"), session_id="s1")
            await service.digested("ada")
            fact = next(one for one in await remembered(service, "Ingrid Lyon", kinds="fact") if "Lyon" in one["text"])
            ended = await listed(service, state="ended")
            made = await correct(service, "right", by_id("fact", fact))
            states = {one: await listed(service, state=one) for one in ("holding", "ended", "planned")}
            at = [one["text"] for one in await remembered(service, "Ingrid Lyon", kinds="fact", at=now)]
            graph = (await service.http.get("/v1/minds/ada/graph")).json()["facts"]
            await service.http.delete(f"/v1/minds/ada/corrections/{made['id']}")
            undone = {one: await listed(service, state=one) for one in ("holding", "ended")}

    assert [one for one, _ in ended] == ["ended"]
    assert states == {"holding": [("holding", None)], "ended": [], "planned": []}
    assert "Ingrid lives in Lyon." in at
    assert graph["invalid_at"][graph["id"].index(fact["id"])] is None
    assert undone == {"holding": [], "ended": ended}


async def test_what_the_service_noticed_does_not_silence_what_a_person_said(tmp_path):
    """Broken: an outcome that the service noticed weighs as much as one that somebody reported."""
    porto = "Ingrid lives in Porto."
    with provider_of(Brain()) as provider:
        async with running(tmp_path, settings=hosted(tmp_path, provider, "extraction")) as service:
            await told(service, "Ingrid lives in Lyon.", *OTHERS)
            made = await correct(service, "edit", by_id("fact", await fact_of(service)), to=porto)
            found = await asked(service, session_id="chat")
            talk = [("user", ASKS), ("assistant", porto), ("user", "No, that's wrong."), ("assistant", "Sorry!")]
            spoken = [said(one, f"2026-01-12T09:0{at}:00Z", role) for at, (role, one) in enumerate(talk)]
            await service.keep("ada", *spoken[:2], session_id="chat", trace_id=found["trace_id"])
            again = await asked(service, [{"role": role, "content": one} for role, one in talk[:3]], session_id="chat")
            await service.keep("ada", *spoken[2:], session_id="chat", trace_id=again["trace_id"])
            await service.digested("ada")

            async def outcomes():
                trace = (await service.http.get(f"/v1/minds/ada/traces/{found['trace_id']}")).json()
                return [(one["outcome"], one["reporter"]) for one in trace["outcomes"]]

            noticed = await eventually(outcomes, lambda known: ("contradicted", "noticed") in known)
            after = await asked(service, session_id="after")
            on_purpose = await remembered(service, kinds="fact")
            statement = f"fact:{made['id']}"
            shown = next((one for one in after["flashbacks"] if one["id"] == statement), None)
            await contradict(service, shown, after["trace_id"])
            told_wrong = await asked(service, session_id="told wrong")

    assert noticed
    assert [one["is_contradicted"] for one in on_purpose if one["id"] == statement] == [False]
    assert statement not in [one["id"] for one in told_wrong["flashbacks"]]


async def test_an_edit_stands_before_what_was_said_between_the_turn_and_the_decision(tmp_path):
    """Broken: an edit holds from when its turn was told on, so whatever was said later leads it."""
    async with running(tmp_path) as service:
        await told(service, "My birthday is on 4 May.", *OTHERS)
        await service.keep("ada", said("I want a cake on my birthday, 4 May.", "2026-01-10T18:30:00Z"))
        await service.digested("ada")
        await correct(service, "edit", {"kind": "turn", "id": "episode:1"}, to="My birthday is on 5 May.")
        found = await asked(service, "When is my birthday?")

    assert [one["occurred_at"][:10] for one in found["flashbacks"]] == ["2026-01-09", "2026-01-10"]
    assert "5 May" in found["flashbacks"][0]["text"]
