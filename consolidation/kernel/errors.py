"""
Everything that may go wrong on purpose, as one tree:

* MemoryFault
  x InvalidRequest
    + InvalidMindId
    + TurnIdMismatch
    + ImportUnreadable   (stands in service/importing/found.py)
    + ArchiveUnreadable   (stands in service/moving/faults.py, as do MindExists and ArchiveTooLarge)
    + JournalPathRefused  (stands in service/journal/faults.py, as do the other two of the journal)
    + JournalFileTooLarge
  x NotFound
    + MindNotFound
    + SessionNotFound    (stands in service/erasing/part.py)
    + TraceNotFound
    + TurnNotFound
    + VersionNotFound
    + JournalFileNotFound
    + ModelNotFound      (stands in service/upstream.py, as do ChatTooLarge and UpstreamRefused)
  x TurnConflict
  x MindExists
  x ArchiveTooLarge
  x ChatTooLarge
  x TurnErased           (stands in consolidation/transcript/tombstones.py)
  x MindErasing          (stands in service/fence.py)
  x StoryFault
    + StoryLocked
    + StoryUnreadable
    + StoryUnwritable
    + StoryRefused
    + StoryUnguarded
    + StoryChanged
  x HomeFault
    + HomeLocked
    + TranscriptUnwritable
      - DiskFull
    + TranscriptUnreadable
    + IndexUnusable
    + KeysUnreadable
  x AccessRefused
    + KeyNeeded
    + TooOften
    + HostRefused
    + OriginRefused
    + NetworkRefused
  x ModelFault
    + ModelUnavailable
      - ModelTimedOut
      - ModelResting
    + ModelSpokeNonsense
    + ModelTruncated
    + ModelRefused
    + UpstreamRefused
  x ExtractionTimedOut
  x EmbedderFault
    + EmbedderUnavailable
      - EmbedderResting
    + EmbedderMismatch
  x GraphFault
    + GraphUnavailable
      - GraphTimedOut
      - GraphResting
      - GraphUnwritable
      - GraphForbidden
    + GraphCorrupt
  x ConfigurationFault
  x PromptFault

Domain errors know nothing of HTTP; ``service/problems.py`` says what each looks like from outside.
"""

from __future__ import annotations


class MemoryFault(Exception):
    """Base of every error we raise on purpose."""


class InvalidRequest(MemoryFault):
    """What was asked does not fit; ``pointer`` is a JSON pointer to the field, or a parameter's name."""

    def __init__(self, detail: str, *, pointer: str = "#") -> None:
        super().__init__(detail)
        self.pointer = pointer


class InvalidMindId(InvalidRequest):
    """The mind's id does not match ``[a-z0-9][a-z0-9_-]{0,62}``."""


class TurnIdMismatch(InvalidRequest):
    """``Idempotency-Key`` and ``turn_id`` are both given and differ."""


class NotFound(MemoryFault):
    """What was asked for is not here."""


class MindNotFound(NotFound):
    """No mind of this id has ever kept a turn."""


class TraceNotFound(NotFound):
    """No trace of this id is kept (traces rotate)."""


class TurnNotFound(NotFound):
    """No turn of this id or sequence is in the transcript."""


class VersionNotFound(NotFound):
    """No earlier story of this name is kept (the last 50 are)."""


class TurnConflict(MemoryFault):
    """A turn of this id was already accepted with other content."""


class StoryFault(MemoryFault):
    """The story could not be read or written."""


class StoryLocked(StoryFault):
    """Somebody else holds the story's lock for longer than we wait."""


class StoryUnreadable(StoryFault):
    """STORY.md is no file, or never stands still."""


class StoryUnwritable(StoryFault):
    """STORY.md, or what is kept beside it, could not be written (disk full, read-only); the story is as it was."""


class StoryRefused(StoryFault):
    """What a narrator wrote did not pass our checks; the story is unchanged and the turns still wait."""


class StoryUnguarded(StoryFault):
    """A story was put without saying which one it replaces."""


class StoryChanged(StoryFault):
    """The story is no longer the one that was to be replaced; ``current`` is what it is, ``etag`` its fingerprint."""

    def __init__(self, current: str, *, etag: str = "") -> None:
        super().__init__("the story has changed since it was read; the answer holds it as it is now")
        self.current = current
        self.etag = etag


class HomeFault(MemoryFault):
    """The home folder can not be used."""


class HomeLocked(HomeFault):
    """Another service owns this home."""


class TranscriptUnwritable(HomeFault):
    """The turn could not be made durable (read-only, fsync failed); nothing was accepted."""


class DiskFull(TranscriptUnwritable):
    """There is no room for it; nothing was accepted, what was kept before can be read."""


class TranscriptUnreadable(HomeFault):
    """The disk does not give back what was kept."""


class IndexUnusable(HomeFault):
    """Full text can not be read or written (disk full, failing, damaged); where it is damaged it is built again."""


class KeysUnreadable(HomeFault):
    """The file of the API keys is there, but is none: nobody who needs a key is let in."""


class AccessRefused(MemoryFault):
    """Whoever asks is not let in, whatever is asked."""


class KeyNeeded(AccessRefused):
    """There are keys, and this request brought none that is valid."""


class TooOften(AccessRefused):
    """More requests than are allowed; ``seconds`` is when the next one is."""

    def __init__(self, detail: str, *, seconds: int = 60) -> None:
        super().__init__(detail)
        self.seconds = seconds


class HostRefused(AccessRefused):
    """Without a key, and called by a name that is none of ours: a web page may have bent it to this machine."""


class OriginRefused(AccessRefused):
    """Without a key, and sent by a web page of somebody else."""


class NetworkRefused(AccessRefused):
    """Without a key, and from another machine."""


class ModelFault(MemoryFault):
    """The language model did not help."""


class ModelUnavailable(ModelFault):
    """No answer: connection refused, quota, server error, or no model at all."""


class ModelTimedOut(ModelUnavailable):
    """No whole answer within the time allowed."""


class ModelResting(ModelUnavailable):
    """The provider failed so often just now that it is not asked again for a while: nothing was asked."""


class ModelSpokeNonsense(ModelFault):
    """An answer came, but not in the shape we asked for."""


class ModelTruncated(ModelFault):
    """The answer was cut by its length limit."""


class ModelRefused(ModelFault):
    """The provider's content filter refused."""


class ExtractionTimedOut(MemoryFault):
    """One turn's extraction as a whole took longer than allowed."""


class EmbedderFault(MemoryFault):
    """No usable vectors."""


class EmbedderUnavailable(EmbedderFault):
    """
    The embedder did not answer, or answered with vectors that can not be used.

    ``retry_after``: the seconds for which it wishes to be left alone.
    """

    def __init__(self, detail: str, *, retry_after: float = 0.0) -> None:
        super().__init__(detail)
        self.retry_after = retry_after


class EmbedderResting(EmbedderUnavailable):
    """It did not answer just now and is left alone for a while: nothing was asked."""


class EmbedderMismatch(EmbedderFault):
    """The graph was embedded by another embedder than the one configured."""


class GraphFault(MemoryFault):
    """The graph did not help."""


class GraphUnavailable(GraphFault):
    """The graph's server did not answer, or refused."""


class GraphTimedOut(GraphUnavailable):
    """The graph's server took longer than allowed."""


class GraphResting(GraphUnavailable):
    """It did not answer just now and is left alone for a while: nothing was asked."""


class GraphUnwritable(GraphUnavailable):
    """The graph's server can be read, and takes nothing in (memory or disk full, a replica)."""


class GraphForbidden(GraphUnavailable):
    """The graph's server does not let us do this."""


class GraphCorrupt(GraphFault):
    """The graph holds something that we would never have written."""


class ConfigurationFault(MemoryFault):
    """The service was configured in a way that can not work; said at start-up."""


class PromptFault(MemoryFault):
    """A prompt template is missing, malformed, or was given the wrong words."""
