"""Mentions are counted as facts come and go: always what counting everything anew would say, in whatever order."""

from datetime import UTC, datetime, timedelta
from types import SimpleNamespace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from service.index.text_index import TextIndex
from service.index.text_store import IndexedTurn, Traits
from service.ingest.knowledge_index import index_knowledge
from service.ports.graph import Extracted, StoredEntity, StoredFact

NOON = datetime(2026, 1, 28, 12, tzinfo=UTC)
NAMES = ("Ada", "Lyon", "Nora")


@pytest.fixture
def text(tmp_path):
    index = TextIndex(tmp_path / "text.sqlite")
    yield index
    index.close()


def turn(text, sequence):
    said_at = NOON + timedelta(days=sequence)
    traits = Traits(("Ada",), said_at, False, 3, False)
    text.add_turns((IndexedTurn(sequence, f"e{sequence}", "en", None, {}, {}, traits),), cursor=sequence)


def fact(text, number, source, target, *sequences):
    told = StoredFact(f"f{number}", "x", source, target, tuple(f"e{one}" for one in sequences), None, None)
    index_knowledge(SimpleNamespace(text=text), Extracted(facts=(told,)), 0)


def entity(text, name):
    index_knowledge(SimpleNamespace(text=text), Extracted(entities=(StoredEntity(f"n {name}", name, ""),)), 0)


def counted(text):
    """What the index says of each entity, and where each fact was told first."""
    query = "SELECT name, facts, mentions, first_at, last_at FROM entities ORDER BY name"
    first = "SELECT uuid, sequence, at FROM facts ORDER BY uuid"
    return text.read(lambda database: (database.execute(query).fetchall(), database.execute(first).fetchall()))


def test_a_mention_is_a_turn_in_which_a_fact_of_it_was_told(text):
    for sequence in (1, 2, 3):
        turn(text, sequence)
    entity(text, "Lyon")

    fact(text, 1, "Ada", "Lyon", 1, 3)
    fact(text, 2, "Nora", "Lyon", 3)

    [(name, facts, mentions, first_at, last_at)], _ = counted(text)
    assert (name, facts, mentions) == ("Lyon", 2, 2)
    assert [round((at - NOON.timestamp()) / 86_400) for at in (first_at, last_at)] == [1, 3]


def test_a_fact_that_comes_before_its_turn_is_counted_when_the_turn_does(text):
    entity(text, "Lyon")
    fact(text, 1, "Ada", "Lyon", 2)
    assert counted(text)[0] == [("Lyon", 1, 0, None, None)]

    turn(text, 2)

    [(_, _, mentions, _, _)], [(_, sequence, _)] = counted(text)
    assert (mentions, sequence) == (1, 2)
    assert text.read(lambda database: database.execute("SELECT * FROM awaited").fetchall()) == []


def test_a_name_that_is_erased_is_nowhere_in_the_file(text, tmp_path):
    turn(text, 1)
    entity(text, "Xanadu")
    fact(text, 1, "Ada", "Xanadu", 1)

    text.forget_turns([1], before=())
    text.remove_knowledge(["f1"], ["n Xanadu"])
    text.compact()

    assert b"Xanadu" not in b"".join(file.read_bytes() for file in tmp_path.iterdir())


STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("turn"), st.integers(1, 4)),
        st.tuples(st.just("forget turn"), st.integers(1, 4)),
        st.tuples(
            st.just("fact"),
            st.integers(1, 3),
            st.sampled_from(NAMES),
            st.sampled_from(NAMES),
            st.sets(st.integers(1, 4), max_size=3),
        ),
        st.tuples(st.just("forget fact"), st.integers(1, 3)),
        st.tuples(st.just("entity"), st.sampled_from(NAMES)),
        st.tuples(st.just("forget entity"), st.sampled_from(NAMES)),
    ),
    max_size=14,
)


@settings(max_examples=60, deadline=None)
@given(STEPS)
def test_the_counts_are_what_counting_anew_would_say(tmp_path_factory, steps):
    folder = tmp_path_factory.mktemp("index")
    text, anew = TextIndex(folder / "text.sqlite"), TextIndex(folder / "anew.sqlite")
    turns, facts, entities = set(), {}, set()
    for what, *values in steps:
        match what, values:
            case "turn", [sequence]:
                turn(text, sequence)
                turns.add(sequence)
            case "forget turn", [sequence]:  # with its facts, as erasing does
                doomed = [number for number, (_, _, told) in facts.items() if sequence in told]
                text.forget_turns([sequence], before=())
                text.remove_knowledge([f"f{number}" for number in doomed], [])
                turns.discard(sequence)
                facts = {number: one for number, one in facts.items() if number not in doomed}
            case "fact", [number, source, target, told]:
                fact(text, number, source, target, *sorted(told))
                facts[number] = (source, target, told)
            case "forget fact", [number]:
                text.remove_knowledge([f"f{number}"], [])
                facts.pop(number, None)
            case "entity", [name]:
                entity(text, name)
                entities.add(name)
            case "forget entity", [name]:
                text.remove_knowledge([], [f"n {name}"])
                entities.discard(name)

    for sequence in turns:
        turn(anew, sequence)
    for number, (source, target, told) in facts.items():
        fact(anew, number, source, target, *sorted(told))
    for name in entities:
        entity(anew, name)
    try:
        assert counted(text) == counted(anew)
    finally:
        text.close()
        anew.close()
