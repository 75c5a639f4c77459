"""Takes out of a message what a machine wrote: code, shells, logs, tables and data, in fences or without."""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

CAPTION = re.compile(r"\s{0,8}\[[^\[\]\n]{1,300}\]\s{0,8}$")  # what a picture shows, put behind the words by an import
FENCE = re.compile(r"\s{0,8}(?:```|~~~)")
# A line of a program, a shell, a log, a table or a document of data; and what follows it, up to an empty line.
_MACHINE = re.compile(
    r"\s{0,40}(?:[\[{}\]<|$%#]|@[\w.]{1,60}(?:\(|\s{0,4}$)|>>>|\(\w+\)\s\$|\+\s|-{3}|={3}"
    r"|[\w.-]{1,40}@[\w.-]{1,40}[:~ ].{0,60}[$#]\s|Traceback\b"
    r"|File \"|\"[\w -]{1,60}\"\s?:|\d{4}-\d\d-\d\d[T ]\d\d:\d\d|\d\d:\d\d:\d\d|(?:total|exit(?: code)?|error|warn"
    r"|warning|info|debug|fatal|critical|npm|stdout|stderr|errno)\b[ :=\[\]!]{1,3}(?-i:[\w\d\[(\"'/-])|[drwx-]{9,10}\s"
    r"|\w{1,40}(?:Error|Exception)\b:?|at\s[\w.$<>]{1,80}\(|(?:def|class|import|from|const|let|var|public|return|func"
    r"|SELECT|INSERT|UPDATE)\s\S{1,60}.{0,80}[;:({=]\s{0,4}$)"
    r"|.{0,300}(?:[;{]|\(\)|=>|\\n|\|\s{0,4})\s{0,4}$",
    re.IGNORECASE,
)
_CALL = re.compile(r"[\w.:/-]{1,80}\(\{")  # a tool's call as it is stored; what the tool printed follows
_FIGURES = re.compile(r"\d[\d.:/-]{0,20}")  # a number, a date, a time: people write them, too
_PROSE_SHARE = 0.72  # letters among the other characters that are not white space
_SYMBOLS = 0x2000  # from here on: other scripts, dashes, emoji
_PAUSES = ".,!?'’।،؛؟"
_SHORTEST_DATA = 25


def fence_after(line: str, opened: str) -> str:
    """The marks of the fence that is open behind *line*, where *opened* is before it; "" for none."""
    found = FENCE.match(line)
    if found is None:
        return opened
    marks = found[0].strip()
    return marks if not opened else "" if marks == opened else opened


def without_code(content: str) -> Iterator[str]:
    """
    The lines of *content* outside fences that a person would have written, and blank ones.

    A line of machine text takes those up to the next empty line with it, but not a tool's call: what it printed may be
    prose. What describes a picture stays.
    """
    fence, is_machine = "", False
    for raw in content.splitlines():
        if FENCE.match(raw):
            fence, is_machine = fence_after(raw, fence), False
            continue
        if _CALL.match(raw):
            continue
        line = CAPTION.sub("", raw)
        is_machine = bool(line.strip()) and (is_machine or _is_machine(line))
        if not (fence or is_machine):
            yield raw


def _is_machine(line: str) -> bool:
    beginning = line[:400]
    if _MACHINE.match(beginning):
        return True
    shown = [letter for letter in _FIGURES.sub("", beginning) if not letter.isspace()]
    written = sum(_is_written(letter) for letter in shown)
    figures = sum(map(len, _FIGURES.findall(beginning)))
    return len(shown) + figures > _SHORTEST_DATA and (written < _PROSE_SHARE * len(shown) or written < figures)


def _is_written(character: str) -> bool:
    """Whether prose has it: a letter, a mark of one (as the vowels of Hindi and Thai are), a pause or an end."""
    return unicodedata.category(character)[0] in "LM" or character in _PAUSES or ord(character) > _SYMBOLS
