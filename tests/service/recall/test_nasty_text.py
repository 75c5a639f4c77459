"""Whatever a text holds, it is kept as turn, fact and entity, and found by its own words through both doors of recall."""

from datetime import UTC, datetime
from types import SimpleNamespace

import pytest
from nasty import NASTY

from consolidation.kernel.errors import EmbedderUnavailable
from consolidation.kernel.language import detect
from consolidation.kernel.turns import Kept, Message, Speaker, Turn
from consolidation.kernel.words import tokens
from service.digestion.episodes import as_indexed
from service.digestion.extracting import index_knowledge
from service.importing.fields import clean
from service.ports import Extracted, StoredEntity, StoredFact
from service.recall.remember import Remembering, Window
from service.recall.text_index import TextIndex
from service.resonance.queries import distinct
from service.resonance.retrieval import Retrieval, Switches

pytestmark = pytest.mark.anyio

NOON = datetime(2026, 1, 28, 12, tzinfo=UTC)
TEXTS = tuple(dict.fromkeys(map(clean, NASTY)))  # as they arrive: half letters and NULs are refused or replaced
PLACES = {text: number for number, text in enumerate(TEXTS, start=1)}
KINDS = frozenset({"episode", "fact", "entity"})


def is_searchable(text):
    """A letter or a digit of any script; not by our own splitting into words."""
    return any(map(str.isalnum, text))


def said(text, *, sequence):
    """A turn in a session of its own."""
    return Kept(sequence, NOON, Turn(f"t{sequence}", f"s{sequence}", (Message(Speaker.USER, text),)))


class Away:
    """An embedder that does not answer: words alone must find."""

    async def embed(self, texts, /):
        raise EmbedderUnavailable("away")


class Turns:
    """A transcript to be read."""

    def __init__(self, kept):
        self._kept = {one.sequence: one for one in kept}

    async def read_many(self, sequences):
        return tuple(self._kept[one] for one in sequences)


@pytest.fixture(scope="module")
def anyio_backend():
    return "asyncio"


@pytest.fixture(scope="module")
def mind(tmp_path_factory):
    """A mind that holds every text as a turn of its own session, a fact, and an entity's name."""
    text = TextIndex(tmp_path_factory.mktemp("mind") / "text.sqlite")
    kept = [said(one, sequence=number) for one, number in PLACES.items()]
    found = SimpleNamespace(mind_id="ada", text=text, transcript=Turns(kept))
    for one in kept:
        text.add_turns((as_indexed(one, uuid=f"e{one.sequence}", before=(), fallback="en"),), cursor=one.sequence)
    for one, number in PLACES.items():
        fact = StoredFact(f"fact-{number}", one, "a", "b", (f"e{number}",), None, None)
        entity = StoredEntity(f"entity-{number}", one, "", (f"e{number}",))
        index_knowledge(found, Extracted((fact,), (entity,)), number)
    yield found
    text.close()


async def surfaced(mind, text):
    """What the call before a turn finds by words."""
    retrieval = Retrieval(None, embedder=Away(), switches=Switches(vectors=False))
    queries = distinct((text,))
    language = detect(text, fallback="en")
    found = await retrieval.search(queries, mind=mind, language=language, now=NOON, seconds=None)
    return found.found[0] if found.found else None


async def remembered(mind, text):
    """The ids of what recall on purpose finds by words."""
    remembering = Remembering(None, embedder=Away())
    found, degraded = await remembering.remember(mind, text, kinds=KINDS, window=Window(), limit=1_000)
    assert set(degraded) <= {"embedder_unavailable"}
    return {one.id for one in found}


def test_there_are_enough_texts_to_find():
    assert len(TEXTS) >= 250
    assert sum(map(is_searchable, TEXTS)) >= 220


@pytest.mark.parametrize("text", TEXTS, ids=ascii)
async def test_a_nasty_message_finds_the_turn_and_the_fact_that_say_it(mind, text):
    found = await surfaced(mind, text)

    if is_searchable(text):
        assert PLACES[text] in found.arms.words
        assert found.facts[PLACES[text]].text == text


@pytest.mark.parametrize("text", TEXTS, ids=ascii)
async def test_a_nasty_query_finds_turn_fact_and_entity(mind, text):
    found = await remembered(mind, text)

    if is_searchable(text):
        number = PLACES[text]
        assert {f"episode:{number}", f"fact:fact-{number}", f"entity:entity-{number}"} <= found


@pytest.mark.parametrize("text", TEXTS, ids=ascii)
def test_a_nasty_name_is_seen_in_a_text_and_where_it_was_mentioned(mind, text):
    named = dict(mind.text.named(f"… {text} …"))
    mentions = mind.text.mentions(text, limit=len(TEXTS))

    if is_searchable(text) and len(tokens(text)) <= 5:
        assert named[f"entity-{PLACES[text]}"] == text
    if is_searchable(text):
        assert PLACES[text] in mentions
