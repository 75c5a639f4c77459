"""A kept turn as an episode: the text that is remembered, cut into passages an embedder can read whole. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from consolidation.kernel.language import detect
from consolidation.kernel.names import sentences
from consolidation.kernel.turns import Speaker
from consolidation.kernel.words import stems
from service.ports import Episode, Passage
from service.recall.dates import has_time
from service.recall.neighbourhood import asks
from service.recall.passages import passages
from service.recall.text_store import IndexedTurn, Traits

if TYPE_CHECKING:
    from collections.abc import Sequence

    from consolidation.kernel.turns import Kept, Message

_REMEMBERED = {Speaker.USER: 16_000, Speaker.ASSISTANT: 16_000, Speaker.THOUGHT: 4_000, Speaker.TOOL: 600}


def remembered_text(kept: Kept) -> str:
    """What a turn says, a line a message; system messages left out, tool output and very long texts cut."""
    return "\n".join(
        f"{message.who}: {_cut(message.content, _REMEMBERED[message.role])}" for message in _remembered(kept)
    )


def as_episode(kept: Kept, *, uuid: str) -> Episode:
    """The turn as the graph keeps it."""
    return Episode(
        uuid=uuid,
        sequence=kept.sequence,
        turn_id=kept.turn.turn_id,
        session_id=kept.turn.session_id,
        occurred_at=kept.occurred_at,
        text=remembered_text(kept),
        passages=tuple(Passage(f"{uuid}/{n}", part) for n, part in enumerate(passages(spoken_text(kept)))),
    )


def as_indexed(kept: Kept, *, uuid: str, before: Sequence[Kept], fallback: str) -> IndexedTurn:
    """The turn as full text keeps it; *before* are the turns before it, *fallback* the language when unsure."""
    language = detect(spoken_text(kept), fallback=fallback)
    around = {"own": kept}
    if before:
        around["asked" if asks(spoken_text(before[-1])) else "told"] = before[-1]
    if len(before) > 1:
        around["before"] = before[-2]
    return IndexedTurn(
        sequence=kept.sequence,
        episode=uuid,
        language=language,
        previous=before[-1].sequence if before else None,
        stems={column: stems(spoken_text(turn), language=language) for column, turn in around.items()},
        traits=traits_of(kept),
    )


def traits_of(kept: Kept) -> Traits:
    """What ranking wants to know of a turn besides its words."""
    text = spoken_text(kept)
    said = [sentence for sentence in sentences(text) if not asks(sentence[-1:])]
    return Traits(
        speakers=tuple(dict.fromkeys(message.who for message in _remembered(kept))),
        occurred_at=kept.occurred_at,
        asks=asks(text.rstrip()[-1:]),
        statement_words=sum(len(sentence.split()) for sentence in said),
        has_time=has_time(text),
    )


def spoken_text(kept: Kept) -> str:
    """The turn's words without its speakers' names, which would drown them: what is searched."""
    return "\n".join(_cut(message.content, _REMEMBERED[message.role]) for message in _remembered(kept))


def _remembered(kept: Kept) -> list[Message]:
    return [message for message in kept.turn.messages if message.role in _REMEMBERED]


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[:most]} […]"
