"""
Counts tokens, and cuts a text to a number of them, the way current models count: o200k_base.

toktok has the encoding compiled in, so nothing is read or fetched: tiktoken would load it from the network, without a
timeout, takes quadratic time over one endless word and overflows its stack on a longer one. A test holds the counts to
tiktoken's. Text that looks like a special token ("<|endoftext|>") counts as the plain text it is.
"""

from __future__ import annotations

import sys

import toktok

_ENCODING = "o200k_base"


def count_tokens(text: str) -> int:
    """Say how many tokens *text* takes. A megabyte takes some ten milliseconds; the first call loads for longer."""
    # Not batch_count: it makes a scratch buffer first, which takes thirty times as long as a turn.
    _, counted = toktok.truncate(_encodable(text), sys.maxsize, _ENCODING)
    return int(counted)


def cut_to_tokens(text: str, *, limit: int) -> str:
    """Return the beginning of *text* that takes at most *limit* tokens; the whole text where it fits."""
    room = max(limit, 0)
    beginning, _ = toktok.truncate(_encodable(text), room, _ENCODING)
    length = len(beginning)
    # A beginning may be split otherwise than the whole was, and take a token more.
    while count_tokens(text[:length]) > room:
        length -= 1
    return text[:length]


def _encodable(text: str) -> str:
    """Lone surrogates, which toktok refuses, become question marks, so that lengths stay as they are."""
    return text if text.isascii() else text.encode(errors="replace").decode()
