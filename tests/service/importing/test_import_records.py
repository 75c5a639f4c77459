"""JSON as a stream: what a small zip may unpack to neither fills the memory nor keeps a thread."""

import io
import json

import pytest

from service.importing.records import Record, records
from service.importing.results import Skipped
from tests.support.growth import assert_linear, repeated

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


def conversation(number, *, name=None):
    """A conversation as Claude.ai has it: its messages begin with the same field as it does."""
    said = [{"uuid": f"m{number}{at}", "text": f"{number}, {at} {{}}", "sender": "human"} for at in range(4)]
    named = f"Talk [{number}], {{}}" if name is None else name
    return {"uuid": f"c{number}", "name": named, "account": {"uuid": "a"}, "chat_messages": said, "tags": []}


def damaged(text, number):
    """The text of an array with a quote too many in the name of one conversation."""
    return text.replace(f"Talk [{number}]", f'Talk "[{number}]')


def read(text):
    found = list(records(io.StringIO(text), where="a", is_lines=False))
    names = [one.value.get("uuid") for one in found if isinstance(one, Record)]
    return names, [one for one in found if isinstance(one, Skipped)]


@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize("bad", [(0,), (2,), (9,), (2, 5), (2, 3), (1, 2, 3), (0, 9)])
def test_a_damaged_conversation_loses_no_other(indent, bad):
    """Broken: everything behind it was lost; and what is said within it must not pass for a conversation."""
    text = json.dumps([conversation(number) for number in range(10)], indent=indent)
    for number in bad:
        text = damaged(text, number)

    names, skipped = read(text)

    assert names == [f"c{number}" for number in range(10) if number not in bad]
    assert skipped and all(one.is_damage for one in skipped)
    assert all("characters" in one.reason or "nothing after" in one.reason for one in skipped)


@pytest.mark.parametrize("bad", range(20))
def test_a_damaged_message_of_a_list_loses_no_other(bad):
    said = [json.dumps({"role": "user", "content": f"Number {at}", "uuid": at}) for at in range(20)]
    said[bad] = said[bad].replace("Number", 'Num"ber')

    names, skipped = read("[" + ",\n".join(said) + "]")

    assert names == [at for at in range(20) if at != bad] and len(skipped) == 1


@pytest.mark.parametrize("cut", [60, 100, 180, 260, 300])
@pytest.mark.parametrize("before", [0, 1])
def test_of_a_list_that_was_cut_short_nothing_within_the_last_element_is_one(cut, before):
    whole = [json.dumps(conversation(number)) for number in range(before + 1)]

    names, (skipped,) = read("[" + ", ".join([*whole[:-1], whole[-1][:cut]]))

    assert names == [f"c{number}" for number in range(before)] and "nothing after it could be read" in skipped.reason


def test_behind_a_damaged_element_one_with_other_fields_is_read():
    assert read('[{"uuid": 1, "a": "x"y"}, {"uuid": 2, "a": 0, "b": 1, "c": 2, "d": 3}]')[0] == [2]


@pytest.mark.parametrize("within", [', {"a": [0', ', {"a": "', ', {"a": [{}, {}', ", {}", ', {"a"', ', {"a": x'])
def test_a_damaged_list_takes_a_time_that_grows_with_it(within):
    assert_linear(lambda text: read('[{"a": "x"y' + text), repeated(within))


def test_a_missing_comma_loses_nothing():
    assert read('[{"uuid": 1}{"uuid": 2} {"uuid": 3}]') == ([1, 2, 3], [])


def test_a_large_list_goes_on_behind_a_damaged_element():
    text = json.dumps(
        [conversation(0), conversation(1), {**conversation(2), "name": "x" * (3 * _MEBI)}, conversation(3)]
    )

    names, (skipped,) = read(damaged(text, 1))

    assert names == ["c0", "c2", "c3"] and skipped.where == "a[1]"
