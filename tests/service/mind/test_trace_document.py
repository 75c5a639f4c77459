"""
One shape for all who read a trace: what is on disk comes back, and whatever may be somebody's words is found as such.

Every docstring says what was broken, once, to see the test fail.
"""

import dataclasses
import json
from collections.abc import Mapping
from dataclasses import fields, is_dataclass, make_dataclass, replace
from typing import Annotated, get_args, get_type_hints

import pytest

from service.http.schemas.examples import TRACE
from service.mind import trace_document
from service.mind.trace_document import (
    OURS,
    CandidateTrace,
    FiltersTrace,
    PhasesTrace,
    RetrievalTrace,
    SeedsTrace,
    ShownTrace,
    TraceDocument,
    decoded,
)
from tests.support.fragments import NOON

PARTS = [
    one
    for one in vars(trace_document).values()
    if isinstance(one, type) and is_dataclass(one) and one.__module__ == trace_document.__name__
]
# What may be marked as ours, and why it can not be anybody's words. Who adds to it answers for that.
MARKED = {
    "TraceDocument": {"trace_id", "mind_id", "session_id", "language", "degraded", "timings_ms"},  # ids, codes, figures
    "Delivery": {"delivered"},  # an id
    "RetrievalTrace": {"wondered"},
    "CandidateTrace": {"id", "kind", "arms"},  # ids are made of numbers, uuids and digests
    "ShownTrace": {"id", "facts"},
    "FiltersTrace": {"dropped", "kept", "salience", "instructions"},  # by id, for reasons that we wrote
    "RelevanceTrace": {"by_memory"},  # likelihoods by id
    "LabelsTrace": {"labels"},  # by id, in the words of our tables
}


def trace_of(**more):
    return TraceDocument("t1", "ada", "s1", NOON, **more)


def line_of(**more):
    known = {"trace_id": "t1", "mind_id": "ada", "session_id": "s1", "at": "2026-01-28T12:00:00+00:00"}
    return json.dumps({**known, **more}).encode()


def words(value):
    """Every text in some JSON, with the keys that lead to it."""
    if isinstance(value, str):
        yield value
    for one in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from words(one)


# -- what is on disk


def test_the_api_answers_the_same_json_that_the_file_holds():
    """Broken: a field is renamed; its order changes; ``None`` is shown where nothing was noted."""
    found = decoded(json.dumps(TRACE).encode())

    assert json.dumps(found.as_json()) == json.dumps(TRACE)
    assert decoded(found.encoded().encode()) == found


def test_a_line_of_an_earlier_version_is_read():
    """Broken: a field has no default that the first versions did not write."""
    older = {key: value for key, value in TRACE.items() if key not in {"off_the_record", "usage", "degraded"}}

    found = decoded(json.dumps(older).encode())

    assert (found.off_the_record, found.degraded, found.usage.calls) == (False, (), 0)
    assert found.shown[0].sequences == (1,)


def test_what_a_phase_did_not_note_is_not_there_and_silence_always_is():
    """Broken: ``exclude_none`` is gone; the document's own fields are left out with it."""
    found = trace_of(phases=PhasesTrace(seeds=SeedsTrace(queries=())), surfaced=True).as_json()

    assert found["phases"] == {"seeds": {"queries": []}}
    assert found["silence"] is None


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"[1]",
        b"[" * 5000,
        b"\xff\xfe",
        line_of(shown=7),
        line_of(shown=[{"id": "x"}]),
        line_of(at="yesterday"),
        line_of(at="2026-01-28T12:00:00"),
        line_of(trace_id=None),
        line_of(phases={"dreams": {}}),
    ],
)
def test_what_is_not_a_trace_is_not_read(line):
    """Broken: ``decoded`` raises."""
    assert decoded(line) is None


def test_a_key_that_is_not_declared_is_not_read():
    """Broken: ``extra`` is ignored: erasing would pass over the words in it."""
    assert decoded(line_of()) is not None
    assert decoded(line_of(diary="My aunt Zerlina.")) is None
    assert decoded(line_of(phases={"seeds": {"thoughts": ["My aunt Zerlina."]}})) is None


# -- whose words


@pytest.mark.parametrize("part", PARTS, ids=lambda part: part.__name__)
def test_only_what_is_listed_here_is_marked_as_ours(part):
    """Broken: any other field is marked: its words would outlive their erasure."""
    hints = get_type_hints(part, include_extras=True)
    marked = {one.name for one in fields(part) if OURS in _marks(hints[one.name])}

    assert marked == MARKED.get(part.__name__, set())


def _marks(annotation):
    """The marks of a type, or of the one that may be None."""
    found = set(getattr(annotation, "__metadata__", ()))
    for one in get_args(annotation) if not found else ():
        found |= set(getattr(one, "__metadata__", ()))
    return found


@pytest.mark.parametrize("kind", [str, str | None, tuple[str, ...], Mapping[str, str], Mapping[str, list], object])
def test_a_new_field_is_somebodys_words_unless_it_is_marked(kind):
    """Broken: ``_leaves`` knows the fields by name; it passes over mappings, keys, lists or optional fields."""
    word = {Mapping[str, str]: {"key": "Zerlina"}, Mapping[str, list]: {"Zerlina": []}, tuple[str, ...]: ("Zerlina",)}
    new = make_dataclass("NewTrace", [("added", kind)], bases=(SeedsTrace,), frozen=True, kw_only=True)
    whole = trace_of(phases=replace(PhasesTrace(), seeds=new(added=word.get(kind, "Zerlina"))))

    assert "Zerlina" in list(whole.texts())


def test_what_is_marked_is_not_searched():
    """Broken: ``_is_ours`` says no; it looks past an optional."""
    marked = Annotated[str, OURS]
    new = make_dataclass(
        "MarkedTrace", [("one", marked), ("two", marked | None)], bases=(SeedsTrace,), frozen=True, kw_only=True
    )

    whole = trace_of(phases=replace(PhasesTrace(), seeds=new(one="horizon", two="echo")))

    assert not {"horizon", "echo"} & set(whole.texts())


def test_a_type_that_is_marked_in_part_is_searched_as_a_whole():
    """Broken: ``_is_ours`` looks into the arguments of any type: then values would hide behind their keys."""
    new = make_dataclass(
        "HalfTrace", [("by_id", Mapping[Annotated[str, OURS], str])], bases=(SeedsTrace,), frozen=True, kw_only=True
    )

    whole = trace_of(phases=replace(PhasesTrace(), seeds=new(by_id={"f1": "Zerlina"})))

    assert "Zerlina" in list(whole.texts())


def test_turns_are_found_wherever_they_are_named():
    """Broken: only what surfaced is looked at; a new list of numbers is passed over."""
    new = make_dataclass("TurnsTrace", [("rests_on", tuple[int, ...])], bases=(SeedsTrace,), frozen=True, kw_only=True)
    candidate = CandidateTrace("episode:5", "episode", "…", 1.0, False, NOON, (5, 6), {"words": 99})
    phases = PhasesTrace(new(rests_on=(7,)), RetrievalTrace(candidates=(candidate,)), FiltersTrace())

    assert trace_of(shown=(ShownTrace("fact:1", (3,), "…"),), phases=phases).sequences == {3, 5, 6, 7}


def test_every_text_of_a_real_trace_that_is_not_found_as_words_is_one_of_ours():
    """Broken: ``message``, ``block`` or the text of a candidate is marked as ours."""
    found = decoded(json.dumps(TRACE).encode())
    ours = {*words(TRACE)} - {*found.texts()}

    assert ours == {
        TRACE["trace_id"],
        "global-user-memory",
        "telegram:43",
        "2026-01-12T09:00:00+00:00",
        "2026-01-09T18:30:05+00:00",
        "en",
        "episode:1",
        "episode",
        "a few days ago — Jan 9",
        *TRACE["shown"][0]["facts"],
    }


def test_a_frozen_document_can_not_be_changed_after_it_was_written():
    """Broken: ``frozen`` is gone."""
    with pytest.raises(dataclasses.FrozenInstanceError):
        trace_of().message = "another"


def test_the_parts_are_those_of_the_document():
    """Broken: ``PARTS`` is empty, and the tests above with it."""
    assert {TraceDocument, PhasesTrace, SeedsTrace, CandidateTrace} <= set(PARTS)
