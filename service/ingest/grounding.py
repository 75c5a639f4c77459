"""
Checks what a model notes of a turn against what was said: names, numbers and dates that nobody said are not kept.

A fact may join names that were said, and yet tell more than was said, deny it, or state as certain what is only
possible. It then gets the words of the person in place of its own. What was only asked is left out. Meaning is not
checked beyond that.
"""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from consolidation.corrections.wording import names_any
from consolidation.kernel.turns import Speaker
from consolidation.story.invention import Sources, invented_sentences
from consolidation.text.assertions import clause_of, leaves_open, negates, supposes, tells_beside
from consolidation.text.first_person import speaks_of_oneself
from consolidation.text.language import detect
from consolidation.text.names import name_key
from consolidation.text.relations import relations_told, words_of_relations
from consolidation.text.relative_dates import possible_days
from consolidation.text.sentences import sentences
from consolidation.text.speech_acts import is_question, is_request
from consolidation.text.words import content_stems, content_words, tokens
from service.ingest.fact_dates import DaysOfTalk
from service.ingest.said_names import SPEAKER_WORDS, SaidNames
from service.ingest.turn_facts import TurnFacts

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from consolidation.kernel.turns import Message
    from prompts.responses import Extraction, Fact


def grounded(
    extraction: Extraction, *, said: Sequence[Message], previous: Sequence[Message], occurred_at: str
) -> Extraction:
    """
    *extraction*, checked against what was *said* in the turn, and *previous*, which was said before and shown as well.

    Left out are entities and facts whose names nobody said, facts that only *previous* tells, and what was only asked
    or requested. A fact that tells a name, number or date that nobody said, or the contrary of what was said, gets the
    words of the turn. Dates since and until which a fact holds are dropped where the talk does not tell them.
    *occurred_at* is the time of the turn (ISO 8601).
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
    facts: list[Fact] = []
    for one in filter(None, told):
        fact, sentence = _with_sentence(one, said, language)
        if sentence and _is_not_told(fact, sentence, language):
            continue
        if (theirs := _of_its_teller(fact, said, speakers, language)) is not None:
            facts.append(theirs)
            continue
        is_invented = names.can_tell(fact.fact) and invented_sentences(fact.fact, sources)
        if not is_invented and not (sentence and _says_otherwise(fact, sentence, language)):
            facts.append(dates.dated(fact))
        elif sentence:
            facts.append(fact.model_copy(update={"fact": sentence, "valid_at": None, "invalid_at": None}))
    entities = tuple(entity for entity in extraction.entities if names.hold(entity.name))
    return extraction.model_copy(update={"entities": entities, "facts": tuple(facts)})


def _with_sentence(fact: Fact, said: Sequence[Message], language: str) -> tuple[Fact, str]:
    """
    *fact*, and the sentence of the turn that has most of its words; "" where none has any.

    Of two sentences with as many, it is the one that tells and not the one that asks. Where it only asks, the sentence
    that answers it takes its place, if there is one, and *fact* is then of that one's message.
    """
    words = content_stems(fact.fact, language=language)
    parts = [
        (number, part)
        for number, message in enumerate(said, start=1)
        for part in sentences(message.content, language=language)
    ]

    def shared(part: tuple[int, str]) -> int:
        return len(words & content_stems(part[1], language=language))

    named = [one for one in parts if one[0] == fact.message] or parts
    best = max(named, key=lambda one: (shared(one), not _asks(one[1])), default=None)
    if best is None or not shared(best):
        return fact, ""
    if _asks(best[1]):
        telling = len(words - content_stems(SPEAKER_WORDS, language=language))
        answers = (one for one in parts if 2 * shared(one) > telling and not _asks(one[1]))
        if (answer := max(answers, key=shared, default=None)) is not None:
            return fact.model_copy(update={"message": answer[0]}), answer[1]
    return fact, best[1]


def _of_its_teller(fact: Fact, said: Sequence[Message], speakers: Collection[str], language: str) -> Fact | None:
    """*fact* in its teller's words, where it says of another speaker what the teller said of themselves; else None."""
    named = [one for one in dict.fromkeys(speakers) if names_any(fact.fact, (name_key(one),))]
    if not named:
        return None
    words = content_stems(fact.fact, language=language) - content_stems(" ".join(speakers), language=language)
    parts = [
        (len(words & content_stems(part, language=language)), number == fact.message, number, part)
        for number, message in enumerate(said, start=1)
        if message.role is Speaker.USER
        for part in sentences(message.content, language=language)
    ]
    most, _, number, part = max(parts, key=lambda one: one[:2], default=(0, False, 0, ""))
    teller = said[number - 1].known_as if most else ""
    is_said_of_another = any(names_any(said[number - 1].content, (name_key(one),)) for one in named) if most else True
    if not teller or teller in named or is_said_of_another or not speaks_of_oneself(part, language=language):
        return None
    if _asks(part):
        return None
    own = {"source": teller, "message": number, "fact": part, "valid_at": None, "invalid_at": None}
    return fact.model_copy(update=own)


def _is_not_told(fact: Fact, sentence: str, language: str) -> bool:
    """Whether *sentence* only asks or requests what *fact* says, and does not tell it by the way ("my sister Ines")."""
    if not _asks(sentence) or tells_beside(_clause(fact, sentence, language), sentence):
        return False
    known = frozenset(tokens(f"{fact.source} {fact.target} {SPEAKER_WORDS}")) | words_of_relations(language)
    is_of_relative = any(
        told.name in {fact.source, fact.target} for told in relations_told(sentence, language=language)
    )
    return not is_of_relative or not content_words(fact.fact, language=language).keys() <= known


def _says_otherwise(fact: Fact, sentence: str, language: str) -> bool:
    """Whether only one of *fact* and *sentence* denies something, or *fact* says as so what may be."""
    own, clause = detect(fact.fact, fallback=language), _clause(fact, sentence, language)
    denied, known = negates(fact.fact, language=own), negates(clause, language=language)
    if None not in {denied, known} and denied != known:
        return True
    return bool(supposes(clause, language=language)) and leaves_open(fact.fact, language=own) is False


def _clause(fact: Fact, sentence: str, language: str) -> str:
    words = content_stems(fact.fact, language=language)
    return clause_of(sentence, words, stems=lambda part: content_stems(part, language=language))


def _asks(sentence: str) -> bool:
    return is_question(sentence) or is_request(sentence)
