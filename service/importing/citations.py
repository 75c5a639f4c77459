"""
Takes ChatGPT's marks of citations out of an answer: nobody reads them, and they lead nowhere outside of it.

What a mark shows as words stays: the name of an entity, the title of a link.
"""

from __future__ import annotations

import json
import re

from service.importing.fields import list_of, text_of

_MARK = re.compile("\ue200([^\ue200\ue201]*)\ue201")
_OLD_MARK = re.compile(r"【[^【】\n]{0,100}†[^【】\n]{0,200}】")
_GONE = "\ue206"  # stands where a mark without words stood
_BEFORE_GONE = re.compile("[ \t]?[\ue200-\ue206]")
_TITLED = frozenset({"url", "link"})


def without_citations(text: str) -> str:
    """*text* without the marks, and without the space before one of which nothing stays."""
    if "\ue200" not in text and "†" not in text:
        return text
    return _BEFORE_GONE.sub("", _OLD_MARK.sub(_GONE, _MARK.sub(_shown, text)))


def _shown(mark: re.Match[str]) -> str:
    kind, _, rest = str(mark[1]).partition("\ue202")
    first = rest.partition("\ue202")[0]
    if kind == "entity":
        return _name_in(first) or _GONE
    return (first.strip() if kind in _TITLED else "") or _GONE


def _name_in(entity: str) -> str:
    """The name in ``["city", "Lyon", …]``."""
    try:
        parts = list_of(json.loads(entity))
    except (ValueError, RecursionError):
        return ""
    return text_of(parts[1]).strip() if len(parts) > 1 else ""
