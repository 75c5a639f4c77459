"""
Whether a person's words deny what the assistant said before them.

A "no" alone is weak evidence: most deny nothing. The answer to it may concede, or what follows it speaks of the claim.
"""

from __future__ import annotations

import re

from consolidation.text.concepts import concepts
from consolidation.text.denials import denies, objection, says_no
from consolidation.text.retractions import acknowledges, concedes, corrects, retracts
from consolidation.text.speech_acts import contrasts, is_question
from consolidation.text.subjectless import subjectless
from consolidation.text.words import content_words
from service.index.neighbourhood import asks
from service.retrieval.answer_types import held_types

# Who is sorry for somebody has conceded nothing.
_SYMPATHISES = re.compile(
    r"(?:(?:oh|ah|ach|no)[,.!\s]{1,3}){0,2}(?:(?:i['’]?m )?(?:so )?sorry (?:to hear|(?:about|for) your|you"
    r"|(?:that )?(?:it|he|she|they)\b)"
    r"|(?:das )?tut mir leid,? (?:das zu hören|zu hören|für dich|dass (?:du|es))|lo siento,? (?:mucho|por ti|que)"
    r"|désolée? (?:pour (?:toi|vous)|de l['’]apprendre|que)|mi dispiace (?:per|tanto|che|molto)|sinto muito)",
    re.IGNORECASE,
)
_THIRD_PERSON = (
    r"(?:he|she|they|er|sie|ella|él|ellos|ellas|elle|elles|lui|lei|ela|ele|elas|eles|hij|zij|ona|oni|она|он|они|هو|هي)"
    r"(?:['’]\w{1,4})?(?!\w)|[她他彼]"
)
# A word or two that stand in the place of what was wrong: "No, Porto.", "No, it's blue.", "No, we divorced."
_IN_ITS_PLACE = re.compile(
    r"(?!(?:i|ich|je|yo|io|eu|ik|ja|я|no|not|yet)(?:['’]\w+)?(?!\w))[\w'’-]+(?:\s+(?!yet\b)[\w'’-]+)?[\s.!,;]*(?:\n|$)",
    re.IGNORECASE,
)
# What was said, asked again in a word or two, and what is right: "Thiago??? it's Mei".
_ECHO = re.compile(r"\W{0,9}(?P<echo>[^?!.,;\n]{2,40})\?[?!]*\W*\w")
# What tells something, and is too short or too common to be found as a word that does.
_SHORT_AND_TELLING = re.compile(
    r"\d+|(?<!\w)(?:s?he|they|er|sie|ell[ae]s?|él|lui|lei|ele|hij|zij|on[aio]?|он[аи]?)(?!\w)|[她他]"
)
_SPEAKS_OF_OTHERS = re.compile(_THIRD_PERSON, re.IGNORECASE)
_OTHERS = re.compile(rf"(?<!\w){_THIRD_PERSON}", re.IGNORECASE)
_NAMES_OTHERS = re.compile(rf"(?<!\w)(?i:{_THIRD_PERSON})|\w,? [A-ZÀ-ÞА-Я]\w")


def is_denied(claim: str, own: str, answer: str, *, language: str) -> bool:
    """Whether a person's *own* words, and the *answer* to them, say that the *claim* of the assistant was wrong."""
    if not claim.strip():
        return False
    is_conceded = concedes(answer) and _SYMPATHISES.match(answer.lstrip()) is None
    is_right = contrasts(own) and (acknowledges(answer) or retracts(answer))
    if corrects(answer) or (is_right and (is_conceded or bears_on(own, claim, language=language))):
        return True
    is_told = not asks(_last_mark(own))  # who asks is answered in their words, whatever the answer begins with
    is_taken_back = is_told and retracts(answer) and _takes_up(own, claim, answer, language=language)
    if is_taken_back or (is_conceded and _puts_right(own, claim, answer, language=language)):
        return True
    is_asked = asks(_last_mark(claim))  # a "no" may be no more than the answer
    if denies(own):
        return is_conceded or not is_asked
    rest = objection(own)
    if rest is None:
        return False
    is_of_it = says_no(own) and _IN_ITS_PLACE.match(rest) is not None
    return (
        is_conceded or acknowledges(answer) or (not is_asked and (is_of_it or bears_on(rest, claim, language=language)))
    )


def _puts_right(own: str, claim: str, answer: str, *, language: str) -> bool:
    """Whether a person's *own* words ask a word or two of a *claim* again, and tell what the *answer* takes up."""
    found = _ECHO.match(own)
    if found is None:
        return False
    echo, rest, claimed = telling(found["echo"], language), own[found.end() - 1 :], telling(claim, language)
    new = telling(rest, language) - claimed
    return bool(echo) and echo <= claimed and not is_question(rest) and bool(new & telling(answer, language))


def _takes_up(own: str, claim: str, answer: str, *, language: str) -> bool:
    """
    Whether an *answer* says what a person's *own* words have, and the *claim* before them has not.

    A telling word, a number, or who is spoken of: "SHE!" behind "Did he ask?" is taken up by "Sorry: she.".
    """
    if (telling(own, language) - telling(claim, language)) & telling(answer, language):
        return True
    said, claimed, answered = (frozenset(_SHORT_AND_TELLING.findall(text.casefold())) for text in (own, claim, answer))
    return not answered.isdisjoint(said - claimed)


def bears_on(rest: str, claim: str, *, language: str) -> bool:
    """
    Whether the *rest* of an objection speaks of a *claim*: it has a telling word of it, or one of the same kind (a
    name, a number, a day, a place) in its place, or says what somebody else does.
    """
    if telling(rest, language) & telling(claim, language):
        return True
    if concepts(rest, language=language) & concepts(claim, language=language):
        return True
    if held_types(rest, language=language) & held_types(claim, language=language):
        return True
    return _SPEAKS_OF_OTHERS.match(rest) is not None and _NAMES_OTHERS.search(claim) is not None


def speaks_of_others(text: str) -> bool:
    """Whether *text* says "he", "she" or "they"."""
    return _OTHERS.search(text) is not None


def telling(text: str, language: str) -> frozenset[str]:
    """The stems of *text* that carry a subject."""
    empty = subjectless(language)
    words = content_words(text, language=language)
    return frozenset(stem for word, stem in words.items() if word not in empty)


def _last_mark(text: str) -> str:
    """The last letter or question mark of *text*: a smile may stand behind it."""
    return next((one for one in reversed(text) if one.isalnum() or asks(one)), "")
