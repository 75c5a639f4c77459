"""
What a person puts in a story's place through a door: their words, and the marks that were standing. Pure.

The marks say what is told; a text that comes from outside can not claim more. Only an anchor moved back is taken over:
then what follows it is told again.
"""

from __future__ import annotations

import difflib
import hashlib
from dataclasses import replace

from consolidation.kernel.errors import StoryChanged
from consolidation.story.anchor import Marks, carrying, read_marks, without_marks

ANY = "*"


def etag_of(story: str) -> str:
    """The fingerprint of a story's bytes, quoted as HTTP wants it."""
    return f'"{hashlib.sha256(story.encode("utf-8", "surrogateescape")).hexdigest()[:24]}"'


def check_unchanged(story: str, *, expected: str) -> None:
    """Raise StoryChanged unless *story* is the one whose etag was *expected*; quotes may be missing, * is any."""
    wanted = {f'"{one.strip().removeprefix("W/").strip(chr(34))}"' for one in expected.split(",")}
    if expected.strip() != ANY and etag_of(story) not in wanted:
        raise StoryChanged(story, etag=etag_of(story))


def edited(story: str, text: str) -> str:
    """*text* in the place of *story*, under the marks that stand there."""
    standing, theirs = read_marks(story), read_marks(text)
    if standing.sequence is None and standing.anchor is None:  # nothing of ours: another tool's anchor may come along
        return carrying(text, Marks(sequence=None, tied_to=None, anchor=theirs.anchor, anchors=theirs.anchors))
    if theirs.anchor is not None and (standing.anchor is None or theirs.anchor < standing.anchor):
        standing = replace(standing, anchor=theirs.anchor)
    return carrying(text, standing)


def difference(before: str, after: str, *, names: tuple[str, str]) -> str:
    """What changed from *before* to *after*, as a unified diff; the marks take no part."""
    was, now = (without_marks(text).splitlines() for text in (before, after))
    return "\n".join(difflib.unified_diff(was, now, *names, lineterm=""))
