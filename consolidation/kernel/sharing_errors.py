"""
The errors of a home that several machines share:

* MemoryFault
  x DatabaseUnavailable
  x Locked
    + ChangedElsewhere
      - NotInCustody
    + CopyOutdated
  x GraphFault
    + GraphUnavailable
      - Fenced
"""

from __future__ import annotations

from consolidation.kernel.errors import GraphUnavailable, Locked, MemoryFault


class DatabaseUnavailable(MemoryFault):
    """PostgreSQL did not answer in time, refused, or lost a commit whose outcome nobody knows. A retry settles it."""


class ChangedElsewhere(Locked):
    """Another process that shares the home, or a person, changed the same file in the meantime. Try again."""


class NotInCustody(ChangedElsewhere):
    """Another process has taken over the background work of a mind. What this one had begun is not written."""


class CopyOutdated(Locked):
    """
    This machine's copy of a mind may hold what is gone, so nothing is written from it. Its next use makes it anew.

    Something was erased elsewhere, or another database server was promoted.
    """


class Fenced(GraphUnavailable):
    """Another service has claimed this mind since: the graph refused a write of ours, which changed nothing."""
