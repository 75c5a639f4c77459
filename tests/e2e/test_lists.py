"""Facts, entities and the graph in pages, and what no list shows, through the door: right, whole, and nobody else's."""

import asyncio
from datetime import UTC, datetime, timedelta

import pytest

from service.ingest.knowledge_index import index_knowledge
from service.ports.graph import Extracted, StoredEntity, StoredFact
from tests.support.lists import ask, lived, pages
from tests.support.service import running

pytestmark = pytest.mark.anyio

LISTS = ("sessions", "turns", "facts", "entities")
NOON = datetime(2026, 1, 28, 12, tzinfo=UTC)


@pytest.fixture
async def known(tmp_path):
    """A service, and a mind that knows some facts of its own choosing; the lanes are asleep."""
    async with running(tmp_path / "home") as service:
        for number in range(1, 5):
            await service.keep("ada", f"Turn {number}.", "Yes.", turn_id=f"t{number}")
        await service.digested("ada")
        yield service, service.memory.minds.get("ada")


def learn(mind, *facts, entities=()):
    """Put facts (id, source, target, turns, more) into full text, as extraction does, and entities by name."""
    episodes = {number: episode for episode, number in mind.text.read(_episodes)}
    told = tuple(
        StoredFact(
            name, more.pop("text", name), source, target, tuple(episodes[one] for one in turns),
            more.get("valid_at"), more.get("invalid_at"),
        )
        for name, source, target, turns, more in ((*one[:4], dict(one[4]) if len(one) > 4 else {}) for one in facts)
    )  # fmt: skip
    kept = tuple(StoredEntity(f"n-{at}", name, f"{name} it is.") for at, name in enumerate(entities))
    index_knowledge(mind, Extracted(told, kept), 0)


def _episodes(database):
    return database.execute("SELECT episode, sequence FROM turns").fetchall()


# -- facts


async def test_a_fact_comes_with_its_state_its_ends_and_the_turns_that_told_it_newest_first(known):
    service, mind = known
    now = datetime.now(UTC)
    learn(
        mind,
        ("f1", "Ada", "Lyon", (1, 3), {"text": "Ada lives in Lyon.", "valid_at": NOON}),
        ("f2", "Ada", "Rome", (2,), {"valid_at": NOON, "invalid_at": now - timedelta(days=1)}),
        ("f3", "Ada", "Oslo", (4,), {"valid_at": now + timedelta(days=9)}),
        ("f4", "Ada", "Bern", (4,), {"valid_at": now + timedelta(days=9), "invalid_at": now - timedelta(days=1)}),
        entities=("Lyon",),
    )

    found = {one["id"]: one for one in await pages(service, "facts", entity="Ada")}
    states = {
        state: {one["id"] for one in await pages(service, "facts", entity="Ada", state=state)}
        for state in ("holding", "ended", "planned")
    }

    lyon = found["fact:f1"]
    assert (lyon["source"], lyon["source_id"], lyon["target"], lyon["target_id"]) == ("Ada", None, "Lyon", "entity:n-0")
    assert [one["turn_id"] for one in lyon["sources"]] == ["t3", "t1"]
    assert (lyon["turns"], lyon["sources"][0]["excerpt"] != "") == (2, True)
    assert {name: one["state"] for name, one in found.items()} == {
        "fact:f1": "holding", "fact:f2": "ended", "fact:f3": "planned", "fact:f4": "ended",
    }  # fmt: skip
    assert states == {"holding": {"fact:f1"}, "ended": {"fact:f2", "fact:f4"}, "planned": {"fact:f3"}}
    assert await ask(service, "facts/fact:f1") == lyon


async def test_facts_come_newest_first_by_the_turn_that_told_them_first_whatever_their_rows(known):
    service, mind = known
    learn(mind, ("late", "A", "B", (4,)), ("early", "A", "B", (1, 4)), ("middle", "A", "B", (2, 3)))

    found = [one["id"] for one in await pages(service, "facts", entity="A", limit=1)]

    assert found == ["fact:late", "fact:middle", "fact:early"]


async def test_facts_are_narrowed_by_entity_words_and_time(known):
    service, mind = known
    learn(
        mind,
        ("f1", "Ada", "Lyon", (1,), {"text": "Ada paints houses in Lyon."}),
        ("f2", "Nora", "Lyon", (2,), {"text": "Nora painted a house."}),
        ("f3", "Ada", "Nora", (3,), {"text": "They are sisters."}),
        entities=("Lyon", "Nora"),
    )

    async def ids(**asked):
        return sorted(one["id"].removeprefix("fact:") for one in await pages(service, "facts", **asked))

    assert await ids(entity="entity:n-1") == ["f2", "f3"]
    assert await ids(entity="NORA") == ["f2", "f3"]
    assert await ids(query="painting house") == ["f1", "f2"]
    assert await ids(query="painting house", entity="Ada") == ["f1"]
    assert await ids(query="xanadu") == []
    assert await ids(entity="Nobody") == []
    assert await ids(entity="Nora", until="2000-01-01T00:00:00Z") == []
    assert await ids(entity="Nora", since="2000-01-01T00:00:00Z") == ["f2", "f3"]


# -- entities


async def test_entities_are_counted_and_come_in_each_order(known):
    service, mind = known
    learn(
        mind,
        ("f1", "Zoe", "Lyon", (1, 2)),
        ("f2", "Zoe", "Rome", (3,)),
        ("f3", "Lyon", "Rome", (4,)),
        entities=("Zoe", "Rome", "Lyon", "anna"),
    )

    async def names(sort, **more):
        return [one["name"] for one in await pages(service, "entities", sort=sort, limit=1, **more)]

    async def ours(sort):
        return [name for name in await names(sort) if name in {"Zoe", "Rome", "Lyon", "anna"}]

    assert await ours("name") == ["anna", "Lyon", "Rome", "Zoe"]
    assert (await ours("mentions"))[-2:] == ["Rome", "anna"]
    assert set((await ours("recent"))[:2]) == {"Rome", "Lyon"}
    assert await names("name", query="ly") == ["Lyon"]
    assert await names("name", query="yon") == []
    zoe = next(one for one in await pages(service, "entities", query="zoe"))
    assert (zoe["facts"], zoe["mentions"], zoe["summary"]) == (2, 3, "Zoe it is.")
    assert zoe["first_at"] < zoe["last_at"]


async def test_an_entity_comes_with_what_is_around_it(known):
    service, mind = known
    learn(
        mind,
        ("f1", "Anna Berg", "Lyon", (1, 2)),
        ("f2", "Lyon", "Anna Berg", (3,)),
        ("f3", "Anna Berg", "Tom", (3,)),
        entities=("Anna Berg", "Lyon", "Berg Anna", "Anna Bergh", "Anna"),
    )

    found = await ask(service, "entities/entity:n-0")

    assert [(one["name"], one["facts"], one["id"]) for one in found["neighbours"]] == [
        ("Lyon", 2, "entity:n-1"),
        ("Tom", 1, None),
    ]
    assert [(one["name"], one["why"]) for one in found["lookalikes"]] == [
        ("Berg Anna", "same_words"),
        ("Anna Bergh", "spelling"),
        ("Anna", "contained"),
    ]
    assert sum(one["turns"] for one in found["mentions_by_month"]) == found["mentions"] == 3
    assert [one["id"] for one in found["newest_facts"]] == ["fact:f3", "fact:f2", "fact:f1"]
    listed = next(one for one in await pages(service, "entities", query="anna berg") if one["id"] == "entity:n-0")
    assert listed.items() <= found.items()


# -- the graph


async def test_the_graph_has_a_value_for_each_entity_and_fact_and_says_what_it_left_out(known):
    service, mind = known
    learn(
        mind,
        ("f1", "Zoe", "Lyon", (1, 2, 3)),
        ("f2", "Zoe", "Rome", (3,)),
        ("f3", "Lyon", "Rome", (4,)),
        entities=("Zoe", "Rome", "Lyon"),
    )

    whole = await ask(service, "graph")
    part = await ask(service, "graph", limit=2)
    past = await ask(service, "graph", until="2000-01-01T00:00:00Z")

    for columns in (whole["entities"], whole["facts"]):
        assert len({len(column) for column in columns.values()}) == 1
    assert set(whole["facts"]["id"]) >= {"fact:f1", "fact:f2", "fact:f3"}
    assert {*whole["facts"]["source"], *whole["facts"]["target"]} <= set(whole["entities"]["id"])
    assert whole["left_out"] == {"entities": 0, "facts": 0}
    assert len(part["entities"]["id"]) == 2
    assert part["left_out"]["entities"] == len(whole["entities"]["id"]) - 2
    assert past["entities"]["id"] == past["facts"]["id"] == past["themes"] == []


async def test_themes_keep_their_ids_and_go_with_an_erased_turn(known, tmp_path):
    service, mind = known
    groups = [[f"{letter}{number}" for number in range(4)] for letter in ("Alp", "Bay", "Cap")]
    joined = [(a, b) for group in groups for a in group for b in group if a < b]
    learn(
        mind,
        *((f"f{at}", a, b, (1,)) for at, (a, b) in enumerate(joined)),
        entities=[name for group in groups for name in group],
    )

    first = await ask(service, "graph")
    learn(mind, *((f"g{at}", "Alp0", f"Alp{at % 3 + 1}", (2,)) for at in range(9)), entities=())
    second = await ask(service, "graph")
    file = tmp_path / "home" / "minds" / "ada" / "derived" / "themes.json"
    assert file.exists()
    assert (await service.http.delete("/v1/minds/ada/turns/t4")).status_code == 200

    theme_of = [dict(zip(one["entities"]["name"], one["entities"]["theme"], strict=True)) for one in (first, second)]
    for group in groups:
        assert len({theme_of[0][name] for name in group}) == 1
        assert theme_of[0][group[0]] == theme_of[1][group[0]]
    assert len({theme_of[0][group[0]] for group in groups}) == 3
    assert {one["id"] for one in first["themes"]} >= {theme_of[0][group[0]] for group in groups}
    assert not file.exists()


# -- what is asked wrongly, and nobody else's


@pytest.mark.parametrize("path", [*LISTS, "graph"])
async def test_a_mind_that_does_not_exist_is_not_made_by_looking(tmp_path, path):
    async with running(tmp_path / "home") as service:
        answer = await service.http.get(f"/v1/minds/ada/{path}")

        assert answer.status_code == 404
        assert answer.json()["type"] == "/problems/mind-not-found"
        assert not (tmp_path / "home" / "minds" / "ada").exists()


async def test_a_mind_without_a_word_has_empty_lists(tmp_path):
    async with running(tmp_path / "home") as service:
        await service.keep("ada", "HEARTBEAT_OK", kind="heartbeat")
        [session] = (await ask(service, "sessions"))["items"]
        graph = await ask(service, "graph")

        assert (session["opening"], session["speakers"]) == ("", ["user"])
        for path in ("facts", "entities"):
            assert await ask(service, path) == {"items": [], "next_cursor": None}
        assert graph["entities"]["id"] == graph["facts"]["id"] == []


async def test_an_id_of_another_mind_or_of_nothing_is_not_found(tmp_path):
    async with running(tmp_path / "home") as service:
        await lived(service)
        await service.keep("bob", "Hello.", turn_id="of bob")
        fact = (await ask(service, "facts"))["items"][0]
        turn = (await ask(service, "turns"))["items"][0]

        for path, slug in (
            (f"facts/{fact['id']}", "fact-not-found"),
            (f"entities/{fact['source_id']}", "entity-not-found"),
            (f"turns/{turn['turn_id']}", "turn-not-found"),
            ("turns/episode:99", "turn-not-found"),
            ("turns/episode:999999999999999999999", "turn-not-found"),
            (f"facts/{fact['source_id']}", "fact-not-found"),
            ("facts/nothing", "fact-not-found"),
            ("entities/entity:", "entity-not-found"),
            ("facts?entity=entity:nobody", "entity-not-found"),
        ):
            answer = await service.http.get(f"/v1/minds/bob/{path}")
            assert (answer.status_code, answer.json()["type"]) == (404, f"/problems/{slug}"), path
            assert answer.headers["content-type"] == "application/problem+json"


async def test_an_erased_turn_is_gone_from_every_list(tmp_path):
    async with running(tmp_path / "home") as service:
        await service.keep("ada", "Nora painted Xanadu in Lyon.", "Fine.", turn_id="doomed", session_id="x")
        await lived(service, 2)
        assert (await service.http.delete("/v1/minds/ada/sessions/x")).status_code == 200

        shown = [(await service.http.get(f"/v1/minds/ada/{path}")).text for path in (*LISTS, "graph")]
        gone = await service.http.get("/v1/minds/ada/turns/doomed")

    assert "Xanadu" not in "".join(shown)
    assert (gone.status_code, gone.json()["type"]) == (410, "/problems/turn-erased")


@pytest.mark.parametrize(
    ("path", "asked", "pointer"),
    [
        *((path, {"cursor": "WyJ4Il0"}, "query/cursor") for path in LISTS),
        *((path, {"cursor": "€"}, "query/cursor") for path in LISTS),
        *((path, {"limit": 501}, "query/limit") for path in LISTS),
        *((path, {"limit": 0}, "query/limit") for path in (*LISTS, "graph")),
        ("facts", {"state": "true"}, "query/state"),
        ("facts", {"since": "yesterday"}, "query/since"),
        ("facts", {"since": "2026-02-01T00:00:00Z", "until": "2026-01-01T00:00:00Z"}, "query/until"),
        ("facts", {"entity": "\0"}, "query/entity"),
        ("entities", {"sort": "size"}, "query/sort"),
        ("graph", {"since": "2026-02-01T00:00:00Z", "until": "2026-01-01T00:00:00Z"}, "query/until"),
        ("sessions", {"before": 0}, "query/before"),
        ("turns", {"after": -1}, "query/after"),
        ("turns", {"before": 10**20}, "query/before"),
    ],
)
async def test_a_bad_question_is_refused_with_its_parameter(tmp_path, path, asked, pointer):
    async with running(tmp_path / "home") as service:
        await service.keep("ada", "My mother lives in Lyon.")

        answer = await service.http.get(f"/v1/minds/ada/{path}", params=asked)

        assert answer.status_code == 422, answer.text
        assert answer.headers["content-type"] == "application/problem+json"
        assert [one["pointer"] for one in answer.json()["errors"]] == [pointer]


async def test_a_cursor_of_another_list_or_another_order_is_refused(tmp_path):
    async with running(tmp_path / "home") as service:
        await lived(service)
        cursors = {path: (await ask(service, path, limit=1))["next_cursor"] for path in LISTS}

        for path in LISTS:
            for other in LISTS:
                answer = await service.http.get(f"/v1/minds/ada/{path}", params={"cursor": cursors[other]})
                assert answer.status_code == (200 if path == other else 422)
        by_name = await service.http.get(
            "/v1/minds/ada/entities", params={"cursor": cursors["entities"], "sort": "name"}
        )
        forward = await service.http.get("/v1/minds/ada/turns", params={"cursor": cursors["turns"], "after": 0})

    assert by_name.status_code == forward.status_code == 422


async def test_facts_and_names_are_paged_whole_while_turns_are_digested(tmp_path):
    async with running(tmp_path / "home") as service:
        await lived(service)
        facts = [one["id"] for one in await pages(service, "facts")]
        names = {one["id"] for one in await pages(service, "entities")}

        async def more():
            await service.keep("ada", "My brother Bob met Eve in Rome.", "Ah.")
            await asyncio.sleep(0.2)

        paged = [one["id"] for one in await pages(service, "facts", limit=2, between=more)]
        named = [one["id"] for one in await pages(service, "entities", limit=1, sort="name", between=more)]

    assert paged == facts
    assert len(set(named)) == len(named)
    assert names <= set(named)
