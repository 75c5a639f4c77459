"""
What a mind's own copy of a template may hold: words, `if`, and `for` over given words. Checked before it is rendered.

The copy may come from anybody, in an archive or by a careless sync. So its work is bounded by its file and its words:
nothing is called, nothing is computed, and a loop in a loop goes over what the outer one is at.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from jinja2 import nodes

if TYPE_CHECKING:
    from collections.abc import Iterator

MOST_BYTES = 64 * 1024  # of a copy
MOST_LETTERS = 2_000_000  # of what a copy is rendered to
_MOST_NODES, _MOST_LOOPS, _DEEPEST = 2_000, 20, 24
_LONGEST_TEXT = 100  # in an expression: what stands between the words of a list
_FILTERS = frozenset({"join", "length", "lower", "trim", "upper"})
_LOOP, _OF_LOOP = "loop", frozenset({"first", "index", "last"})
_PLAIN = (
    *(nodes.Template, nodes.Output, nodes.TemplateData, nodes.If, nodes.CondExpr),
    *(nodes.And, nodes.Or, nodes.Not, nodes.Compare, nodes.Operand),
)
_WORDS = re.compile(r"Words: ([a-z_, ]+)")


class TemplateRefused(ValueError):
    """A copy holds what a template may not hold."""


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """What a copy of a template may name: its words, the parts of its words, and the templates that it may include."""

    words: frozenset[str]
    parts: frozenset[str]
    includes: frozenset[str]


def vocabulary_of(source: str, tree: nodes.Template) -> Vocabulary:
    """The vocabulary of one of our own templates: the words that its first line names, the rest as it uses them."""
    named = _WORDS.search(source.partition("\n")[0])
    words = named[1].strip().split(", ") if named else []
    return Vocabulary(
        frozenset(words) - {"none"},
        frozenset(one.attr for one in tree.find_all(nodes.Getattr)),
        frozenset(name for one in tree.find_all(nodes.Include) if (name := _text(one.template)) is not None),
    )


def check(tree: nodes.Template, vocabulary: Vocabulary) -> None:
    """Raise TemplateRefused, with the line, if a copy holds more than it may."""
    _Check(vocabulary).visit(tree, loops=(), depth=0)


class _Check:
    def __init__(self, vocabulary: Vocabulary) -> None:
        self._may = vocabulary
        self._nodes = self._loops = 0

    def visit(self, node: nodes.Node, *, loops: tuple[str, ...], depth: int) -> None:
        """Check *node* and all below it, inside the *loops* of these variables."""
        self._count(node, depth=depth)
        match node:
            case nodes.For():
                self._check_loop(node, loops)
                loops = (*loops, node.target.name)  # type: ignore[attr-defined] # a plain name: checked
            case nodes.Include():
                self._check_include(node, loops)
            case nodes.Name():
                self._check_name(node, loops)
            case nodes.Getattr():
                self._check_part(node)
            case nodes.Filter():
                self._check_filter(node)
            case nodes.Const():
                _check_text(node)
            case _ if not isinstance(node, _PLAIN):
                raise _refused(node, "words, `if` and `for` over given words alone can stand in a template")
        for inner in _below(node):
            self.visit(inner, loops=loops, depth=depth + 1)

    def _count(self, node: nodes.Node, *, depth: int) -> None:
        self._nodes += 1
        self._loops += isinstance(node, nodes.For | nodes.Include)
        if self._nodes > _MOST_NODES or self._loops > _MOST_LOOPS or depth > _DEEPEST:
            most = f"{_MOST_NODES} parts, {_MOST_LOOPS} loops and includes, {_DEEPEST} levels"
            raise _refused(node, f"it is larger than a template may be: {most}")

    def _check_loop(self, node: nodes.For, loops: tuple[str, ...]) -> None:
        if node.recursive or not isinstance(node.target, nodes.Name):
            raise _refused(node, "a `for` has one variable, and is not recursive")
        root = _root(node.iter)
        if root not in (loops or self._may.words):
            what = "the variable of the loop around it" if loops else "one of its words"
            raise _refused(node, f"this `for` may go over {what} alone")

    def _check_include(self, node: nodes.Include, loops: tuple[str, ...]) -> None:
        if loops or _text(node.template) not in self._may.includes or node.ignore_missing:
            raise _refused(node, "it may include what our own template includes, and not in a loop")

    def _check_name(self, node: nodes.Name, loops: tuple[str, ...]) -> None:
        if node.name not in self._may.words and node.name not in loops and not (loops and node.name == _LOOP):
            known = ", ".join(sorted(self._may.words)) or "none"
            raise _refused(node, f"`{node.name[:40]}` is not one of its words: {known}")

    def _check_part(self, node: nodes.Getattr) -> None:
        is_loop = isinstance(node.node, nodes.Name) and node.node.name == _LOOP
        if _root(node) is None or node.attr not in (_OF_LOOP if is_loop else self._may.parts):
            raise _refused(node, f"its words have no part `{node.attr[:40]}`")

    def _check_filter(self, node: nodes.Filter) -> None:
        is_plain = not (node.kwargs or node.dyn_args or node.dyn_kwargs) and None not in map(_text, node.args)
        if node.name not in _FILTERS or node.node is None or _root(node.node) is None or not is_plain:
            raise _refused(node, f"the filters are {', '.join(sorted(_FILTERS))}, each on one word")


def _below(node: nodes.Node) -> Iterator[nodes.Node]:
    """What is inside *node*; the variable of a loop and the name of an include are checked with it."""
    for field, value in node.iter_fields():
        if field in {"target", "template"}:
            continue
        for one in value if isinstance(value, list) else (value,):
            if isinstance(one, nodes.Node):
                yield one


def _root(node: nodes.Node) -> str | None:
    """The word that *node* is, or is a part of."""
    while isinstance(node, nodes.Getattr):
        node = node.node
    return node.name if isinstance(node, nodes.Name) else None


def _text(node: nodes.Node) -> str | None:
    """The text that *node* is, if it is a fixed one."""
    return node.value if isinstance(node, nodes.Const) and isinstance(node.value, str) else None


def _check_text(node: nodes.Const) -> None:
    if isinstance(node.value, str) and len(node.value) > _LONGEST_TEXT:
        raise _refused(node, f"a text in an expression may have {_LONGEST_TEXT} letters")


def _refused(node: nodes.Node, reason: str) -> TemplateRefused:
    return TemplateRefused(f"line {node.lineno}: {reason}")
