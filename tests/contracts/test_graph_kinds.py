"""What sort of thing an entity is: kept, moved and corrected by each implementation alike."""

import pytest

from prompts.responses import Entity
from service.archive.graph_rows import decode, encode
from tests.support.graphs import EMBEDDER, OURS, everything, named, nicknames, read_turn, tell

pytestmark = pytest.mark.anyio

PEOPLE = {"Ada": "Person", "Adas": "Person", "Bruno": "person ", "Lyon": "Place", "Friday": "Weekday"}


def reading(kinds):
    """A model that says of which kind each entity is."""

    def read(words):
        found = read_turn(words)
        entities = tuple(Entity(name=one.name, kind=kinds.get(one.name, "")) for one in found.entities)
        return found.model_copy(update={"entities": entities})

    return read


async def kinds_in(graph):
    return {name: one.kind for name, one in (await named(graph)).items()}


async def test_an_entity_is_of_the_kind_that_the_model_says_if_that_was_asked_for(on, graph, mind):
    on.reader.rules["extraction"] = reading(PEOPLE)
    await tell(graph, mind, "Ada met Bruno.", "Ada saw Lyon.", "Friday is Carla.")

    assert await kinds_in(graph) == {"Ada": "Person", "Bruno": "Person", "Lyon": "Place", "Friday": "", "Carla": ""}
    page = await graph.knowledge(after=0, limit=10)
    assert {one.name: one.kind for one in page.entities} == await kinds_in(graph)


async def test_a_known_entity_gets_the_kind_of_what_it_is_called_now_and_keeps_it_when_nothing_is_said(on, graph, mind):
    on.reader.rules |= {"identities": nicknames, "extraction": reading({})}
    await tell(graph, mind, "Ada met Bruno.")
    on.reader.rules["extraction"] = reading({"Adas": "Person", "Bruno": "Place"})
    await tell(graph, mind, "Adas saw Bruno.", first=2)
    on.reader.rules["extraction"] = reading({"Bruno": "Person"})
    await tell(graph, mind, "Ada likes Bruno.", first=3)

    assert await kinds_in(graph) == {"Ada": "Person", "Bruno": "Person"}


async def test_kinds_are_moved_with_the_graph(on, graph, mind):
    on.reader.rules["extraction"] = reading(PEOPLE)
    await tell(graph, mind, "Ada saw Lyon.")
    pages = [page async for page in on.graphs.archivable(mind).pages()]
    moved = on.graphs.archivable(f"{mind}-copy")
    await moved.prepare_site(site := moved.site("new"), embedder=OURS)
    for page in pages:
        await moved.put(site, [decode(encode(row), dimension=EMBEDDER.dimension) for row in page])
    await moved.adopt(site)

    assert await everything(on.of(f"{mind}-copy")) == await everything(graph)
    assert await kinds_in(on.of(f"{mind}-copy")) == {"Ada": "Person", "Lyon": "Place"}
