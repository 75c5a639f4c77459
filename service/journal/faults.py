"""What may go wrong with a path that is asked for; they stand in the tree of `consolidation/kernel/errors.py`."""

from __future__ import annotations

from consolidation.kernel.errors import InvalidRequest, NotFound

POINTER = "query/path"


class JournalPathRefused(InvalidRequest):
    """The path is none of the journal's: it leads elsewhere, over a link, or to what is no Markdown file."""


class JournalFileTooLarge(InvalidRequest):
    """The file is larger than `JOURNAL__MAX_FILE_BYTES`."""


class JournalFileNotFound(NotFound):
    """The journal has no file of this name, in exactly these letters."""
