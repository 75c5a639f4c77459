"""A row of a graph as a line, and back; and what of a graph belongs to the cursors read before it."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.archive.consistency import GraphAsOf, rows_of
from service.archive.graph_rows import KINDS, NotARow, Row, decode, encode, renamed, row_of
from service.ports.graph import Progress
from tests.support.strategies import json_values, letters, texts

scalars = (
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | texts
)
values = scalars | st.lists(scalars, max_size=3)
OF_TYPE = {str: texts, int: st.integers(0, 2**53), list: st.lists(texts, max_size=3)}


@st.composite
def rows(draw):
    name = draw(st.sampled_from(sorted(KINDS)))
    kind = KINDS[name]
    more = draw(st.dictionaries(st.from_regex(r"\A[a-z_]{1,8}\Z"), values, max_size=3))
    needed = {key: draw(OF_TYPE[needed]) for key, needed in kind.needs.items()}
    properties = {key: value for key, value in {**more, **needed}.items() if key not in {"group_id", *kind.vectors}}
    if "episodes" not in needed:
        properties.pop("episodes", None)
    vectors = {
        key: draw(st.lists(st.floats(width=32, allow_nan=False, allow_infinity=False), min_size=3, max_size=3))
        for key in kind.vectors
    }
    ends = draw(st.tuples(texts, texts)) if kind.ends else None
    return Row(name, properties, {key: np.asarray(found, np.float32) for key, found in vectors.items()}, ends)


@given(rows())
def test_a_row_is_read_back_as_it_was(row):
    line = encode(row)

    found = decode(line, dimension=3)

    assert line.endswith(b"\n")
    assert line.count(b"\n") == 1
    assert (found.kind, found.properties, found.ends) == (row.kind, row.properties, row.ends)
    assert {key: vector.tobytes() for key, vector in found.vectors.items()} == {
        key: vector.tobytes() for key, vector in row.vectors.items()
    }


@given(
    json_values
    | st.fixed_dictionaries({"node": st.sampled_from(sorted(KINDS)), "properties": json_values})
    | rows().flatmap(
        lambda row: st.dictionaries(
            st.sampled_from(["node", "edge", "from", "to", "properties", "vectors"]), json_values
        ).map(lambda more: {**json.loads(encode(row)), **more})
    )
)
def test_whatever_a_line_holds_it_is_a_row_of_ours_or_none(said):
    try:
        row = decode(json.dumps(said).encode(), dimension=3)
    except NotARow:
        return
    assert decode(encode(row), dimension=3).properties == row.properties


@given(st.binary(max_size=60))
def test_bytes_are_a_row_or_none(line):
    with pytest.raises(NotARow):
        decode(line, dimension=3)


def test_what_the_graph_stores_is_told_apart_into_properties_and_vectors():
    row = row_of("Entity", {"uuid": "a", "name": "Ada", "group_id": "mind_x", "name_embedding": [0.5, 1.0]})

    assert row.properties == {"uuid": "a", "name": "Ada"}
    assert row.vectors["name_embedding"].tolist() == [0.5, 1.0]


def test_every_place_that_names_an_episode_is_renamed():
    new = {"e1": "E1"}
    episode = Row("Episodic", {"uuid": "e1"})
    passage = Row("Passage", {"uuid": "e1/3", "episode": "e1"})
    fact = Row("RELATES_TO", {"uuid": "f", "episodes": ["e1", "e2"]}, ends=("e1", "b"))
    mention = Row("MENTIONS", {"uuid": "m"}, ends=("e1", "e1"))

    assert renamed(episode, new).key == "E1"
    assert renamed(passage, new).properties == {"uuid": "E1/3", "episode": "E1"}
    assert (renamed(fact, new).properties["episodes"], renamed(fact, new).ends) == (["E1", "e2"], ("e1", "b"))
    assert renamed(mention, new).ends == ("E1", "e1")
    assert renamed(Row("Attempt", {"episode": "e1"}), new).key == "E1"


def episode(number):
    properties = {"uuid": f"e{number}", "name": f"turn {number}", "entity_edges": ["f"]}
    return Row("Episodic", properties)


def fact(uuid, *episodes, kind="RELATES_TO"):
    return Row(kind, {"uuid": uuid, "episodes": list(episodes)}, ends=("a", "b"))


def test_what_came_after_the_cursor_is_left_out():
    as_of = GraphAsOf(extracted=2)
    for row in (episode(1), episode(2), Row("Entity", {"uuid": "a"}), Row("Entity", {"uuid": "b"})):
        assert as_of.of(row) == row

    assert as_of.of(episode(3)).properties["entity_edges"] == []
    assert as_of.of(fact("f1", "e1", "e3")).properties["episodes"] == ["e1"]
    assert as_of.of(fact("f2", "e3")) is None
    assert as_of.of(fact("f3", "e9")) is None
    assert as_of.of(fact("f4")).key == "f4"
    assert as_of.of(fact("f1", "e1", kind="RELATED_TO")) is None  # it became an old one while we read
    assert as_of.of(Row("MENTIONS", {"uuid": "m1"}, ends=("e1", "a"))).key == "m1"
    assert as_of.of(Row("MENTIONS", {"uuid": "m2"}, ends=("e3", "a"))) is None
    assert as_of.of(Row("MENTIONS", {"uuid": "m3"}, ends=("e1", "new"))) is None
    assert as_of.of(Row("Passage", {"uuid": "e9/0", "episode": "e9"})) is None
    assert as_of.of(Row("Cursor", {"name": "extracted", "sequence": 9})) is None
    assert [row.properties for row in rows_of(Progress(3, 2, saved_turn="t3"))] == [
        {"name": "saved", "sequence": 3, "turn_id": "t3"},
        {"name": "extracted", "sequence": 2},
    ]


@given(st.lists(letters, max_size=4))
def test_no_property_of_a_stranger_becomes_cypher(names):
    line = json.dumps({"node": "Entity", "properties": {"uuid": "a", "name": "b", **dict.fromkeys(names, 1)}})
    try:
        row = decode(line.encode(), dimension=3)
    except NotARow:
        return
    assert all(name.isascii() and name.isidentifier() for name in row.properties)
