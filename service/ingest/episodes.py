"""
A stored turn as the graph and full text hold it: which words are remembered, and passages that an embedder reads whole.

Every function here is pure.
"""

from __future__ import annotations

import re
from datetime import date, timedelta
from typing import TYPE_CHECKING

from consolidation.kernel.turns import READ, Speaker
from consolidation.text.chat_spelling import spelled_out, with_words_written_out
from consolidation.text.concepts import concepts
from consolidation.text.dates import has_time
from consolidation.text.given_names import with_capitals
from consolidation.text.instructions import instructs
from consolidation.text.language import detect
from consolidation.text.quotation import own_lines
from consolidation.text.record_attributes import attributes_told
from consolidation.text.relations import relations_told, relations_told_of
from consolidation.text.speech_acts import told, wants_answer
from consolidation.text.words import stems, word_count
from service.index.neighbourhood import asks
from service.index.remembered_messages import remembered
from service.index.text_store import OF, IndexedTurn, Relation, Traits
from service.index.turn_fields import fields_of
from service.ingest.bystanders import are_bystanders, of_themselves
from service.ingest.denials import is_denied
from service.ports.graph import Episode, Passage, episode_uuid, passage_uuid
from service.retrieval.answer_types import answers, held_types
from service.retrieval.days_told import as_values, days_told
from service.retrieval.passages import passages
from service.retrieval.tellers import people_of
from service.retrieval.weekly_days import weekly_days

if TYPE_CHECKING:
    from collections.abc import Sequence
    from collections.abc import Set as AbstractSet

    from consolidation.kernel.turns import Message, StoredTurn
    from service.mind.minds import Mind


_ANYWHERE = (-12, 0, 14)  # hours: from the last time zone to the first
# What makes a question of a claim: "it is on 3 June, right?"
_TAG = re.compile(
    r"[,\s]\s{0,3}(?:right|correct|yes|isn['’]t it|oder|nicht wahr|gell|ja|verdad|no|n['’]est-ce pas|hein|non|vero|né"
    r"|certo|toch|prawda|tak|правда|да|değil mi)\s{0,3}\?\s{0,8}$",
    re.IGNORECASE,
)
_PERSON = frozenset({Speaker.USER, Speaker.THOUGHT})  # a thought may be somebody's diary, imported


def uuid_of(mind: Mind, turn: StoredTurn) -> str:
    """The uuid of a turn's episode, the same each time it is made."""
    return episode_uuid(mind.mind_id, turn.turn.turn_id)


def as_episode(turn: StoredTurn, *, uuid: str) -> Episode:
    """*turn* as the graph holds it."""
    return Episode(
        uuid=uuid,
        sequence=turn.sequence,
        turn_id=turn.turn.turn_id,
        session_id=turn.turn.session_id,
        occurred_at=turn.occurred_at,
        text="\n".join(message.line for message in remembered(turn)),
        passages=tuple(Passage(passage_uuid(uuid, n), part) for n, part in enumerate(passages(spoken_text(turn)))),
        said=remembered(turn),
    )


def as_indexed(turn: StoredTurn, *, uuid: str, before: Sequence[StoredTurn], fallback: str) -> IndexedTurn:
    """*turn* as full text holds it; *before* are the turns before it, *fallback* the language where it is unsure."""
    language = detect(spoken_text(turn), fallback=fallback)
    around = {"own": turn}
    if before:
        around["asked" if asks(spoken_text(before[-1])) else "told"] = before[-1]
    if len(before) > 1:
        around["before"] = before[-2]
    meant = {"own": _said(turn, _PERSON), "answer": _said(turn, READ | {Speaker.ASSISTANT})}
    if before:
        meant["before"] = spoken_text(before[-1])
    return IndexedTurn(
        sequence=turn.sequence,
        episode=uuid,
        language=language,
        previous=before[-1].sequence if before else None,
        stems={
            column: stems(with_words_written_out(spoken_text(one), language=language), language=language)
            for column, one in around.items()
        },
        concepts={
            column: concepts(spelled_out(text, language=language), language=language) for column, text in meant.items()
        },
        traits=traits_of(turn, language=language, before=before[-1] if before else None),
        fields=fields_of(turn, days=_days(turn, language)),
        relations=tuple(
            Relation(one.relation, one.name, message.who.casefold(), one.how)
            for message in remembered(turn)
            if message.role in _PERSON
            for one in relations_told(with_capitals(_own(message)), language=language)
        )
        + tuple(
            Relation(one.relation, one.name, f"{OF}{one.whose}", "called")
            for message in remembered(turn)
            if message.role in _PERSON
            for one in relations_told_of(with_capitals(_own(message)), language=language)
        ),
    )


def _days(turn: StoredTurn, language: str) -> tuple[str, ...]:
    """
    The days to come, and those of every week, that a person tells of, as the index holds them.

    It is not known on which day "today" was.
    """
    text, at = own_words(turn), turn.occurred_at
    if not date.min.year < at.year < date.max.year:
        return ()
    first, *others = dict.fromkeys((at + timedelta(hours=hours)).date() for hours in _ANYWHERE)
    weekly = sorted(weekly_days(text, language=language))
    found = days_told(text, said_on=first, language=language)
    if not found:
        return as_values((), weekly)
    more = (span for day in others for span in days_told(text, said_on=day, language=language))
    return as_values((*found, *more), weekly)


def own_words(turn: StoredTurn) -> str:
    """What persons say in *turn*."""
    return _said(turn, _PERSON)


def traits_of(turn: StoredTurn, *, language: str, before: StoredTurn | None = None) -> Traits:
    """
    What ranking uses of a turn besides its words; *before* is the turn before it in its session.

    What a tool showed tells nothing: such a turn weighs less than one in which somebody spoke.
    """
    text, own, answer = spoken_text(turn), _said(turn, _PERSON), _said(turn, {Speaker.ASSISTANT})
    tells = told(own, language=language)
    statements = tells or told(answer, language=language)
    denied = _claim(turn, before) if before is not None and _denies(turn, before, language) else ""
    return Traits(
        speakers=tuple(dict.fromkeys(message.who for message in remembered(turn) if message.role not in READ)),
        occurred_at=turn.occurred_at,
        asks=asks(text.rstrip()[-1:]),
        statement_words=sum(word_count(sentence) for sentence in statements),
        has_time=has_time(text),
        only_asks=not tells,
        knows_not=not answers(answer, question=own, language=language),
        answers=held_types(own, language=language).union(*map(attributes_told, (*tells, denied))),
        wants_answer=wants_answer(own, language=language),
        instructs=any(
            instructs(one.content, language=language) for one in turn.turn.messages if one.role is Speaker.USER
        ),
        denies=before.sequence if before is not None and denied else None,
    )


def _denies(turn: StoredTurn, before: StoredTurn, language: str) -> bool:
    """Whether *turn* says that what was said in the turn *before* was wrong."""
    answer = _said(turn, {Speaker.ASSISTANT})
    return is_denied(_claim(turn, before), _said(turn, _PERSON), answer, language=language) and not are_bystanders(
        of_themselves(turn.turn, language=language), [before.turn]
    )


def _claim(turn: StoredTurn, before: StoredTurn) -> str:
    """
    What *turn* may say was wrong: the bot's words in the turn *before*, and the person's where another one speaks now.

    Where the bot said nothing, the person's words are all there is. A question that wants a "yes" claims what it asks.
    """
    answer, own = _said(before, {Speaker.ASSISTANT}), _TAG.sub(".", _said(before, {Speaker.USER}))
    people, others = people_of(turn.turn.messages), people_of(before.turn.messages)
    is_anothers = bool(people and others) and people.isdisjoint(others)
    return "\n".join(filter(None, (own, answer))) if is_anothers or not answer else answer


def _said(turn: StoredTurn, roles: AbstractSet[Speaker]) -> str:
    return "\n".join(_own(message) for message in remembered(turn) if message.role in roles)


def _own(message: Message) -> str:
    """What is said in *message*, without what somebody with a name quotes: another told that."""
    return own_lines(message.content) if message.role is Speaker.USER and message.known_as else message.content


def spoken_text(turn: StoredTurn) -> str:
    """The words that are searched: without the names of the speakers, which would drown them."""
    return "\n".join(message.content for message in remembered(turn))
