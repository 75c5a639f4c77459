"""
Who told a turn's facts: one that the bot said, or that a tool showed, begins with words that say so.

A model names the message that says a fact. Code checks that the fact's words are there: a page that a tool showed must
not become something that the person said.
"""

from __future__ import annotations

import re
from datetime import datetime
from typing import TYPE_CHECKING

from consolidation.kernel.turns import READ, Speaker
from consolidation.text.first_person import says_i
from consolidation.text.language import detect
from consolidation.text.words import content_stems
from service.ingest.bot_answers import BotAnswers
from service.retrieval.lead_words import told_by

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from consolidation.kernel.turns import Message
    from prompts.responses import Extraction, Fact

_BOTS = frozenset({Speaker.ASSISTANT, Speaker.THOUGHT})
LONGEST_SUMMARY, SHORTENED_SUMMARY = 2_000, 900  # letters: of one that grows longer, the newest facts stay
_LONGEST_NAME = 200
_TWO_LINES = re.compile(r"[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]|[:：]\s")  # or what looks like a speaker


def with_provenance(
    extraction: Extraction,
    *,
    said: Sequence[Message],
    previous: Sequence[Message],
    occurred_at: str,
    is_quoting: bool,
) -> Extraction:
    """
    *extraction* of what was *said*, each fact on one line, with who said it in front where that is not the person.

    *previous* was said before it, and may have been read into the turn. *occurred_at* is the time of the turn (ISO
    8601). A model that *is_quoting* gives the speaker's own words: then a person's have their speaker in front, too, as
    do those in which anybody says "I" or "my". Names that could not be names are left out.
    """
    language = detect("\n".join(message.content for message in said))
    stems = {message: content_stems(message.content, language=language) for message in (*said, *previous)}
    answers = BotAnswers(said, previous=previous, day=datetime.fromisoformat(occurred_at).date(), language=language)
    facts = []
    for fact in extraction.facts:
        teller = _teller(fact, said, stems, language=language)
        is_persons = teller is None or teller.role is Speaker.USER
        if is_persons and not is_quoting and (bots := answers.alone_tell(fact)):
            words = content_stems(fact.fact, language=language)
            teller = max(bots, key=lambda one: len(words & stems[one]))
        text = " ".join(fact.fact.split())
        # "My mother …" would be the bot's mother.
        is_own = says_i(text, languages=(language, detect(text, fallback=language)))
        if is_own and teller is None:
            teller = _nearest(content_stems(text, language=language), said, stems)
        if teller is not None and (is_quoting or is_own or teller.role is not Speaker.USER):
            text = told_by(teller, text, language=language)
        if _is_name(fact.source) and _is_name(fact.target):
            facts.append(fact.model_copy(update={"fact": text}))
    entities = tuple(entity for entity in extraction.entities if _is_name(entity.name))
    return extraction.model_copy(update={"entities": entities, "facts": tuple(facts)})


def newest_facts(summary: str, *, most: int) -> str:
    """The last facts of a *summary*, a line each, in at most *most* letters; none loses the words in front of it."""
    lines = summary.splitlines()
    kept = lines[-1:]
    for line in reversed(lines[:-1]):
        if len("\n".join((line, *kept))) > most:
            break
        kept.insert(0, line)
    return "\n".join(kept)[:most]


def _teller(
    fact: Fact, said: Sequence[Message], stems: Mapping[Message, frozenset[str]], *, language: str
) -> Message | None:
    """
    The message that a fact comes from; None where nothing speaks against the person having said it.

    *stems* are those of all messages that a model was shown.
    """
    number = fact.message or 0
    named = said[number - 1] if 0 < number <= len(said) else None
    if named is not None and named.role in READ:
        return named
    words = content_stems(fact.fact, language=language)
    found = {message: words & of_it for message, of_it in stems.items()}
    read, bots, theirs = (_all(found, roles) for roles in (READ, _BOTS, {Speaker.USER}))
    spoken = theirs | bots
    if len(read) > len(spoken) or (read - spoken and 2 * len(spoken) < len(words)):
        return _fullest(found, READ)
    if named is not None and named.role in _BOTS:
        return named
    return _fullest(found, _BOTS) if len(bots) > len(theirs) and 2 * len(theirs) < len(words) else named


def _fullest(found: Mapping[Message, frozenset[str]], roles: AbstractSet[Speaker]) -> Message:
    """The message of somebody with these roles that has most of the words."""
    return max((one for one in found if one.role in roles), key=lambda one: len(found[one]))


def _nearest(words: frozenset[str], said: Sequence[Message], stems: Mapping[Message, frozenset[str]]) -> Message | None:
    """The person's message with most of *words*; None where no person said anything."""
    people = (message for message in said if message.role is Speaker.USER)
    return max(people, key=lambda one: len(stems[one] & words), default=None)


def _all(found: Mapping[Message, frozenset[str]], roles: AbstractSet[Speaker]) -> frozenset[str]:
    return frozenset().union(*(words for message, words in found.items() if message.role in roles))


def _is_name(text: str) -> bool:
    return len(text) <= _LONGEST_NAME and not _TWO_LINES.search(text.strip())
