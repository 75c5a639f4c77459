"""
Importance: slight facts are not kept, important ones come first, what a tool showed ages.

Every docstring says what was broken, once, to see the test fail.
"""

import pytest

from tests.support.scripted_models import Brain, hosted, provider_of
from tests.support.service import running

pytestmark = pytest.mark.anyio

NOW = "2026-06-12T09:00:00Z"


def said(content, at="2026-01-09T18:30:00Z", role="user"):
    return {"role": role, "content": content, "timestamp": at}


def judging(importance):
    """An extraction of one fact about Carla, as important as *importance* says by a word of the turn."""

    def answer(prompt):
        turn = prompt.rpartition("</turn>")[0].rpartition("<turn>")[2]
        word = next((word for word in importance if word in turn), None)
        fact = {"source": "Ada", "relation": "SAID", "target": "Carla", "fact": f"Ada told Carla about the {word}."}
        facts = [fact | {"message": 1, "importance": importance[word]}] if word is not None else []
        return {"entities": [{"name": "Ada"}, {"name": "Carla"}], "facts": facts}

    return answer


async def test_a_fact_that_is_too_slight_is_not_kept_and_is_counted(tmp_path):
    """Broken: ``worth_keeping`` keeps all; nobody is told."""
    brain = Brain(extraction=judging({"weather": 0.05, "wedding": 0.9, "harvest": None, "storm": 7}))
    with provider_of(brain) as provider:
        async with running(tmp_path, settings=hosted(tmp_path, provider, "extraction")) as service:
            for word in ("weather", "wedding", "harvest", "storm"):
                await service.keep("ada", said(f"Ada told Carla about the {word}."))
            await service.digested("ada")
            figures = await service.figures()
            found = await service.http.get("/v1/minds/ada/remember", params={"query": "Carla told", "kinds": "fact"})

    texts = " ".join(one["text"] for one in found.json()["memories"])
    assert [word in texts for word in ("weather", "wedding", "harvest", "storm")] == [False, True, True, True]
    assert figures["mind_memory_facts_dropped_total",] == 1


async def test_of_two_that_fit_alike_the_important_one_leads_and_the_trace_says_why(tmp_path):
    """Broken: the importance is not stored with the fact; ``_weight`` does not read it."""
    brain = Brain(extraction=judging({"wedding": 0.2, "surgery": 1.0}))
    with provider_of(brain) as provider:
        async with running(tmp_path, settings=hosted(tmp_path, provider, "extraction")) as service:
            for word in ("surgery", "wedding"):
                await service.keep("ada", {**said(f"Yesterday I told Carla about the {word}."), "name": "Ada"})
            await service.digested("ada")
            asked = {"now": NOW, "relevance": 0}
            answer = (
                await service.resonate("ada", "Ada told Carla about the surgery and about the wedding.", **asked)
            ).json()
            trace = (await service.http.get(f"/v1/minds/ada/traces/{answer['trace_id']}")).json()

    weights = trace["phases"]["filters"]["salience"]
    candidates = trace["phases"]["retrieval"]["candidates"]
    by_text = {one["text"]: weights.get(one["id"]) for one in candidates if one["kind"] == "fact"}
    assert "surgery" in answer["flashbacks"][0]["raw"]
    assert by_text["Ada told Carla about the surgery."] == pytest.approx(1.1)
    assert by_text.get("Ada told Carla about the wedding.", 0.94) == pytest.approx(0.94)


async def test_what_a_tool_showed_ages_and_what_a_person_said_does_not(tmp_path):
    """Broken: ``_weight`` looks at nothing; it looks at all that is old."""
    async with running(tmp_path) as service:
        await service.keep("ada", said("The pull request of Ben waits for a review.", role="tool"))
        await service.keep("ada", said("Ben waits for a review of his pull request.", role="user"))
        await service.digested("ada")
        asked = {"now": NOW, "relevance": 0}
        answer = (await service.resonate("ada", "Does the pull request of Ben wait for a review?", **asked)).json()
        trace = (await service.http.get(f"/v1/minds/ada/traces/{answer['trace_id']}")).json()

    weights = trace["phases"]["filters"].get("salience", {})
    aged = {one["id"]: weights[one["id"]] for one in trace["phases"]["retrieval"]["candidates"] if one["id"] in weights}
    assert set(aged) == {"episode:1"}
    assert aged["episode:1"] == pytest.approx(153.6**-0.1, abs=0.001)
