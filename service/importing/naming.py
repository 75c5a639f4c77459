"""
Names for what an export left unnamed: the same bytes always get the same ids, so importing twice adds nothing.

A name is made of the session and the content, and of how many times that content came before in the session
(not of the line's number: a file that is mended or grows must not rename the turns it already had). Secrets are left
out of it: a fingerprint of a card's number tells the number to who tries them all.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from typing import TYPE_CHECKING

from consolidation.kernel.secrets import redact
from service.importing.fields import clean

if TYPE_CHECKING:
    from collections.abc import Sequence

    from consolidation.kernel.turns import Message

LONGEST_ID = 200
_DIGEST_BYTES = 8


def digest_of(*parts: object) -> str:
    """A short fingerprint of cleaned JSON values."""
    whole = json.dumps(parts, ensure_ascii=False)
    return hashlib.blake2b(whole.encode("utf-8", "surrogatepass"), digest_size=_DIGEST_BYTES).hexdigest()


def identifier(text: str) -> str:
    """The text itself where it is printable and short; else its printable start and a digest of the whole."""
    if text.isprintable() and len(text) <= LONGEST_ID:
        return text
    digest = digest_of(clean(text))
    start = text[: LONGEST_ID - len(digest) - 1]
    return "".join(char if char.isprintable() else "\ufffd" for char in start) + "~" + digest


class Naming:
    """The names given so far in one file; ``stem`` is the file's name without folder and ending."""

    def __init__(self, *, stem: str) -> None:
        self._stem = clean(stem)
        self._home = ""
        self._times: Counter[str] = Counter()
        self._taken: dict[str, str] = {}

    def session(self, first: Message) -> str:
        """The session of what names none: one a file, told apart by the first thing said in it."""
        if not self._home:
            self._home = identifier(f"import:{self._stem[:100]}-{_content((first,))}")
        return self._home

    def turn(self, session: str, *, own: str = "", messages: Sequence[Message]) -> str:
        """The turn's id: the export's own unless another turn already has it, else one made of the content."""
        content = _content(messages)
        if own and self._taken.setdefault(own, content) == content:
            return identifier(own)
        made = digest_of(session, content)
        self._times[made] += 1
        return identifier(f"{session}:{digest_of(made, self._times[made])}")


def _content(messages: Sequence[Message]) -> str:
    """A fingerprint of what was said, by whom and when."""
    return digest_of(
        *([m.role, redact(m.content).text, m.timestamp and m.timestamp.isoformat(), m.name, m.id] for m in messages)
    )
