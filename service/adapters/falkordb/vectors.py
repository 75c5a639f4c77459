"""Vectors as parameters of FalkorDB: plain lists of eight decimals, enough for half precision."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True, slots=True)
class Printed:
    """A parameter that is already text: falkordb would print a list number by number, ten times as slowly."""

    text: str

    def __str__(self) -> str:
        """Return the text."""
        return self.text


def printed(vector: Sequence[float]) -> Printed:
    """Print one vector."""
    return Printed(f"[{','.join(['%.8f'] * len(vector))}]" % tuple(vector))
