"""The processes of one home, as one of them sees the others."""

from __future__ import annotations

import asyncio
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from consolidation.kernel.errors import WorkerUnavailable
from service.workers.share import Share, owner_of

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable, Iterator

    from service.workers.link import WorkerLink


@dataclass(frozen=True, slots=True)
class Fleet:
    """
    Several processes, one of which is this one: its *share*, the links to all workers, and to the process in front.

    ``graph_url`` is where the process in front runs the embedded graph, None where the
    graph is elsewhere; it may still be loading. ``streams`` are what workers answer for long, by a number: what
    authenticates the caller of each once more.
    """

    share: Share
    workers: tuple[WorkerLink, ...]
    front: WorkerLink
    graph_url: str | None = None
    is_graph_loading: bool = False
    streams: dict[int, Callable[[], Awaitable[None]]] = field(default_factory=dict)

    def owner(self, mind_id: str) -> WorkerLink:
        """The link to the worker that has a mind."""
        return self.workers[owner_of(mind_id, of=self.share.of)]

    @contextmanager
    def authorizing(self, authorize: Callable[[], Awaitable[None]] | None) -> Iterator[int | None]:
        """The number by which a worker asks inside the block whether the caller may go on; None where it never will."""
        if authorize is None:
            yield None
            return
        number = id(authorize)
        self.streams[number] = authorize
        try:
            yield number
        finally:
            del self.streams[number]

    async def ask_all(self, name: str, *args: object) -> tuple[Any | None, ...]:
        """What each worker answers; None of one that is away."""
        return tuple(await asyncio.gather(*(_or_none(link, name, args) for link in self.workers)))

    def by_owner(self, mind_ids: Iterable[str]) -> dict[int, list[str]]:
        """*mind_ids* by the number of the worker that has them."""
        found: dict[int, list[str]] = {}
        for mind_id in mind_ids:
            found.setdefault(owner_of(mind_id, of=self.share.of), []).append(mind_id)
        return found


async def _or_none(link: WorkerLink, name: str, args: tuple[object, ...]) -> Any | None:  # noqa: ANN401 - as above
    with suppress(WorkerUnavailable):
        link.check()
        return await link.ask(name, *args)
    return None
