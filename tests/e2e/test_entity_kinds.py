"""Kinds of entities, from the setting through a hosted model to every door that recalls, and through an archive."""

import pytest

from tests.support.scripted_models import Brain, between, hosted, prompts, provider_of
from tests.support.service import running

pytestmark = pytest.mark.anyio

MIND = "ada"
KINDS = [{"name": "Person", "description": "somebody with a name"}, {"name": "Place"}]
SAID = {"role": "user", "content": "Ines lives in Lyon. Lyon is near Grenoble."}


async def read(service):
    """Wait until every turn is read, and its facts are found by their words."""
    await service.until(MIND, lambda status: status["text"]["facts"] >= status["last_sequence"] > 0)


def extraction(prompt):
    """Two facts and three entities of two kinds, where kinds are asked for."""
    kind = {"Ines": "Person", "Lyon": "Place", "Grenoble": "place"} if "a `kind`, one of these" in prompt else {}
    facts = [("Ines", "Lyon", "Ines lives in Lyon."), ("Lyon", "Grenoble", "Lyon is near Grenoble.")]
    return {
        "entities": [{"name": name, "kind": kind.get(name, "")} for name in ("Ines", "Lyon", "Grenoble")],
        "facts": [{"source": one, "relation": "IS", "target": other, "fact": text} for one, other, text in facts],
    }


async def found(service, mind=MIND, **params):
    answer = await service.http.get(f"/v1/minds/{mind}/remember", params={"query": "Ines Lyon Grenoble", **params})
    assert answer.status_code == 200, answer.text
    return answer.json()["memories"]


async def test_recall_finds_the_entities_of_a_kind_and_the_facts_that_join_one(tmp_path):
    with provider_of(Brain(extraction=extraction)) as model:
        async with running(tmp_path, settings=hosted(tmp_path, model, "extraction", entity_kinds=KINDS)) as service:
            await service.keep(MIND, SAID)
            await read(service)
            everything = await found(service)
            people = await found(service, entity_kinds="person")
            both = await found(service, entity_kinds="Person,Place", kinds="entity")
            archive = (await service.http.get(f"/v1/minds/{MIND}/export")).content
            zipped = {"Content-Type": "application/zip"}
            await service.http.post("/v1/minds/copy/import", content=archive, headers=zipped)
            await service.until("copy", lambda status: status["text"]["facts"] >= 1)
            copied = await found(service, "copy", entity_kinds="Person", kinds="entity")
            wrong = await service.http.get(
                f"/v1/minds/{MIND}/remember", params={"query": "x", "entity_kinds": "Person,,"}
            )

    kinds = {one["text"].partition(":")[0]: one["entity_kind"] for one in everything if one["kind"] == "entity"}
    assert kinds == {"Ines": "Person", "Lyon": "Place", "Grenoble": "Place"}
    assert {one["kind"] for one in people} == {"entity", "fact"}
    assert all("Ines" in one["text"] for one in people)
    assert {one["entity_kind"] for one in both} == {"Person", "Place"} and len(both) == 3
    assert [one["entity_kind"] for one in copied] == ["Person"]
    assert (wrong.status_code, wrong.json()["errors"][0]["pointer"]) == (422, "query/entity_kinds/0")
    assert "  - Person: somebody with a name\n  - Place\n" in prompts(model, "extraction")[0]
    assert "Ines lives in Lyon" in between(prompts(model, "extraction")[0], "turn")


async def test_without_the_setting_no_kind_is_asked_for_and_none_is_kept(tmp_path):
    with provider_of(Brain(extraction=lambda _: extraction("a `kind`, one of these"))) as model:
        async with running(tmp_path, settings=hosted(tmp_path, model, "extraction")) as service:
            await service.keep(MIND, SAID)
            await read(service)
            everything = await found(service)
            none = await found(service, entity_kinds="Person")

    assert {one["entity_kind"] for one in everything} == {None} and none == []
    assert "`kind`" not in prompts(model, "extraction")[0]
