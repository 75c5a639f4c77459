"""Reading a model's words into a shape: what is forgiven, and what is not."""

from __future__ import annotations

import json
from typing import Annotated

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import AliasChoices, AliasPath, Field

from consolidation.kernel.errors import InvalidModelOutput
from prompts.responses import (
    AnswerOfMemory,
    DeepSleep,
    Dream,
    Entity,
    Extraction,
    Fact,
    Identities,
    Identity,
    Line,
    Narration,
    Seeds,
    Settlement,
    Settlements,
    Shape,
    StoryChapters,
    StoryShortened,
    Wonder,
)
from service.adapters.litellm.structured_answer import read_answer, read_part, schema_of, without_thoughts
from tests.support.growth import assert_linear, repeated

SEEDS = {"entities": ["Anna"], "queries": ["red bicycle"], "wonders": []}
ANSWERS = (
    AnswerOfMemory,
    DeepSleep,
    Dream,
    Extraction,
    Identities,
    Narration,
    Seeds,
    Settlements,
    StoryChapters,
    StoryShortened,
)
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
        '{{"Extraction": {} }}',
        'So:\n```json\n{{"answer": {} }}\n```',
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


def test_of_more_seeds_than_were_asked_for_the_first_are_taken():
    wonder = {"hypothesis": "h", "query": "q"}
    many = {"entities": [f"A{n}" for n in range(13)], "queries": list("abcde"), "wonders": [wonder] * 4}

    read = read_answer(json.dumps(many), shape=Seeds)

    assert (len(read.entities), read.queries, len(read.wonders)) == (12, ("a", "b", "c", "d"), 3)


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
        '{"mood": "good"}',
        '{"answer": {"mood": "good"}}',
        '{"answer": {"answer": {"entities": ["Anna"]}}}',
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


FACT = {"source": "Ann", "relation": "LIVES_IN", "target": "Rome", "fact": "Ann lives in Rome."}
ENTITIES = {"entities": [{"name": "Ann"}, {"name": "Rome"}]}
SETTLED = {"settlements": (Settlement(number=1, contradicts=(2, 3)),)}
READ = Extraction(entities=(Entity(name="Ann"), Entity(name="Rome")), facts=(Fact(**FACT),))


@pytest.mark.parametrize(
    "said",
    [
        {**ENTITIES, "facts": [{**FACT, "confidence": 0.9}], "notes": "none"},
        {**ENTITIES, "facts": [{**FACT, "valid_at": None, "importance": None}], "language": None},
        {"Entities": [{"Name": "Ann"}, {"NAME": "Rome"}], "FACTS": [{key.upper(): FACT[key] for key in FACT}]},
        {"entities": ["Ann", {"name": "Rome", "kind": None}], "facts": FACT},
        {**ENTITIES, "facts": [FACT], "text": None},
    ],
)
def test_what_only_looks_different_from_the_shape_is_read(said):
    assert read_answer(json.dumps(said), shape=Extraction) == READ


@pytest.mark.parametrize(
    ("shape", "said", "read"),
    [
        (Extraction, {**ENTITIES, "facts": None}, {"entities": READ.entities}),
        (Extraction, {"facts": [{**FACT, "validAt": "2026"}]}, {"facts": (Fact(**FACT, valid_at="2026"),)}),
        (Extraction, {"facts": [{**FACT, "Valid-At": "2026"}]}, {"facts": (Fact(**FACT, valid_at="2026"),)}),
        (Extraction, {"facts": [{**FACT, "message": "1"}]}, {"facts": (Fact(**FACT, message=1),)}),
        (Seeds, {"entities": [1984], "queries": ["a"]}, {"entities": ("1984",), "queries": ("a",)}),
        (Seeds, {"wonders": {"hypothesis": "h", "query": 7}}, {"wonders": (Wonder(hypothesis="h", query="7"),)}),
        (Identities, [{"number": "1", "sameAs": 2}], {"identities": (Identity(number=1, same_as=2),)}),
        (Narration, {"surfaces": None, "Lines": {"number": 1, "text": None}}, {"lines": (Line(number=1),)}),
        (Narration, {"surfaces": ["2"], "lines": None}, {"surfaces": (2,)}),
        (Settlements, [{"number": "New 1:", "repeats": "None.", "contradicts": ["fact 2", "#3", "none"]}], SETTLED),
        (Identities, [{"number": 1, "same_as": "none"}], {"identities": (Identity(number=1),)}),
    ],
)
def test_what_only_looks_different_is_read_in_each_shape(shape, said, read):
    assert read_answer(json.dumps(said), shape=shape) == shape(**read)


@pytest.mark.parametrize(
    ("shape", "said", "reason"),
    [
        (Extraction, {**ENTITIES, "facts": [{**FACT, "fact": None}]}, "facts.0.fact: Input should be a valid string"),
        (Extraction, {**ENTITIES, "facts": [{"source": "Ann", "x": 1}]}, "facts.0.relation: Field required"),
        (Extraction, {"entities": [{"kind": "person"}]}, "entities.0.name: Field required"),
        (Identities, [{"number": "1 or 2"}], "identities.0.number: Input should be a valid integer"),
        (
            Identities,
            [{"number": 1, "same_as": "Ann in 2026"}],
            "identities.0.same_as: Input should be a valid integer",
        ),
        (Extraction, {"entities": [{}]}, "entities.0.name: Field required"),
        (Extraction, {"entities": "Ann"}, "entities: Input should be a valid"),
        (Extraction, {"entities": [None]}, "entities.0: Input should be a valid"),
        (Extraction, {"entities": {}}, "entities: Input should be a valid"),
        (Extraction, {"facts": ["Ann lives in Rome."]}, "facts.0: Input should be a valid"),
        (Extraction, {"name": "Ann"}, "none of the fields entities, facts"),
        (Extraction, {"facts": [], "fact": "Ann lives in Rome."}, "fact: Extra inputs are not permitted"),
        (Extraction, {"entities": [], "Entities": ["Ann"]}, "Entities: Extra inputs are not permitted"),
        (Narration, {"number": 1, "surfaces": None, "text": "told"}, "text: Extra inputs are not permitted"),
        (Dream, {"reflection": "r", "priority": "p", "rules": {"kind": "x"}}, "rules.kind: Extra inputs"),
        (Pair, {"left": 9.3, "right": 1}, "left: Input should be a valid string"),
        (Pair, {"left": True, "right": 1}, "left: Input should be a valid string"),
        (Pair, {"left": "a", "right": "b"}, "right: Input should be a valid integer"),
    ],
)
def test_what_is_missing_or_has_no_place_of_its_own_is_refused_by_its_name(shape, said, reason):
    for text in (
        json.dumps(said),
        f"Here it is:\n```json\n{json.dumps(said, indent=1)}\n```",
        f"So: {json.dumps(said)}",
    ):
        with pytest.raises(InvalidModelOutput) as caught:
            read_answer(text, shape=shape)

        assert reason in str(caught.value)


def test_the_reason_is_that_of_the_answer_and_not_of_another_object_beside_it():
    """Broken: the reason is that of the first object, or of the last, or that a bracket in the prose is open."""
    fault = {**ENTITIES, "facts": [{**FACT, "fact": None}]}
    text = f"```json\n{json.dumps(schema_of(Extraction))}\n```\n```json\n{json.dumps(fault)}\n```\n(an open one: [)("

    for said in (text, text + " {"):
        with pytest.raises(InvalidModelOutput, match=r"^facts\.0\.fact: "):
            read_answer(said, shape=Extraction)


@pytest.mark.parametrize("shape", ANSWERS)
def test_an_echo_of_the_schema_is_no_answer(shape):
    schema = schema_of(shape)

    for echo in (schema, schema["properties"], {"properties": schema["properties"]}, [schema]):
        for text in (json.dumps(echo), f"The schema: {json.dumps(echo, indent=1)}"):
            with pytest.raises(InvalidModelOutput):
                read_answer(text, shape=shape)


def test_a_text_that_mending_would_cut_in_two_is_refused():
    """Broken: the second half becomes a key that nobody asked for, and is left out."""
    with pytest.raises(InvalidModelOutput, match="maybe: Extra inputs"):
        read_answer('{"left": "Ann said "no", "maybe": she left", "right": 1,}', shape=Pair)


type Inner = Annotated[Entity, "a note"]


class Aliased(Shape):
    """Names that differ from the keys, and types in other forms than a tuple."""

    since: str | None = Field(default=None, validation_alias="validFrom")
    either: int = Field(default=0, validation_alias=AliasChoices("one", AliasPath("other", "deep")))
    inner: Inner | None = None
    lists: list[list[str]] = []
    choice: Entity | Line | str | None = None


@pytest.mark.parametrize(
    ("said", "read"),
    [
        ({"valid_from": 2026}, {"validFrom": "2026"}),
        ({"Since": "2026", "x": 1}, {"validFrom": "2026"}),
        ({"ONE": "3"}, {"one": 3}),
        ({"other": {"deep": 4}}, {"one": 4}),
        ({"inner": {"Name": 5, "x": 1}}, {"inner": {"name": "5"}}),
        ({"lists": [[1, "b"], []]}, {"lists": [["1", "b"], []]}),
        ({"choice": {"number": 1}}, {"choice": Line(number=1)}),
    ],
)
def test_keys_are_found_by_alias_and_types_behind_their_notes(said, read):
    assert read_answer(json.dumps(said), shape=Aliased) == Aliased.model_validate(read)


class Near(Shape):
    """Two fields whose names differ in nothing but a separator."""

    ab: int = 0
    a_b: int = 0


def test_a_key_that_may_mean_two_fields_means_none():
    assert read_answer('{"ab": 1, "a_b": 2}', shape=Near) == Near(ab=1, a_b=2)
    with pytest.raises(InvalidModelOutput):
        read_answer('{"A-B": 2}', shape=Near)


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


_FACTS = st.lists(st.builds(Fact, message=st.none() | st.integers(), importance=st.none()), max_size=3)
_KNOWN = st.lists(st.builds(Entity), max_size=3)


@given(said=st.builds(Extraction, entities=_KNOWN.map(tuple), facts=_FACTS.map(tuple)), data=st.data())
def test_an_answer_is_the_same_in_any_spelling_of_its_keys_and_with_any_key_too_many(said, data):
    def deviating(value):
        if isinstance(value, list):
            return [deviating(one) for one in value]
        if not isinstance(value, dict):
            return value
        spell = data.draw(st.sampled_from((str, str.upper, str.title, lambda key: key.replace("_", "-"))))
        odd = data.draw(st.dictionaries(st.sampled_from(("confidence", "#")), st.none() | st.text(), max_size=2))
        return {spell(key): deviating(one) for key, one in value.items()} | odd

    assert read_answer(json.dumps(deviating(said.model_dump(mode="json"))), shape=Extraction) == said


TOLD = (Line(number=2, text="a"),)
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


@pytest.mark.parametrize(
    ("begun", "read"),
    [
        (
            '{"Surfaces": ["2"], "Lines": [{"Number": 2, "text": "a", "mood": 1}, {"nu',
            Narration(surfaces=(2,), lines=TOLD),
        ),
        ('{"surfaces": [2], "lines": {"number": 2, "text": "a"}', Narration(surfaces=(2,), lines=TOLD)),
        ('{"surfaces": [2], "lines": {"number": 2, "text": "a"}}', Narration(surfaces=(2,), lines=TOLD)),
        ('{"notes": [{"x": 1}], "surfaces": [2], "li', Narration(surfaces=(2,))),
        ('{"notes": [{"x": 1}, {"y', None),
        ('{"surfaces": [2], "lines": [{"number": 2, "meta": {"x": 1}', Narration(surfaces=(2,))),
    ],
)
def test_an_answer_that_is_still_coming_is_read_with_the_same_tolerance(begun, read):
    assert read_part(begun, shape=Narration) == read


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
