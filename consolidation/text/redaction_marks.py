"""The mark that stands in the place of a secret, ``[redacted: GitHub token]``. Nobody said it, so it names nothing."""

from __future__ import annotations

import re

_MARK = re.compile(r"\[redacted: [^\[\]\n]{1,60}\]")


def mark(kind: str) -> str:
    """The mark that replaces a secret."""
    return f"[redacted: {kind}]"


def without_marks(text: str) -> str:
    """*text* with blanks in the place of its marks, so that everything else stands where it was."""
    return _MARK.sub(lambda found: " " * len(found[0]), text)
