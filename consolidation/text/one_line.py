"""A person's or a model's words as one line of a block of ours: they can neither close it nor open another."""

from __future__ import annotations

import re

from consolidation.text.injected_blocks import defused

_LONGEST_LINE = 900
# Separators and controls, and what turns the reading order around or parts a mark unseen: nothing may look like a new
# line, and no mark may be whole again once something was taken out of it. Joiners stay: Persian and emoji need them.
_INVISIBLE = dict.fromkeys((*range(0x20), *range(0x7F, 0xA0), 0x2028, 0x2029), " ") | dict.fromkeys(
    (
        *(0x00AD, 0x034F, 0x061C, 0x115F, 0x1160, 0x180E, 0x200B, 0x200E, 0x200F, 0x3164, 0xFEFF, 0xFFA0),
        *(*range(0x202A, 0x202F), *range(0x2060, 0x2070), *range(0xFFF9, 0xFFFC)),
        *(*range(0xE0000, 0xE0080), *range(0xE0100, 0xE01F0)),  # tags and selectors: letters that only models read
    )
)
_UNSEEN_RUN = re.compile("([\u200c\u200d\ufe00-\ufe0f])[\u200c\u200d\ufe00-\ufe0f]{2,}")  # a message in joiners


def one_line(text: str) -> str:
    """*text* as a single line of at most 900 characters that can neither close our block nor open another."""
    seen = _UNSEEN_RUN.sub(r"\1", text.translate(_INVISIBLE))
    line = defused(" ".join(seen.split())).replace("---", "—")
    return line if len(line) <= _LONGEST_LINE else f"{line[:_LONGEST_LINE].rstrip()}…"
