"""
Whether a turn tells a fact, or only the talk before it does, which a model is shown to understand the turn.

A fact of a turn has a word of it that tells something: "She moved to Nice" has "Nice", whoever she is. A person who
says "yes" tells what was asked just before.
"""

from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING

from consolidation.kernel.turns import Speaker
from consolidation.text.dates import has_time
from consolidation.text.denials import denies, objection
from consolidation.text.language import detect
from consolidation.text.words import content_words, tokens
from service.index.neighbourhood import asks
from service.ingest.said_names import begin_alike

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import date

    from consolidation.kernel.turns import Message
    from prompts.responses import Fact

_NUMBER = re.compile(r"\d\d+")
_YES = re.compile(
    r"\W*(?:(?:oh|ah|well|na|ja|and)[\s,]{1,3})?(?:yes|yeah|yep|yup|correct|exactly|right|indeed|true|of course|sure"
    r"|jawohl|ja|doch|genau|richtig|stimmt|klar|s[ií]|claro|exacto|oui|ouais|si|exact(?:ement)?|certo|esatto|sim|isso"
    r"|juist|klopt|tak|zgadza się|dokładnie|да|верно|точно|конечно|نعم|أجل|ايوه|أيوة)(?!\w)"
    r"|\W*(?:是的?|对|對|没错|沒錯|嗯|はい|うん|ええ|そう(?:です|だよ)?)(?![\w]{3})",
    re.IGNORECASE,
)


class TurnFacts:
    """Finds the facts of one turn that the turn tells."""

    def __init__(
        self, said: Sequence[Message], *, previous: Sequence[Message], known: Iterable[str], day: date, language: str
    ) -> None:
        """*known* are names of speakers, and words for them: they tell nothing. *day* is that of the turn."""
        self._said = tuple(said)
        self._day = day
        self._previous = tuple(previous)
        self._known = frozenset(token for one in known for token in tokens(one))
        self._language = language

    def told(self, fact: Fact) -> Fact | None:
        """
        *fact* where a message of the turn tells it, by the number of that message; None where only earlier talk does.

        What the bot alone says in this turn is not the person's message's, whichever a model names.
        """
        words = self._telling(fact.fact)
        if not _have(self._before, words) or _have(self._own, words) or self._dates(fact.fact):
            return fact
        speakers = [number for number, one in enumerate(self._said, start=1) if one.role is not Speaker.USER]
        found = {number: _number_of(self._stems(self._said[number - 1]), words) for number in speakers}
        best = max(found, key=lambda number: found[number], default=None)
        most = max(_number_of(self._stems(one), words) for one in self._previous)
        if best is None or not found[best]:
            return None
        if fact.message in found or fact.message is None or not self._persons:
            return fact
        return fact.model_copy(update={"message": best}) if found[best] >= most else None

    def _telling(self, text: str) -> frozenset[str]:
        """The stems of the words of *text* that tell something, in its own language, too; a short turn has none."""
        own = content_words(text, language=detect(text, fallback=self._language))
        words = content_words(text, language=self._language)
        return frozenset(stem for word, stem in words.items() if word in own and word not in self._known)

    def _stems(self, message: Message) -> frozenset[str]:
        return frozenset(content_words(message.content, language=self._language).values())

    def _dates(self, text: str) -> bool:
        """Whether *text* has a number, a year for one, that the turn may count to: "since last year"."""
        before = (self._day.isoformat(), *(one.content for one in self._previous))
        own = set(_NUMBER.findall(text)).difference(_NUMBER.findall(" ".join(before)))
        return bool(own) and any(has_time(one.content) for one in self._persons)

    @cached_property
    def _persons(self) -> tuple[Message, ...]:
        return tuple(one for one in self._said if one.role is Speaker.USER)

    @cached_property
    def _before(self) -> frozenset[str]:
        return frozenset().union(*map(self._stems, self._previous))

    @cached_property
    def _own(self) -> frozenset[str]:
        """The words that people tell in this turn, with those that they answer or deny."""
        own = frozenset().union(*map(self._stems, self._persons))
        claim = next((one.content for one in reversed(self._previous) if one.role is Speaker.ASSISTANT), "")
        if any(self._answers(one.content, claim) for one in self._persons):
            return own | frozenset(content_words(claim, language=self._language).values())
        return own

    def _answers(self, text: str, claim: str) -> bool:
        if denies(text) or objection(text) is not None:
            return True
        is_short = not content_words(text, language=self._language)  # "He is!"
        return asks(claim) and (is_short or _YES.match(text) is not None)


def _have(stems: frozenset[str], words: frozenset[str]) -> bool:
    return not words.isdisjoint(stems) or any(begin_alike(word, one) for word in words for one in stems)


def _number_of(stems: frozenset[str], words: frozenset[str]) -> int:
    return len(words & stems)
