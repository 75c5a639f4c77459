"""
Where reading an array goes on behind a damaged element: at the next one, never at an object within the damaged one.

What begins with a brace may be an element of the array, or an object inside the damaged element. Its neighbours tell:
those of an element go on up to the bracket that ends the file, those of an inner object up to one with more behind it.
Where the neighbours are damaged too, it is an element if it has the fields of one that was read before.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from json import JSONDecodeError
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from json import JSONDecoder

_BEGINS = re.compile(r'[,}\]]\s*(\{)(?=\s*(?:"[^"\\]{0,200}"\s*:|\}))')  # an object behind another value
_BETWEEN = re.compile(r"\s*+(?:,\s*+)?(?=\{)")
_ENDS = re.compile(r"\s*\]\s*(\[|\Z)?")
_FIELD = re.compile(r'[\s,{]*"([^"\\]*)"\s*:\s*(?:(?:"[^"\\]*+(?:\\.[^"\\]*+)*+"|[-+.\w]+)\s*(?=,))?')
_MOST_SHAPES = 50
_MOST_PASSES = 20  # over the text, so that no file takes a time that grows with its square
_COST_OF_DEPTH = 10_000  # characters that were read until something is nested too deeply
_COUNTED_PER_READ = 50  # characters in which a fault's line is counted while one is read


@dataclass(slots=True)
class Shapes:
    """The sets of fields that elements of the array had."""

    _known: set[frozenset[str]] = field(default_factory=set)

    def __bool__(self) -> bool:
        return bool(self._known)

    def add(self, value: object) -> None:
        """Note those of an element."""
        if isinstance(value, dict) and len(self._known) < _MOST_SHAPES:
            self._known.add(frozenset(value))

    def have_like(self, value: dict[str, object]) -> bool:
        """Whether *value* shares more than half of the fields with one of the elements."""
        keys = frozenset(value)
        return any(2 * len(keys & one) > len(keys | one) for one in self._known)


@dataclass(frozen=True, slots=True)
class _Run:
    """Objects one behind another: the first, or None; where they end, what comes there, and how far it was looked."""

    first: dict[str, object] | None
    end: int
    then: Literal["end of the array", "more", "damage"]
    looked_at: int


def next_element(text: str, at: int, *, decoder: JSONDecoder, shapes: Shapes) -> int | None:
    """Where the next element behind the damaged one at *at* begins; None where nothing is certain to be one."""
    fields = _leading_fields(text, at)
    begins = at + 1
    left = _MOST_PASSES * (len(text) - at)
    while left > 0 and (found := _BEGINS.search(text, begins)) is not None:
        begins = found.start(1)
        run = _run(text, begins, decoder)
        left -= run.looked_at
        if _is_element(run, shapes, fields=fields):
            return begins
        begins = max(run.end, begins + 1) - 1  # what goes before counts
    return None


def _leading_fields(text: str, at: int) -> frozenset[str]:
    """The first fields of the damaged element, up to the first one whose value is not a plain one, or is damaged."""
    fields = []
    while (one := _FIELD.match(text, at)) is not None:
        fields.append(one[1])
        if not text.startswith(",", one.end()):
            break
        at = one.end()
    return frozenset(fields)


def _run(text: str, at: int, decoder: JSONDecoder) -> _Run:
    first: dict[str, object] | None = None
    end = reached = at
    while (between := _BETWEEN.match(text, end)) is not None:
        try:
            value, behind = decoder.raw_decode(text, between.end())
        except JSONDecodeError as error:
            reached = error.pos + error.pos // _COUNTED_PER_READ
            break
        except RecursionError:
            reached = end + _COST_OF_DEPTH
            break
        first, end = first if first is not None else value, behind
    looked_at = max(reached, end) - at + 1
    if (ends := _ENDS.match(text, end)) is None:
        return _Run(first, end, "damage", looked_at)
    return _Run(first, end, "end of the array" if ends[1] is not None else "more", looked_at)


def _is_element(run: _Run, shapes: Shapes, *, fields: frozenset[str]) -> bool:
    """Whether the run is of elements. *fields* are the first ones of the damaged element."""
    if run.first is None or run.then == "more":
        return False
    has_fields = bool(fields) and fields <= run.first.keys()
    if run.then == "end of the array":
        return has_fields or shapes.have_like(run.first)
    return shapes.have_like(run.first) if shapes else has_fields and len(fields) > 1
