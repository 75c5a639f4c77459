"""Every regular expression of the product, on a megabyte made to hurt it."""

from __future__ import annotations

import ast
import importlib
import pkgutil
import re
import time
from itertools import islice
from pathlib import Path

import pytest

import consolidation
import prompts
import service

_SMALL, _LARGE = 8_000, 1_000_000
# Under one second on a machine that does nothing else; what grows with the square of a text takes minutes.
_SMALL_SECONDS, _LARGE_SECONDS = 0.06, 3.0
# What is given to the patterns of these is cut before; then it is many short texts that have to be read in time.
CUT = {"consolidation.kernel.names": 600, "service.resonance.queries": 4000}
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
_ONCE = {"match", "fullmatch", "search"}
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


def _called(source, name):
    """How a module uses a pattern of its own: from the beginning of a text alone, or wherever it may stand."""
    used = set(re.findall(rf"\b{re.escape(name)}\.(\w+)", source))
    return used.pop() if len(used) == 1 and used <= _ONCE else "finditer"


def _written(source):
    """Patterns that stand as a literal in a call of ``re`` inside a function."""
    for node in ast.walk(ast.parse(source)):
        is_call = isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _RE
        if is_call and isinstance(node.func.value, ast.Name) and node.func.value.id == "re":
            if isinstance(node.args[0], ast.Constant):
                name = node.func.attr
                yield re.compile(node.args[0].value), name if name in _ONCE else "finditer"


def _patterns():
    """Each pattern, by name: how it is called, and how long a text it is given at most."""
    found = {}
    for module in _modules():
        source = Path(module.__file__).read_text()
        ours = [(one, _called(source, name)) for name, value in vars(module).items() for one in _inside(value)]
        for pattern, method in (*ours, *_written(source)):
            if isinstance(pattern.pattern, str):
                name = f"{module.__name__}: {pattern.pattern[:40]}"
                found.setdefault(
                    (pattern.pattern, pattern.flags), (name, pattern, method, CUT.get(module.__name__, _LARGE))
                )
    return sorted(found.values(), key=lambda one: one[0])


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


def seconds(pattern, method, text, *, cut):
    """The time of this thread alone, since others may be busy; a text that is cut is given piece by piece."""
    began = time.thread_time()
    for start in range(0, len(text), cut):
        piece = text[start : start + cut]
        if method == "finditer":
            for _ in pattern.finditer(piece):
                pass
        else:
            getattr(pattern, method)(piece)
    return time.thread_time() - began


def test_there_are_patterns_to_test():
    assert len(PATTERNS) > 30


@pytest.mark.parametrize("found", PATTERNS, ids=[found[0] for found in PATTERNS])
def test_no_text_keeps_a_pattern_busy(found):
    _, pattern, method, cut = found
    small = [seconds(pattern, method, text, cut=cut) for text in attacks(pattern, _SMALL)]
    worst = small.index(max(small))
    text = next(islice(attacks(pattern, _LARGE), worst, None))

    assert small[worst] < _SMALL_SECONDS, f"{text[:60]!r} keeps it busy"
    assert seconds(pattern, method, text, cut=cut) < _LARGE_SECONDS, f"{text[:60]!r} keeps it busy"
