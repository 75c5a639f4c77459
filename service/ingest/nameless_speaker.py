"""
Whether a fact is about the speaker, in a mind where nobody has a name: about "I", "the user", or the speaker's name.

That name is read from what they said: "ich heiße Jana".
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from consolidation.corrections.wording import names_any
from consolidation.kernel.turns import Speaker
from consolidation.text.first_person import says_i
from consolidation.text.introductions import introduced
from consolidation.text.language import detect
from consolidation.text.names import name_key
from consolidation.text.relations import is_relation_word
from consolidation.text.words import stems, tokens
from service.retrieval.lead_words import without_lead
from service.retrieval.tellers import people_in

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from consolidation.kernel.turns import Message
    from service.mind.minds import Mind

_MOST_TURNS = 30  # that may say a name
_PERSON = re.compile(
    r"(?:(?<!\w)|(?<=['’]))(?:users?|(?:be)?nutzer(?:in|s|innen)?|usuari[oa]|usuári[oa]|utilisat(?:eur|rice)|utente"
    r"|gebruik(?:er|ster)s?|użytkowni\w{1,6}|пользовател\w{1,6}|(?:ال|لل)مستخدم\w{0,2})(?!\w)"
    r"|用户|用戶|ユーザー?|利用者",
    re.IGNORECASE,
)
_ASKED_AS = (
    "name call heiße Name llamo nombre appelle nom prénom chiamo nome chamo heet naam nazywam imię зовут имя اسمي"
)


def names_said(mind: Mind, text: str) -> frozenset[str]:
    """
    The names in *text* of which somebody in *mind* said that they are theirs; none where a person has a name.

    Raises IndexUnusable, TranscriptUnreadable; it blocks.
    """
    if people_in(mind):
        return frozenset()
    languages = {*mind.text.languages(), detect(text)}
    words = tuple(one for language in languages for one in stems(f"{_ASKED_AS} {text}", language=language))
    found = [hit.number for hit in mind.text.search("turns", words, limit=_MOST_TURNS)]
    said = (one for turn in mind.transcript.read_now(sorted(found)) for one in turn.turn.messages)
    names = introduced(one.content for one in said if one.role is Speaker.USER)
    return frozenset(one for one in names if names_any(text, (name_key(one),)))


def speaks_alone(said: Iterable[Message]) -> bool:
    """Whether a person without a name speaks, and nobody who has one."""
    return {one.known_as for one in said if one.role is Speaker.USER} == {""}


def are_of_the_speaker(one: str, other: str, *, names: Collection[str]) -> bool:
    """Whether both facts are about the speaker, who has these *names*, and name the same relatives, if any."""
    bare = [without_lead(text) for text in (one, other)]
    first, second = ({word for word in tokens(text) if is_relation_word(word)} for text in bare)
    return first == second and all(_is_of_the_speaker(text, names) for text in bare)


def _is_of_the_speaker(text: str, names: Collection[str]) -> bool:
    is_named = names_any(text, map(name_key, names))
    return is_named or _PERSON.search(text) is not None or says_i(text, languages=(detect(text),))
