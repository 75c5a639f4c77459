"""The stable part of what is injected: the story, cut to its budget, and the recall protocol."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from consolidation.kernel.tokens import count_tokens
from consolidation.story.anchor import without_marks
from consolidation.story.chapters import parse
from consolidation.story.shortening import gist
from prompts.library import render
from service.resonance.injection import stable_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from consolidation.workspace import Workspace

_COMMENT = re.compile(r"<!--[^>]{0,400}-->[ \t]*\n?")
_WHOLE, _OPENING = 0.75, 0.25  # of the budget: whole chapters where not all fit; what stands above them, at most
_LONGEST_STORY = 400_000


class Stable:
    """Reads a mind's story again only when its file has changed."""

    def __init__(self, *, story_tokens: int) -> None:
        """Give the story at most *story_tokens*."""
        self._story_tokens = story_tokens
        self._known: dict[str, tuple[tuple[int, int], str]] = {}

    def forget(self, workspace: Workspace) -> None:
        """Let go of what was read of a mind."""
        self._known.pop(str(workspace.folder), None)

    def text(self, workspace: Workspace) -> str:
        """Story and recall protocol: the same bytes until a person or the narrator changes the file. Blocks."""
        stamp = _stamp(workspace)
        known = self._known.get(str(workspace.folder))
        if known is not None and known[0] == stamp:
            return known[1]
        told = workspace.read(workspace.story, most_characters=_LONGEST_STORY)
        text = stable_text(
            story=remembered(told, most_tokens=self._story_tokens),
            protocol=render("recall_protocol", overrides=workspace.prompts),
        )
        self._known[str(workspace.folder)] = (stamp, text)
        return text


def remembered(story: str, *, most_tokens: int) -> str:
    """
    The newest chapters whole, before them the gist of older ones, as many as fit, in order. Pure.

    What a person wrote above the first chapter comes first, where it is short.
    """
    book = parse(without_marks(story))
    opening = _COMMENT.sub("", book.opening).strip()
    parts = [opening] if opening and count_tokens(opening) <= most_tokens * _OPENING else []
    room = most_tokens - sum(map(count_tokens, parts))
    whole, older = _fitting([one.text.strip() for one in book.chapters], most_tokens=room)
    if older:  # not all fit: room for a glance at what came before
        whole, older = _fitting([one.text.strip() for one in book.chapters], most_tokens=int(room * _WHOLE))
    room -= sum(map(count_tokens, whole))
    glances, _ = _fitting([gist(one) for one in book.chapters[:older]], most_tokens=room)
    return "\n\n".join([*parts, *(_COMMENT.sub("", part).strip() for part in (*glances, *whole))])


def _fitting(texts: Sequence[str], *, most_tokens: int) -> tuple[list[str], int]:
    """The last of *texts* that fit, in order, and how many were left out."""
    room = most_tokens
    for at in range(len(texts) - 1, -1, -1):
        room -= count_tokens(texts[at])
        if room < 0:
            return list(texts[at + 1 :]), at + 1
    return list(texts), 0


def _stamp(workspace: Workspace) -> tuple[int, int]:
    try:
        found = workspace.story.stat()
    except OSError:
        return (0, 0)
    return (found.st_mtime_ns, found.st_size)
