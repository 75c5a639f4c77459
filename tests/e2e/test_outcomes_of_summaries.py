"""
What was contradicted does not come up through what is known of an entity either.

Every docstring says what was broken, once, to see the test fail.
"""

import pytest

from tests.e2e.test_outcomes import OTHERS, asked, by_hand, told, trace_of
from tests.support.scripted_models import Brain, hosted, provider_of
from tests.support.service import running

pytestmark = pytest.mark.anyio

FLIGHT, HOTEL, ASKS = (
    "My flight to Oslo leaves at 7 am.",
    "My hotel in Oslo is the Bristol.",
    "When is my flight to Oslo?",
)
ROOM = "Where User stays, the Bristol, has breakfast on the roof and a sauna beside the harbour."
FACTS = {FLIGHT: "User's flight to Oslo leaves at 7 am.", HOTEL: ROOM}
BILLS = {
    f"Our bill in Oslo was {sum_} in {month}.": f"What the power company in Oslo charged User: {sum_} kroner in {month}."
    for sum_, month in ((41, "January"), (44, "February"), (47, "April"))
}
FACTS |= BILLS


def read_turn(prompt):
    """A model that tells each turn in words of its own, so that a summary is not a quotation."""
    said = [fact for sentence, fact in FACTS.items() if sentence in prompt.partition("<turn>")[2]]
    facts = [{"source": "User", "relation": "SAID", "target": "Oslo", "fact": one} for one in said]
    return {"entities": [{"name": "User"}, {"name": "Oslo"}] if said else [], "facts": facts}


@pytest.fixture
async def service(tmp_path):
    with provider_of(Brain(extraction=read_turn)) as provider:
        async with running(tmp_path, settings=hosted(tmp_path, provider, "extraction")) as found:
            yield found


async def fact_id(service, words):
    facts = (await service.http.get("/v1/minds/ada/facts")).json()["items"]
    return next(one["id"] for one in facts if words in one["text"])


@pytest.mark.parametrize("kind", ["fact", "episode"])
async def test_what_is_known_of_an_entity_does_not_come_up_where_all_of_it_was_contradicted(service, kind):
    """Broken: outcomes are asked of facts and turns alone; the summary says it word for word."""
    await told(service, FLIGHT, *OTHERS)
    id_ = await fact_id(service, "7 am") if kind == "fact" else "episode:1"
    await by_hand(service, [id_], "contradicted")
    silent = await asked(service, ASKS)
    trace = await trace_of(service, silent)
    await by_hand(service, [id_], "acted")
    back = await asked(service, ASKS, session_id="back")

    assert "7 am" not in silent["block"]
    assert "outcome: contradicted" in trace["phases"]["filters"]["dropped"].values()
    assert "7 am" in back["block"]


async def test_the_rest_of_what_is_known_of_an_entity_comes_up(service):
    """Broken: a summary goes as a whole, or stays as a whole."""
    await told(service, FLIGHT, *OTHERS, HOTEL)
    await by_hand(service, [await fact_id(service, "7 am")], "contradicted")
    found = await asked(service, "What do you know of Oslo?", max_fragments=20, relevance=0)

    assert f"Oslo: {ROOM}" in [one["text"] for one in found["flashbacks"]]
    assert not [one["text"] for one in found["flashbacks"] if "7 am" in one["text"]]


async def test_what_is_said_again_comes_up_again_in_what_is_known_of_an_entity(service):
    """Broken: whatever was contradicted once is taken out of summaries for ever."""
    await told(service, FLIGHT, *OTHERS)
    await by_hand(service, [await fact_id(service, "7 am")], "contradicted")
    await told(service, FLIGHT, session_id="s1")
    found = await asked(service, ASKS, session_id="later")

    assert "7 am" in found["block"]


@pytest.mark.parametrize("kind", ["fact", "episode"])
async def test_what_was_contradicted_takes_nothing_like_it_out_of_what_is_known_of_an_entity(service, kind):
    """Broken: a wrong turn takes lines of other turns with it, or its own line stays; lines are joined by spaces."""
    await told(service, *BILLS, *OTHERS)
    id_ = await fact_id(service, "47") if kind == "fact" else "episode:3"
    await by_hand(service, [id_], "contradicted")
    found = await asked(service, "What do you know of Oslo?", max_fragments=20, relevance=0)

    left = "\n".join(list(BILLS.values())[:2])
    assert f"Oslo: {left}" in [one["text"] for one in found["flashbacks"]]
