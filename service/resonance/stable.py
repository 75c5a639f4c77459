"""The stable part of what is injected: the story, cut to its budget, and the recall protocol."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from consolidation.kernel.tokens import count_tokens
from prompts.library import render
from service.resonance.injection import stable_text

if TYPE_CHECKING:
    from consolidation.workspace import Workspace

_COMMENT = re.compile(r"<!--[^>]{0,400}-->[ \t]*\n?")
_CHAPTER = re.compile(r"^(?=### )", re.MULTILINE)
_LONGEST_STORY = 400_000


class Stable:
    """Reads a mind's story again only when its file has changed."""

    def __init__(self, *, story_tokens: int) -> None:
        """Give the story at most *story_tokens*."""
        self._story_tokens = story_tokens
        self._known: dict[str, tuple[tuple[int, int], str]] = {}

    def text(self, workspace: Workspace) -> str:
        """Story and recall protocol: the same bytes until a person or the narrator changes the file. Blocks."""
        stamp = _stamp(workspace)
        known = self._known.get(str(workspace.folder))
        if known is not None and known[0] == stamp:
            return known[1]
        told = workspace.read(workspace.story, most_characters=_LONGEST_STORY)
        text = stable_text(
            story=newest_chapters(told, most_tokens=self._story_tokens),
            protocol=render("recall_protocol", overrides=workspace.prompts),
        )
        self._known[str(workspace.folder)] = (stamp, text)
        return text


def newest_chapters(story: str, *, most_tokens: int) -> str:
    """The newest chapters that fit whole, in order; comments taken out. Pure."""
    parts = [part.strip() for part in _CHAPTER.split(_COMMENT.sub("", story)) if part.strip()]
    kept: list[str] = []
    room = most_tokens
    for part in reversed(parts):
        room -= count_tokens(part)
        if room < 0:
            break
        kept.append(part)
    return "\n\n".join(reversed(kept))


def _stamp(workspace: Workspace) -> tuple[int, int]:
    try:
        found = workspace.story.stat()
    except OSError:
        return (0, 0)
    return (found.st_mtime_ns, found.st_size)
