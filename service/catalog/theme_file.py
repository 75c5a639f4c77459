"""The file that remembers the themes of a mind: ids of entities and no words. It is derived, and erasing deletes it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from consolidation.kernel.files import replace_text
from service.catalog.themes import Theme, Themes

if TYPE_CHECKING:
    from pathlib import Path

_METHOD = 1  # another number where the same graph may get other themes


def read_themes(file: Path) -> Themes:
    """What is remembered; nothing where the file is missing or garbled."""
    try:
        found = json.loads(file.read_text(encoding="utf-8"))
        if found["method"] != _METHOD:
            return Themes()
        groups = tuple(Theme(str(one["id"]), tuple(map(str, one["members"]))) for one in found["themes"])
        return Themes(groups, int(found["facts"]), int(found["last"]))
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return Themes()


def write_themes(file: Path, themes: Themes) -> None:
    """Remember *themes*, and no others. Raises OSError."""
    groups = [{"id": one.id, "members": one.members} for one in themes.groups]
    content = {"method": _METHOD, "facts": themes.facts, "last": themes.last, "themes": groups}
    file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    replace_text(file, json.dumps(content))
