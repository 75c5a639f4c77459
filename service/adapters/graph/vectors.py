"""Vectors as FalkorDB takes them: plain lists, six decimals, less than half the bytes of full precision. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


@dataclass(frozen=True, slots=True)
class Printed:
    """A parameter in the words it is sent in: falkordb would print a list number by number, ten times as slowly."""

    text: str

    def __str__(self) -> str:
        """Its words."""
        return self.text


def printed(vector: Sequence[float]) -> Printed:
    """One vector."""
    return Printed(f"[{','.join([f'{number:.6f}' for number in vector])}]")


def matrix(vectors: Iterable[Sequence[float]]) -> str:
    """Rows of vectors as the text of a Cypher list of lists."""
    return f"[{','.join(str(printed(row)) for row in vectors)}]"
