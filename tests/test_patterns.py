"""Every regular expression of the product reads a text made to hurt it in a time that grows with the text."""

from __future__ import annotations

import ast
import importlib
import importlib.util
import pkgutil
import re
from functools import cache
from pathlib import Path

import pytest

import consolidation
import prompts
import service
from consolidation.text import (
    dates,
    denials,
    first_person,
    inner_questions,
    instructions,
    lead_ins,
    retractions,
    speech_acts,
)
from consolidation.text.words import LONGEST_END, ignoring_case, words_of
from service.retrieval import agenda, counted_ahead, counted_days, intent, parts_of_months, tense
from tests.support.growth import FACTOR, assert_linear, repeated, thread_seconds

_GLANCE, _LENGTH, _LONGEST = 1_000, 4_000, 64_000  # characters
_WORST = 3  # attacks of each pattern that are looked at closely
# The service cuts what it gives to the patterns of these modules. Their cost may grow with the square of so short a
# text, but a piece costs at most this many times what it costs to look at each of its characters once.
_MOST_LOOKS = 60
CUT = {
    "consolidation.text.names": 600,
    "consolidation.text.denials": speech_acts.LONGEST_BEGINNING,
    "consolidation.text.speech_acts": speech_acts.LONGEST_BEGINNING,
    "consolidation.text.inner_questions": inner_questions.LONGEST,
    "consolidation.text.lead_ins": speech_acts.LONGEST_BEGINNING,
    "consolidation.text.retractions": speech_acts.LONGEST_BEGINNING,
    "consolidation.text.instructions": instructions.LONGEST_SENTENCE,
    "consolidation.text.first_person": 2 * LONGEST_END,
    "service.retrieval.intent": 2 * LONGEST_END,
    "service.retrieval.tense": 2 * LONGEST_END,
    "service.retrieval.queries": 4000,
}
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
_DENIALS = (denials._DENIES, denials._SAYS_NO, denials._WEIGHED, denials._HARMLESS, denials._DISMAY)
_ACTS = (speech_acts._ASKS, speech_acts._REQUESTS)
_RETRACTIONS = (
    retractions._CONCEDES,
    retractions._CORRECTS,
    retractions._ACKNOWLEDGES,
    retractions._RETRACTS,
    retractions._IS_PUT_RIGHT,
    retractions._IS_UNABLE,
)
_FORMS = tuple(one for forms in instructions._every_form() for one in forms)
_OF_INSTRUCTIONS = (instructions.REPORTS, *(words.rules for words in instructions.WORDS.values()))
_BEGINNINGS = (*_ACTS, *_DENIALS, *(one.pattern for one in _FORMS), instructions.LIFTS)
_INTENTS = (
    *(intent._RECALLS, intent._RECALLS_ANSWER, intent._HOUSEHOLD, intent._NOW, intent._LAST_TIME),
    *first_person._FIRST_PERSON_VERBS.values(),
    *first_person._PLURAL_VERBS.values(),
    *first_person._ASIDE.values(),
)
_OF_TENSES = (tense._OVER, tense._PAST_FORMS, tense._PRESENT, tense._TO_COME, tense._PAST_BESIDE_A_DATE)
_TENSES = tuple(pattern for forms in _OF_TENSES for pattern in forms.values())
MADE_AT_FIRST_USE = {
    dates: dates._names,
    counted_days: counted_days._patterns,
    counted_ahead: lambda: (
        *(one[0] for one in (*counted_ahead._patterns(), *counted_ahead._present())),
        counted_ahead._next_beside_day(),
    ),
    parts_of_months: lambda: (one[0] for one in parts_of_months._patterns()),
    agenda: lambda: map(words_of, (agenda._ASKS_WHAT_IS_ON, agenda._GREETS)),
    intent: lambda: (
        *map(words_of, _INTENTS),
        *map(intent._compiled, (intent._LISTS, intent._BARE_LIST, *intent._TASKS.values())),
    ),
    lead_ins: lambda: map(lead_ins._compiled, (lead_ins._NOT_ASKED, lead_ins._NOT_REQUESTED)),
    tense: lambda: (*map(words_of, _TENSES), *map(re.compile, (tense._LAST_ONE, tense._PLANS))),
    instructions: lambda: (
        *_FORMS,
        *map(ignoring_case, (instructions.LIFTS, *_OF_INSTRUCTIONS)),
    ),
    denials: lambda: map(ignoring_case, _DENIALS),
    retractions: lambda: map(ignoring_case, _RETRACTIONS),
    speech_acts: lambda: map(ignoring_case, (*_ACTS, speech_acts._KNOWS_NOT)),
}
_ONCE = {"match", "fullmatch", "search"}
# A pattern that hangs holds the interpreter, but for signals.
pytestmark = pytest.mark.timeout(120, method="signal")
_RE = {"compile", "search", "match", "fullmatch", "split", "findall", "finditer", "sub", "subn"}


def _modules():
    for package in (service, consolidation, prompts):
        for found in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            yield found.name


def _source(name):
    return Path(importlib.util.find_spec(name).origin).read_text()


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
    if not re.search(r"\bre\.\w+\(", source):  # most modules have none, and to parse each takes seconds
        return
    functions = (one for one in ast.walk(ast.parse(source)) if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef))
    for node in (inner for function in functions for inner in ast.walk(function)):
        is_call = isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _RE
        if is_call and isinstance(node.func.value, ast.Name) and node.func.value.id == "re":
            if isinstance(node.args[0], ast.Constant):
                name = node.func.attr
                yield re.compile(node.args[0].value), name if name in _ONCE else "finditer"


@cache
def patterns():
    """Each pattern, by the module that has it: its name, how it is called, and how long a text it gets (None: any)."""
    found = {}
    for name in MODULES:
        module, source = importlib.import_module(name), _source(name)
        ours = [(one, _called(source, known)) for known, value in vars(module).items() for one in _inside(value)]
        for one in _inside(tuple(MADE_AT_FIRST_USE.get(module, tuple)())):
            ours.append((one, "match" if module is lead_ins or one.pattern in _BEGINNINGS else "search"))
        for pattern, method in (*ours, *_written(source)):
            if isinstance(pattern.pattern, str):
                shown = f"{name}: {pattern.pattern[:40]}"
                found.setdefault((pattern.pattern, pattern.flags), (name, (shown, pattern, method, CUT.get(name))))
    by_module = {name: [] for name in MODULES}
    for name, one in found.values():
        by_module[name].append(one)
    return by_module


_MADE = {module.__name__ for module in MADE_AT_FIRST_USE}
MODULES = [name for name in _modules() if name in _MADE or re.search(r"\bre\.\w", _source(name))]


def attacks(pattern):
    """Texts of any length: what fits the beginning of a pattern again and again, and never its end."""
    words = re.findall(r"[A-Za-z_]{3,}|<!--|---", pattern.pattern)[:6]
    opened = [f"{left}{word}{right}" for word in words for left in ("", "[", "<!-- ", "\n") for right in ("", " ")]
    for chunk in (*_CHUNKS, *opened):
        yield repeated_to(chunk)
    for word in words[:4]:
        for pump in (" ", "\n", "a", "- x\n", "1"):
            yield repeated(pump, start=f"[{word}")


def repeated_to(chunk):
    """The same, cut to the exact length: a pattern may hang on the part of a chunk that comes last."""
    return lambda length: (chunk * (length // len(chunk) + 1))[:length]


def reading(pattern, method):
    """What the product does with a text and this pattern."""

    def read(text):
        if method == "finditer":
            for _ in pattern.finditer(text):
                pass
        else:
            getattr(pattern, method)(text)

    return read


def worst(read, attacks, *, length):
    """The attacks that cost the most, the worst first."""
    return sorted(attacks, key=lambda text_of: -thread_seconds(read, text_of(length)))[:_WORST]


def in_pieces(read, *, length):
    """Read a text piece by piece, each of this length."""
    return lambda text: [read(text[start : start + length]) for start in range(0, len(text), length)]


def test_every_pattern_is_tested():
    others = (importlib.import_module(name) for name in _modules() if name not in MODULES)
    known = {one.pattern for found in patterns().values() for _, one, *_ in found}

    assert len(known) > 30
    assert {one.pattern for other in others for value in vars(other).values() for one in _inside(value)} <= known


@pytest.mark.parametrize("module", [name for name in MODULES if name not in CUT])
def test_the_cost_of_a_pattern_grows_with_the_length_of_the_text(module):
    for name, pattern, method, _ in patterns()[module]:
        read = reading(pattern, method)

        for text_of in worst(read, attacks(pattern), length=_GLANCE):
            assert_linear(read, text_of, length=_LENGTH, longest=_LONGEST, name=f"{name} at {text_of(60)!r}")


@pytest.mark.parametrize("module", CUT)
def test_a_pattern_of_short_texts_looks_at_each_character_a_few_times(module):
    looking = reading(re.compile("(?s)."), "finditer")
    for name, pattern, method, cut in patterns()[module]:
        read = in_pieces(reading(pattern, method), length=cut)

        for text_of in worst(read, attacks(pattern), length=_GLANCE):
            text = text_of(_LENGTH * FACTOR)
            looks = (thread_seconds(read, text) / thread_seconds(looking, text) for _ in range(5))
            assert any(one < _MOST_LOOKS for one in looks), f"{name}: {text[:60]!r} is looked at too often"
