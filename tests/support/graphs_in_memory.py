"""Graphs in memory of which a test changes a part: what it does not change answers as ever."""

from __future__ import annotations

from service.adapters.memory_graph.graphs import MemoryGraphs


class ChangedGraphs:
    """
    Takes the place of ``MemoryGraphs``; a subclass gives its own ``archivable`` or ``erasable``.

    ``server`` is what services that share a home have in common.
    """

    server = None

    def __call__(self, *, readers, embedder):
        self._graphs = MemoryGraphs(readers=readers, embedder=embedder, server=self.server)
        return self

    def __getattr__(self, name):
        return getattr(self._graphs, name)
