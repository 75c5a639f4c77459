"""The vectors of a mind: whose they are, whether they are whole, and what is near."""

import pytest

from consolidation.kernel.errors import EmbedderMismatch, IndexUnusable
from service.index.mind_vectors import FACTS, TURNS, MindVectors
from service.ports.embedder import EmbedderIdentity
from service.ports.graph import VectorHits
from tests.support.graphs import unit

OURS = EmbedderIdentity("made up", 4)


def row(*numbers):
    return unit(*numbers, dimension=4)


@pytest.fixture
def vectors(tmp_path):
    made = MindVectors(tmp_path / "derived" / "vectors")
    made.reset("mark", embedder=OURS)
    made.trust()
    return made


def reopened(vectors):
    return MindVectors(vectors._folder)


def test_before_a_graph_is_prepared_nothing_is_found_and_nothing_is_made(tmp_path):
    vectors = MindVectors(tmp_path / "vectors")
    assert vectors.nearest(row(1)[None], turns=3, facts=3, entities=3) == (VectorHits(),)
    assert (vectors.mark, vectors.count(), vectors.is_suspect) == ("", 0, True)
    vectors.close()
    vectors.lean({"p": row(1)})
    vectors.remove(FACTS, ["f"])
    with pytest.raises(IndexUnusable, match="not prepared"):
        vectors.put(FACTS, {"f": row(1)})
    assert not (tmp_path / "vectors").exists()


def test_a_turn_of_several_passages_is_one_hit_as_near_as_its_nearest(vectors):
    own = {"a/0": row(1), "a/1": row(0, 1), "b/0": row(1, 1)}
    leaning = {"a/0": row(0, 0, 1), "a/1": row(1, 0.1), "b/0": row(1, 1)}
    vectors.put_turns(own, leaning, sequences={"a/0": 1, "a/1": 1, "b/0": 2})
    [found] = vectors.nearest(row(1)[None], turns=5, facts=5, entities=5)

    assert [one.key for one in found.turns] == ["1", "2"]
    assert found.turns[0].similarity == pytest.approx(0.995, abs=1e-3)
    assert found.turns[0].own == pytest.approx(1, abs=1e-3)
    vectors.lean({"b/0": row(1), "of no passage": row(1)})
    assert vectors.nearest(row(1)[None], turns=1, facts=0, entities=0)[0].turns[0].key == "2"


def test_only_what_was_closed_is_whole(vectors):
    vectors.put(FACTS, {"f": row(1)})
    assert reopened(vectors).is_suspect  # as after a kill
    vectors.close()
    after = reopened(vectors)
    assert (after.mark, after.is_suspect, after.made_by(OURS)) == ("mark", False, True)
    after.put(FACTS, {"g": row(0, 1)})
    assert reopened(vectors).is_suspect
    after.close()
    assert set(reopened(vectors).keys(FACTS)) == {"f", "g"}


def test_what_was_never_compared_with_the_graph_stays_suspect(tmp_path):
    vectors = MindVectors(tmp_path / "vectors")
    vectors.reset("mark", embedder=OURS)
    vectors.close()
    assert reopened(vectors).is_suspect


@pytest.mark.parametrize("state", ["", "[]", "{}", '{"format": 0}', '{"format": 1, "mark": "m"}'])
def test_a_state_that_can_not_be_read_is_none(vectors, state):
    vectors.put(FACTS, {"f": row(1)})
    vectors.close()
    (vectors._folder / "state.json").write_text(state)
    assert (reopened(vectors).mark, reopened(vectors).count()) == ("", 0)


def test_vectors_of_another_dimension_are_not_compared(vectors):
    with pytest.raises(EmbedderMismatch):
        vectors.nearest(unit(1, dimension=5)[None], turns=1, facts=1, entities=1)
    assert not vectors.made_by(EmbedderIdentity("another", 4))


def test_vectors_are_checked_by_the_name_of_who_made_them(vectors, tmp_path):
    vectors.close()
    reopened(vectors).check("made up")
    MindVectors(tmp_path / "none").check("another")
    with pytest.raises(EmbedderMismatch, match=r"made up \(4 dimensions\), configured is another"):
        reopened(vectors).check("another")


def test_passages_are_counted_by_episode(vectors):
    own = {"a/0": row(1), "a/1": row(1), "b": row(1)}
    vectors.put_turns(own, own, sequences=dict.fromkeys(own, 1))
    assert [vectors.count_of(frozenset(one)) for one in (["a"], ["b"], ["c"])] == [2, 1, 0]
    vectors.drop()
    assert vectors.keys(TURNS) == () and not vectors._folder.exists()
