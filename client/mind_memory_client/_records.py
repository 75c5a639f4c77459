"""What a person brings in, writes and erases. Both clients have these calls."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mind_memory_client import _endpoints as api
from mind_memory_client import models
from mind_memory_client.records import ErasurePreview, Erasures, ImportBegun, ImportProgress, JournalFiles, Survey

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, AsyncIterable, Generator, Iterable
    from typing import Any

    from mind_memory_client._endpoints import Call
    from mind_memory_client._transport import AsyncTransport, Transport

_MIND = "/v1/minds/{mind_id}"
_SECONDS = 300.0  # the whole transcript is read

# The routes that erase, asked what they would erase: these may be sent again.
PREVIEW = api.Endpoint("DELETE", _MIND, api.AsModel(ErasurePreview), seconds=_SECONDS)
PREVIEW_SESSION = api.Endpoint(
    "DELETE", f"{_MIND}/sessions/{{session_id}}", api.AsModel(ErasurePreview), seconds=_SECONDS
)
PREVIEW_TURN = api.Endpoint("DELETE", f"{_MIND}/turns/{{turn_id}}", api.AsModel(ErasurePreview), seconds=_SECONDS)
ERASURES = api.Endpoint("GET", f"{_MIND}/erasures", api.AsModel(Erasures))
ALL_ERASURES = api.Endpoint("GET", "/v1/erasures", api.AsModel(Erasures))

_IMPORTS = f"{_MIND}/import/conversations"
_UPLOAD_SECONDS = 3600.0
SURVEY = api.Endpoint(
    "POST", _IMPORTS, api.AsModel(Survey), max_attempts=1, seconds=_UPLOAD_SECONDS, is_upload=True
)  # a stream can not be read twice
IMPORT_CONVERSATIONS = api.Endpoint(
    "POST",
    _IMPORTS,
    api.AsModel(ImportBegun),
    is_repeatable=False,
    max_attempts=1,
    seconds=_UPLOAD_SECONDS,
    is_upload=True,
)
IMPORT_PROGRESS = api.Endpoint("GET", f"{_IMPORTS}/{{import_id}}", api.AsModel(ImportProgress))
_HEADERS = {"Content-Type": "application/octet-stream"}

JOURNAL_FILES = api.Endpoint("GET", f"{_MIND}/journal", api.AsModel(JournalFiles))
PUT_JOURNAL_FILE = api.Endpoint("PUT", f"{_MIND}/journal/file", api.AsModel(models.JournalFile), is_repeatable=False)


def put_journal_file(mind: str, *, path: str, text: str, etag: str) -> Call[models.JournalFile]:
    """The call that replaces a person's file."""
    return PUT_JOURNAL_FILE.call(mind_id=mind, query={"path": path}, body={"text": text}, headers={"If-Match": etag})


def survey(mind: str, *, file: Any, filename: str) -> Call[Survey]:  # noqa: ANN401 - bytes, or a stream of them
    """The call that says what a file of conversations holds."""
    query = {"dry_run": True, "filename": filename or None}
    return SURVEY.call(mind_id=mind, query=query, content=file, headers=_HEADERS)


def import_conversations(
    mind: str,
    *,
    file: Any,  # noqa: ANN401 - bytes, or a stream of them
    filename: str,
) -> Call[ImportBegun]:
    """The call that begins to store what a file holds."""
    query = {"filename": filename or None}
    return IMPORT_CONVERSATIONS.call(mind_id=mind, query=query, content=file, headers=_HEADERS)


def preview(mind: str, *, session: str | None, turn_id: str | None) -> Call[ErasurePreview]:
    """The call that says what an erasure would take. Raises ValueError where both are given."""
    if session is not None and turn_id is not None:
        raise ValueError("give a session or a turn_id, not both")
    query = {"dry_run": True}
    if session is not None:
        return PREVIEW_SESSION.call(mind_id=mind, session_id=session, query=query)
    if turn_id is not None:
        return PREVIEW_TURN.call(mind_id=mind, turn_id=turn_id, query=query)
    return PREVIEW.call(mind_id=mind, query=query)


class RecordsCalls:
    """What a person brings in, writes and erases, for the client that blocks."""

    _transport: Transport

    def export(self, mind: str) -> Generator[bytes, None, None]:
        """
        Download a mind as one zip archive, part by part: ``for part in memory.export("ada"): file.write(part)``.

        Errors are raised at the first part; Unreachable also later, where the answer breaks off.
        """
        return self._transport.download(api.EXPORT.call(mind_id=mind))

    def import_archive(
        self, mind: str, *, archive: bytes | Iterable[bytes], reembed: bool = False, prompts: bool = False
    ) -> models.ImportedMind:
        """
        Make a mind of an archive, given as its bytes or as an open binary file or a stream of them.

        There must be no mind of this name yet. With *reembed*, its vectors are made anew. With *prompts*, its own
        prompts are taken too, which a key for certain minds can not. It is not retried.
        """
        return self._transport.send(api.import_archive(mind, archive=archive, reembed=reembed, prompts=prompts))

    def journal_files(self, mind: str) -> JournalFiles:
        """List the files of the journal, with SOUL.md, PURPOSE.md and briefing.md, the newest first."""
        return self._transport.send(JOURNAL_FILES.call(mind_id=mind))

    def put_journal_file(self, mind: str, *, path: str, text: str, etag: str) -> models.JournalFile:
        """Replace a person's file that *etag* names. Raises StoryChanged where somebody changed it meanwhile."""
        return self._transport.send(put_journal_file(mind, path=path, text=text, etag=etag))

    def survey_conversations(self, mind: str, *, file: bytes | Iterable[bytes], filename: str = "") -> Survey:
        """
        Say what a file of conversations holds: ChatGPT's export, JSONL, or session files of agents.

        *file* is bytes or an open binary file or a stream. Nothing is stored.
        """
        return self._transport.send(survey(mind, file=file, filename=filename))

    def import_conversations(self, mind: str, *, file: bytes | Iterable[bytes], filename: str = "") -> ImportBegun:
        """
        Begin to store the conversations of a file; ``import_progress`` says how far it is.

        *file* is bytes or an open binary file or a stream.
        The same file again stores nothing twice. *filename* helps to recognise the format, and names sessions without
        an id. It is not retried.
        """
        return self._transport.send(import_conversations(mind, file=file, filename=filename))

    def import_progress(self, mind: str, *, import_id: str) -> ImportProgress:
        """Read how far an import is. Raises NotFound after a restart: the same file again goes on."""
        return self._transport.send(IMPORT_PROGRESS.call(mind_id=mind, import_id=import_id))

    def erase(self, mind: str) -> models.Erasure:
        """Erase a mind, with the files that people wrote in its folder."""
        return self._transport.send(api.ERASE.call(mind_id=mind))

    def erase_session(self, mind: str, *, session: str) -> models.Erasure:
        """Erase every turn of a session, and what was learned from them alone."""
        return self._transport.send(api.ERASE_SESSION.call(mind_id=mind, session_id=session))

    def erase_turn(self, mind: str, *, turn_id: str) -> models.Erasure:
        """Erase a turn, and what was learned from it alone. Storing it again raises Erased."""
        return self._transport.send(api.ERASE_TURN.call(mind_id=mind, turn_id=turn_id))

    def preview_erasure(self, mind: str, *, session: str | None = None, turn_id: str | None = None) -> ErasurePreview:
        """Say what it would take to erase a mind, or a *session* or a turn of it. Nothing is changed."""
        return self._transport.send(preview(mind, session=session, turn_id=turn_id))

    def erasures(self, mind: str, *, limit: int | None = None, cursor: str | None = None) -> Erasures:
        """Read the receipts of what was erased of a mind, newest first; they hold nobody's words."""
        return self._transport.send(ERASURES.call(mind_id=mind, query={"limit": limit, "cursor": cursor}))

    def all_erasures(self, *, limit: int | None = None, cursor: str | None = None) -> Erasures:
        """Read the receipts of all minds, also of those that are gone. A key for certain minds may not."""
        return self._transport.send(ALL_ERASURES.call(query={"limit": limit, "cursor": cursor}))


class AsyncRecordsCalls:
    """What a person brings in, writes and erases, for the client that is awaited."""

    _transport: AsyncTransport

    def export(self, mind: str) -> AsyncGenerator[bytes, None]:
        """
        Download a mind as one zip archive, part by part: ``async for part in memory.export("ada"): file.write(part)``.

        Errors are raised at the first part; Unreachable also later, where the answer breaks off.
        """
        return self._transport.download(api.EXPORT.call(mind_id=mind))

    async def import_archive(
        self, mind: str, *, archive: bytes | AsyncIterable[bytes], reembed: bool = False, prompts: bool = False
    ) -> models.ImportedMind:
        """
        Make a mind of an archive, given as its bytes or as an asynchronous stream of them.

        There must be no mind of this name yet. With *reembed*, its vectors are made anew. With *prompts*, its own
        prompts are taken too, which a key for certain minds can not. It is not retried.
        """
        return await self._transport.send(api.import_archive(mind, archive=archive, reembed=reembed, prompts=prompts))

    async def journal_files(self, mind: str) -> JournalFiles:
        """List the files of the journal, with SOUL.md, PURPOSE.md and briefing.md, the newest first."""
        return await self._transport.send(JOURNAL_FILES.call(mind_id=mind))

    async def put_journal_file(self, mind: str, *, path: str, text: str, etag: str) -> models.JournalFile:
        """Replace a person's file that *etag* names. Raises StoryChanged where somebody changed it meanwhile."""
        return await self._transport.send(put_journal_file(mind, path=path, text=text, etag=etag))

    async def survey_conversations(
        self, mind: str, *, file: bytes | AsyncIterable[bytes], filename: str = ""
    ) -> Survey:
        """
        Say what a file of conversations holds: ChatGPT's export, JSONL, or session files of agents.

        *file* is bytes or an asynchronous stream. Nothing is stored.
        """
        return await self._transport.send(survey(mind, file=file, filename=filename))

    async def import_conversations(
        self, mind: str, *, file: bytes | AsyncIterable[bytes], filename: str = ""
    ) -> ImportBegun:
        """
        Begin to store the conversations of a file; ``import_progress`` says how far it is.

        *file* is bytes or an asynchronous stream.
        The same file again stores nothing twice. *filename* helps to recognise the format, and names sessions without
        an id. It is not retried.
        """
        return await self._transport.send(import_conversations(mind, file=file, filename=filename))

    async def import_progress(self, mind: str, *, import_id: str) -> ImportProgress:
        """Read how far an import is. Raises NotFound after a restart: the same file again goes on."""
        return await self._transport.send(IMPORT_PROGRESS.call(mind_id=mind, import_id=import_id))

    async def erase(self, mind: str) -> models.Erasure:
        """Erase a mind, with the files that people wrote in its folder."""
        return await self._transport.send(api.ERASE.call(mind_id=mind))

    async def erase_session(self, mind: str, *, session: str) -> models.Erasure:
        """Erase every turn of a session, and what was learned from them alone."""
        return await self._transport.send(api.ERASE_SESSION.call(mind_id=mind, session_id=session))

    async def erase_turn(self, mind: str, *, turn_id: str) -> models.Erasure:
        """Erase a turn, and what was learned from it alone. Storing it again raises Erased."""
        return await self._transport.send(api.ERASE_TURN.call(mind_id=mind, turn_id=turn_id))

    async def preview_erasure(
        self, mind: str, *, session: str | None = None, turn_id: str | None = None
    ) -> ErasurePreview:
        """Say what it would take to erase a mind, or a *session* or a turn of it. Nothing is changed."""
        return await self._transport.send(preview(mind, session=session, turn_id=turn_id))

    async def erasures(self, mind: str, *, limit: int | None = None, cursor: str | None = None) -> Erasures:
        """Read the receipts of what was erased of a mind, newest first; they hold nobody's words."""
        return await self._transport.send(ERASURES.call(mind_id=mind, query={"limit": limit, "cursor": cursor}))

    async def all_erasures(self, *, limit: int | None = None, cursor: str | None = None) -> Erasures:
        """Read the receipts of all minds, also of those that are gone. A key for certain minds may not."""
        return await self._transport.send(ALL_ERASURES.call(query={"limit": limit, "cursor": cursor}))
