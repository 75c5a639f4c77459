"""A stream is cut where nobody speaks: by energy, the same for any slicing, in bounded memory."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from service.voice.g711 import RATE
from service.voice.utterances import FRAME, UtteranceCutter
from tests.support.speech import call, encoded, noise, silence, speech


def cut(stream, *, size=FRAME, most_seconds=30, start=0):
    cutter = UtteranceCutter(start=start, silence_ms=700, most_seconds=most_seconds)
    found = [one for at in range(0, len(stream), size) for one in cutter.feed(stream[at : at + size])]
    return found + cutter.finish()


def over(stream, level):
    """*stream* over steady noise."""
    import numpy as np

    from service.voice.g711 import SAMPLES

    samples = np.array(SAMPLES)[np.frombuffer(stream, dtype=np.uint8)]
    hiss = np.array(SAMPLES)[np.frombuffer(noise(len(stream) / RATE, level=level), dtype=np.uint8)]
    return encoded(samples + hiss)


def test_each_thing_that_is_said_is_an_utterance_with_its_edges():
    found = cut(call(2.0, 0.4, 3.0))

    assert [round(one.seconds, 1) for one in found] == pytest.approx([2.4, 0.8, 3.4], abs=0.21)
    assert found[0].start < 0.5 * RATE < found[0].end


def test_the_bytes_of_an_utterance_are_those_of_the_stream():
    stream = call(1.0, 1.5)

    assert all(stream[one.start : one.end] == one.data for one in cut(stream))


def test_nothing_is_said_in_silence():
    assert cut(silence(60)) == []


@pytest.mark.parametrize("level", [30, 120])
def test_nothing_is_said_in_the_noise_of_a_line(level):
    assert cut(noise(60, level=level)) == []


@pytest.mark.parametrize("level", [10, 60, 150])
def test_speech_is_found_over_noise(level):
    found = cut(over(call(2.0, 1.0, 1.5), level))

    assert len(found) == 3


def test_loud_noise_that_lasts_is_speech_for_some_seconds_at_most():
    found = cut(noise(120, level=1_500))

    assert sum(one.seconds for one in found) < 30


def test_speech_after_loud_noise_is_found_again():
    found = cut(noise(20, level=1_500) + silence(5) + speech(2.0) + silence(1))

    assert found[-1].start / RATE == pytest.approx(25, abs=0.3)


def test_a_click_is_not_speech():
    assert cut(silence(1) + speech(0.05, level=12_000) + silence(1)) == []


def test_a_short_word_is():
    assert len(cut(silence(1) + speech(0.2) + silence(1))) == 1


def test_a_pause_inside_a_sentence_does_not_end_it():
    assert len(cut(silence(1) + speech(1.0) + silence(0.4) + speech(1.0) + silence(1))) == 1


def test_who_speaks_without_a_pause_is_cut_and_nothing_is_lost():
    stream = silence(0.5) + speech(47.0)

    found = cut(stream, most_seconds=10)

    assert len(found) >= 4
    assert all(one.seconds <= 10.3 for one in found)
    assert all(one.end == after.start for one, after in zip(found, found[1:], strict=False))
    assert found[-1].end > 47 * RATE


def test_what_is_being_said_when_a_stream_ends_is_an_utterance():
    assert len(cut(silence(0.5) + speech(1.0))) == 1


def test_a_stream_that_begins_with_speech_loses_none_of_it():
    assert cut(speech(1.0) + silence(1))[0].start == 0


def test_positions_are_those_of_the_whole_stream():
    stream = call(1.0)

    [whole], [late] = cut(stream), cut(stream, start=8_000)

    assert (late.start, late.end) == (whole.start + 8_000, whole.end + 8_000)


@settings(max_examples=25, deadline=None)
@given(size=st.integers(1, 70_000))
def test_the_size_of_the_pieces_changes_nothing(size):
    stream = call(1.0, 0.3, 2.0)

    assert cut(stream, size=size) == cut(stream, size=len(stream))


@settings(max_examples=25, deadline=None)
@given(pieces=st.lists(st.binary(min_size=1, max_size=4_000), max_size=20))
def test_utterances_of_any_bytes_follow_each_other_and_none_is_made_up(pieces):
    stream = b"".join(pieces)
    found = cut(stream, most_seconds=5)

    ends = [0, *(one.end for one in found)]
    assert all(end <= one.start < one.end for end, one in zip(ends, found, strict=False))
    assert all(stream[one.start : one.end] == one.data for one in found)


def test_what_is_held_does_not_grow_with_the_call():
    cutter = UtteranceCutter(silence_ms=700, most_seconds=30)
    most = 0

    for _ in range(4):
        for piece in (noise(20, level=60), speech(20.0), silence(20)):
            for at in range(0, len(piece), 8_000):
                cutter.feed(piece[at : at + 8_000])
                most = max(most, cutter.received - cutter.passed)

    assert most <= 32 * RATE
