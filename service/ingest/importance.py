"""The importance of a fact, from 0 to 1: below one threshold it is not kept, from another on it comes first."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from prompts.responses import Extraction

LEAST_IMPORTANCE = 0.1
PRIORITY = 0.7  # from which a memory does not age, and comes before others where room is short


def worth_keeping(extraction: Extraction) -> Extraction:
    """*extraction* without the facts that a model calls too slight. What nobody judged is kept."""
    facts = tuple(fact for fact in extraction.facts if fact.importance is None or fact.importance >= LEAST_IMPORTANCE)
    return extraction.model_copy(update={"facts": facts})
