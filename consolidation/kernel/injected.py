"""
The marks around what we put into a conversation, and taking it out again. Pure.

Both halves stand together, so that whatever is put in can be taken out: a memory of a memory must not breed.
"""

from __future__ import annotations

import re

BLOCK_RULE = "---"
BLOCK_HEADER = "[SUBCONSCIOUS RESONANCE]"
STORY_HEADER = "[MY STORY]"
STORY_END = "[END OF MY STORY]"

_BLOCK = re.compile(
    r"^[ \t]{0,8}(?:---[ \t]*\n[ \t]{0,8})?\[SUBCONSCIOUS RESONANCE\][ \t]*$(?:\n(?![ \t]{0,8}---[ \t]*$).*)*"
    r"(?:\n[ \t]{0,8}---[ \t]*$)?",
    re.MULTILINE,
)
_STORY = re.compile(
    r"^[ \t]{0,8}\[MY STORY\][ \t]*$(?:\n(?![ \t]{0,8}\[END OF MY STORY\]).*)*"
    r"(?:\n[ \t]{0,8}\[END OF MY STORY\][ \t]*$)?",
    re.MULTILINE,
)
_MARK = re.compile(r"\[(?=\s*(?:SUBCONSCIOUS\s+RESONANCE|(?:END\s+OF\s+)?MY\s+STORY))", re.IGNORECASE)


def without_injected(text: str) -> str:
    """*text* without our blocks; text that holds none is returned as it is, to the last space."""
    if BLOCK_HEADER not in text and STORY_HEADER not in text:
        return text
    plain = text.replace("\r\n", "\n")
    return _STORY.sub("", _BLOCK.sub("", plain)).strip("\n")


def defused(text: str) -> str:
    """*text* with our marks made harmless: a memory can not close a block or open another."""
    return _MARK.sub("(", text)
