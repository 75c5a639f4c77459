"""Words in the transcript's lines: what holds them is found, whatever JSON makes of it, and nothing else is."""

import re
import tempfile
import unicodedata
from datetime import UTC, datetime
from pathlib import Path

import anyio
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from consolidation.kernel.clock import FixedClock
from consolidation.kernel.turns import Message, Speaker, Turn
from consolidation.transcript.log import Transcript
from consolidation.transcript.search import in_blocks, span_of, turns_holding
from tests.support import strategies

NOON = datetime(2026, 1, 28, 12, tzinfo=UTC)


def found_in(texts, words, **more):
    """The sequences of turns, one for each of *texts*, that may hold *words*."""

    async def find(folder):
        transcript = await Transcript(folder, clock=FixedClock(NOON)).open()
        for number, text in enumerate(texts, 1):
            await transcript.append(Turn(f"t{number}", "s1", (Message(Speaker.USER, text),)), tokens=1)
        blocks = list(in_blocks(transcript.positions.backwards(2**53, **more)))
        await transcript.close()
        return [turn.sequence for block in blocks for turn in turns_holding(words, block, role=None)]

    with tempfile.TemporaryDirectory() as folder:
        return anyio.run(find, Path(folder) / "transcript")


@settings(max_examples=60)
@given(st.lists(strategies.texts, min_size=1, max_size=6), st.data())
def test_every_turn_that_holds_the_words_is_found_newest_first(texts, data):
    text = data.draw(st.sampled_from(texts))
    start = data.draw(st.integers(0, len(text)))
    words = text[start : start + 7] or "zebra"

    assume(not any(unicodedata.combining(mark) for one in texts for mark in re.findall(r"\W(.)", one, re.DOTALL)))

    holding = [number for number, one in enumerate(texts, 1) if span_of(words, one) is not None]
    found = found_in(texts, words)

    assert [number for number in found if number in holding] == holding[::-1]


def test_a_block_that_does_not_hold_the_words_gives_no_turn():
    assert found_in(["I like tea.", "And coffee.", "TEA again."], "tea") == [3, 1]
    assert found_in(["I like tea."], "t.a") == []
    assert found_in(["I like tea."], "tea", session_id="s2") == []


def test_lines_of_more_than_a_block_are_all_looked_at():
    texts = [f"{'x' * 200_000} {'needle' if number in {0, 3, 5} else 'hay'}" for number in range(6)]

    assert found_in(texts, "Needle") == [6, 4, 1]


@given(strategies.texts, strategies.texts)
def test_the_span_is_where_the_words_stand(before, after):
    text = f"{before}Straße{after}"
    start, end = span_of("STRASSE", text)

    assert "strasse" in text[start:end].casefold()
    assert start <= len(before)
    assert span_of("no such words", text) is None


def test_a_letter_that_folds_into_two_does_not_move_the_span():
    assert span_of("lyon", "Fußballstraße in Lyon") == (17, 21)


@pytest.mark.parametrize("text", ["Yarın İzmir'e gidiyorum.", "izmir", "IZMIR", "ızmır", "I\u0307zmir"])
@pytest.mark.parametrize("words", ["İzmir", "İZMİR", "izmir", "Izmir", "i\u0307zmir"])
def test_turkish_letters_i_are_alike(words, text):
    assert found_in([text], words) == [1]

    start, end = span_of(words, f"ß {text}!")
    assert f"ß {text}!"[start:end] in text
    assert start == (2 if "Yarın" not in text else 8)


@pytest.mark.parametrize("text", ["지은이를 만났다", "café à Kraków", "Đà Nẵng", "ドーナツがすき", "கொடி"])
def test_a_text_is_found_whether_its_letters_are_taken_apart_or_not(text):
    apart = unicodedata.normalize("NFD", text)

    assert found_in([text], apart) == found_in([apart], text) == found_in([apart], apart) == [1]
    assert span_of(apart, f"ß {text}.") == (2, 2 + len(text))
    assert span_of(text, f"ß {apart}.") == (2, 2 + len(apart))


def test_a_letter_is_not_found_in_another_that_begins_like_it():
    assert found_in([unicodedata.normalize("NFD", "난 café")], "나") == []
    assert span_of("cafe", unicodedata.normalize("NFD", "café")) is None
