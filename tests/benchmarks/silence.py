"""Silence, gate as shipped: who is answered, and what is not: other people's questions and everyday chatter."""

from __future__ import annotations

import re
import secrets
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.benchmarks.figures import mean
from tests.benchmarks.served import ask

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tests.benchmarks.locomo import Conversation
    from tests.support.service import Running

_SMALL_TALK = Path(__file__).with_name("small_talk.txt")


async def silence(
    service: Running, conversations: Sequence[Conversation], *, most_strange: int, advanced: Callable[[], None]
) -> dict[str, Any]:
    """The rates over all minds, and by mind; *most_strange* other conversations' questions are put to each mind."""
    kinds: dict[str, list[bool]] = {}
    by_mind: dict[str, dict[str, float]] = {}
    for conversation in conversations:
        answered, right = await _answerable(service, conversation, advanced=advanced)
        own = {"answered": answered, "answered, with evidence in the 5": right}
        for kind, texts in _strange(conversation, conversations, most=most_strange).items():
            silent = [not await _surfaces(service, conversation, text, advanced=advanced) for text in texts]
            own[f"silent on {kind}"] = silent
        by_mind[conversation.name] = {kind: mean(found) for kind, found in own.items() if found}
        for kind, found in own.items():
            kinds.setdefault(kind, []).extend(found)
    overall = {kind: {"share": mean(found), "asked": len(found)} for kind, found in kinds.items() if found}
    return {"overall": overall, "by_conversation": by_mind}


def small_talk() -> dict[str, tuple[str, ...]]:
    """Messages that nobody keeps a memory for, by kind."""
    found: dict[str, list[str]] = {}
    kind = ""
    for line in _SMALL_TALK.read_text(encoding="utf-8").splitlines():
        if line.startswith("# "):
            kind = line.removeprefix("# ")
        elif line.strip():
            found.setdefault(kind, []).append(line.strip())
    return {kind: tuple(lines) for kind, lines in found.items()}


def renamed(text: str, people: Sequence[str], others: Sequence[str]) -> str:
    """*text* about *others*, where it was about *people*."""
    new = dict(zip(people, others, strict=False))
    if not new:
        return text
    return re.sub(rf"\b(?:{'|'.join(map(re.escape, new))})\b", lambda found: new[found[0]], text)


def _strange(mine: Conversation, all_of_them: Sequence[Conversation], *, most: int) -> dict[str, tuple[str, ...]]:
    """What this mind has nothing on, by kind."""
    others = [
        (question.text, other.people) for other in all_of_them if other is not mine for question in other.questions
    ]
    picked = others[:: max(1, len(others) // most)][:most]
    chatter = small_talk()
    return {
        "others' questions": tuple(text for text, _ in picked),
        "others' questions, names swapped": tuple(renamed(text, people, mine.people) for text, people in picked),
        "chatter, all kinds": tuple(chain.from_iterable(chatter.values())),
    }


async def _answerable(
    service: Running, conversation: Conversation, *, advanced: Callable[[], None]
) -> tuple[list[bool], list[bool]]:
    answered, right = [], []
    for question in conversation.questions:
        found = await ask(service, conversation.mind_id, question.text, session_id=_fresh(), now=conversation.now)
        answered.append(found.surfaced)
        right.append(bool(question.evidence & found.turns(5)))
        advanced()
    return answered, right


async def _surfaces(service: Running, conversation: Conversation, text: str, *, advanced: Callable[[], None]) -> bool:
    found = await ask(service, conversation.mind_id, text, session_id=_fresh(), now=conversation.now)
    advanced()
    return found.surfaced


def _fresh() -> str:
    return f"silence-{secrets.token_hex(4)}"
