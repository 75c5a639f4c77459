"""
What a model notes of a turn, held against what was said: names, numbers and dates that nobody said are not kept.

A fact that joins names which were said, but tells more than was said, keeps the words of the person in place of its
own. Meaning is not checked: a wrong word passes, unless it is a name, a number or a date.
"""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from consolidation.story.invention import Sources, invented_sentences
from consolidation.text.language import detect
from consolidation.text.relative_dates import possible_days
from consolidation.text.sentences import sentences
from consolidation.text.words import content_stems
from service.ingest.fact_dates import DaysOfTalk
from service.ingest.said_names import SPEAKER_WORDS, SaidNames
from service.ingest.turn_facts import TurnFacts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from consolidation.kernel.turns import Message
    from prompts.responses import Extraction, Fact


def grounded(
    extraction: Extraction, *, said: Sequence[Message], previous: Sequence[Message], occurred_at: str
) -> Extraction:
    """
    *extraction* without the entities and facts whose names nobody said, without facts that only the talk before tells,
    and with the words of the turn in place of a fact's own where those tell a name, number or date that nobody said.
    What a fact holds from and until is left out where the talk does not tell it.

    *previous* was said before, and shown to the model; *occurred_at* is the time of the turn (ISO 8601).
    """
    texts = [message.content for message in (*previous, *said)]
    speakers = [message.known_as for message in (*previous, *said) if message.known_as]
    language = detect("\n".join(message.content for message in said))
    names = SaidNames(texts, speakers=speakers)
    day = datetime.fromisoformat(occurred_at).date()
    days = {one for text in texts for one in possible_days(text, said_on=day, language=language)}
    near = " ".join(str(day.year + years) for years in (-1, 0, 1))  # "last year", "next year"
    sources = Sources((*texts, *speakers, SPEAKER_WORDS, near), language=language, days=days)
    turn = TurnFacts(said, previous=previous, known=(*speakers, SPEAKER_WORDS), day=day, language=language)
    told = (turn.told(fact) for fact in extraction.facts if names.hold(fact.source) and names.hold(fact.target))
    dates = DaysOfTalk(texts, said_on=day, language=language)
    facts = [
        _in_words_said(fact, said, language)
        if names.can_tell(fact.fact) and invented_sentences(fact.fact, sources)
        else dates.dated(fact)
        for fact in told
        if fact is not None
    ]
    entities = tuple(entity for entity in extraction.entities if names.hold(entity.name))
    return extraction.model_copy(update={"entities": entities, "facts": tuple(one for one in facts if one is not None)})


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
