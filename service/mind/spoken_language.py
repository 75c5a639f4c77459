"""The language of what somebody asks of a mind; the mind's main one where a few words do not tell."""

from __future__ import annotations

from typing import TYPE_CHECKING

from consolidation.kernel.errors import HomeFault
from consolidation.text.language import detect

if TYPE_CHECKING:
    from service.mind.minds import Mind


def spoken_language(mind: Mind, query: str) -> str:
    """The language of *query*, by its two-letter code. It reads the index: call it in a worker thread."""
    try:
        spoken = mind.text.languages()
    except HomeFault:  # who asks may need no index
        spoken = ()
    return detect(query, fallback=next(iter(spoken), "en"), spoken=spoken)
