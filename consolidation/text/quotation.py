"""
What somebody quotes: words between quotation marks, of which none ends the quotation, and lines behind Markdown's ">".

Behind a mark that ends it, a text could begin a sentence of its own, and say there who said it. What a line behind ">"
says, somebody else said before: whoever answers to it in a chat quotes it.
"""

from __future__ import annotations

import re

from consolidation.text.code import fence_after

_INNER = str.maketrans("“”„‟«»「」", "‘’‚‛‹›『』")
# Between the marks of a pair, in either direction; an apostrophe ends nothing.
_QUOTATION = re.compile(
    r"“[^“”]{0,2000}”|„[^“”„]{0,2000}[“”]|«[^«»]{0,2000}»|»[^«»]{0,2000}«|‹[^‹›]{0,2000}›|›[^‹›]{0,2000}‹"
    r"|「[^「」]{0,2000}」|『[^『』]{0,2000}』|\"[^\"]{0,2000}\"|‘(?:[^‘’]|’(?=\w)){0,2000}’"
)
_ENDS = frozenset(".!?…。！？؟")
# "> I live in Lyon", ">Ich wohne in Lyon", "> > both", "> <@ann:matrix.org> words". ">:(" and ">5 kg" are one's own.
_MARK = re.compile(r"\s{0,3}(?:>\s{0,3})*>(?:\s|$|(?=[^\W\d_]|[\"“„«¿¡*@<\[(]\w))")
_WRITER = re.compile(r"<@[^<>\s]{1,255}>\s")  # whom Matrix quotes


def quotable(text: str) -> str:
    """*text* with inner quotation marks for its own."""
    return text.translate(_INNER)


def without_quotations(text: str) -> str:
    """*text* with an ellipsis for each quotation between marks, and a line's end where a quotation ends a sentence."""
    return _QUOTATION.sub(lambda found: " …\n" if found[0][-2:-1] in _ENDS else " … ", text)


def own_lines(text: str) -> str:
    """*text* without the lines that are quoted behind ">"; what stands in a fence is left as it is."""
    runs = _runs(text)
    return "\n".join(words for is_quoted, words in runs if not is_quoted) if any(one[0] for one in runs) else text


def quoted_lines(text: str) -> str:
    """The lines of *text* that are quoted behind ">", without their marks; "" where there are none."""
    return "\n".join(words for is_quoted, words in _runs(text) if is_quoted)


def with_marks(text: str) -> str:
    """*text* with quotation marks around what is quoted behind ">"."""
    runs = _runs(text)
    if not any(is_quoted for is_quoted, _ in runs):
        return text
    return "\n".join(f"“{quotable(words)}”" if is_quoted else words for is_quoted, words in runs)


def _runs(text: str) -> list[tuple[bool, str]]:
    """The lines of *text* in runs that are quoted or not; what is quoted without its marks, and never empty."""
    if ">" not in text:
        return [(False, text)]
    runs: list[tuple[bool, list[str]]] = []
    fence = ""
    for line in text.splitlines():
        fence = fence_after(line, fence)
        mark = None if fence else _MARK.match(line)
        words = line if mark is None else _WRITER.sub("", line[mark.end() :].strip(), count=1)
        if not runs or runs[-1][0] is (mark is None):
            runs.append((mark is not None, []))
        runs[-1][1].append(words)
    found = [(is_quoted, "\n".join(lines).strip("\n")) for is_quoted, lines in runs]
    return [one for one in found if one[1].strip()]
