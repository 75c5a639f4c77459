"""
Reads the example life as a language model would, by notes that were written with it: what each turn tells and ends.

So the example shows entities, facts and ends of facts without a model being asked or paid. A turn without notes, such
as one that a person adds, is quoted.
"""

from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING, Any

from consolidation.kernel.ports import Reply
from prompts.responses import Entity, Extraction, Fact, Settlement, Settlements
from service.example.life import read_life, read_names

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pydantic import BaseModel

    from consolidation.kernel.ports import Ask, LanguageModel
    from service.example.life import Exchange


class ExampleReader:
    """Answers the prompts of extraction for the life; *quoting* answers all others."""

    is_hosted = True  # what it says of a turn is not the turn's own words

    def __init__(self, quoting: LanguageModel) -> None:
        self._quoting = quoting

    async def warm(self) -> None:
        """There is nothing to load."""

    async def converse(self, messages: tuple[Mapping[str, str], ...], /) -> Reply[str]:
        """Raise ModelUnavailable: it can not chat."""
        return await self._quoting.converse(messages)

    async def answer[Answer: BaseModel](self, ask: Ask[Answer], /) -> Reply[Answer]:
        """Answer from the notes, else by quoting. Raises ModelUnavailable for a prompt that needs a real model."""
        match ask.prompt:
            case "extraction" if (exchange := self._exchange(ask.words)) is not None:
                found: BaseModel = self._extraction(exchange)
            case "settlements":
                found = self._settlements(ask.words)
            case _:
                return await self._quoting.answer(ask)
        return Reply(ask.shape.model_validate(found.model_dump()), model="example")

    def _exchange(self, words: Mapping[str, Any]) -> Exchange | None:
        return self._exchanges.get(words["said"][0].content)

    def _extraction(self, exchange: Exchange) -> Extraction:
        facts = tuple(
            Fact(source=a, relation=how, target=b, fact=fact, message=1) for a, how, b, fact in exchange.facts
        )
        joined = {name for fact in facts for name in (fact.source, fact.target)}
        text = "\n".join(words for _, _, words in exchange.said)
        named = (name for name in self._kinds if name in joined or re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text))
        return Extraction(entities=tuple(Entity(name=name, kind=self._kinds[name]) for name in named), facts=facts)

    def _settlements(self, words: Mapping[str, Any]) -> Settlements:
        return Settlements(
            settlements=tuple(
                Settlement(
                    number=one["number"],
                    contradicts=tuple(
                        known.number
                        for known in (*one["same_pair"], *one["others"])
                        if known.text in self._ended.get(one["fact"], ())
                    ),
                )
                for one in words["questions"]
            )
        )

    @cached_property
    def _exchanges(self) -> dict[str, Exchange]:
        return {one.said[0][2]: one for one in read_life()}

    @cached_property
    def _ended(self) -> dict[str, tuple[str, ...]]:
        """By a new fact, the older ones that are not true any more."""
        return {fact[3]: one.ends for one in read_life() for fact in one.facts}

    @cached_property
    def _kinds(self) -> dict[str, str]:
        return {name: kind for kind, names in read_names().items() for name in names}
