"""Every regular expression of the product, on a megabyte made to hurt it: none may take more than a second."""

from __future__ import annotations

import ast
import importlib
import pkgutil
import re
import time
from pathlib import Path

import pytest

import consolidation
import prompts
import service

_SMALL, _LARGE = 8_000, 1_000_000
_SMALL_SECONDS, _LARGE_SECONDS = 0.06, 1.0  # what grows with the square of the text takes minutes for the large one
_WORST = 2  # of the small ones, that are tried at full size
_CHUNKS = (
    *(
        "a",
        "A",
        "Aa ",
        "1",
        "1.",
        "12:",
        " ",
        "\t",
        "\n",
        " \n",
        "\r\n",
        "-",
        "- ",
        "- x\n",
        "---\n",
        "*",
        "#",
        "_",
        "好",
    ),
    *(
        "[",
        "]",
        "(",
        "<",
        "<!--",
        ">",
        "[[",
        "``",
        '"',
        "'",
        "“",
        ":",
        ",",
        ". ",
        "/",
        "@",
        "\\",
        "{",
        "}",
        "|",
        "=",
        "é",
    ),
    *(
        "1/1/26, 1:1 - ",
        "[1/9/26, 1:11",
        "2026-01-01",
        "2026-01-01T00:00:00Z ",
        "https://a.b/c ",
        "Word Word ",
        "a-b_c ",
    ),
)
_RE = {"compile", "search", "match", "fullmatch", "split", "findall", "finditer", "sub", "subn"}


def _modules():
    for package in (service, consolidation, prompts):
        for found in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            yield importlib.import_module(found.name)


def _inside(value):
    if isinstance(value, re.Pattern):
        yield value
    elif isinstance(value, tuple | list | frozenset | set):
        for one in value:
            yield from _inside(one)
    elif isinstance(value, dict):
        for pair in value.items():
            yield from _inside(pair)


def _written(file):
    """Patterns that stand as a literal in a call of ``re`` inside a function."""
    for node in ast.walk(ast.parse(file.read_text())):
        is_call = isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _RE
        if is_call and isinstance(node.func.value, ast.Name) and node.func.value.id == "re":
            first = node.args[0]
            if isinstance(first, ast.Constant):
                yield re.compile(first.value)


def _patterns():
    found = {}
    for module in _modules():
        for value in vars(module).values():
            for pattern in _inside(value):
                found.setdefault(
                    (pattern.pattern, pattern.flags), (f"{module.__name__}: {pattern.pattern[:40]}", pattern)
                )
        for pattern in _written(Path(module.__file__)):
            found.setdefault((pattern.pattern, pattern.flags), (f"{module.__name__}: {pattern.pattern[:40]}", pattern))
    return sorted((one for one in found.values() if isinstance(one[1].pattern, str)), key=lambda one: one[0])


PATTERNS = _patterns()


def attacks(pattern, size):
    """Texts of *size*: what fits the beginning of a pattern again and again, and never its end."""
    words = re.findall(r"[A-Za-z_]{3,}|<!--|---", pattern.pattern)[:6]
    opened = [f"{left}{word}{right}" for word in words for left in ("", "[", "<!-- ", "\n") for right in ("", " ")]
    for chunk in (*_CHUNKS, *opened):
        yield (chunk * (size // len(chunk) + 1))[:size]
    for word in words[:4]:
        for pump in (" ", "\n", "a", "- x\n", "1"):
            yield f"[{word}" + pump * (size // len(pump))


def seconds(pattern, text):
    """The time of this thread alone: others may be busy."""
    began = time.thread_time()
    for _ in pattern.finditer(text):
        pass
    return time.thread_time() - began


def test_there_are_patterns_to_test():
    assert len(PATTERNS) > 30


@pytest.mark.parametrize("pattern", [pattern for _, pattern in PATTERNS], ids=[name for name, _ in PATTERNS])
def test_no_text_keeps_a_pattern_busy(pattern):
    timed = [(seconds(pattern, text), text) for text in attacks(pattern, _SMALL)]
    worst = sorted(range(len(timed)), key=lambda at: -timed[at][0])[:_WORST]

    assert timed[worst[0]][0] < _SMALL_SECONDS, f"{timed[worst[0]][1][:60]!r} keeps it busy"
    large = [text for at, text in enumerate(attacks(pattern, _LARGE)) if at in worst]
    assert sum(seconds(pattern, text) for text in large) < _LARGE_SECONDS, f"{large[0][:60]!r} keeps it busy"
