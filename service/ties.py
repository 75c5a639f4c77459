"""What ties parts together that do not know each other: what the container hands from one to another."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from consolidation.kernel.ports import Usage
    from service.background import Background
    from service.digestion.digest import Digestion
    from service.minds import Minds
    from service.recall.embedding_cache import EmbeddingCache
    from service.resonance.afterthoughts import Afterthoughts
    from service.resonance.stable import Stable
    from service.stories import Stories


def accounting(minds: Minds) -> Callable[[str, Usage], None]:
    """What adds the cost of a call to its mind's account."""

    def spent(mind_id: str, usage: Usage) -> None:
        for mind in minds.opened():
            if mind.mind_id == mind_id:
                mind.health.usage += usage

    return spent


def sweep(background: Background, *, digestion: Digestion, stories: Stories) -> None:
    """Begin to look, again and again, for what nobody woke."""
    background.watch("sweep", digestion.sweep)
    background.watch("story sweep", stories.telling.sweep)
    background.start("session files", stories.syncing.at_start)


def forgetting(
    minds: Minds, cache: EmbeddingCache, afterthoughts: Afterthoughts, stable: Stable
) -> Callable[[str], None]:
    """What lets a mind's words go from memory."""

    def forget(mind_id: str) -> None:
        cache.clear()
        afterthoughts.forget(mind_id)
        stable.forget(minds.workspace(mind_id))

    return forget
