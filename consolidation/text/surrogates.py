"""
Halves of surrogate pairs, which JSON can hold and UTF-8 can not.

A file may hold bytes that are not UTF-8. In its text, each of them is half of a pair, so that it can be written back.
"""

from __future__ import annotations


def without_lone_surrogates(text: str) -> str:
    """Return *text* with the two halves of a character joined, and "�" for a half alone."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def as_text(content: bytes) -> str:
    """Return the text of a file's bytes."""
    return content.decode("utf-8", "surrogateescape")


def as_bytes(text: str) -> bytes:
    """Return the bytes of a file's text, as ``as_text`` read them."""
    return text.encode("utf-8", "surrogateescape")


def encodable(text: str) -> str:
    """Return a file's text as JSON can carry it: "�" in place of bytes that are not UTF-8."""
    return as_bytes(text).decode("utf-8", "replace")
