"""What the service puts into a conversation, and taking it out again: a memory of a memory must not breed. Pure."""

from __future__ import annotations

import re

BLOCK = "[SUBCONSCIOUS RESONANCE]"

# The patterns of the service, which a test compares: only what can be ours is taken out.
_BLOCK = re.compile(
    r"^[ \t]{0,8}(?:---[ \t]*\n[ \t]{0,8})?\[SUBCONSCIOUS RESONANCE\][ \t]*$(?:\n[ \t]{0,8}- .*)*"
    r"(?:\n[ \t]{0,8}---[ \t]*$)?",
    re.MULTILINE,
)


def _between(first: str, last: str) -> re.Pattern[str]:
    marks = rf"(?:{re.escape(first)}|{re.escape(last)})"
    return re.compile(
        rf"^[ \t]{{0,8}}{re.escape(first)}[ \t]*$(?:\n(?![ \t]{{0,8}}{marks}[ \t]*$).*)*"
        rf"\n[ \t]{{0,8}}{re.escape(last)}[ \t]*$",
        re.MULTILINE,
    )


_PARTS = (
    (BLOCK, _BLOCK),
    ("[MY STORY]", _between("[MY STORY]", "[END OF MY STORY]")),
    ("[MY MEMORY]", _between("[MY MEMORY]", "[END OF MY MEMORY]")),
)


def without_injected(text: str) -> str:
    """*text* without our blocks; text that holds none is returned as it is, to the last space."""
    plain = text.replace("\r\n", "\n") if "\r" in text else text
    clean = plain
    for mark, pattern in _PARTS:
        if mark in clean:
            clean = pattern.sub("", clean)
    return text if clean == plain else clean.strip("\n")
