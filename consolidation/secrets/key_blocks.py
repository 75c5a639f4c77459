"""Finds private keys: PEM, OpenSSH, PGP; as a block, in one line with escaped line ends, or cut off."""

from __future__ import annotations

import re
from bisect import bisect_left
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

KIND = "private key"
_SIGN = "PRIVATE KEY"
_NAME = r"(?:[A-Z0-9]{1,20} ){0,5}PRIVATE KEY(?: BLOCK)? ?-{4,5}"
_BEGIN = re.compile(rf"-{{4,5}} ?BEGIN {_NAME}")
_END = re.compile(rf"-{{4,5}} ?END {_NAME}")
_LONGEST = 64 * 1024
_RUN = r"[A-Za-z0-9+/=_-]{16,}+"
_BETWEEN = r"(?:\\[nrt]|[\s>|*])*+"
_HEADER = r"[A-Z][A-Za-z-]{2,20}: [^\n\\]{0,100}+"  # Proc-Type, DEK-Info, Version, Comment
_BODY = re.compile(
    rf"(?:{_BETWEEN}(?:{_HEADER}|{_RUN}))++"
    # a last line that is short: base64 of one word alone must not look like a word
    r"(?:(?:\\r|\r)?(?:\\n|\n)(?=[A-Za-z+/]{0,15}[0-9+/=]|[a-z]{1,14}[A-Z])[A-Za-z0-9+/]{1,15}={0,2}"
    r"(?![\w+/=.-]))?"
)
_SOME = re.compile(_RUN)


def find_blocks(text: str) -> Iterator[tuple[int, int, str]]:
    """Private keys: start, end, kind. A header alone, as people mention it, is not a key."""
    if _SIGN not in text:
        return
    begins = [found.span() for found in _BEGIN.finditer(text)]
    ends = [found.span() for found in _END.finditer(text)]
    for number, (start, body) in enumerate(begins):
        after = bisect_left(ends, (body, body))
        following = begins[number + 1][0] if number + 1 < len(begins) else len(text)
        if after < len(ends) and ends[after][0] <= following and ends[after][0] - body <= _LONGEST:
            if _SOME.search(text, body, ends[after][0]):
                yield start, ends[after][1], KIND
            continue
        found = _BODY.match(text, body, following)
        if found is not None and _SOME.search(found[0]):
            yield start, found.end(), KIND
