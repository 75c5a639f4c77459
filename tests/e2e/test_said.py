"""
What people said stands among the facts, over HTTP, and what they decided beside evidence, messages and turns.

Every docstring says what was broken, once, to see the test fail.
"""

import pytest

from tests.support.corrections import get
from tests.support.corrections import post_correction as correct
from tests.support.service import running

pytestmark = pytest.mark.anyio

LYON, GHENT, PORTO = "My mother Ingrid lives in Lyon.", "My uncle Bernd sails to Ghent.", "My aunt Carla left Porto."
BOAT, DOG = "Ingrid has a boat.", "Bernd walks a dog."


@pytest.fixture
async def service(tmp_path):
    """A mind: two turns, something said, another turn, and something said."""
    async with running(tmp_path) as found:
        await found.keep("ada", LYON, turn_id="t0")
        await found.keep("ada", GHENT, turn_id="t1")
        await found.digested("ada")
        await correct(found, {"what": "say", "to": BOAT})
        await found.keep("ada", PORTO, turn_id="t2")
        await found.digested("ada")
        await correct(found, {"what": "say", "to": DOG})
        yield found


async def facts(service, **params):
    return (await get(service, "facts", **params))["items"]


async def fact(service, word):
    return next(one for one in await facts(service) if word in one["text"])


def words(items):
    """A word of each of the five, in their order."""
    known = ("Lyon", "Ghent", "Porto", "boat", "dog")
    return [next(word for word in known if word in one["text"]) for one in items]


async def test_what_people_said_stands_among_the_facts_newest_first(service):
    """Broken: the list is of the graph alone; what was said comes before all that was told."""
    found = await facts(service)
    dog, boat = found[0], next(one for one in found if one["text"] == BOAT)

    assert words(found) == ["dog", "Porto", "boat", "Ghent", "Lyon"]
    assert (dog["said"]["what"], dog["said"]["by"], dog["id"]) == ("say", "local", f"fact:{dog['said']['id']}")
    assert (dog["state"], dog["source"], dog["sources"], dog["turns"]) == ("holding", "", [], 0)
    assert dog["said"]["at"] > boat["said"]["at"]
    assert [one["said"] for one in found if one not in (dog, boat)] == [None] * 3
    assert await get(service, f"facts/{dog['id']}") == dog


@pytest.mark.parametrize("limit", [1, 3])
async def test_pages_hold_both_once_while_more_is_said_and_told(service, limit):
    """Broken: the cursor is of the facts alone; what is said meanwhile moves the pages."""
    found, cursor = [], {}
    while cursor is not None:
        page = await get(service, "facts", limit=limit, **cursor)
        assert len(page["items"]) <= limit
        found += page["items"]
        assert len(found) <= 5
        cursor = {"cursor": page["next_cursor"]} if page["next_cursor"] else None
        await correct(service, {"what": "say", "to": f"Carla has {len(found)} boats."})

    assert words(found) == ["dog", "Porto", "boat", "Ghent", "Lyon"]


async def test_what_was_said_is_asked_for_as_facts_are(service):
    """Broken: filters look at facts of the graph alone."""
    said = (await fact(service, "boat"))["said"]["at"]

    assert words(await facts(service, entity="Ingrid")) == ["boat", "Lyon"]
    assert words(await facts(service, query="boats")) == ["boat"]
    assert words(await facts(service, since=said)) == ["dog", "Porto", "boat"]
    assert words(await facts(service, until=said)) == ["boat", "Ghent", "Lyon"]
    assert await facts(service, state="ended") == []


async def test_what_is_wrong_or_muted_shows_so_and_does_not_hold(service):
    """Broken: a said fact that was marked wrong leaves the list; the filter by state does not read corrections."""
    decided = {"boat": "wrong", "Ghent": "wrong", "Lyon": "mute"}
    ids = {word: (await fact(service, word))["id"] for word in decided}
    for word, what in decided.items():
        await correct(service, {"what": what, "target": {"kind": "fact", "id": ids[word]}})
    found = {words([one])[0]: one for one in await facts(service)}
    holding = await facts(service, state="holding", limit=2)
    again = await correct(service, {"what": "right", "target": {"kind": "fact", "id": ids["boat"]}})

    assert {word for word, one in found.items() if one["state"] == "wrong"} == {"boat", "Ghent"}
    assert {word: found[word]["corrections"][0]["what"] for word in decided} == decided
    assert words(holding) == ["dog", "Porto"]
    assert words(await facts(service, state="holding")) == ["dog", "Porto", "boat", "Lyon"]
    assert again["target"]["text"] == BOAT


async def test_an_edit_stands_beside_the_fact_that_it_took_the_place_of(service):
    """Broken: only what is new is listed; an edit has no turns."""
    target = {"kind": "fact", "id": (await fact(service, "Ghent"))["id"]}
    made = await correct(service, {"what": "edit", "target": target, "to": "Bernd sails."})
    [edited] = [one for one in await facts(service) if one["text"] == "Bernd sails."]

    assert (edited["said"]["what"], edited["said"]["id"], edited["state"]) == ("edit", made["id"], "holding")
    assert [one["turn_id"] for one in edited["sources"]] == ["t1"]
    assert (await fact(service, "Ghent"))["state"] == "wrong"


async def test_a_cursor_of_before_is_refused(service):
    """Broken: a place of two numbers is read as one of four."""
    answer = await service.http.get("/v1/minds/ada/facts", params={"cursor": "WyJmYWN0cyIsMSwxXQ"})

    assert (answer.status_code, answer.json()["errors"][0]["pointer"]) == (422, "query/cursor")


async def test_evidence_messages_and_turns_show_what_was_decided_of_them(service):
    """Broken: each leaves its corrections out in turn."""
    target = {"kind": "fact", "id": (await fact(service, "Ghent"))["id"]}
    made = await correct(service, {"what": "wrong", "target": target})
    muted = await correct(service, {"what": "mute", "target": {"kind": "turn", "turn_ids": ["t2"]}})
    asked = await service.http.post("/v1/minds/ada/ask", json={"question": "Does Bernd sail to Ghent?"})
    log = (await get(service, "log", query="ghent"))["items"] + (await get(service, "log", query="porto"))["items"]
    turns = {one["turn_id"]: one for one in (await get(service, "turns"))["items"]}

    evidence = next(one for one in asked.json()["evidence"] if "Ghent" in one["text"])
    assert (evidence["state"], [one["id"] for one in evidence["corrections"]]) == ("wrong", [made["id"]])
    assert [[one["id"] for one in item["corrections"]] for item in log] == [[made["id"]], [muted["id"]]]
    decided = {turn_id: [one["id"] for one in turn["corrections"]] for turn_id, turn in turns.items()}
    assert decided == {"t0": [], "t1": [made["id"]], "t2": [muted["id"]]}
    assert evidence["corrections"] == [{key: made[key] for key in ("id", "what", "to", "at", "by")}]


async def test_the_page_of_an_entity_has_what_people_said_and_edited(service):
    """Broken: its newest facts are of the graph alone."""
    lyon = await fact(service, "Lyon")
    await correct(
        service, {"what": "edit", "target": {"kind": "fact", "id": lyon["id"]}, "to": "Ingrid lives in Nice."}
    )
    ingrid = next(one for one in (await get(service, "entities"))["items"] if one["name"] == "Ingrid")
    page = await get(service, f"entities/{ingrid['id']}")

    assert page["newest_facts"] == await facts(service, entity=ingrid["id"])
    shown = {one["text"]: one["state"] for one in page["newest_facts"]}
    assert (shown["Ingrid lives in Nice."], shown[BOAT], shown[lyon["text"]]) == ("holding", "holding", "wrong")
