"""
How well what people said to put a memory right fits a query.

All statements are compared by their words; those that share most, and the newest, by their meaning as well, where the
embedder answers in time.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

import anyio.to_thread

from consolidation.corrections.record import What
from consolidation.corrections.wording import stems_of
from consolidation.kernel.errors import EmbedderFault
from consolidation.text.subjectless import subjectless
from consolidation.text.words import content_words

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from consolidation.corrections.standing import Statement
    from service.ports.embedder import Embedder, Vectors

type ByStatement = Mapping[str, float]

_MOST_LOOKED_AT = 200  # statements with the most words of a query, and of the newest
_CHANCE, _CLOSE = 0.25, 0.65  # cosines: of what has nothing to do with a query, and of what answers it


class StatementFits(NamedTuple):
    """For each query, how well each statement fits it, 0…1, and its cosine, by the statement's id."""

    scores: tuple[ByStatement, ...]
    cosines: tuple[ByStatement, ...]


async def statement_fits(
    queries: Sequence[str],
    statements: Sequence[Statement],
    *,
    languages: Iterable[str],
    vectors: Vectors | None,
    embedder: Embedder,
    seconds: float | None,
) -> StatementFits:
    """
    Compare *statements* with *queries*, whose *vectors* are a row each (None: words alone), within *seconds*.

    *embedder* should remember vectors that it made lately.
    """
    shares = await anyio.to_thread.run_sync(_shares, queries, statements, tuple(languages))
    looked_at = _looked_at(statements, shares)
    own = await _vectors(looked_at, embedder, seconds) if vectors is not None else None
    cosines: list[dict[str, float]] = [{} for _ in queries]
    if vectors is not None and own is not None:
        near = vectors @ own.T
        cosines = [{one.id: float(row[at]) for at, one in enumerate(looked_at)} for row in near]
    scores = [
        {one.id: max(found.get(one.id, 0.0), _nearness(by.get(one.id, 0.0))) for one in looked_at}
        for found, by in zip(shares, cosines, strict=True)
    ]
    return StatementFits(tuple(scores), tuple(cosines))


def edits_by_turn(statements: Iterable[Statement], fits: ByStatement) -> dict[str, Statement]:
    """
    By the id of each turn of which words were edited: the edit that stands for it.

    Of several, it is the one that *fits* best, the newest of those that fit alike.
    """
    found: dict[str, Statement] = {}
    for one in statements:
        for turn_id in one.turn_ids if one.what is What.EDIT else ():
            other = found.get(turn_id)
            if other is None or (fits.get(one.id, 0.0), one.at) >= (fits.get(other.id, 0.0), other.at):
                found[turn_id] = one
    return found


def _nearness(cosine: float) -> float:
    """How well a cosine says that a statement answers a query, 0…1."""
    return min(max((cosine - _CHANCE) / (_CLOSE - _CHANCE), 0.0), 1.0)


async def _vectors(statements: Sequence[Statement], embedder: Embedder, seconds: float | None) -> Vectors | None:
    try:
        async with asyncio.timeout(seconds):
            return await embedder.embed([one.text for one in statements])
    except (EmbedderFault, TimeoutError):
        return None


def _shares(
    queries: Sequence[str], statements: Sequence[Statement], languages: Sequence[str]
) -> tuple[dict[str, float], ...]:
    """For each query, how much of what it asks stands in the statements that have any of it, 0…1."""
    found: list[dict[str, float]] = []
    for query in queries:
        shares: dict[str, float] = {}
        for language in languages:
            wanted = _subjects(query, language)
            for one in statements:
                told = stems_of(one.text, language) | (stems_of(one.was, language) if one.was else frozenset())
                share = len(wanted & told) / max(len(wanted), 1)
                if share > shares.get(one.id, 0.0):
                    shares[one.id] = share
        found.append(shares)
    return tuple(found)


def _subjects(query: str, language: str) -> frozenset[str]:
    """The stems of what *query* is about: not those of "day" and "time", unless it has no others."""
    words = content_words(query, language=language)
    telling = frozenset(stem for word, stem in words.items() if word not in subjectless(language))
    return telling or frozenset(words.values())


def _looked_at(statements: Sequence[Statement], shares: Sequence[ByStatement]) -> tuple[Statement, ...]:
    """The statements that share most with a query, and the newest ones, which may mean it in other words."""
    if len(statements) <= _MOST_LOOKED_AT:
        return tuple(statements)
    best = {one.id: max((by.get(one.id, 0.0) for by in shares), default=0.0) for one in statements}
    sharing = sorted((one for one in statements if best[one.id]), key=lambda one: -best[one.id])[:_MOST_LOOKED_AT]
    return tuple({one.id: one for one in (*sharing, *statements[-_MOST_LOOKED_AT:])}.values())
