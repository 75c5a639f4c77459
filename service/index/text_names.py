"""Names in full text: which known names occur in a text, and which turns mention a name."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import TYPE_CHECKING

from consolidation.text.language import detect
from consolidation.text.name_forms import names_of_form
from consolidation.text.names import name_key
from consolidation.text.words import stems, tokens

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable

_LONGEST_NAME = 5


def names_in(database: sqlite3.Connection, text: str) -> tuple[tuple[str, str], ...]:
    """Known entities whose whole name occurs in *text*, in any form: uuid and name, longest name first."""
    words = tokens(text)
    language = detect(text)
    meant = [names_of_form(word, language) for word in words]
    runs = {
        " ".join(words[start : start + length])
        for length in range(1, _LONGEST_NAME + 1)
        for start in range(len(words) - length + 1)
    }
    runs |= {one for word in meant for one in word}
    runs |= {f"{first} {last}" for one, other in pairwise(meant) for first in one for last in other}
    query = "SELECT uuid, name FROM entities WHERE key IN (SELECT value FROM json_each(?))"
    found = database.execute(query, (json.dumps(sorted(runs)),)).fetchall()
    return tuple(sorted(((str(uuid), str(name)) for uuid, name in found), key=lambda pair: (-len(pair[1]), pair)))


def names_of_kinds(database: sqlite3.Connection, names: Iterable[str], *, kinds: Iterable[str]) -> frozenset[str]:
    """Those of *names* by which an entity of one of the *kinds* (in any case) is called."""
    keys: dict[str, list[str]] = {}
    for name in names:
        keys.setdefault(name_key(name), []).append(name)
    query = (
        "SELECT DISTINCT key FROM entities WHERE key IN (SELECT value FROM json_each(?)) "
        "AND lower(kind) IN (SELECT value FROM json_each(?))"
    )
    given = json.dumps(sorted(keys)), json.dumps(sorted(kind.lower() for kind in kinds))
    return frozenset(name for (key,) in database.execute(query, given) for name in keys[key])


def mentions(database: sqlite3.Connection, name: str, *, languages: Iterable[str], limit: int) -> tuple[int, ...]:
    """
    The newest turns that contain every word of *name*, or that were spoken by its bearer.

    Turns are stored as stems of their language, so the name is stemmed in each of *languages*.
    """
    stemmed = dict.fromkeys(stems(name, language=code) for code in languages)
    words = " OR ".join(
        f"({' AND '.join(f'own : "{stem}"' for stem in name_stems)})" for name_stems in stemmed if name_stems
    )
    query = "SELECT rowid FROM turn_words WHERE turn_words MATCH ? ORDER BY rowid DESC LIMIT ?"
    by_speaker = "SELECT sequence FROM turns WHERE instr(lower(speakers), lower(?)) ORDER BY sequence DESC LIMIT ?"
    rows = database.execute(query, (words, limit)).fetchall() if words else []
    rows = rows or database.execute(by_speaker, (json.dumps(name), limit)).fetchall()
    return tuple(sorted(row[0] for row in rows))
