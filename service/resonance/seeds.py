"""Phase 1: from the moment to what is looked for. First what the message itself says; then what a model adds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from consolidation.kernel.names import keyphrases, names
from consolidation.kernel.ports import Ask
from prompts.responses import Seeds
from service.resonance.queries import distinct, is_filler, without_names

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from consolidation.kernel.ports import LanguageModel, Reply
    from service.resonance.moment import Moment

_RECENT_LINES = 4
_MOST_QUERIES = 6


@dataclass(frozen=True, slots=True)
class Sown:
    """What retrieval looks for: queries in order of trust, and names that stand in the message."""

    queries: tuple[str, ...]
    names: tuple[str, ...] = ()


def sow_quickly(moment: Moment) -> Sown:
    """
    Without waiting for anyone: the message and the names in it. Pure.

    Filler ("ok", "haha") uses the recent exchange instead; nothing to look for gives no queries.
    """
    text = moment.message
    if is_filler(text):
        recent = [line.partition(": ")[2] or line for line in moment.recent[-_RECENT_LINES:]]
        told = [line for line in recent if line != text and not is_filler(line)]
        return Sown(distinct(told[-1:]))
    return Sown(distinct((text,)), names(text))


async def ask_for_seeds(moment: Moment, *, agent: str, model: LanguageModel, overrides: Path | None) -> Reply[Seeds]:
    """Ask the model which people, phrases and hypotheses might stir a memory. Raises ModelFault."""
    words = {
        "agent": agent,
        "now": moment.now.astimezone(moment.timezone).strftime("%A, %Y-%m-%d %H:%M"),
        "message": moment.message,
        "recent": moment.recent,
        "language": moment.language,
    }
    return await model.answer(Ask("seeds", Seeds, words, overrides))


def added(seeds: Seeds, *, asked: Sequence[str]) -> Sown:
    """What a model's seeds look for beyond what was *asked* already: its queries, then its wonders. Pure."""
    found = distinct((*asked, *seeds.queries, *(wonder.query for wonder in seeds.wonders)))
    new = tuple(query for query in found if query not in set(asked))
    return Sown(new[:_MOST_QUERIES], seeds.entities)


def bare(text: str, *, known: Sequence[str], language: str) -> str:
    """What of a query is embedded: without known names, unless nothing else is left. Pure."""
    stripped = without_names(text, known)
    return stripped if keyphrases(stripped, language=language) else text
