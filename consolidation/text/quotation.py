"""
Words that are put between quotation marks: none of them ends the quotation.

Behind a mark that ends it, a text could begin a sentence of its own, and say there who said it.
"""

from __future__ import annotations

_INNER = str.maketrans("“”„‟«»「」", "‘’‚‛‹›『』")


def quotable(text: str) -> str:
    """*text* with inner quotation marks for its own."""
    return text.translate(_INNER)
