"""
Two names that are one person, over HTTP: one row, by the id that was kept, with the facts of both; either id finds it.

Every docstring says what was broken, once, to see the test fail.
"""

import pytest

from tests.support.corrections import get, post_correction
from tests.support.scripted_models import Brain, hosted, provider_of
from tests.support.service import running

pytestmark = pytest.mark.anyio

LYON, GHENT = "Ingrid lives in Lyon now.", "Ingritt sails to Ghent."
OTHERS = ("Bernd met Ingrid in Bruges.", "We painted the fence green.", "The choir sings in winter.")


@pytest.fixture
async def service(tmp_path):
    """A mind that heard of one woman under two names."""
    with provider_of(Brain()) as provider:
        async with running(tmp_path, settings=hosted(tmp_path, provider, "extraction")) as found:
            for number, one in enumerate((LYON, GHENT, *OTHERS)):
                await found.keep("ada", one, session_id="s0", turn_id=f"t{number}")
            await found.digested("ada")
            yield found


async def correct(service, what, target, to=None):
    body = {"what": what, "target": {"kind": "entity", **target}, **({"to": to} if to else {})}
    return await post_correction(service, body)


async def merged(service):
    """Ingrid is Ingritt. Returns the decision, and the rows of both as they were."""
    rows = {one["name"]: one for one in (await get(service, "entities"))["items"]}
    made = await correct(service, "merge", {"id": rows["Ingrid"]["id"]}, to="Ingritt")
    return made, rows["Ingrid"], rows["Ingritt"]


def texts(page):
    return {one["text"] for one in page["items"]}


async def test_facts_of_one_who_was_merged_are_those_of_all_her_names(service):
    """Broken: facts are found by one exact name."""
    _, old, kept = await merged(service)
    asked = ("Ingrid", "INGRITT", old["id"], kept["id"])
    found = [texts(await get(service, "facts", entity=one)) for one in asked]
    first = await get(service, "facts", entity=old["id"], limit=2)
    second = await get(service, "facts", entity=old["id"], limit=2, cursor=first["next_cursor"])

    assert found == [{LYON, GHENT, OTHERS[0]}] * 4
    assert [one["text"] for one in (*first["items"], *second["items"])] == [OTHERS[0], GHENT, LYON]


@pytest.mark.parametrize("sort", ["name", "mentions", "recent"])
async def test_she_is_listed_once_by_the_id_that_was_kept_with_what_is_of_both(service, sort):
    """Broken: each name of the graph has a row, with its own facts, and both are called alike."""
    _, old, kept = await merged(service)
    whole = (await get(service, "entities", sort=sort))["items"]
    found, cursor = [], {}
    while cursor is not None:
        page = await get(service, "entities", sort=sort, limit=2, **cursor)
        found += page["items"]
        cursor = {"cursor": page["next_cursor"]} if page["next_cursor"] else None
    by_old_name = (await get(service, "entities", query="ingrid"))["items"]

    [her] = [one for one in whole if one["called"] == "Ingritt"]
    assert (her["id"], her["facts"], her["mentions"]) == (kept["id"], 3, 3)
    assert (her["first_at"], her["last_at"]) == (old["first_at"], old["last_at"])
    assert found == whole
    assert by_old_name == [her]


async def test_either_id_opens_her_page_which_never_asks_whether_she_is_herself(service):
    """Broken: the page is of one name, and the other one looks like it."""
    _, old, kept = await merged(service)
    pages = [await get(service, f"entities/{one['id']}") for one in (old, kept)]

    assert pages[0] == pages[1]
    assert (pages[0]["id"], pages[0]["facts"]) == (kept["id"], 3)
    assert {one["text"] for one in pages[0]["newest_facts"]} == {LYON, GHENT, OTHERS[0]}
    assert sum(one["turns"] for one in pages[0]["mentions_by_month"]) == 3
    assert {one["name"] for one in pages[0]["neighbours"]} >= {"Lyon", "Ghent"}
    assert not {one["id"] for one in pages[0]["lookalikes"]} & {old["id"], kept["id"]}


async def test_undone_they_are_two_again_and_a_correction_takes_either_id(service):
    """Broken: lists show two who were merged as one after the merge was undone; the old id can not be corrected."""
    made, old, kept = await merged(service)
    pinned = [await correct(service, "pin", {"id": one["id"]}) for one in (old, kept)]
    for one in pinned:
        await service.http.delete(f"/v1/minds/ada/corrections/{one['id']}")
    await service.http.delete(f"/v1/minds/ada/corrections/{made['id']}")
    rows = {one["id"]: one for one in (await get(service, "entities"))["items"]}

    assert (rows[old["id"]], rows[kept["id"]]) == (old, kept)
    assert texts(await get(service, "facts", entity=kept["id"])) == {GHENT}


async def test_a_turn_of_one_name_is_erased_from_what_is_of_both(service):
    _, old, kept = await merged(service)
    erased = await service.http.delete("/v1/minds/ada/turns/t0")
    await service.digested("ada")
    her = await get(service, f"entities/{kept['id']}")

    assert erased.status_code in {200, 202}
    assert texts(await get(service, "facts", entity=old["id"])) == {GHENT, OTHERS[0]}
    assert her["facts"] == 2


async def test_who_was_renamed_is_listed_in_the_place_of_her_new_name_and_found_by_both(service):
    """Broken: a list by name has her where the old name stands."""
    made = await correct(service, "rename", {"text": "Ingrid"}, to="Zora")
    last = (await get(service, "entities", sort="name"))["items"][-1]
    by_name = [(await get(service, "entities", query=one))["items"] for one in ("zora", "ingrid")]

    assert made["to"] == last["called"] == "Zora"
    assert last in by_name[0]
    assert last in by_name[1]
    assert texts(await get(service, "facts", entity="Zora")) == {LYON, OTHERS[0]}


async def test_a_name_that_a_person_gave_is_one_to_merge_into_and_to_replace(service):
    """Broken: the name that was given is an entity of its own; the new one is lost."""
    rows = {one["name"]: one["id"] for one in (await get(service, "entities"))["items"]}
    await correct(service, "rename", {"text": "Ingrid"}, to="Zora")
    await correct(service, "merge", {"text": "Ingritt"}, to="Zora")
    await correct(service, "rename", {"text": "Zora"}, to="Zara")
    listed = [one["called"] for one in (await get(service, "entities"))["items"]]
    found = [texts(await get(service, "facts", entity=one)) for one in ("Zara", "Zora", "Ingrid", "Ingritt")]
    pages = [await get(service, f"entities/{rows[one]}") for one in ("Ingrid", "Ingritt")]

    assert listed.count("Zara") == 1
    assert not {"Zora", "Ingrid", "Ingritt"} & {*listed}
    assert found == [{LYON, GHENT, OTHERS[0]}] * 4
    assert [(one["id"], one["called"]) for one in pages] == [(rows["Ingrid"], "Zara")] * 2


async def test_one_who_was_merged_can_be_renamed_by_the_old_name_and_the_old_id(service):
    """Broken: the name is given to the old name alone, which is called by the name that was kept."""
    _, old, kept = await merged(service)
    await correct(service, "rename", {"text": "Ingrid"}, to="Zora")
    by_name = await get(service, f"entities/{kept['id']}")
    await correct(service, "rename", {"id": old["id"]}, to="Zara")
    by_id = await get(service, f"entities/{kept['id']}")

    assert (by_name["called"], by_id["called"]) == ("Zora", "Zara")


async def test_a_name_that_another_one_was_given_is_refused(service):
    """Broken: two are listed by one name."""
    await correct(service, "rename", {"text": "Ingrid"}, to="Zora")
    body = {"what": "rename", "target": {"kind": "entity", "text": "Ingritt"}, "to": "zora"}
    answer = await service.http.post("/v1/minds/ada/corrections", json=body)

    assert answer.status_code == 409
    assert "merge the two" in answer.json()["detail"]


async def test_an_entity_can_be_given_each_of_its_own_names(service):
    """Broken: its own names count as those of another one: "merge the two instead"."""
    await correct(service, "rename", {"text": "Ingrid"}, to="Clementine")
    await correct(service, "rename", {"text": "Clementine"}, to="Ingrid")
    back = [one["called"] for one in (await get(service, "entities"))["items"]]
    _, _, kept = await merged(service)
    await correct(service, "rename", {"id": kept["id"]}, to="Ingrid")
    by_either = [(await get(service, "facts", entity=name))["items"] for name in ("Ingrid", "Ingritt", "Clementine")]

    assert "Ingrid" in back
    assert "Clementine" not in back
    assert (await get(service, f"entities/{kept['id']}"))["called"] == "Ingrid"
    assert by_either[0] == by_either[1] == by_either[2] != []


async def test_the_graph_has_one_node_for_one_who_was_merged(service):
    """Broken: the graph is drawn of the index alone."""
    before = await get(service, "graph")
    made, old, kept = await merged(service)
    after = await get(service, "graph")
    await service.http.delete(f"/v1/minds/ada/corrections/{made['id']}")
    back = await get(service, "graph")

    ids, names = after["entities"]["id"], after["entities"]["name"]
    assert kept["id"] in ids
    assert old["id"] not in ids
    assert names.count("Ingritt") == 1
    assert "Ingrid" not in names
    assert after["entities"]["mentions"][names.index("Ingritt")] == old["mentions"] + kept["mentions"]
    assert {*after["facts"]["source"], *after["facts"]["target"]} <= {*ids}
    assert after["entities"]["mentions"] == sorted(after["entities"]["mentions"], reverse=True)
    assert back == before


async def test_the_graph_calls_whoever_was_renamed_by_the_new_name(service):
    """Broken: the graph is drawn of the index alone."""
    rows = {one["name"]: one for one in (await get(service, "entities"))["items"]}
    await correct(service, "rename", {"id": rows["Bernd"]["id"]}, to="Bernhard")
    entities = (await get(service, "graph"))["entities"]

    assert entities["name"][entities["id"].index(rows["Bernd"]["id"])] == "Bernhard"
