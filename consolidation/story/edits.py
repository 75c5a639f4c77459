"""
A story that a person sends through a door: the check of its precondition, and their text under our marks.

The marks say what is narrated, and a text from outside can not claim more. Only an anchor that was moved back is taken
over: then what follows it is narrated again.
"""

from __future__ import annotations

import difflib
import hashlib
from dataclasses import replace

from consolidation.kernel.errors import StoryChanged
from consolidation.story.anchor import Marks, read_marks, replace_marks, without_marks
from consolidation.text.surrogates import as_bytes

ANY = "*"


def etag_of(story: str) -> str:
    """The fingerprint of a story's bytes, quoted as HTTP wants it."""
    return f'"{hashlib.sha256(as_bytes(story)).hexdigest()[:24]}"'


def check_unchanged(story: str, *, expected: str) -> None:
    """Raise StoryChanged unless *story* has one of the ETags in *expected*. Quotes may be missing; ``*`` fits any."""
    wanted = {f'"{one.strip().removeprefix("W/").strip(chr(34))}"' for one in expected.split(",")}
    if expected.strip() != ANY and etag_of(story) not in wanted:
        raise StoryChanged(story, etag=etag_of(story))


def edited(story: str, text: str) -> str:
    """*text* in the place of *story*, under the marks of *story*."""
    ours, theirs = read_marks(story), read_marks(text)
    if ours.sequence is None and ours.anchor is None:  # nothing of ours: another tool's anchor may come along
        return replace_marks(text, Marks(sequence=None, tied_to=None, anchor=theirs.anchor, anchors=theirs.anchors))
    if theirs.anchor is not None and (ours.anchor is None or theirs.anchor < ours.anchor):
        ours = replace(ours, anchor=theirs.anchor)
    return replace_marks(text, ours)


def difference(before: str, after: str, *, names: tuple[str, str]) -> str:
    """What changed from *before* to *after*, as a unified diff; marks are left out."""
    was, now = (without_marks(text).splitlines() for text in (before, after))
    return "\n".join(difflib.unified_diff(was, now, *names, lineterm=""))
