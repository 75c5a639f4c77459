"""Names in a mind's full text: which known ones stand in a text, and which turns mention one."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from consolidation.kernel.words import stems, tokens

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable

_LONGEST_NAME = 5


def name_key(name: str) -> str:
    """What a name is looked up by: its words, however they are written."""
    return " ".join(tokens(name))


def named(database: sqlite3.Connection, text: str) -> tuple[tuple[str, str], ...]:
    """Known entities whose whole name stands in *text*: uuid and name, longest name first."""
    words = tokens(text)
    runs = {
        " ".join(words[start : start + length])
        for length in range(1, _LONGEST_NAME + 1)
        for start in range(len(words) - length + 1)
    }
    asked = "SELECT uuid, name FROM entities WHERE key IN (SELECT value FROM json_each(?))"
    found = database.execute(asked, (json.dumps(sorted(runs)),)).fetchall()
    return tuple(sorted(((str(uuid), str(name)) for uuid, name in found), key=lambda pair: (-len(pair[1]), pair)))


def mentions(database: sqlite3.Connection, name: str, *, languages: Iterable[str], limit: int) -> tuple[int, ...]:
    """
    The newest turns whose own words hold every word of *name*; or that its bearer spoke.

    Turns are kept as stems of their language: a name is asked for as each of *languages* would keep it.
    """
    kept_as = dict.fromkeys(stems(name, language=code) for code in languages)
    words = " OR ".join(f"({' AND '.join(f'own : "{stem}"' for stem in one)})" for one in kept_as if one)
    asked = "SELECT rowid FROM turn_words WHERE turn_words MATCH ? ORDER BY rowid DESC LIMIT ?"
    spoken = "SELECT sequence FROM turns WHERE instr(lower(speakers), lower(?)) ORDER BY sequence DESC LIMIT ?"
    rows = database.execute(asked, (words, limit)).fetchall() if words else []
    rows = rows or database.execute(spoken, (json.dumps(name), limit)).fetchall()
    return tuple(sorted(row[0] for row in rows))
