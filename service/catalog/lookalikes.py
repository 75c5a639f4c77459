"""Whether two names may be of the same person or thing: by their words and letters alone, without a model."""

from __future__ import annotations

from typing import Literal

type Likeness = Literal["same_words", "spelling", "contained"]

ORDER: tuple[Likeness, ...] = ("same_words", "spelling", "contained")  # the surest first
_LEAST_CONTAINED = 3  # letters; "Al" stands in too much
_LEAST_SPELT, _LONG = 4, 8  # letters of the shorter name, from which one and two may differ


def likeness(one: str, other: str) -> Likeness | None:
    """
    How two names are alike, by their keys (words in lower case, one blank between them); None where they are not.

    The same words in another order; one name inside the other, as whole words; or one or two letters that differ.
    Names that differ in a number are not alike: "room 1" is not "room 2".
    """
    if not one or not other:
        return None
    if sorted(one.split()) == sorted(other.split()):
        return "same_words"
    if _digits(one) == _digits(other) and is_within(one, other, most=slack_of(min(one, other, key=len))):
        return "spelling"
    short, long = sorted((one, other), key=len)
    is_name = len(short) >= _LEAST_CONTAINED or not short.isascii()
    if is_name and not short.isdecimal() and f" {short} " in f" {long} ":
        return "contained"
    return None


def slack_of(key: str) -> int:
    """How many letters of another name may differ from *key*'s."""
    return 0 if len(key) < _LEAST_SPELT else 1 if len(key) < _LONG else 2


def pieces_of(key: str) -> tuple[str, ...]:
    """Parts of *key* of which a name that differs in no more letters than it may has one unchanged."""
    slack = slack_of(key)
    if not slack:
        return ()
    step, longer = divmod(len(key), slack + 1)
    ends = [step * (at + 1) + min(at + 1, longer) for at in range(slack + 1)]
    return tuple(key[start:end] for start, end in zip((0, *ends), ends, strict=False))


def is_within(one: str, other: str, *, most: int) -> bool:
    """Whether at most *most* letters must be added, taken away or replaced to make *one* of *other*."""
    if abs(len(one) - len(other)) > most:
        return False
    row = list(range(len(other) + 1))
    for at, letter in enumerate(one, start=1):
        left, row[0] = row[0], at
        for place, found in enumerate(other, start=1):
            left, row[place] = row[place], min(row[place] + 1, row[place - 1] + 1, left + (letter != found))
        if min(row) > most:
            return False
    return row[-1] <= most


def _digits(key: str) -> list[str]:
    return [letter for letter in key if letter.isdecimal()]
