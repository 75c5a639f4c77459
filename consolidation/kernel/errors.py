"""
Every error that is raised on purpose, as one tree; those of a shared home are in ``sharing_errors.py``.

* MemoryFault
  x InvalidRequest
    + InvalidMindId
    + TurnIdMismatch
    + TranscriptionNotConfigured
    + ImportUnreadable
    + ArchiveUnreadable
    + JournalPathRefused
    + JournalFileTooLarge
  x NotFound
    + MindNotFound
    + SessionNotFound
    + TurnNotFound
    + FactNotFound
    + EntityNotFound
    + TraceNotFound
    + DreamNotFound
    + VersionNotFound
    + JournalFileNotFound
    + ModelNotFound
    + MemoryNotFound
    + CorrectionNotFound
    + KeyNotFound
    + WebhookNotFound
  x CorrectionConflict
    + AmbiguousMemory
  x TurnConflict
  x TurnErased
  x MindExists
  x MindErasing
  x ArchiveTooLarge
  x ChatTooLarge
  x RequestTimedOut
  x Locked
  x SettingsByHand
  x JournalFileNotEditable
  x StoryFault
    + StoryUnreadable
    + StoryUnwritable
    + StoryRefused
    + StoryPreconditionMissing
    + StoryChanged
      - ObservationsChanged
      - SettingsChanged
      - JournalFileChanged
  x DreamFault
    + DreamRefused
    + DreamUnwritable
  x ProposalConflict
  x HomeFault
    + HomeLocked
    + TranscriptUnwritable
      - DiskFull
    + TranscriptUnreadable
    + IndexUnusable
    + KeysUnreadable
    + OutboxDamaged
  x AccessRefused
    + Unauthenticated
    + RateLimited
    + HostRefused
    + OriginRefused
    + NetworkRefused
  x ModelFault
    + ModelUnavailable
      - ModelTimedOut
      - ModelCircuitOpen
    + InvalidModelOutput
    + ModelTruncated
    + ModelRefused
    + RecordingRefused
    + UpstreamRefused
  x ExtractionTimedOut
  x EmbedderFault
    + EmbedderUnavailable
      - EmbedderCircuitOpen
    + EmbedderMismatch
  x GraphFault
    + GraphUnavailable
      - GraphTimedOut
      - GraphCircuitOpen
      - GraphUnwritable
      - GraphForbidden
    + GraphCorrupt
  x WorkerUnavailable
  x ConfigurationFault
  x PromptFault
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from consolidation.kernel.ports import Usage


class MemoryFault(Exception):
    """Base of every error that is raised on purpose. It may be raised in one process, and raised again in another."""

    def __reduce__(self) -> tuple[Any, ...]:
        """How it is made again there: with the same words and fields, and without a call of ``__init__``."""
        return type(self).__new__, (type(self), *self.args), self.__dict__


class InvalidRequest(MemoryFault):
    """The request is not valid; ``pointer`` is a JSON pointer to the field, or the name of a parameter."""

    def __init__(self, detail: str, *, pointer: str = "#") -> None:
        super().__init__(detail)
        self.pointer = pointer


class InvalidMindId(InvalidRequest):
    """The mind's id does not match ``[a-z0-9][a-z0-9_-]{0,62}``."""


class TurnIdMismatch(InvalidRequest):
    """``Idempotency-Key`` and ``turn_id`` are both given and differ."""


class TranscriptionNotConfigured(InvalidRequest):
    """Audio was sent, and no model is configured that transcribes it."""


class ImportUnreadable(InvalidRequest):
    """The path can not be read, or its format is unknown; ``found`` says what was there instead."""

    def __init__(self, where: str, *, found: str, known_formats: tuple[str, ...], pointer: str = "path") -> None:
        known = f". Known formats: {'; '.join(known_formats)}." if known_formats else ""
        super().__init__(f"{where} can not be imported: {found}{known}", pointer=pointer)
        self.where, self.found, self.known_formats = where, found, known_formats


class ArchiveUnreadable(InvalidRequest):
    """The file is not an archive of a mind, or parts of it are missing; ``pointer`` names the member at fault."""


class JournalPathRefused(InvalidRequest):
    """The path does not belong to the journal: it leads elsewhere, follows a link, or is not a Markdown file."""


class JournalFileTooLarge(InvalidRequest):
    """The file is larger than `JOURNAL__MAX_FILE_BYTES`."""


class NotFound(MemoryFault):
    """The requested thing does not exist."""


class MindNotFound(NotFound):
    """No turn was ever stored for a mind of this id."""


class SessionNotFound(NotFound):
    """No turn of this session is in the transcript."""


class TurnNotFound(NotFound):
    """No turn of this id or sequence is in the transcript."""


class FactNotFound(NotFound):
    """No fact of this id is known."""


class EntityNotFound(NotFound):
    """No entity of this id is known."""


class TraceNotFound(NotFound):
    """No trace of this id is stored (old traces are deleted)."""


class DreamNotFound(NotFound):
    """The agent never had a dream of this number."""


class VersionNotFound(NotFound):
    """No earlier story of this name is stored (the last 50 are)."""


class JournalFileNotFound(NotFound):
    """The journal has no file of exactly this name."""


class ModelNotFound(NotFound):
    """A client asked for a model that the settings do not offer."""


class MemoryNotFound(NotFound):
    """The mind has no such fact, entity or turn (any more)."""


class KeyNotFound(NotFound):
    """No API key has this id, or it was revoked."""


class WebhookNotFound(NotFound):
    """No webhook endpoint of this name is configured."""


class CorrectionNotFound(NotFound):
    """No correction of this id was ever made, or it was erased."""


class CorrectionConflict(MemoryFault):
    """What a person decides can not stand beside what they decided before, or nothing may be decided now."""


class AmbiguousMemory(CorrectionConflict):
    """More than one memory has these words; ``candidates`` are their ids, each with the memory's words."""

    def __init__(self, message: str, *, candidates: Mapping[str, str]) -> None:
        super().__init__(message)
        self.candidates = candidates


class TurnConflict(MemoryFault):
    """A turn of this id was already accepted with other content."""


class TurnErased(MemoryFault):
    """The turn of this id was erased; it is not stored again."""


class MindExists(MemoryFault):
    """A mind of this id exists already; an import never overwrites one."""


class MindErasing(MemoryFault):
    """This mind is being erased; nothing is stored in it until that has ended."""


class ArchiveTooLarge(MemoryFault):
    """The archive has more bytes than may be imported."""


class ChatTooLarge(MemoryFault):
    """The body of a chat is larger than is allowed."""


class RequestTimedOut(MemoryFault):
    """The body of a request, or the next part of it, did not arrive in time."""


class Locked(MemoryFault):
    """Another process holds the lock of a file for longer than we wait."""


class SettingsByHand(MemoryFault):
    """What is to be changed in a mind's settings.toml is written in a form that only a person can change."""


class JournalFileNotEditable(MemoryFault):
    """A file of the journal that an agent writes, not people, was sent by a person."""


class StoryFault(MemoryFault):
    """The story could not be read or written."""


class StoryUnreadable(StoryFault):
    """STORY.md is not a regular file, or it kept changing while it was read."""


class StoryUnwritable(StoryFault):
    """STORY.md, or a file beside it, could not be written (disk full, read-only). The story is unchanged."""


class StoryRefused(StoryFault):
    """What the narrative model wrote did not pass the checks. The story is unchanged; its turns still wait."""


class StoryPreconditionMissing(StoryFault):
    """A story was sent without ``If-Match``, so that nobody knows which version it should replace."""


class StoryChanged(StoryFault):
    """The story changed since it was read; ``current`` is the story now, ``etag`` its fingerprint."""

    _what = "the story has"

    def __init__(self, current: str, *, etag: str = "") -> None:
        super().__init__(f"{self._what} changed since it was read; the answer holds it as it is now")
        self.current, self.etag = current, etag


class ObservationsChanged(StoryChanged):
    """The observations changed since they were read; ``current`` is the file now, ``etag`` its fingerprint."""

    _what = "observations.md has"


class SettingsChanged(StoryChanged):
    """A mind's settings changed since they were read; ``current`` is the file now, ``etag`` its fingerprint."""

    _what = "settings.toml has"


class JournalFileChanged(StoryChanged):
    """A person's file changed since it was read; ``current`` is the file now, ``etag`` its fingerprint."""

    _what = "the file has"


class DreamFault(MemoryFault):
    """A dream could not be dreamt, or could not be written."""


class DreamRefused(DreamFault):
    """What a model dreamt did not pass the checks. Nothing was written; what was lived waits for the next try."""


class DreamUnwritable(DreamFault):
    """A file of the agent's sleep can not be read or written (disk full, read-only). What was lived still waits."""


class ProposalConflict(MemoryFault):
    """What a deep sleep proposed can not be accepted: it is not of one mind, or the setting was changed since."""


class HomeFault(MemoryFault):
    """The home folder can not be used."""


class HomeLocked(HomeFault):
    """Another service uses this home."""


class TranscriptUnwritable(HomeFault):
    """The turn could not be made durable (read-only disk, fsync failed); nothing was accepted."""


class DiskFull(TranscriptUnwritable):
    """The disk is full. Nothing was accepted; what was stored before can still be read."""


class TranscriptUnreadable(HomeFault):
    """The disk does not return what was stored on it."""


class IndexUnusable(HomeFault):
    """The full-text index can not be read or written (disk full or failing). A damaged one is rebuilt."""


class KeysUnreadable(HomeFault):
    """The file of API keys exists and can not be read as such; nobody who needs a key is let in."""


class OutboxDamaged(HomeFault):
    """The file of events that wait for webhooks is damaged, or not a database."""


class AccessRefused(MemoryFault):
    """The caller is not allowed to do this."""


class Unauthenticated(AccessRefused):
    """API keys are configured, and the request brought no valid one."""


class RateLimited(AccessRefused):
    """The caller made more requests than allowed; ``seconds`` is how long to wait."""

    def __init__(self, detail: str, *, seconds: int = 60) -> None:
        super().__init__(detail)
        self.seconds = seconds


class HostRefused(AccessRefused):
    """Without a key, and the ``Host`` header is not ours: a web page may have pointed its own name at this machine."""


class OriginRefused(AccessRefused):
    """Without a key, and sent by a web page of another site."""


class NetworkRefused(AccessRefused):
    """Without a key, and sent from another machine."""


class ModelFault(MemoryFault):
    """The language model gave no usable answer. ``usage`` is what asking it cost, where that is known."""

    usage: Usage | None = None
    needs_mending = False  # whether the fault is in the configuration or at the provider, not in what was asked
    is_of_window = False  # whether prompt and answer do not fit into the model's context window together


class ModelUnavailable(ModelFault):
    """No answer: refused, failed or not configured. One that ``is_busy`` asks for ``retry_after`` seconds of rest."""

    is_busy, retry_after = False, 0.0


class ModelTimedOut(ModelUnavailable):
    """The answer was not complete within the time allowed."""


class ModelCircuitOpen(ModelUnavailable):
    """The provider failed so often just now that it is not asked for a while; no request was sent."""


class InvalidModelOutput(ModelFault):
    """The answer does not have the shape that was asked for."""


class ModelTruncated(ModelFault):
    """A prompt, or the answer to it, is longer than the model can take: a shorter question may be answered."""


class ModelRefused(ModelFault):
    """The provider's content filter refused to answer."""


class RecordingRefused(ModelFault):
    """The provider can not read the recording: it is damaged, too short or too long. No second try helps."""


class UpstreamRefused(ModelFault):
    """The model of a chat answered with an error; ``status``, ``error`` and ``headers`` are the provider's own."""

    def __init__(
        self,
        detail: str,
        *,
        status: int = 502,
        error: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(detail)
        self.status, self.error, self.headers = status, error, dict(headers or {})


class ExtractionTimedOut(MemoryFault):
    """The extraction of one turn took longer than allowed."""


class EmbedderFault(MemoryFault):
    """The embedder gave no usable vectors."""


class EmbedderUnavailable(EmbedderFault):
    """No answer, or no usable vectors; ``is_busy`` and ``retry_after`` as of a ModelUnavailable."""

    is_busy, retry_after = False, 0.0


class EmbedderCircuitOpen(EmbedderUnavailable):
    """The embedder failed just now and is not asked for a while; no request was sent."""


class EmbedderMismatch(EmbedderFault):
    """The graph's vectors come from another embedder than the configured one."""


class GraphFault(MemoryFault):
    """The graph gave no usable answer."""


class GraphUnavailable(GraphFault):
    """The graph's server did not answer, or refused."""


class GraphTimedOut(GraphUnavailable):
    """The graph's server took longer than allowed."""


class GraphCircuitOpen(GraphUnavailable):
    """The graph's server failed just now and is not asked for a while; no request was sent."""


class GraphUnwritable(GraphUnavailable):
    """The graph's server answers reads and refuses writes (out of memory, disk full, or a replica)."""


class GraphForbidden(GraphUnavailable):
    """The graph's server does not permit this command to us."""


class GraphCorrupt(GraphFault):
    """The graph holds something that this service would never have written."""


class WorkerUnavailable(MemoryFault):
    """The process that has this mind is being started again; whether the request was done is not known."""


class ConfigurationFault(MemoryFault):
    """The configuration can not work; raised at start-up."""


class PromptFault(MemoryFault):
    """A prompt template is missing, is malformed, or lacks a variable."""
