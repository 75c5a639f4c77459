"""
The stand-in for a language model: it answers every prompt by quoting. Offline, deterministic, used without a key.

It reads the values that would fill a prompt, not the prompt. One table has a function for each prompt.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import anyio.to_thread

from consolidation.dreams.quoted_dream import quote_deep_sleep, quote_dream
from consolidation.kernel.errors import ModelUnavailable
from consolidation.kernel.ports import Reply
from consolidation.kernel.turns import Speaker
from consolidation.story.quotes import quote
from consolidation.text.code import without_code
from consolidation.text.language import detect
from consolidation.text.names import keyphrases, names
from consolidation.text.no_longer import says_it_is_over
from consolidation.text.quotation import own_lines
from consolidation.text.redaction_marks import without_marks
from consolidation.text.sentences import sentences
from prompts.responses import Entity, Extraction, Fact, Identities, Narration, Seeds, Settlement, Settlements
from service.retrieval.lead_words import others_words, teller_in, without_lead

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Any

    from pydantic import BaseModel

    from consolidation.kernel.ports import Ask
    from consolidation.kernel.turns import Message

_LONG = frozenset({"story_first", "story_next"})
_SHORTEST_FACT, _MOST_FACTS, _MOST_NAMES = 15, 8, 12


class ExtractiveModel:
    """Answers the prompts of the graph, of the read path, of the story and of dreams; it can not chat."""

    is_hosted = False

    async def warm(self) -> None:
        """There is nothing to load."""

    async def answer[Answer: BaseModel](self, ask: Ask[Answer], /) -> Reply[Answer]:
        """Answer by the prompt's own rule, at once. Raises ModelUnavailable for a prompt that needs a real model."""
        if ask.prompt not in _RULES:
            raise ModelUnavailable(f"the prompt {ask.prompt!r} needs a language model, and none is configured")
        rule = _RULES[ask.prompt]
        is_long = ask.prompt in _LONG  # seconds of CPU, in which nobody else would be answered
        answered = await anyio.to_thread.run_sync(rule, ask.words) if is_long else rule(ask.words)
        found = ask.shape.model_validate(answered.model_dump())
        return Reply(found, model="extractive")

    async def converse(self, messages: tuple[Mapping[str, str], ...], /) -> Reply[str]:
        """Raise ModelUnavailable: it can not chat."""
        raise ModelUnavailable(f"no language model is configured to answer {len(messages)} messages")


def _seeds(words: Mapping[str, Any]) -> Seeds:
    message: str = words["message"]
    phrases = keyphrases(message, language=words["language"], limit=8)
    named = names(message, language=words["language"], limit=8)
    return Seeds(entities=named, queries=(" ".join(phrases),) if len(phrases) > 1 else phrases)


def _narration(words: Mapping[str, Any]) -> Narration:
    """Everything that passed the filters surfaces as it was said."""
    return Narration(surfaces=tuple(one["number"] for one in words["candidates"]))


def _extraction(words: Mapping[str, Any]) -> Extraction:
    said: Sequence[Message] = words["said"]
    prose = ["\n".join(without_code(message.content)) for message in said]
    told = [own_lines(one) if message.role is Speaker.USER else one for message, one in zip(said, prose, strict=True)]
    everything = "\n".join(prose)
    language = detect(everything)
    named = names(everything, language=language, limit=_MOST_NAMES)
    facts = [
        Fact(source=one.who, relation="SPOKE_OF", target=target, fact=sentence, message=number)
        for number, (one, text) in enumerate(zip(said, told, strict=True), start=1)
        for sentence, target in _facts(text, one.who, named, language=language)
    ]
    tellers = {fact.source for fact in facts}
    speakers = dict.fromkeys(one.who for one in said if one.known_as or one.who in tellers)
    return Extraction(
        entities=tuple(Entity(name=name) for name in dict.fromkeys((*speakers, *named))),
        facts=tuple(sorted(facts, key=lambda fact: -len(fact.fact))[:_MOST_FACTS]),
    )


def _facts(text: str, who: str, named: tuple[str, ...], *, language: str) -> Iterable[tuple[str, str]]:
    """Each sentence that names somebody or something besides *who* speaks, and what it names first."""
    for sentence in sentences(text, language=language):
        said = without_marks(sentence)
        about = [name for name in named if name != who and re.search(rf"(?<!\w){re.escape(name)}(?!\w)", said)]
        if not about or len(sentence) < _SHORTEST_FACT or sentence.endswith(("?", "？")):
            continue
        yield sentence, about[0]


def _settlements(words: Mapping[str, Any]) -> Settlements:
    """A fact contradicts those that it says are over, or that say so of it, where the same person told both."""
    return Settlements(
        settlements=tuple(
            Settlement(
                number=one["number"],
                contradicts=tuple(
                    known.number
                    for known in (*one["same_pair"], *one["others"])
                    if _is_over(known.text, by=one["fact"]) or _is_over(one["fact"], by=known.text)
                ),
            )
            for one in words["questions"]
        )
    )


def _is_over(known: str, *, by: str) -> bool:
    if teller_in(known) != teller_in(by) or others_words(known) or others_words(by):
        return False
    return says_it_is_over(without_lead(by), without_lead(known))


def _story(words: Mapping[str, Any]) -> BaseModel:
    told_by_model = words.get("is_told_by_model", False)
    return quote(words["batch"], language=words["language"], is_told_by_model=told_by_model)


_RULES: dict[str, Callable[[Mapping[str, Any]], BaseModel]] = {
    "seeds": _seeds,
    "narration": _narration,
    "extraction": _extraction,
    "identities": lambda _: Identities(),
    "settlements": _settlements,
    "dream": quote_dream,
    "deep_sleep": quote_deep_sleep,
    "story_first": _story,
    "story_next": _story,
}
