"""
Whether two names may be those of one: a model that merges Tom Fisher into Anna Keller is not believed.

Names may be one that share a word, a beginning or initials, or are in different scripts. So may a role or a relation,
"my sister", and a name that is told of the other.
"""

from __future__ import annotations

from difflib import SequenceMatcher
from typing import TYPE_CHECKING

from consolidation.text.relations import is_relation_word
from consolidation.text.words import content_words, is_dense, tokens
from service.ingest.said_names import begin_alike, is_speaker, scripts_of

if TYPE_CHECKING:
    from service.ingest.extraction_prompts import KnownItem

_LONGEST_SHORT_FORM = 5  # letters: "Liz" is Elizabeth, "Bob" is Robert
_SHARED = 2 / 3  # of the letters of a short form


def may_be_one(name: str, known: KnownItem) -> bool:
    """Whether *name* may be another one for what is *known*."""
    new, old = _telling(name), _telling(known.text)
    if not new or not old or not scripts_of(name) & scripts_of(known.text):
        return True
    if any(is_speaker(word) or is_relation_word(word) for word in (*new, *old)):
        return True
    if not set(new).isdisjoint(tokens(known.detail)):
        return True
    if _initials(name) in old or _initials(known.text) in new:
        return True
    return any(_alike(one, other) for one in new for other in old)


def _telling(name: str) -> tuple[str, ...]:
    return tuple(content_words(name, language="en")) or tokens(name)


def _initials(name: str) -> str:
    words = tokens(name)
    return "".join(word[0] for word in words) if len(words) > 1 else ""


def _alike(one: str, other: str) -> bool:
    if one == other or begin_alike(one, other):
        return True
    short, long = sorted((one, other), key=len)
    if is_dense(short):
        return not set(short).isdisjoint(long)
    if len(short) > _LONGEST_SHORT_FORM:
        return False
    shared = SequenceMatcher(None, short, long).find_longest_match().size
    return shared > 1 and shared >= _SHARED * len(short)
