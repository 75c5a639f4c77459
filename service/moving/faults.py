"""What may keep an archive from becoming a mind."""

from __future__ import annotations

from consolidation.kernel.errors import InvalidRequest, MemoryFault


class ArchiveUnreadable(InvalidRequest):
    """The archive is no archive of a mind, or not whole; ``pointer`` names the member that is at fault."""


class ArchiveTooLarge(MemoryFault):
    """The archive has more bytes than may be imported."""


class MindExists(MemoryFault):
    """A mind of this id is there already; nothing is ever imported over it."""
