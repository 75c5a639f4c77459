"""The moment as the phases see it: the newest user message, cleaned, the talk before it, and the language of both."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from functools import cache
from typing import TYPE_CHECKING

import anyio.to_thread

from consolidation.kernel.turns import Message, Speaker
from consolidation.text.chat_spelling import spelled_out
from consolidation.text.concepts import concepts
from consolidation.text.first_person import speaks_of_oneself
from consolidation.text.language import detect
from consolidation.text.noise import kind_before
from consolidation.text.tokens import count_tokens
from service.retrieval.days_to_come import days_to_come
from service.retrieval.days_told import days_told
from service.retrieval.intent import intent_of
from service.retrieval.moment import Moment
from service.retrieval.periods import period, without_period
from service.retrieval.queries import cleaned

if TYPE_CHECKING:
    from collections.abc import Sequence

    from consolidation.secrets.privacy_filter import PrivacyFilter
    from service.mind.minds import Mind
    from service.resonance.call import PreTurnCall
    from service.retrieval.moment import ResonanceRequest

_RECENT = 20  # messages
_AROUND, _AROUND_CHARACTERS = 4, 2_000  # messages by which a short one's language is known


def observe(mind_id: str, request: ResonanceRequest, *, privacy: PrivacyFilter) -> Moment:
    """
    What is being said now, without secrets; its language is not known yet. A query takes the message's place.

    What was said off the record before does not count. What is said off the record now makes the moment so.
    """
    off_the_record = privacy.off_the_record(request.messages)
    newest = max((at for at, one in enumerate(request.messages) if one.role is Speaker.USER), default=0)
    cue = () if request.query is None else (Message(Speaker.USER, request.query),)
    is_off = request.is_off_the_record or newest in off_the_record or bool(privacy.off_the_record(cue))
    window = tuple(
        replace(one, content=privacy.cleaned(one.content), name=privacy.cleaned(one.name or "") or one.name)
        for at, one in enumerate(request.messages)
        if is_off or at not in off_the_record
    )
    talk = _talk(window)
    newest = max((at for at, one in enumerate(talk) if one.role is Speaker.USER), default=len(talk) - 1)
    words = talk[newest].content if talk else ""
    return Moment(
        mind_id=mind_id,
        session_id=request.session_id,
        messages=window,
        message=cleaned(words if request.query is None else privacy.cleaned(request.query)),
        recent=recent_talk(talk[:newest] if request.query is None else talk),
        language="",
        now=request.now,
        timezone=request.timezone,
        is_off_the_record=is_off,
        acts=request.is_wonder,
        kind=kind_before(request.session_id, window, kind=request.kind),
    )


def unread(mind_id: str, request: ResonanceRequest) -> Moment:
    """The moment while nobody knows what its mind never keeps: off the record, and without a word."""
    return Moment(
        mind_id=mind_id,
        session_id=request.session_id,
        messages=(),
        message="",
        recent=(),
        language="",
        now=request.now,
        timezone=request.timezone,
        is_off_the_record=True,
        acts=request.is_wonder,
        kind=request.kind,
    )


def recent_talk(talk: Sequence[Message]) -> tuple[Message, ...]:
    """The newest of what was said, without envelopes, oldest first."""
    return tuple(replace(one, content=cleaned(one.content)) for one in talk[-_RECENT:])


async def in_its_language(call: PreTurnCall) -> PreTurnCall:
    """*call* with the language of its message, and the one in which flashbacks are told. Raises HomeFault."""

    def detected() -> tuple[str, str]:
        count_tokens("")  # loads what counts the block's tokens later, on the event loop
        language = _language(call.mind, call.moment, spoken=call.request.spoken)
        read_patterns(language)
        return language, call.mind.settings.read().own.language or ""

    language, own = await anyio.to_thread.run_sync(detected, abandon_on_cancel=True)
    typed = call.moment.message
    message = spelled_out(typed, language=language)
    known = replace(call.moment, message=message, shortened=typed, language=language, own_language=own)
    return replace(call, moment=known)


@cache
def read_patterns(language: str) -> None:
    """Compile and read what the phases use of a language for the first time: here, a deadline can leave it behind."""
    text = "Where did I live in June?"
    intent_of(text, language=language, names_known=False)
    speaks_of_oneself(text, language=language)
    period(text, today=date(2026, 1, 1))
    days_to_come("What is on tomorrow?", today=date(2026, 1, 1), language=language)
    days_told("The dentist is on 5 June.", said_on=date(2026, 1, 1), language=language)
    without_period(text)
    concepts(text, language=language)


def _language(mind: Mind, moment: Moment, *, spoken: str) -> str:
    """
    The message's own; of the talk around it where it is too short to tell, else the mind's main one.

    One that the mind has not heard so far has to be more than a guess.

    An agent at work is in that of what is *spoken*: what it gives to tools and reads of them may be in any.
    """
    heard = mind.text.languages()
    main = next(iter(heard), "en")
    if moment.acts:
        return detect(spoken, fallback=main)
    around = " ".join(one.content for one in _talk(moment.messages)[-_AROUND:])[:_AROUND_CHARACTERS]
    around_it = detect(around, fallback=main, spoken=heard)
    return detect(moment.message, fallback=around_it, spoken=heard and (*heard, around_it))


def _talk(messages: tuple[Message, ...]) -> list[Message]:
    return [message for message in messages if message.role in {Speaker.USER, Speaker.ASSISTANT}]
