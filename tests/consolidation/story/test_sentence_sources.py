"""Where sentences come from: their places, their states, the words that no turn has."""

import string
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from consolidation.kernel.turns import Message, Speaker, StoredTurn, Turn
from consolidation.story.chapter_sentences import quotations, sentence_spans
from consolidation.story.chapters import as_chapter
from consolidation.story.sentence_sources import SentenceState, a_persons, fidelity_of, placed_again, sources_of
from consolidation.story.turn_index import index_turns

BEGAN = datetime(2026, 1, 6, 18, 30, tzinfo=UTC)  # a Tuesday
SAID = (
    "My mother Ines lives in Lyon and turned seventy last week.",
    "I promised my sister Carla to visit her in the spring with my 2 dogs.",
    "Last Friday we adopted a puppy at the shelter and called him Pascal!",
    "He sleeps in the kitchen beside the old oven and barks at the postman.",
    "I have been playing the violin in a small orchestra since school.",
    "My landlord raises the rent again, so I am looking for another flat.",
)


def turns_of(said=SAID, *, who="Ann"):
    return [
        StoredTurn(
            number,
            BEGAN + timedelta(minutes=number),
            Turn(f"t{number}", "s1", (Message(Speaker.USER, one, BEGAN + timedelta(minutes=number), who),)),
        )
        for number, one in enumerate(said, start=1)
    ]


def judged(*sentences, said=SAID, who="Ann", language="en", similarity=None):
    """The sources of a chapter of these sentences, one a line."""
    chapter = as_chapter("### [2026-01-06 18:30] A day\n\n" + "\n".join(sentences) + "\n")
    turns = turns_of(said, who=who)
    index = index_turns(turns, language=language)
    narrated = frozenset(one.sequence for one in turns)
    found = sources_of(chapter, narrated=narrated, index=index, language=language, similarity=similarity)
    assert [chapter.text[one.start : one.end] for one in found] == list(sentences)
    return found


def states(*sentences, **more):
    return [str(one.state) for one in judged(*sentences, **more)]


def far(texts, passages):
    return [[0.1] * len(passages) for _ in texts]


@given(st.text(alphabet='aB .!?\n\r“”„«»「」"#-…é日。', max_size=120))
def test_sentences_are_parts_of_the_text_in_order_and_lose_no_word(body):
    text = f"### [2026-01-06 18:30] A day\n{body}"
    spans = sentence_spans(text, language="en")

    ends = [0, *(end for _, end in spans)]
    assert all(before <= start < end for before, (start, end) in zip(ends, spans, strict=False))
    left = "".join(text[before:start] for before, (start, _) in zip(ends, spans, strict=False)) + text[ends[-1] :]
    lines = [line for line in left.splitlines() if not line.lstrip().startswith(("#", "<!--"))]
    assert not any(map(str.isalnum, "".join(lines)))


@pytest.mark.parametrize("quoted", ["„Eins. Zwei.“", "„Raz. Dwa.”", "“One. Two.”", "«Раз. Два.»"])
def test_a_quotation_ends_with_the_mark_of_its_language(quoted):
    assert quotations(f"Ann: {quoted} Bea.") == ((5, 5 + len(quoted)),)


@given(st.text(alphabet='a “”„«»「」"', max_size=60))
def test_quotations_begin_and_end_with_marks_and_do_not_overlap(text):
    spans = quotations(text)

    assert all(end - start >= 2 and text[start] in '“„«「"' for start, end in spans)
    assert all(before[1] <= after[0] for before, after in zip(spans, spans[1:], strict=False))


def test_a_quotation_of_several_sentences_is_one_sentence():
    text = "### [2026-01-06 18:30] A day\n\nAnn told me: “I moved. It was hard. … I cried.” I listened. Then we ate."

    found = [text[start:end] for start, end in sentence_spans(text, language="en")]

    assert found == ["Ann told me: “I moved. It was hard. … I cried.”", "I listened.", "Then we ate."]


@settings(max_examples=25)
@given(
    st.lists(st.sampled_from([*SAID, "I was glad.", "Bob flew to Mars.", "Ann told me: “Lyon”", "2 dogs"]), max_size=6)
)
def test_every_sentence_has_exactly_one_state(sentences):
    found = judged(*sentences, similarity=far)

    assert len(found) == len(sentences) and all(one.state in SentenceState for one in found)
    counted = fidelity_of(found)
    assert counted.carried + counted.quoted + counted.partly + counted.in_no_turn == counted.sentences == len(found)


@pytest.mark.parametrize("said", SAID)
def test_what_was_said_literally_is_carried_by_the_turn_that_says_it(said):
    (found,) = judged(said)

    assert found.state is SentenceState.CARRIED
    assert found.turns[0] == SAID.index(said) + 1 and not found.missing


def test_quotations_that_stand_in_turns_are_quoted_with_each_turn():
    (found,) = judged(f"Ann told me: “{SAID[2]} … {SAID[0]}”")

    assert found.state is SentenceState.QUOTED and found.turns == (3, 1)


@pytest.mark.parametrize(
    ("language", "who", "said", "quoted"),
    [
        (
            "de",
            "Ann",
            "Ich habe eine „neue“ Wohnung in Köln.",
            "Ann erzählte mir: „Ich habe eine ‚neue‘ Wohnung in Köln.“",
        ),
        ("fr", "Ann", "J'habite à Lyon depuis mai.", "Ann m'a dit : « J'habite à Lyon depuis mai. »"),
        ("es", "Ana", "Mi perro se llama Pascal.", "Ana me contó: «Mi perro se llama Pascal.»"),
        ("zh", "小明", "我有一只狗，它叫小白。", "小明告诉我：“我有一只狗，它叫小白。”"),
        ("ja", "アン", "私は犬を飼っています。", "アンは私に言った。「私は犬を飼っています。」"),
    ],
)
def test_quotations_are_found_in_every_language_that_is_quoted_in(language, who, said, quoted):
    (found,) = judged(quoted, said=(said,), who=who, language=language)

    assert found.state is SentenceState.QUOTED and found.turns == (1,)


def test_a_quotation_of_another_speaker_is_not_quoted():
    turns = [*turns_of(SAID[:1]), *turns_of(SAID[1:2], who="Bob")]
    turns[1] = replace(turns[1], sequence=2)
    index = index_turns(turns, language="en")
    chapter = as_chapter(f"### [2026-01-06 18:30] A day\n\nAnn told me: “{SAID[1]}”\n")

    (found,) = sources_of(chapter, narrated=frozenset({1, 2}), index=index, language="en", similarity=None)

    assert found.state is SentenceState.PARTLY


def test_a_quotation_that_nobody_said_is_not_carried():
    assert states("Ann told me: “My mother Ines lives in Lyon and never turned seventy last week.”") == ["partly"]


@settings(max_examples=25)
@given(st.sampled_from(["Ines", "Lyon", "Carla", "Pascal"]), st.text(string.ascii_lowercase, min_size=4, max_size=9))
def test_a_changed_name_is_never_carried_and_is_missing(name, letters):
    other = f"Xq{letters}"
    said = next(one for one in SAID if name in one)

    (found,) = judged(
        said.replace(name, other), similarity=lambda texts, passages: [[1.0] * len(passages)] * len(texts)
    )

    assert found.state is not SentenceState.CARRIED and other in found.missing


@settings(max_examples=25)
@given(st.integers(20, 10**6))
def test_a_changed_number_is_never_carried_and_is_missing(number):
    (found,) = judged(SAID[1].replace("2", str(number)))

    assert found.state is not SentenceState.CARRIED and str(number) in found.missing


def test_small_numbers_are_the_same_in_words_and_in_digits():
    assert states(SAID[1].replace("2", "two"), SAID[1].replace("2", "three")) == ["carried", "partly"]


def test_dates_that_follow_from_what_was_said_count_as_said():
    told = "On Friday, 2 January 2026, Ann adopted a puppy at the shelter and called him Pascal."
    wrong = "On Friday, 19 August 2022, Ann adopted a puppy at the shelter and called him Pascal."

    right, other = judged(told, wrong)

    assert right.state is SentenceState.CARRIED and right.turns[0] == 3
    assert other.state is SentenceState.PARTLY and {"August", "2022"} <= set(other.missing)


def test_a_paraphrase_is_carried_where_its_meaning_is_near_and_in_part_without():
    told = "Ann plays the violin in a little orchestra and loves rehearsals."

    assert states(told, similarity=lambda texts, passages: [[0.8] * len(passages) for _ in texts]) == ["carried"]
    assert states(told, similarity=far) == ["partly"]


def test_what_no_turn_says_is_in_no_turn():
    (found,) = judged("Roberto bought a yacht in Naples and sailed around Sicily for months.", similarity=far)

    assert found.state is SentenceState.IN_NO_TURN and not found.turns
    assert {"Roberto", "yacht", "Naples", "Sicily"} <= set(found.missing)


def test_a_near_meaning_few_words_or_another_language_are_never_in_no_turn():
    invented = "Roberto bought a yacht in Naples and sailed around Sicily for months."
    german = ("Meine Mutter wohnt in Lyon und ist letzte Woche siebzig geworden, das war ein schönes Fest mit uns.",)

    assert states(invented, similarity=lambda texts, passages: [[0.6] * len(passages)]) == ["partly"]
    assert states("I was moved.", similarity=far) == ["partly"]
    assert states(invented, said=german, similarity=far) == ["partly"]


def test_a_persons_sentences_have_no_turns_and_do_not_count():
    chapter = as_chapter(f"### [2026-01-06 18:30] A day\n\n{SAID[0]} I wrote this.\n")

    found = a_persons(chapter)

    assert [one.state for one in found] == [SentenceState.A_PERSONS] * 2 and not any(one.turns for one in found)
    assert fidelity_of(found).share is None and fidelity_of(found).sentences == 0


def test_sources_are_placed_again_in_lines_that_end_otherwise():
    chapter = as_chapter(f"### [2026-01-06 18:30] A day\n\n{SAID[0]}\n{SAID[1]}\n")
    other = as_chapter(chapter.text.replace("\n", "\r\n"))

    placed = placed_again(other, a_persons(chapter))

    assert other.digest == chapter.digest
    assert [other.text[one.start : one.end] for one in placed] == [SAID[0], SAID[1]]
