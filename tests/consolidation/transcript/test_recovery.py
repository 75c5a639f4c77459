"""What a power cut or a flipped bit leaves of a file: every other turn, and a word about the damage."""

from datetime import UTC, datetime

import pytest

from consolidation.kernel.turns import Message, Speaker, StoredTurn, Turn
from consolidation.transcript import recovery
from consolidation.transcript.records import encode
from consolidation.transcript.recovery import Damage, forget_lines, read_lines, scan

NOON = datetime(2026, 1, 28, 12, tzinfo=UTC)


def kept_of(sequence, content="I said something."):
    return StoredTurn(sequence, NOON, Turn(f"t{sequence}", "s1", (Message(Speaker.USER, content),)), 3)


THREE = tuple(kept_of(sequence, content) for sequence, content in enumerate(("One.", "Two\u2028\x85.", "Three."), 1))
LINES = tuple(encode(kept) for kept in THREE)


@pytest.fixture
def file(tmp_path):
    return tmp_path / "2026-01.jsonl"


def read(file, content):
    file.write_bytes(content)
    found = list(scan(file))
    whole = [one for one in found if not isinstance(one, Damage)]
    assert read_lines(place for _, place in whole) == [kept for kept, _ in whole]
    return [kept.sequence for kept, _ in whole], [one for one in found if isinstance(one, Damage)]


def test_a_whole_file_has_no_damage(file):
    assert read(file, b"".join(LINES)) == ([1, 2, 3], [])
    assert not (file.parent / "torn").exists()


@pytest.mark.parametrize("content", [b"", b"\n", b"\n\n\n"])
def test_an_empty_file_holds_nothing(file, content):
    assert read(file, content) == ([], [])
    assert file.read_bytes() == content


def test_a_last_line_torn_at_any_byte_keeps_all_others(file):
    head = b"".join(LINES[:2])
    for length in range(1, len(LINES[2]) - 1):
        sequences, damages = read(file, head + LINES[2][:length])

        assert sequences == [1, 2]
        [damage] = damages
        assert (damage.offset, damage.length) == (len(head), length)
        assert file.read_bytes() == head + LINES[2][:length] + b"\n"
        (file.parent / damage.aside).unlink()


def test_a_last_line_without_its_newline_is_whole_and_sealed(file):
    assert read(file, b"".join(LINES)[:-1]) == ([1, 2, 3], [])
    assert file.read_bytes() == b"".join(LINES)


def test_every_flipped_bit_is_told_and_takes_no_other_turn(file):
    content = b"".join(LINES)
    starts = [0, len(LINES[0]), len(LINES[0]) + len(LINES[1])]
    second = range((starts[1] - 1) * 8, starts[2] * 8)  # every bit from the first newline to the second
    for bit in sorted({*second, *range(0, len(content) * 8, 7), *range(len(content) * 8 - 8, len(content) * 8)}):
        flipped = bytearray(content)
        flipped[bit // 8] ^= 1 << bit % 8

        sequences, damages = read(file, bytes(flipped))

        hit = next(at for at in (2, 1, 0) if bit // 8 >= starts[at]) + 1
        assert damages, f"bit {bit} went unnoticed"
        is_newline = content[bit // 8] == 0x0A
        assert sequences == [one for one in (1, 2, 3) if is_newline or one != hit], f"bit {bit}"
        for aside in (file.parent / "torn").iterdir():
            aside.unlink()


@pytest.mark.parametrize("zeros", [1, 511, 4096])
def test_a_tail_of_nul_bytes_is_set_aside(file, zeros):
    sequences, [damage] = read(file, b"".join(LINES) + b"\x00" * zeros)

    assert sequences == [1, 2, 3]
    assert (damage.length, damage.reason) == (zeros, "no checksum at the end")


def test_damaged_bytes_are_kept_where_they_were_and_copied_aside(file):
    _, [damage] = read(file, LINES[0] + b"garbage\n" + LINES[1])

    assert (file.parent / damage.aside).read_bytes() == b"garbage"
    assert b"garbage" in file.read_bytes()
    assert (damage.file, damage.aside) == (file.name, f"torn/2026-01-{len(LINES[0])}.txt")


def test_a_second_reading_tells_the_same(file):
    first = read(file, LINES[0] + b"garbage\n" + LINES[1] + LINES[2][:20])

    assert read(file, file.read_bytes()) == first


def test_a_turn_glued_to_a_torn_one_is_found(file):
    sequences, [damage] = read(file, LINES[0][:40] + LINES[1] + LINES[2])

    assert sequences == [2, 3]
    assert damage.offset == 0


def test_what_a_person_said_is_never_taken_for_a_turn(file):
    quoting = encode(kept_of(9, LINES[0].decode()))

    assert read(file, quoting[:-20])[0] == []


def test_a_line_that_breaks_after_it_was_read_is_damage_from_then_on(file):
    file.write_bytes(LINES[0])
    places = [place for _, place in scan(file)]
    [_] = read_lines(places)

    file.write_bytes(LINES[0].replace(b"One", b"Owe"))

    [found] = read_lines(places)
    assert isinstance(found, Damage)


def test_lines_that_are_to_be_erased_are_not_remembered(file):
    file.write_bytes(LINES[0])
    read_lines([place for _, place in scan(file)])

    forget_lines()

    assert not recovery._decoded.cache_info().currsize
