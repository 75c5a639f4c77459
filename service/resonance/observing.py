"""The moment as the phases see it: the newest user message, cleaned, its language, and the talk before it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from consolidation.kernel.language import detect
from consolidation.kernel.turns import Speaker
from service.resonance.moment import Moment
from service.resonance.queries import cleaned

if TYPE_CHECKING:
    from consolidation.kernel.discretion import Discretion
    from consolidation.kernel.turns import Message
    from service.minds import Mind
    from service.resonance.moment import Asked

_RECENT = 20
_AROUND, _AROUND_CHARACTERS = 4, 2_000


def observe(mind_id: str, asked: Asked, *, discretion: Discretion) -> Moment:
    """
    What is being said now, without secrets, its language still unknown. Pure.

    What was said off the record before does not count; what is said off the record now makes the moment so.
    """
    silenced = discretion.off_the_record(asked.messages)
    newest = max((at for at, one in enumerate(asked.messages) if one.role is Speaker.USER), default=0)
    is_off = asked.is_off_the_record or newest in silenced
    window = tuple(
        replace(one, content=discretion.cleaned(one.content))
        for at, one in enumerate(asked.messages)
        if is_off or at not in silenced
    )
    said = _said(window)
    newest = max((at for at, one in enumerate(said) if one.role is Speaker.USER), default=len(said) - 1)
    return Moment(
        mind_id=mind_id,
        session_id=asked.session_id,
        messages=window,
        message=cleaned(said[newest].content) if said else "",
        recent=tuple(f"{one.who}: {cleaned(one.content)}" for one in said[max(0, newest - _RECENT) : newest]),
        language="",
        now=asked.now,
        timezone=asked.timezone,
        is_off_the_record=is_off,
    )


def in_its_language(mind: Mind, moment: Moment) -> Moment:
    """*moment* with the language of its message, of the talk around it where that is too short to tell. Blocks."""
    fallback = next(iter(mind.text.languages()), "en")
    around = " ".join(one.content for one in _said(moment.messages)[-_AROUND:])[:_AROUND_CHARACTERS]
    return replace(moment, language=detect(moment.message, fallback=detect(around, fallback=fallback)))


def _said(messages: tuple[Message, ...]) -> list[Message]:
    return [message for message in messages if message.role in {Speaker.USER, Speaker.ASSISTANT}]
