"""JSON as a stream: what a small zip may unpack to neither fills the memory nor keeps a thread."""

import io
import json

import pytest

from service.importing.records import Record, records
from service.importing.results import Skipped

_MEBI = 1 << 20


class Padded(io.TextIOBase):
    """A text with gigabytes of white space behind its beginning; it knows how much of it was read."""

    def __init__(self, beginning, *, space=" ", total=4 << 30):
        self._beginning, self._space, self._total = beginning, space, total
        self.at, self.taken, self.largest = 0, 0, 0

    def seek(self, at, whence=io.SEEK_SET):
        assert (at, whence) == (0, io.SEEK_SET)
        self.at = 0
        return 0

    def read(self, size=-1):
        assert 0 <= size <= 300 * _MEBI
        start, self.at = self.at, min(self.at + size, self._total)
        self.taken, self.largest = self.taken + self.at - start, max(self.largest, size)
        return (self._beginning[start : self.at] + self._space * size)[: self.at - start]

    def readline(self, size=-1):
        return self.read(size)


@pytest.mark.parametrize("beginning", ["", "[", '[{"a": 1}, ', '[{"a": 1} , \n'])
def test_gigabytes_of_white_space_end_the_reading(beginning):
    stream = Padded(beginning)

    found = list(records(stream, where="a", is_lines=False))

    assert isinstance(found[-1], Skipped) and "white space" in found[-1].reason
    assert [one.value for one in found[:-1]] == ([{"a": 1}] if "a" in beginning else [])
    assert stream.taken <= 32 * _MEBI and stream.largest <= _MEBI


def test_a_line_of_white_space_without_end_ends_the_reading():
    stream = Padded("")

    found = list(records(stream, where="a", is_lines=True))

    assert [type(one) for one in found] == [Skipped]
    assert stream.taken <= 128 * _MEBI


def test_white_space_that_a_person_would_write_is_passed():
    gap = "\n" + " " * (3 * _MEBI)
    text = f'{gap}[{gap}{{"a": 1}}{gap},{gap}{{"a": 2}}{gap}]'

    found = list(records(io.StringIO(text), where="a", is_lines=False))

    assert [one.value for one in found if isinstance(one, Record)] == [{"a": 1}, {"a": 2}]
    assert len(found) == 2


def test_a_record_longer_than_a_block_is_read_whole():
    values = [{"a": "x" * (3 * _MEBI)}, {"b": 1}]

    found = list(records(io.StringIO(json.dumps(values)), where="a", is_lines=False))

    assert [one.value for one in found] == values


def test_a_record_without_end_is_given_up():
    stream = Padded('[{"a": "', space="x")

    (found,) = records(stream, where="a", is_lines=False)

    assert "too large" in found.reason
    assert stream.taken <= 65 * _MEBI and stream.largest <= 32 * _MEBI


def test_lists_one_after_another_are_all_read():
    gap = "\n" + " " * (2 * _MEBI)

    found = list(records(io.StringIO(f'[{{"a": 1}}]{gap}[]\n[{{"a": 2}}, {{"a": 3}}]\n'), where="a", is_lines=False))

    assert [(one.where, one.value) for one in found] == [(f"a[{at - 1}]", {"a": at}) for at in (1, 2, 3)]


def test_what_stands_behind_a_list_and_is_not_one_is_said():
    one, rest = records(io.StringIO('[{"a": 1}]\n{"a": 2}'), where="a", is_lines=False)

    assert isinstance(one, Record) and isinstance(rest, Skipped) and "behind the end of a list" in rest.reason
