"""What the service is measured against: plain stemmed BM25 and plain vectors over the same turns. Pure but for vectors."""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from typing import TYPE_CHECKING

import numpy as np

from consolidation.text.words import stems
from tests.benchmarks.figures import score

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from service.ports.embedder import Embedder
    from tests.benchmarks.figures import Score
    from tests.benchmarks.locomo import Conversation

_K1, _B = 1.2, 0.75


class BM25:
    """Okapi BM25 with Lucene's idf over English stems without stop words."""

    def __init__(self, texts: Sequence[str]) -> None:
        counts = [Counter(stems(text, language="en")) for text in texts]
        lengths = np.array([max(1, sum(count.values())) for count in counts], dtype=float)
        self._norms = _K1 * (1 - _B + _B * lengths / lengths.mean())
        self._places: dict[str, list[tuple[int, int]]] = defaultdict(list)
        for place, count in enumerate(counts):
            for stem, times in count.items():
                self._places[stem].append((place, times))

    def best(self, query: str, *, most: int) -> list[int]:
        """The places of the best texts that hold any of the words, best first."""
        scores: dict[int, float] = defaultdict(float)
        total = len(self._norms)
        for stem in set(stems(query, language="en")):
            held = self._places.get(stem, ())
            idf = math.log(1 + (total - len(held) + 0.5) / (len(held) + 0.5))
            for place, times in held:
                scores[place] += idf * times * (_K1 + 1) / (times + self._norms[place])
        return sorted(scores, key=lambda place: (-scores[place], place))[:most]


async def baselines(conversation: Conversation, embedder: Embedder) -> dict[str, list[Score]]:
    """Every question of a conversation, answered three plain ways."""
    said = [f"{turn.messages[0].who}: {turn.messages[0].content}" for turn in conversation.turns]
    bare = [turn.messages[0].content for turn in conversation.turns]
    questions = [question.text for question in conversation.questions]
    nameless = [_without(text, conversation.people) or text for text in questions]
    words = BM25(said)
    rankings = {
        "BM25, stemmed": [words.best(text, most=10) for text in questions],
        "vectors": _nearest(await embedder.embed(said), await embedder.embed_queries(questions)),
        "vectors, names taken out": _nearest(await embedder.embed(bare), await embedder.embed_queries(nameless)),
    }
    return {name: list(_scores(conversation, found)) for name, found in rankings.items()}


def _nearest(turns: np.ndarray, questions: np.ndarray) -> list[list[int]]:
    return np.argsort(-(questions @ turns.T), axis=1, kind="stable")[:, :10].tolist()


def _scores(conversation: Conversation, rankings: Sequence[Sequence[int]]) -> Iterator[Score]:
    ids = [turn.turn_id for turn in conversation.turns]
    for question, places in zip(conversation.questions, rankings, strict=True):
        found = [ids[place] for place in places]
        yield score(
            conversation.name,
            question.category,
            question.evidence,
            first_5=frozenset(found[:5]),
            first_10=frozenset(found),
        )


def _without(text: str, people: Sequence[str]) -> str:
    for name in people:
        text = re.sub(rf"\b{re.escape(name)}(?:['’]s)?\b", " ", text)
    return " ".join(text.split())
