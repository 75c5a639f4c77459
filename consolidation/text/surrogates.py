"""Halves of surrogate pairs, which JSON can hold and UTF-8 can not."""

from __future__ import annotations


def without_lone_surrogates(text: str) -> str:
    """Return *text* with the two halves of a character joined, and "�" for a half alone."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
