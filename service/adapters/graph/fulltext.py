"""Text as a RediSearch query that can neither fail nor be commanded: words only, any of them. Pure."""

from __future__ import annotations

from consolidation.kernel.words import tokens

_MOST_WORDS = 40


def any_of(text: str) -> str:
    """An OR of the words of *text*, the longest kept where there are many; empty when there is none."""
    words = sorted(dict.fromkeys(tokens(text)), key=len, reverse=True)[:_MOST_WORDS]
    return " | ".join(words)
