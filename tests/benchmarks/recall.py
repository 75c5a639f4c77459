"""Recall of evidence: how much of what answers a question is behind what surfaces."""

from __future__ import annotations

import secrets
from dataclasses import replace
from typing import TYPE_CHECKING

from consolidation.text.tokens import count_tokens
from service.resonance.arms import ARMS, Switches
from service.retrieval.fusion import TraitWeights
from tests.benchmarks.figures import mean, score
from tests.benchmarks.served import ask, serving
from tests.benchmarks.story_figures import telling_words

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from tests.benchmarks.figures import Score
    from tests.benchmarks.locomo import Conversation
    from tests.support.service import Running

_WORDLESS = tuple(replace(arm, weight=0.0) if arm.name == "words" else arm for arm in ARMS)
_WITHOUT_TRAVERSAL = tuple(arm for arm in ARMS if arm.name != "neighbours")
# Each row leaves one thing out of the whole service; what else there is, stays.
ABLATIONS: dict[str, Switches] = {
    "without vectors": Switches(vectors=False),
    "without full text": Switches(arms=_WORDLESS),
    "own vectors instead of leaning ones": Switches(leaning=False),
    "without name handling": Switches(names=False, weights=TraitWeights(speaker=0.0)),
    "without the graph's facts": Switches(facts=False),
    "without traversal": Switches(arms=_WITHOUT_TRAVERSAL),
    "without facts and traversal": Switches(arms=_WITHOUT_TRAVERSAL, facts=False),
    "without the speaker's bonus": Switches(weights=TraitWeights(speaker=0.0)),
    "without the bonus of the period": Switches(weights=TraitWeights(period=0.0)),
    "without the bonus of what is newer": Switches(weights=TraitWeights(recency=0.0)),
    "without concepts": Switches(arms=tuple(arm for arm in ARMS if arm.name != "concepts")),
    "without the bonus of telling when": Switches(weights=TraitWeights(when=0.0)),
    "without marking down questions": Switches(weights=TraitWeights(asks=0.0, only_asks=0.0, knows_not=0.0)),
    "without marking down the brief": Switches(weights=TraitWeights(brief=0.0)),
}


async def recall(
    service: Running,
    conversations: Sequence[Conversation],
    *,
    limit: int,
    relevance: float | None = 0,
    advanced: Callable[[], None],
) -> tuple[list[Score], dict[str, float]]:
    """
    Every question's score, and how much had to be shown for it; *relevance* 0 is the gate off, None as shipped.

    Of questions with an answer, the share of its telling words that stand in the block, and the block's tokens.
    """
    scores, turns, surfaced, words, tokens = [], [], [], [], []
    fresh = secrets.token_hex(4)  # a session that was shown something would not be shown it again: the echo filter
    for conversation in conversations:
        for number, question in enumerate(conversation.questions):
            answer = await ask(
                service,
                conversation.mind_id,
                question.text,
                session_id=f"recall-{fresh}-{number}",
                now=conversation.now,
                relevance=relevance,
                max_fragments=limit,
            )
            first_5, first_10 = answer.turns(5), answer.turns(10)
            scores.append(
                score(conversation.name, question.category, question.evidence, first_5=first_5, first_10=first_10)
            )
            turns.append(len(first_10))
            surfaced.append(len(answer.ranked))
            wanted = telling_words(question.answer, language="en") if question.category != "adversarial" else None
            if wanted:
                words.append(len(wanted & telling_words(answer.block, language="en")) / len(wanted))
                tokens.append(count_tokens(answer.block))
            advanced()
    return scores, {
        "flashbacks": mean(surfaced),
        "distinct source turns": mean(turns),
        "words of the answer": mean(words),
        "tokens of the block": mean(tokens),
    }


async def ablated(
    home: Path,
    conversations: Sequence[Conversation],
    *,
    switches: Switches,
    advanced: Callable[[], None],
) -> list[Score]:
    """The same questions to the same memories, with a part of the service left out."""
    async with serving(home, switches=switches) as service:
        scores, _ = await recall(service, conversations, limit=10, advanced=advanced)
    return scores
