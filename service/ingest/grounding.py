"""
What a model notes of a turn, held against what was said: names, numbers and dates that nobody said are not kept.

A fact that joins names which were said, but tells more than was said, keeps the words of the person in place of its
own. Meaning is not checked: a wrong word passes, unless it is a name, a number or a date.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from datetime import datetime
from typing import TYPE_CHECKING

from consolidation.kernel.turns import Speaker
from consolidation.story.invention import Sources, invented_sentences
from consolidation.text.language import detect
from consolidation.text.relative_dates import possible_days
from consolidation.text.sentences import sentences
from consolidation.text.words import content_stems, content_words, is_dense, tokens
from service.ingest.turn_facts import TurnFacts, begin_alike

if TYPE_CHECKING:
    from collections.abc import Sequence

    from consolidation.kernel.turns import Message
    from prompts.responses import Extraction, Fact

# Who speaks, where nobody has a name, and what stands inside names.
_ALWAYS_KNOWN = " ".join(
    (
        *Speaker,
        "bot human person speaker I me you of the de la van von der da do and",
        "Benutzer Nutzer Nutzerin Assistent usuario usuaria asistente utilisateur utilisatrice utente assistente",
        "usuário usuária gebruiker użytkownik asystent пользователь ассистент ich yo je io eu ik ja я",
        "用户 助手 我 ユーザー アシスタント 私 المستخدم المساعد أنا",
    )
)
_FEWEST_INITIALS = 3
_GOOD_PART = 0.3  # of the letters of a text


def grounded(
    extraction: Extraction, *, said: Sequence[Message], previous: Sequence[Message], occurred_at: str
) -> Extraction:
    """
    *extraction* without the entities and facts whose names nobody said, without facts that only the talk before tells,
    and with the words of the turn in place of a fact's own where those tell a name, number or date that nobody said.

    *previous* was said before, and shown to the model; *occurred_at* is the time of the turn (ISO 8601).
    """
    texts = [message.content for message in (*previous, *said)]
    speakers = [message.known_as for message in (*previous, *said) if message.known_as]
    language = detect("\n".join(message.content for message in said))
    names = _Names((*texts, *speakers, _ALWAYS_KNOWN), scripts=_scripts("".join(texts)))
    day = datetime.fromisoformat(occurred_at).date()
    days = {one for text in texts for one in possible_days(text, said_on=day, language=language)}
    near = " ".join(str(day.year + years) for years in (-1, 0, 1))  # "last year", "next year"
    sources = Sources((*texts, *speakers, _ALWAYS_KNOWN, near), language=language, days=days)
    turn = TurnFacts(said, previous=previous, known=(*speakers, _ALWAYS_KNOWN), day=day, language=language)
    told = (turn.told(fact) for fact in extraction.facts if names.hold(fact.source) and names.hold(fact.target))
    facts = [
        _in_words_said(fact, said, language)
        if names.can_tell(fact.fact) and invented_sentences(fact.fact, sources)
        else fact
        for fact in told
        if fact is not None
    ]
    entities = tuple(entity for entity in extraction.entities if names.hold(entity.name))
    return extraction.model_copy(update={"entities": entities, "facts": tuple(one for one in facts if one is not None)})


class _Names:
    """The names that some texts hold, in whatever form."""

    def __init__(self, texts: Sequence[str], *, scripts: frozenset[str]) -> None:
        """*scripts* are those that the texts are written in."""
        self._words = frozenset(word for text in texts for word in tokens(text))
        self._folded = "".join(word for text in texts for word in tokens(text))
        self._texts = texts
        self._scripts = scripts

    def can_tell(self, text: str) -> bool:
        """Whether *text* is not in other letters than the texts: "Moscow" is, in a talk of Москва."""
        own = _scripts(text)
        return not own or not self._scripts or bool(own & self._scripts)

    def hold(self, name: str) -> bool:
        """Whether the texts have a word of *name*, as far as can be told."""
        words = tokens(name)
        if not words:
            return self._stands(name)
        initials = "".join(word[0] for word in words) if len(words) >= _FEWEST_INITIALS else ""
        telling = tuple(content_words(f"{name} {initials}", language="en")) or words  # "NYC" is New York City
        return not self.can_tell(name) or any(self._has(word) for word in telling)

    def _stands(self, name: str) -> bool:
        """Whether *name*, which has no word, has symbols, an emoji for one, and a text holds them in a row."""
        symbols = "".join(one for one in _without_joiners(name) if unicodedata.category(one)[0] == "S")
        return bool(symbols) and any(symbols in _without_joiners(text) for text in self._texts)

    def _has(self, word: str) -> bool:
        if word in self._words or (is_dense(word) and word in self._folded):
            return True
        return any(begin_alike(word, one) for one in self._words)


def _without_joiners(text: str) -> str:
    """*text* without what only joins or varies symbols, and may be left out of an emoji."""
    return "".join(one for one in text if unicodedata.category(one) not in ("Cf", "Mn", "Me"))


def _scripts(text: str) -> frozenset[str]:
    """The scripts of a good part of the letters of *text*, as their Unicode names begin: LATIN, CYRILLIC, CJK …"""
    letters = Counter(re.findall(r"[^\W\d_]", text))
    scripts: Counter[str] = Counter()
    for letter, times in letters.items():
        scripts[unicodedata.name(letter, "?").partition(" ")[0]] += times
    return frozenset(script for script, times in scripts.items() if times >= _GOOD_PART * scripts.total())


def _in_words_said(fact: Fact, said: Sequence[Message], language: str) -> Fact | None:
    """*fact* in the sentence of the turn with most of its words, without times of its own; None where none has any."""
    words = content_stems(fact.fact, language=language)
    number = fact.message or 0
    named = said[number - 1 : number] if number > 0 else ()
    parts = [part for message in named or said for part in sentences(message.content, language=language)]
    best = max(parts, key=lambda part: len(words & content_stems(part, language=language)), default="")
    if not words & content_stems(best, language=language):
        return None
    return fact.model_copy(update={"fact": best, "valid_at": None, "invalid_at": None})
