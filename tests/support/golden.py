"""
Golden files: what the product makes of a case, written down, so that a change of it is read before it is committed.

Each case is a file. Where a case has an input, it stands above ``--- expect ---`` as JSON, and what is made of it below.
``make golden`` writes what is made now; every other run compares.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

from tests.support.paths import ROOT

GOLDEN = ROOT / "tests/golden"
MARK = "--- expect ---\n"
_WIDTH = 100


def is_writing() -> bool:
    """Whether this run writes golden files instead of comparing with them."""
    return os.environ.get("GOLDEN") == "write"


def cases(folder: str) -> list[Path]:
    """The files of the cases that have an input."""
    return sorted((GOLDEN / folder).glob("*.txt"))


def given(case: Path):
    """The input of a case."""
    return json.loads(case.read_text().partition(MARK)[0])


def assert_golden(case: Path, made: str) -> None:
    """Assert that *made* is what stands in the file of the case; or write it there."""
    text = case.read_text() if case.exists() else ""
    head, mark, expected = text.partition(MARK) if MARK in text else ("", "", text)
    if is_writing():
        case.write_text(f"{head}{mark}{made}")
    else:
        assert made == expected, (
            f"{case.relative_to(ROOT)} differs; if that is meant, run `make golden` and read the diff"
        )


def as_json(value: object) -> str:
    """A value as golden files hold it: keys in order, and on one line what fits there."""
    return "\n".join(_lines(value)) + "\n"


def _lines(value: object) -> list[str]:
    flat = json.dumps(value, ensure_ascii=False, sort_keys=True)
    if len(flat) <= _WIDTH or not isinstance(value, dict | list):
        return [flat]
    if isinstance(value, list):
        parts, opening, closing = [_lines(one) for one in value], "[", "]"
    else:
        parts = [_keyed(key, value[key]) for key in sorted(value, key=str)]
        opening, closing = "{", "}"
    inner = [line for part in parts[:-1] for line in (*part[:-1], f"{part[-1]},")] + parts[-1]
    return [opening, *(f"  {line}" for line in inner), closing]


def _keyed(key: str, value: object) -> list[str]:
    first, *rest = _lines(value)
    return [f"{json.dumps(str(key), ensure_ascii=False)}: {first}", *rest]
