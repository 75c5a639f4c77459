"""The moment as the phases see it: the newest user message, cleaned, its language, and the talk before it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from consolidation.kernel.language import detect
from consolidation.kernel.turns import Speaker
from service.resonance.moment import Moment
from service.resonance.queries import cleaned

if TYPE_CHECKING:
    from service.minds import Mind
    from service.resonance.moment import Asked

_RECENT = 20
_AROUND = 4


def observe(mind: Mind, asked: Asked) -> Moment:
    """What is being said now. Blocks."""
    said = [message for message in asked.messages if message.role in {Speaker.USER, Speaker.ASSISTANT}]
    newest = max((at for at, one in enumerate(said) if one.role is Speaker.USER), default=len(said) - 1)
    message = cleaned(said[newest].content) if said else ""
    languages = mind.text.languages()
    fallback = max(languages, key=lambda code: languages[code], default="en")
    around = " ".join(one.content for one in said[-_AROUND:])[:2000]
    return Moment(
        mind_id=mind.mind_id,
        session_id=asked.session_id,
        messages=asked.messages,
        message=message,
        recent=tuple(f"{one.who}: {cleaned(one.content)}" for one in said[:newest][-_RECENT:]),
        language=detect(message, fallback=detect(around, fallback=fallback)),
        now=asked.now,
        timezone=asked.timezone,
    )
