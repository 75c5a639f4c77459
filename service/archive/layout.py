"""The names that an archive may contain: files of the mind's folder, and files that describe the archive."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from service.mind.trace_files import day_of

if TYPE_CHECKING:
    from collections.abc import Collection

MANIFEST, GRAPH, SETTINGS = "manifest.json", "graph.jsonl", "settings.json"
BESIDE = (GRAPH, SETTINGS)  # not files of the mind's folder
STORY = "STORY.md"
_WRITINGS = ("observations.md", "priorities.md", "diary.md", "rules.md", "briefing.md")
_SLEEP = ("dreams.jsonl", "sleep.json", "evaluation.jsonl", *_WRITINGS)
OUTCOMES, CORRECTIONS, FIGURES = "outcomes.jsonl", "corrections.jsonl", "calls-by-day.jsonl"
OWN_SETTINGS = "settings.toml"  # the mind's; not SETTINGS, which are the service's
FILES = ("SOUL.md", "PURPOSE.md", "MEMORY.md", *_SLEEP, OUTCOMES, CORRECTIONS, FIGURES, OWN_SETTINGS)
PROMPTS = "prompts"
PEOPLES_FOLDERS = ("memory", PROMPTS)  # people's files of any name and depth
HISTORY, TRANSCRIPT, TORN = "story-history", "transcript", "transcript/torn"
_IN_FOLDERS = {TRANSCRIPT: ".jsonl", TORN: ".txt", HISTORY: ""}
_LINES = frozenset({".jsonl", ".1"})
_LONGEST, _LONGEST_PART = 1_000, 255  # bytes
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]")


def fault_of(name: str) -> str | None:
    """Why an archive may not contain a member of this *name*; None if it may."""
    if _CONTROL.search(name) or "\\" in name:
        return "its name contains characters that are not allowed"
    parts = name.split("/")
    if any(part in {"", ".", ".."} for part in parts):
        return "its name leads out of the archive"
    if len(name.encode()) > _LONGEST or any(len(part.encode()) > _LONGEST_PART for part in parts):
        return "its name is too long"
    is_known = name in {MANIFEST, STORY, *BESIDE, *FILES} or day_of(name) is not None
    if is_known or (parts[0] in PEOPLES_FOLDERS and len(parts) > 1):
        return None
    folder, _, last = name.rpartition("/")
    if folder in _IN_FOLDERS and last.endswith(_IN_FOLDERS[folder]) and last != _IN_FOLDERS[folder]:
        return None
    return "a mind does not have such a file"


def folder_of_archive(names: Collection[str]) -> str | None:
    """
    Where in a zip with members of these *names* the archive is; None if there is none.

    That is "", or "ada/" where a person has unpacked it and zipped the folder.
    """
    if MANIFEST in names:
        return ""
    folders = [name.removesuffix(MANIFEST) for name in names if name.endswith(f"/{MANIFEST}") and name.count("/") == 1]
    return folders[0] if len(folders) == 1 else None


def is_added(name: str) -> bool:
    """Whether a Mac adds a member of this *name* to what it zips."""
    return name.startswith("__MACOSX/") or name.rpartition("/")[2] == ".DS_Store"


def is_prompt(name: str) -> bool:
    """Whether a member is one of the mind's own prompts, which decide what models are told."""
    return name.startswith(f"{PROMPTS}/")


def is_lines(name: str) -> bool:
    """Whether a member is read line by line, so that the length of a line must be limited."""
    return any(name.endswith(ending) for ending in _LINES)
