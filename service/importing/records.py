"""
Reads a JSON file as a stream of records: the lines of JSONL, the elements of an array, or the one document.

At most one record is in memory, so an export of hundreds of megabytes can be read, and a file that was cut short still
gives every whole record. Behind a damaged element of an array, reading goes on with the next one (`resumption.py`). A
small zip may hold gigabytes of nothing: long white space ends the reading. NaN, infinities and absurd numbers are read
as null.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from itertools import count
from json import JSONDecodeError, JSONDecoder
from typing import TYPE_CHECKING

from service.importing.results import Skipped
from service.importing.resumption import Shapes, next_element

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import TextIO

_CHUNK = 1 << 20
_LARGEST = 1 << 26  # no conversation is larger; a larger one would only fill the memory
_LARGEST_DOCUMENT = 1 << 28  # a whole graph may be one
_MOST_SPACE = 1 << 24  # before a record
_LONGEST_NUMBER = 100
_SPACE = re.compile(r"[ \t\r\n]*")
NOT_JSON = "not JSON"
_TOO_DEEP = "nested too deeply"
_ONLY_SPACE = "a long white space"
_NOTHING_AFTER = "nothing after it could be read"
_AFTER_ARRAY = "something that is not a list behind the end of a list; it was not read"
_DAMAGED = f"damaged, cut short or too large; {_NOTHING_AFTER}"


@dataclass(frozen=True, slots=True)
class Record:
    """One JSON value and the place it was read from."""

    where: str
    value: object


@dataclass(frozen=True, slots=True)
class _Element:
    """A whole element of an array, and where it ends."""

    value: object
    end: int


@dataclass(frozen=True, slots=True)
class _Closed:
    """The array's closing bracket, and where it ends."""

    end: int


def records(stream: TextIO, *, where: str, is_lines: bool) -> Iterator[Record | Skipped]:
    """Every record of a seekable stream, in order; damaged ones as ``Skipped``."""
    if is_lines:
        return _lines(stream, where=where)
    beginning = _beginning(stream)
    if beginning.startswith("["):
        return _elements(stream, beginning[1:], where=where)
    if not beginning and stream.read(1):
        return iter((_damaged(where, f"{_ONLY_SPACE}; {_NOTHING_AFTER}"),))
    return _document(stream, where=where)


def _lines(stream: TextIO, *, where: str) -> Iterator[Record | Skipped]:
    space = 0
    for number in count(1):
        line = stream.readline(_LARGEST)
        if not line:
            return
        if line.strip():
            space = 0
            yield _decoded(line, where=f"{where}:{number}")
        elif (space := space + len(line)) > _MOST_SPACE:
            yield _damaged(f"{where}:{number}", f"{_ONLY_SPACE}; {_NOTHING_AFTER}")
            return


def _document(stream: TextIO, *, where: str) -> Iterator[Record | Skipped]:
    """The whole file as one value; if it is not one, it is read as JSONL."""
    stream.seek(0)
    whole = _decoded(stream.read(_LARGEST_DOCUMENT), where=where)
    if isinstance(whole, Record):
        yield whole
        return
    stream.seek(0)
    yield from _lines(stream, where=where)


def _elements(stream: TextIO, text: str, *, where: str) -> Iterator[Record | Skipped]:
    """The elements of an array, and of those behind it; *text* behind the opening bracket was read."""
    at = index = 0
    shapes = Shapes()
    while True:
        text, at, element = _next(stream, text, at)
        if isinstance(element, str) and (found := next_element(text, at, decoder=_DECODER, shapes=shapes)) is not None:
            left_out = f"{found - at:,} characters, up to the next element that can be read, are left out"
            yield _damaged(f"{where}[{index}]", f"{element or 'damaged'}; {left_out}")
            at, index = found, index + 1
        elif isinstance(element, str):
            yield _damaged(f"{where}[{index}]", f"{element}; {_NOTHING_AFTER}" if element else _DAMAGED)
            return
        elif isinstance(element, _Closed):
            text, at = _after_array(stream, text[element.end :]), 1
            if text.startswith("["):
                continue
            if text:
                yield _damaged(where, _AFTER_ARRAY)
            return
        else:
            shapes.add(element.value)
            yield Record(f"{where}[{index}]", element.value)
            at, index = element.end, index + 1


def _next(stream: TextIO, text: str, at: int) -> tuple[str, int, _Element | _Closed | str]:
    """
    What comes at *at*, with the text that had to be read for it: the next element, or why there is none.

    That is empty where what comes is damaged, cut short or too large.
    """
    space = 0
    try:
        while (element := _element(text, at)) is None:
            kept = _without_space(text, at)
            space += len(text) - at - len(kept)
            if space > _MOST_SPACE:
                return "", 0, _ONLY_SPACE
            more = stream.read(min(max(len(kept), _CHUNK), _LARGEST - len(kept)))
            text, at = kept + more, 0
            if not more:
                return text, at, ""
    except RecursionError:
        return text, at, _TOO_DEEP
    return text, at, element


def _damaged(where: str, reason: str) -> Skipped:
    return Skipped(where, reason, is_damage=True)


def _after_array(stream: TextIO, text: str) -> str:
    """Some text from what follows an array on; empty where nothing does."""
    at = _after_space(text, 0)
    return text[at:] if at < len(text) else _beginning(stream)


def _element(text: str, at: int) -> _Element | _Closed | None:
    """The next element, if it is whole: up to the comma or bracket that follows it, or an element without a comma."""
    at = _after_space(text, at)
    if text.startswith(",", at):
        at = _after_space(text, at + 1)
    if text.startswith("]", at):
        return _Closed(at + 1)
    try:
        value, end = _DECODER.raw_decode(text, at)
    except JSONDecodeError:
        return None
    end = _after_space(text, end)
    return _Element(value, end) if text.startswith((",", "]", "{"), end) else None


def _decoded(text: str, *, where: str) -> Record | Skipped:
    try:
        return Record(where, _DECODER.decode(text))
    except JSONDecodeError as error:
        return _damaged(where, f"{NOT_JSON}: {error.msg} at character {error.pos + 1}")
    except RecursionError:
        return _damaged(where, _TOO_DEEP)


def _beginning(stream: TextIO) -> str:
    """Some text from the first character behind white space on; empty where too much of it goes before."""
    for _ in range(0, _MOST_SPACE, _CHUNK):
        text = stream.read(_CHUNK)
        if not text or (at := _after_space(text, 0)) < len(text):
            return text[at:] if text else ""
    return ""


def _without_space(text: str, at: int) -> str:
    """The rest of the text without the white space before an element, and around the comma before it."""
    at = _after_space(text, at)
    return f",{text[_after_space(text, at + 1) :]}" if text.startswith(",", at) else text[at:]


def _after_space(text: str, at: int) -> int:
    match = _SPACE.match(text, at)
    return match.end() if match else at


def _whole_number(digits: str) -> int | None:
    return int(digits) if len(digits) <= _LONGEST_NUMBER else None


def _finite_number(digits: str) -> float | None:
    number = float(digits)
    return number if math.isfinite(number) else None


def _null(_: str) -> None:
    return None


# strict=False: some writers leave raw control characters inside texts; that is not damage
_DECODER = JSONDecoder(parse_int=_whole_number, parse_float=_finite_number, parse_constant=_null, strict=False)
