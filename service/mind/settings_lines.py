"""
Changes single lines of a mind's ``settings.toml``, which a person may have written. Every other line stays as it is.

What a line means is never guessed: the changed text is parsed, and has to say what was meant. Else nothing is changed.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping
from itertools import islice
from typing import TYPE_CHECKING

from consolidation.kernel.errors import SettingsByHand

if TYPE_CHECKING:
    from collections.abc import Iterator

BYTE_ORDER_MARK = "\ufeff"  # which editors on Windows put before a text
_LINE_ENDS = re.compile(r"(?<=\n)")
_MOST_TRIES = 50  # each parses the whole text
_UNREADABLE = (tomllib.TOMLDecodeError, RecursionError)
_BY_HAND = "is written by hand in a form that is kept: edit the file"


def edited(text: str, changes: Mapping[str, object]) -> str:
    """
    *text*, which is TOML, with each key of *changes* set to its value, or taken out where that is None.

    A value is a number, text, or a list of texts or of tables of texts. Only the lines of these keys change. Raises
    SettingsByHand where a value is written over several lines or as a table. A byte order mark stays.
    """
    plain = text.removeprefix(BYTE_ORDER_MARK)
    mark = text[: len(text) - len(plain)]
    for key, value in changes.items():
        plain = _with(plain, key, value)
    return f"{mark}{plain}"


def _with(text: str, key: str, value: object) -> str:
    present = _parsed(text)
    meant = {name: one for name, one in present.items() if name != key}
    if value is not None:
        meant[key] = value
    if _is_same(meant, present):
        return text
    tries = _replaced(text, key, present[key], value) if key in present else _added(text, key, value)
    for changed in islice(tries, _MOST_TRIES):
        try:
            if _is_same(tomllib.loads(changed), meant):
                return changed
        except _UNREADABLE:
            continue
    raise SettingsByHand(f"`{key}` in settings.toml {_BY_HAND}")


def _parsed(text: str) -> dict[str, object]:
    try:
        return tomllib.loads(text)
    except _UNREADABLE as error:
        raise SettingsByHand(f"settings.toml is not TOML ({error}): edit the file") from error


def _is_same(one: object, other: object) -> bool:
    """Whether two parsed texts say the same, and by the same types: 1 is not true."""
    return _canonical(one) == _canonical(other)


def _canonical(parsed: object) -> str:
    return json.dumps(parsed, sort_keys=True, default=repr)


def _replaced(text: str, key: str, present: object, value: object) -> Iterator[str]:
    """*text* with one line after the other, of those that say that *key* is *present*, changed or taken out."""
    lines = _LINE_ENDS.split(text)
    for at, line in enumerate(lines):
        if key in line and _says(line, key, present):
            changed = "" if value is None else _changed(line, key, present, value)
            yield "".join([*lines[:at], changed, *lines[at + 1 :]])


def _added(text: str, key: str, value: object) -> Iterator[str]:
    """*text* with a new line at its end, or above a table, in which a line at the end would be."""
    end = "\r\n" if "\r\n" in text else "\n"
    line = f"{key} = {_toml(value)}{end}"
    lines = _LINE_ENDS.split(text)
    yield f"{text}{end if lines[-1] else ''}{line}"
    for at, one in enumerate(lines):
        if one.lstrip().startswith("["):
            yield "".join([*lines[:at], line, *lines[at:]])


def _changed(line: str, key: str, present: object, value: object) -> str:
    """A line with another value. Its indentation, its comment and its end stay."""
    body = line.rstrip("\r\n")
    said = _without_comment(body, key, present)
    indentation = body[: len(body) - len(body.lstrip())]
    comment = body[len(said.rstrip()) :] if said != body else ""
    return f"{indentation}{key} = {_toml(value)}{comment}{line[len(body) :]}"


def _without_comment(body: str, key: str, present: object) -> str:
    """A line up to the ``#`` of its comment: the first one before which it says the same."""
    for mark in islice(re.finditer("#", body), _MOST_TRIES):
        if _says(body[: mark.start()], key, present):
            return body[: mark.start()]
    return body


def _says(line: str, key: str, value: object) -> bool:
    try:
        return _is_same(tomllib.loads(line), {key: value})
    except _UNREADABLE:
        return False


def _toml(value: object) -> str:
    if isinstance(value, str):  # the escapes of JSON are among those of TOML
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{name} = {_toml(one)}" for name, one in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(map(_toml, value)) + "]"
    return repr(value)
