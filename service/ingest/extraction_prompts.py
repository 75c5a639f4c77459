"""
What extraction asks of a model about one turn, in at most three calls.

Graphiti asks eight to eleven times a turn. We ask once for entities and facts together, once which of the
new entities are known ones (only when a name is close to a known one but not the same), and once how all new
facts of the turn stand to the known ones (only when there are any to compare). Where an answer to one of the last two
can not be used, nobody is known and nothing is repeated or ended: the facts are kept. A reader serves one turn.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, tzinfo
from functools import partial
from typing import TYPE_CHECKING

import anyio.to_thread
import structlog

from consolidation.kernel.errors import InvalidModelOutput, ModelFault, ModelRefused, ModelTruncated
from consolidation.kernel.ports import Ask, Usage
from consolidation.text.introductions import introduced
from consolidation.text.tokens import count_tokens, cut_to_tokens
from consolidation.text.words import tokens
from prompts.responses import Extraction, Identities, Settlement, Settlements
from service.ingest.contradictions import believable
from service.ingest.grounding import grounded
from service.ingest.importance import worth_keeping
from service.ingest.nameless_speaker import are_of_the_speaker, speaks_alone
from service.ingest.namesakes import may_be_one
from service.ingest.provenance import with_provenance
from service.retrieval.lead_words import is_read

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from pydantic import BaseModel

    from consolidation.kernel.ports import LanguageModel
    from consolidation.kernel.turns import Message

log = structlog.get_logger()

_UNUSABLE = (InvalidModelOutput, ModelRefused, ModelTruncated)  # the model has answered; another try brings no more
_LEAST_SHOWN = 200  # tokens of the longest message of a turn
_CUT = " […]"
_FIRST_KNOWN = 100  # the number of the first known name: one that only repeats a new name's is none
_GATHER_SECONDS = 0.004  # Graphiti asks about all facts of a turn in one breath


@dataclass(frozen=True, slots=True)
class EntityKind:
    """A sort of things that extraction tells apart, such as Person; the description is for the model."""

    name: str
    description: str = ""


@dataclass(frozen=True, slots=True)
class KnownItem:
    """Something the graph already holds, by the number it has in this question."""

    number: int
    text: str
    detail: str = ""


@dataclass(slots=True)
class _Question:
    fact: str
    same_pair: tuple[KnownItem, ...]
    others: tuple[KnownItem, ...]
    answered: asyncio.Event = field(default_factory=asyncio.Event)
    answer: Settlement | None = None
    error: Exception | None = None


@dataclass(frozen=True, slots=True)
class TurnReaders:
    """
    Makes a reader for each turn: *overrides* names a mind's own prompts, *spent* accounts what a turn cost.

    A hosted model is asked of which of the *kinds* an entity is. *own_kinds* and *own_model* are those of a mind that
    has its own; None where it has none. Times are told in the mind's *zone*. *names_said* finds in a text the names
    that a speaker without a name gave as their own.
    """

    model: LanguageModel
    overrides: Callable[[str], Path]
    spent: Callable[[str, Usage], None]
    kinds: tuple[EntityKind, ...] = ()
    own_kinds: Callable[[str], tuple[EntityKind, ...] | None] = lambda _: None
    own_model: Callable[[str], LanguageModel | None] = lambda _: None
    zone: Callable[[str], tzinfo] = lambda _: UTC
    names_said: Callable[[str, str], frozenset[str]] = lambda *_: frozenset()

    @contextmanager
    def reading(self, mind_id: str) -> Iterator[TurnReader]:
        """Lend a reader for one turn of a mind; what it cost is accounted, whether the turn was read or not."""
        own = self.own_kinds(mind_id)
        kinds = self.kinds if own is None else own
        model = self.own_model(mind_id) or self.model
        names_said = partial(self.names_said, mind_id)
        reader = TurnReader(
            model, overrides=self.overrides(mind_id), kinds=kinds, zone=self.zone(mind_id), names_said=names_said
        )
        try:
            yield reader
        finally:
            self.spent(mind_id, reader.usage)


class TurnReader:
    """Reads one turn with *model*; remembers what it has already been told, and what it cost."""

    def __init__(
        self,
        model: LanguageModel,
        *,
        overrides: Path | None,
        kinds: tuple[EntityKind, ...] = (),
        zone: tzinfo = UTC,
        names_said: Callable[[str], frozenset[str]] = lambda _: frozenset(),
    ) -> None:
        """
        *overrides* is the folder of the mind's own prompts, *kinds* those of entities, *zone* that of times.

        *names_said* finds in a text the names that a speaker without a name gave as their own.
        """
        self._model = model
        self._overrides = overrides
        self._kinds = kinds
        self._zone = zone
        self._names_said = names_said
        self._said: tuple[Message, ...] = ()
        self._kind_by_name: dict[tuple[str, ...], str] = {}
        self._extraction: Extraction | None = None
        self._questions: list[_Question] = []
        self.usage = Usage()
        self.dropped = 0  # facts that were too slight to be kept, or nobody said

    async def read(self, *, said: Sequence[Message], previous: Sequence[Message], occurred_at: str) -> Extraction:
        """Entities and facts of the turn, with who said them; the model is asked once, however often this is called."""
        self._said = tuple(said)
        if self._extraction is None:
            occurred_at = datetime.fromisoformat(occurred_at).astimezone(self._zone).isoformat()
            answered = await self._asked(said=tuple(said), previous=tuple(previous), occurred_at=occurred_at)
            self._note_kinds(answered)
            is_quoting = not self._model.is_hosted

            def checked() -> Extraction:
                found = answered
                if not is_quoting:  # what is quoted was said
                    found = grounded(answered, said=said, previous=previous, occurred_at=occurred_at)
                return with_provenance(
                    found, said=said, previous=previous, occurred_at=occurred_at, is_quoting=is_quoting
                )

            self._extraction = worth_keeping(await anyio.to_thread.run_sync(checked))  # stems every word of a turn
            self.dropped = len(answered.facts) - len(self._extraction.facts)
        return self._extraction

    async def _asked(self, *, said: tuple[Message, ...], previous: tuple[Message, ...], occurred_at: str) -> Extraction:
        """What the model finds. Where that is more than it can take, it is shown the turn alone, then less of it."""
        while True:
            words = {"said": said, "previous": previous, "occurred_at": occurred_at, "kinds": self._kinds}
            try:
                return await self._answer(Ask("extraction", Extraction, words, self._overrides))
            except ModelTruncated:
                if previous:
                    previous = ()
                    continue
                shorter = await anyio.to_thread.run_sync(shortened, said)
                if shorter == said:
                    raise
                said = shorter

    def kind_of(self, name: str) -> str:
        """Of which of the kinds the turn says that an entity is; "" where it does not say."""
        return self._kind_by_name.get(tokens(name), "")

    @property
    def importance(self) -> Mapping[str, float]:
        """How important each fact of the turn is, 0…1, by its words; those that a model judged."""
        facts = self._extraction.facts if self._extraction is not None else ()
        return {fact.fact: min(1.0, fact.importance) for fact in facts if fact.importance is not None}

    async def identify(self, names: Sequence[KnownItem], known: Sequence[KnownItem]) -> dict[int, int]:
        """
        New entity's number → number of the known entity it is, for those that are known.

        A model is not believed where the names can not be those of one, or where it gives one to several.
        """
        same = {key: entity.number for entity in known if (key := tokens(entity.text))}
        open_names = {name.number: name for name in names if tokens(name.text) not in same}
        found = {name.number: same[tokens(name.text)] for name in names if name.number not in open_names}
        if not open_names or not known:
            return found
        by_number = dict(enumerate(known, start=_FIRST_KNOWN))
        shown = tuple(replace(entity, number=number) for number, entity in by_number.items())
        words = {"names": tuple(open_names.values()), "known": shown}
        answer = await self._compared(Ask("identities", Identities, words, self._overrides))
        merged = {
            one.number: by_number[one.same_as]
            for one in answer.identities
            if one.same_as in by_number and one.number in open_names
        }
        times = Counter(entity.number for entity in merged.values())
        for number, entity in merged.items():
            if times[entity.number] == 1 and may_be_one(open_names[number].text, entity):
                found[number] = entity.number
                self._note_alias(open_names[number].text, entity.text)
        return found

    def _note_kinds(self, answered: Extraction) -> None:
        """Keep the kinds that were asked for, in their spelling; a model may name others."""
        known = {kind.name.casefold(): kind.name for kind in self._kinds}
        kinds = ((tokens(one.name), known.get(one.kind.strip().casefold())) for one in answered.entities)
        self._kind_by_name = {key: kind for key, kind in kinds if key and kind}

    def _note_alias(self, name: str, known: str) -> None:
        """An entity is of the kind of what it is called in the turn."""
        if kind := self.kind_of(name):
            self._kind_by_name.setdefault(tokens(known), kind)

    async def settle(self, fact: str, *, same_pair: Sequence[KnownItem], others: Sequence[KnownItem]) -> Settlement:
        """
        How a new fact stands to known ones; facts asked about at the same time share one call.

        What was only read repeats and ends nothing that somebody said, and no fact ends what it has nothing to do with.
        """
        may_repeat = {known.number for known in same_pair if is_read(known.text) is is_read(fact)}
        may_end = {known.number for known in (*same_pair, *others) if is_read(known.text) or not is_read(fact)}
        question = _Question(
            fact,
            tuple(known for known in same_pair if known.number in may_repeat | may_end),
            tuple(known for known in others if known.number in may_end),
        )
        self._questions.append(question)
        if self._questions[0] is question:
            await self._settle_together()
        await question.answered.wait()
        if question.error is not None:
            raise question.error
        assert question.answer is not None  # noqa: S101 - answered without an error
        repeats = tuple(number for number in question.answer.repeats if number in may_repeat)
        ended = may_end.intersection(question.answer.contradicts)
        contradicts = believable(
            fact,
            ended,
            same_pair=question.same_pair,
            others=question.others,
            is_one=await self._speaker_in(fact, [one.text for one in question.others if one.number in ended]),
        )
        return question.answer.model_copy(update={"repeats": repeats, "contradicts": contradicts})

    async def _speaker_in(self, fact: str, known: Sequence[str]) -> Callable[[str, str], bool]:
        """What says of two facts whether both are about the speaker, in a mind where nobody has a name."""
        if not known or not speaks_alone(self._said):
            return lambda *_: False
        said = await anyio.to_thread.run_sync(self._names_said, " | ".join((fact, *known)))
        return partial(are_of_the_speaker, names=said | introduced(one.content for one in self._said))

    async def _settle_together(self) -> None:
        gathered = 0
        while gathered < len(self._questions):
            gathered = len(self._questions)
            await asyncio.sleep(_GATHER_SECONDS)
        questions, self._questions = self._questions, []
        try:
            answers = await self._settled(questions)
        except Exception as error:  # noqa: BLE001 - handed on to everyone who waits, who raise it
            for question in questions:
                question.error = error
        else:
            for number, question in enumerate(questions, start=1):
                question.answer = answers.get(number, Settlement(number=number))
        for question in questions:
            question.answered.set()

    async def _settled(self, questions: Sequence[_Question]) -> dict[int, Settlement]:
        repeats = {
            number: Settlement(number=number, repeats=tuple(k.number for k in question.same_pair if _same(k, question)))
            for number, question in enumerate(questions, start=1)
        }
        open_questions = [
            {"number": number, "fact": question.fact, "same_pair": question.same_pair, "others": question.others}
            for number, question in enumerate(questions, start=1)
            if not repeats[number].repeats and (question.same_pair or question.others)
        ]
        if not open_questions:
            return repeats
        ask = Ask("settlements", Settlements, {"questions": tuple(open_questions)}, self._overrides)
        return repeats | {settlement.number: settlement for settlement in (await self._compared(ask)).settlements}

    async def _compared[Answer: BaseModel](self, ask: Ask[Answer]) -> Answer:
        """What the model answers to a comparison with what is known; where that can not be used, an empty answer."""
        try:
            return await self._answer(ask)
        except _UNUSABLE as fault:
            log.warning("turn.not_compared", prompt=ask.prompt, reason=f"{type(fault).__name__}: {fault}")
            return ask.shape()

    async def _answer[Answer: BaseModel](self, ask: Ask[Answer]) -> Answer:
        """The model's answer; what it cost is counted, also where it can not be used."""
        try:
            reply = await self._model.answer(ask)
        except ModelFault as fault:
            self.usage += fault.usage or Usage()
            raise
        self.usage += reply.usage
        return reply.content


def shortened(said: tuple[Message, ...]) -> tuple[Message, ...]:
    """The messages, the longest of them cut to half of its tokens, as is what is longer than that; or as they are."""
    most = max((count_tokens(message.content) for message in said), default=0) // 2
    if most < _LEAST_SHOWN:
        return said
    cut = [cut_to_tokens(message.content, limit=most) for message in said]
    return tuple(
        message if part == message.content else replace(message, content=f"{part}{_CUT}")
        for message, part in zip(said, cut, strict=True)
    )


def _same(known: KnownItem, question: _Question) -> bool:
    return tokens(known.text) == tokens(question.fact)
