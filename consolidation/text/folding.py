"""
A text as a reader sees it: compatibility forms as plain letters, nothing invisible. With the place of each letter.

What is looked for by its form, a secret or a mark of ours, must not hide behind a letter of another width or none.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass

_LOOKED_AT = 0x7F  # below it, a letter is what it is


@dataclass(frozen=True, slots=True)
class Folded:
    """The folded text; ``places`` has the place in the original of each of its letters, and of the end."""

    text: str
    places: tuple[int, ...]

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Where in the original a part of the folded text is; the part must not be empty."""
        return self.places[start], self.places[end - 1] + 1


def folded(text: str) -> Folded | None:
    """*text* folded; None where that changes nothing, as with almost every text."""
    if text.isascii():
        return None
    letters, places = list[str](), list[int]()
    for place, letter in enumerate(text):
        for one in _fold(letter):
            letters.append(one)
            places.append(place)
    found = "".join(letters)
    return None if found == text else Folded(found, (*places, len(text)))


def _fold(letter: str) -> str:
    if ord(letter) < _LOOKED_AT:
        return letter
    return "" if unicodedata.category(letter) == "Cf" else unicodedata.normalize("NFKC", letter)
