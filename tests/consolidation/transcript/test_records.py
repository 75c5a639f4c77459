"""One turn, one line: nothing is lost on the way, and what was not written is told from what was."""

import json
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from consolidation.kernel.turns import Message, Speaker, StoredTurn, Turn
from consolidation.transcript.records import DamagedRecord, decode, encode
from tests.support import strategies

NOON = datetime(2026, 1, 28, 12, tzinfo=UTC)


def kept_of(content, **more):
    return StoredTurn(1, NOON, Turn("t1", "s1", (Message(Speaker.USER, content, **more),)), 3)


@given(strategies.kept)
def test_a_turn_is_read_back_as_it_was_written(kept):
    found = decode(encode(kept)[:-1])

    assert found == kept
    assert found.turn.digest == kept.turn.digest


@given(strategies.kept)
def test_a_turn_is_one_line_of_json(kept):
    line = encode(kept)

    assert line.count(b"\n") == 1
    assert line.endswith(b"\n")
    assert json.loads(line)["sequence"] == kept.sequence


@given(strategies.kept, st.data())
def test_a_line_cut_anywhere_is_no_turn(kept, data):
    line = encode(kept)[:-1]

    with pytest.raises(DamagedRecord):
        decode(line[: data.draw(st.integers(0, len(line) - 1))])


def test_every_flipped_bit_is_noticed():
    line = encode(kept_of("Grüße, my mother lives in Lyon.\u2028", name="Ada", timestamp=NOON))[:-1]

    for bit in range(len(line) * 8):
        flipped = bytearray(line)
        flipped[bit // 8] ^= 1 << bit % 8
        with pytest.raises(DamagedRecord):
            decode(bytes(flipped))


@pytest.mark.parametrize("body", [b"", b"{}", b"[]", b"null", b'{"sequence":1}', b"\x00" * 200, b"\xff\xfe"])
def test_what_is_no_record_is_damaged_even_under_a_right_checksum(body):
    import zlib

    with pytest.raises(DamagedRecord):
        decode(body[:-1] + b',"crc":"%08x"}' % zlib.crc32(body))
    with pytest.raises(DamagedRecord):
        decode(body)
