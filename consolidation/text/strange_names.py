"""
Which names a text has that its sources do not, in whatever form either writes them: "Annas Bruder" names Anna.

A word that a text takes from its sources as it is says nothing new. A word of the sources that is itself a known name
is a form of no other: whoever was called Jonas was not called Jona.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from consolidation.text.name_forms import lone_names, meant_in, without_case_endings
from consolidation.text.names import name_key
from consolidation.text.words import tokens

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence


def strange_names(
    names: Iterable[str], text: str, sources: Sequence[str], *, known_names: Callable[[str], Iterable[str]]
) -> tuple[str, ...]:
    """Those of *names*, which *text* has, that *sources* do not have; *known_names* finds known names in a text."""
    there = frozenset(word for one in sources for word in (*tokens(one), *lone_names(one)))
    strange = tuple(name for name in names if not set(tokens(name)) <= there)
    if not strange:
        return ()
    known = {name_key(name) for name in known_names(" | ".join(sources))}
    words = (pair for one in sources for pair in names_by_word(one).items())
    forms = {name for word, meant in words for name in ({word} if word in known else meant)}
    copied = {name for word, meant in names_by_word(text).items() if word in there for name in meant}
    copied -= set(tokens(text))
    return tuple(name for name in strange if not set(tokens(name)) <= there | forms | copied)


def names_meant(text: str) -> frozenset[str]:
    """The words of *text*, and every name that one of them may be a form of; folded as ``tokens`` are."""
    return frozenset(tokens(text)).union(lone_names(text), *meant_in(text))


def names_by_word(text: str) -> dict[str, frozenset[str]]:
    """Each word of *text*, with the names that it may stand for; all folded as ``tokens`` are."""
    return dict(zip(tokens(without_case_endings(text)), meant_in(text), strict=True))
