"""Whatever a text holds, it is kept as turn, fact and entity, and found by its own words through both doors of recall."""

from datetime import UTC, datetime
from types import SimpleNamespace

import pytest

from consolidation.corrections.standing import Standing
from consolidation.kernel.clock import SystemClock
from consolidation.kernel.errors import EmbedderUnavailable
from consolidation.kernel.turns import Message, Speaker, StoredTurn, Turn
from consolidation.text.language import detect
from consolidation.text.words import stems, tokens
from service.importing.fields import clean
from service.index.text_index import TextIndex
from service.ingest.episodes import as_indexed
from service.ingest.knowledge_index import index_knowledge
from service.mind.health import Health, LaneName
from service.mind.own_settings import OwnSettings
from service.ports.graph import Extracted, StoredEntity, StoredFact
from service.ports.spans import NoopSpans
from service.resonance.arms import Switches
from service.resonance.retrieval import Retrieval
from service.resonance.search_round import subject_stems
from service.resonance.turns_on_purpose import TurnsOnPurpose
from service.retrieval.periods import without_period
from service.retrieval.queries import distinct
from service.retrieval.remember import Recall
from service.retrieval.time_window import TimeWindow
from tests.support.nasty_texts import NASTY

pytestmark = pytest.mark.anyio

NOON = datetime(2026, 1, 28, 12, tzinfo=UTC)
TEXTS = tuple(dict.fromkeys(map(clean, NASTY)))  # as they arrive: half letters and NULs are refused or replaced
PLACES = {text: number for number, text in enumerate(TEXTS, start=1)}
KINDS = frozenset({"episode", "fact", "entity"})


def is_searchable(text):
    """A letter or a digit of any script; not by our own splitting into words."""
    return any(map(str.isalnum, text))


def has_subject(text):
    """Whether a message is searched for by its words: not "who are you", and not a date, which says when."""
    language = detect(text, fallback="en")
    return not set(subject_stems(without_period(text), language=language)).isdisjoint(stems(text, language=language))


def are_alike(one, other):
    """Whether names are told once where both are known: "C#" and "C++" are the same words."""
    mine, theirs = set(tokens(one)), set(tokens(other))
    return mine <= theirs or theirs <= mine


def said(text, *, sequence):
    """A turn in a session of its own."""
    return StoredTurn(sequence, NOON, Turn(f"t{sequence}", f"s{sequence}", (Message(Speaker.USER, text),)))


class Away:
    """An embedder that does not answer: words alone must find."""

    async def embed(self, texts, /):
        raise EmbedderUnavailable("away")

    embed_queries = embed


class Positions(list):
    """Where each turn is."""

    @property
    def last(self):
        return len(self)


class Turns:
    """A transcript to be read."""

    def __init__(self, kept):
        self._kept = {one.sequence: one for one in kept}
        self.positions = Positions(kept)

    def read_now(self, sequences):
        return tuple(self._kept[one] for one in sequences)

    async def read_many(self, sequences):
        return self.read_now(sequences)


@pytest.fixture(scope="module")
def mind(tmp_path_factory):
    """A mind that holds every text as a turn of its own session, a fact, and an entity's name."""
    text = TextIndex(tmp_path_factory.mktemp("mind") / "text.sqlite")
    kept = [said(one, sequence=number) for one, number in PLACES.items()]
    outcomes = SimpleNamespace(held_back=lambda memories, **_: frozenset())
    corrections = SimpleNamespace(standing=Standing)
    health, log = Health(), Turns(kept)
    health.lanes[LaneName.SAVING].cursor = log.positions.last
    found = SimpleNamespace(
        mind_id="ada",
        text=text,
        transcript=log,
        health=health,
        outcomes=outcomes,
        corrections=corrections,
        settings=SimpleNamespace(read=lambda: SimpleNamespace(own=OwnSettings())),
    )
    for one in kept:
        text.add_turns((as_indexed(one, uuid=f"e{one.sequence}", before=(), fallback="en"),), cursor=one.sequence)
    for one, number in PLACES.items():
        fact = StoredFact(f"fact-{number}", one, "a", "b", (f"e{number}",), None, None)
        entity = StoredEntity(f"entity-{number}", one, "", (f"e{number}",))
        index_knowledge(found, Extracted((fact,), (entity,)), number)
    yield found
    text.close()


def searching():
    return Retrieval(embedder=Away(), switches=Switches(vectors=False))


async def surfaced(mind, text):
    """What the call before a turn finds by words."""
    retrieval = searching()
    queries = distinct((text,))
    language = detect(text, fallback="en")
    found = await retrieval.search_round(queries, mind=mind, language=language, now=NOON, timezone=UTC, seconds=None)
    return found.queries[0] if found.queries else None


async def remembered(mind, text):
    """The ids of what recall on purpose finds by words, asked for each kind alone: what says the same is told once."""
    clock, ids = SystemClock(), set()
    turns = TurnsOnPurpose(retrieval=searching(), clock=clock, spans=NoopSpans(), are_cosines_calibrated=True)
    remembering = Recall(turns=turns, embedder=Away(), observations=None, clock=clock)
    for kind in KINDS:
        found, degraded = await remembering.remember(
            mind, text, kinds=frozenset({kind}), window=TimeWindow(), limit=1_000
        )
        assert set(degraded) <= {"embedder_unavailable"}
        ids |= {one.id for one in found}
    return ids


def test_there_are_enough_texts_to_find():
    assert len(TEXTS) >= 250
    assert sum(map(is_searchable, TEXTS)) >= 220
    assert sum(is_searchable(text) and not has_subject(text) for text in TEXTS) <= 26


@pytest.mark.parametrize("text", TEXTS, ids=ascii)
async def test_a_nasty_message_finds_the_turn_and_the_fact_that_say_it(mind, text):
    found = await surfaced(mind, text)

    if is_searchable(text) and has_subject(text):
        words, *_ = found.arms
        assert PLACES[text] in words.hits
        assert found.facts[PLACES[text]].text == text


@pytest.mark.parametrize("text", TEXTS, ids=ascii)
async def test_a_nasty_query_finds_turn_fact_and_entity(mind, text):
    found = await remembered(mind, text)

    if is_searchable(text):
        number = PLACES[text]
        assert {f"episode:{number}", f"fact:fact-{number}"} <= found
        assert found & {f"entity:entity-{PLACES[one]}" for one in TEXTS if are_alike(one, text)}


@pytest.mark.parametrize("text", TEXTS, ids=ascii)
def test_a_nasty_name_is_seen_in_a_text_and_where_it_was_mentioned(mind, text):
    named = dict(mind.text.names_in(f"… {text} …"))
    mentions = mind.text.mentions(text, limit=len(TEXTS))

    if is_searchable(text) and len(tokens(text)) <= 5:
        assert named[f"entity-{PLACES[text]}"] == text
    if is_searchable(text):
        assert PLACES[text] in mentions
