"""Reading a model's words into a shape: what is forgiven, and what is not."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from consolidation.kernel.errors import InvalidModelOutput
from prompts.responses import Extraction, Fact, Identities, Line, Narration, Seeds, Shape
from service.adapters.litellm.structured_answer import read_answer, read_part, schema_of, without_thoughts
from tests.support.growth import assert_linear, repeated

SEEDS = {"entities": ["Anna"], "queries": ["red bicycle"], "wonders": []}
EXPECTED = Seeds(entities=("Anna",), queries=("red bicycle",))


class Pair(Shape):
    """Two fields that must both be there."""

    left: str
    right: int


@pytest.mark.parametrize(
    "wrapping",
    [
        "{}",
        "\n\n{}\n",
        "\ufeff{}".replace("\ufeff", " "),
        "```json\n{}\n```",
        "```\n{}\n```",
        "```{}```",
        "Here is the JSON you asked for:\n\n{}\n\nI hope it helps!",
        "Sure:\n```json\n{}\n```\nAnything else?",
        '<think>Maybe {{"entities": 1}}? No.</think>{}',
        "the server ate the opening tag {{x}}</think>\n{}",
        "<thinking>hm</thinking>\n```json\n{}\n```",
        "[{}]",
    ],
)
def test_what_is_wrapped_around_an_answer_is_forgiven(wrapping):
    text = wrapping.replace("{{", "\0").replace("}}", "\1").replace("{}", json.dumps(SEEDS))

    assert read_answer(text.replace("\0", "{").replace("\1", "}"), shape=Seeds) == EXPECTED


def test_a_list_alone_is_the_only_field_of_a_shape_that_has_one():
    read = read_answer('[{"number": 1, "same_as": 4}]', shape=Identities)

    assert [(i.number, i.same_as) for i in read.identities] == [(1, 4)]


@pytest.mark.parametrize(
    "broken",
    [
        '{"entities": ["Anna"], "queries": ["red bicycle"], "wonders": [],}',
        "{'entities': ['Anna'], 'queries': ['red bicycle'], 'wonders': []}",
        '{"entities": ["Anna"], "queries": ["red bicycle"], "wonders": [',
        '{"entities": ["Anna"] "queries": ["red bicycle"]}',
        '{entities: ["Anna"], queries: ["red bicycle"]}',
    ],
)
def test_broken_json_is_mended(broken):
    assert read_answer(broken, shape=Seeds) == EXPECTED


KNOWN = Extraction(
    facts=tuple(
        Fact(source="Bob", relation="LIVES_IN", target=city, fact=f"Bob lived in {city}.") for city in ("Rome", "Bari")
    )
).model_dump_json()


@pytest.mark.parametrize("end", range(1, len(KNOWN), 7))
def test_half_an_extraction_is_not_an_answer_however_it_is_cut(end):
    """Broken: the half is repaired and accepted, and the facts of the other half are lost."""
    for tail in ("", " oops {", "\n```"):
        with pytest.raises(InvalidModelOutput):
            read_answer(KNOWN[:end] + tail, shape=Extraction)


def test_an_extraction_that_lacks_a_comma_is_mended():
    assert len(read_answer(KNOWN.replace("},{", "}{"), shape=Extraction).facts) == 2


def test_half_a_list_of_seeds_is_of_use():
    assert read_answer('{"entities": ["Anna"], "queries": ["red bicycle", "sho', shape=Seeds).entities == ("Anna",)


@pytest.mark.parametrize(
    "nonsense",
    [
        "",
        "  \n ",
        "{}",
        "[]",
        "null",
        "42",
        '""',
        '"Anna"',
        "[object Object]",
        "undefined",
        "I'm sorry, but I can not do that.",
        "```json\n{}\n```",
        "<think>I wonder",
        "<think>done</think>",
        '{"entities": "Anna"}',
        '{"entities": ["Anna"], "queries": 3}',
        '{"entities": ["Anna"], "mood": "good"}',
        "\x00\x01\x02",
        "{" * 5_000,
        "[" * 100_000,
    ],
)
def test_nonsense_is_not_an_answer(nonsense):
    for shape in (Seeds, Narration, Identities):
        with pytest.raises(InvalidModelOutput):
            read_answer(nonsense, shape=shape)


def test_the_reason_names_the_field_and_quotes_nothing_that_was_said():
    with pytest.raises(InvalidModelOutput) as caught:
        read_answer('{"left": "a secret", "right": "not a number"}', shape=Pair)

    assert "right" in str(caught.value)
    assert "secret" not in str(caught.value)
    assert "not a number" not in str(caught.value)


def test_a_tag_inside_a_json_string_is_no_thought():
    read = read_answer('{"left": "he wrote </think> there", "right": 1}', shape=Pair)

    assert read.left == "he wrote </think> there"


def test_prose_keeps_everything_but_the_thought():
    assert without_thoughts("<think>let me see</think>\n\nHello.") == "Hello."
    assert without_thoughts(" Hello. ") == "Hello."
    assert without_thoughts("<think>and on and on") == ""


def test_the_schema_is_what_the_shape_reads():
    schema = schema_of(Pair)

    assert schema["required"] == ["left", "right"]
    assert schema["additionalProperties"] is False


@given(st.text(max_size=300))
def test_any_text_is_read_or_refused(text):
    try:
        read_answer(text, shape=Pair)
    except InvalidModelOutput as fault:
        assert str(fault)


@given(left=st.text(), right=st.integers())
def test_what_fits_is_read_exactly(left, right):
    said = json.dumps({"left": left, "right": right}, ensure_ascii=False)

    assert read_answer(said, shape=Pair) == Pair(left=left, right=right)


@pytest.mark.parametrize(
    "text_of",
    [
        repeated("<think>"),
        repeated("```"),
        repeated("{ "),
        repeated(" ", start="<think>"),
        repeated('{"'),
        repeated('"a" "b', start='{"left": '),
    ],
)
def test_the_cost_of_nonsense_grows_with_its_length(text_of):
    def refuse(text):
        with pytest.raises(InvalidModelOutput):
            read_answer(text, shape=Pair)

    assert_linear(refuse, text_of, longest=200_000)


_LINES = st.lists(st.builds(Line, number=st.integers(1, 9), text=st.text(max_size=20)), max_size=4)
_WRAPPED = st.sampled_from(("{}", "```json\n{}\n```", "<think>maybe {{1}}</think>{}", "Here it is: {}"))


@given(chosen=st.lists(st.integers(1, 99), max_size=4), lines=_LINES, wrapping=_WRAPPED, data=st.data())
def test_of_an_answer_that_is_still_coming_the_whole_items_are_read_and_no_others(chosen, lines, wrapping, data):
    said = {"surfaces": chosen, "lines": [line.model_dump(exclude={"surfaces"}) for line in lines]}
    text = wrapping.format(json.dumps(said, ensure_ascii=False))
    begun = text[: data.draw(st.integers(0, len(text)))]

    found = read_part(begun, shape=Narration)

    if found is not None:
        assert found.surfaces == tuple(chosen)
        assert found.lines == tuple(lines)[: len(found.lines)]


def test_a_list_and_an_item_are_read_as_soon_as_they_are_whole():
    """Broken: ``after_list`` is not tried; it is not tried after an item that is cut off."""
    begun = '{"surfaces": [12, 1], "lines": [{"number": 12, "text": "a } ] b"}'

    def part(length):
        return read_part(begun[:length], shape=Narration)

    chosen = Narration(surfaces=(12, 1))
    assert part(begun.index("]")) is None
    assert part(begun.index("]") + 1) == chosen
    assert part(len(begun) - 10) == part(begun.index('12, "text')) == chosen
    assert part(len(begun)) == Narration(surfaces=(12, 1), lines=(Line(number=12, text="a } ] b"),))
    assert read_part(f'{begun}, {{"number": 1, "te', shape=Narration) == part(len(begun))
