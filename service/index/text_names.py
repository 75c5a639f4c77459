"""Names in full text: which known names occur in a text, and which turns mention a name."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import TYPE_CHECKING

from consolidation.text.name_forms import forms_of_name, lone_names, meant_in, pairs_of_lone_name, with_case_endings
from consolidation.text.names import given_name, name_key, names
from consolidation.text.words import stems, tokens

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable

_LONGEST_NAME = 5


def names_in(database: sqlite3.Connection, text: str) -> tuple[tuple[str, str], ...]:
    """Known entities whose whole name occurs in *text*, in any form: uuid and name, longest name first."""
    words = tokens(text)
    meant = meant_in(text)
    runs = {
        " ".join(words[start : start + length])
        for length in range(1, _LONGEST_NAME + 1)
        for start in range(len(words) - length + 1)
    }
    runs |= {one for word in meant for one in word}
    runs |= lone_names(text)
    runs |= {f"{first} {last}" for one, other in pairwise(meant) for first in one for last in other}
    query = "SELECT uuid, name FROM entities WHERE key IN (SELECT value FROM json_each(?))"
    found = database.execute(query, (json.dumps(sorted(runs)),)).fetchall()
    return tuple(sorted(((str(uuid), str(name)) for uuid, name in found), key=lambda pair: (-len(pair[1]), pair)))


def by_first_name(database: sqlite3.Connection, text: str, *, language: str) -> tuple[tuple[str, str], ...]:
    """
    Known entities of whose name *text* has the first word alone: uuid and name. Only where no other entity has that
    word as its name, or as the first word of it.
    """
    found: list[tuple[str, str]] = []
    for name in names(text, language=language):
        key = name_key(name)
        if " " in key:
            continue
        begins = "SELECT uuid, name FROM entities WHERE key = ? OR (key > ? AND key < ?)"
        known = [(str(one), str(whole)) for one, whole in database.execute(begins, (key, f"{key} ", f"{key}!"))]
        if len({name_key(whole) for _, whole in known}) == 1 and name_key(given_name(known[0][1])) == key:
            found += known
    return tuple(found)


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
    The newest turns that contain every word of *name*; else those spoken by its bearer, or with a form of the name.

    Turns are stored as stems of their language, so the name is stemmed in each of *languages*.
    """
    codes = tuple(languages)
    stemmed = dict.fromkeys(stems(name, language=code) for code in codes)
    words = " OR ".join(
        f"({' AND '.join(f'own : "{stem}"' for stem in name_stems)})" for name_stems in stemmed if name_stems
    )
    by_speaker = "SELECT sequence FROM turns WHERE instr(lower(speakers), lower(?)) ORDER BY sequence DESC LIMIT ?"
    rows = _matching(database, words, limit)
    rows = rows or database.execute(by_speaker, (json.dumps(name), limit)).fetchall()
    rows = rows or _matching(database, _in_forms(name, codes), limit)
    return tuple(sorted(row[0] for row in rows))


def _matching(database: sqlite3.Connection, words: str, limit: int) -> list[tuple[int]]:
    query = "SELECT rowid FROM turn_words WHERE turn_words MATCH ? ORDER BY rowid DESC LIMIT ?"
    return database.execute(query, (words, limit)).fetchall() if words else []


def _in_forms(name: str, languages: Iterable[str]) -> str:
    """What asks for the words of *name* in the forms that each language gives them."""
    parts = tokens(name)
    asked = []
    for code in languages:
        of_parts = [
            dict.fromkeys(stem for form in _forms(part, code) for stem in stems(form, language=code)) for part in parts
        ]
        asked.append(" AND ".join(f"own : ({' OR '.join(f'"{one}"' for one in forms)})" for forms in of_parts if forms))
    return " OR ".join(f"({one})" for one in dict.fromkeys(asked) if one)


def _forms(part: str, language: str) -> Iterable[str]:
    if len(part) == 1:
        return pairs_of_lone_name(part)
    return with_case_endings(part) if language == "tr" else forms_of_name(part, language)
