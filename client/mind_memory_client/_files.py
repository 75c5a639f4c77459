"""Calls for who holds copies of a mind's files. Both clients have them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mind_memory_client import _endpoints as api
from mind_memory_client._endpoints import M
from mind_memory_client.files import MindFile, MindFileEntry, MindFiles
from mind_memory_client.story import Story

if TYPE_CHECKING:
    from mind_memory_client._endpoints import Call, Reply
    from mind_memory_client._transport import AsyncTransport, Transport

_MIND = "/v1/minds/{mind_id}"
_FILE = f"{_MIND}/files/{{path}}"
_MARKDOWN = "text/markdown"
_KNOWN = frozenset({304})  # not modified


class AsChanged(api.AsModel[M]):
    """Reads a body as a model, or gives None for what the caller knows already: 304."""

    def __call__(self, reply: Reply) -> M | None:  # type: ignore[override] # of a reply that has no body
        return None if reply.status in _KNOWN else super().__call__(reply)


FILES = api.Endpoint("GET", f"{_MIND}/files", api.AsModel(MindFiles))
CHANGED_FILES = api.Endpoint("GET", f"{_MIND}/files", AsChanged(MindFiles), other_statuses=_KNOWN)
FILE = api.Endpoint("GET", _FILE, api.AsModel(MindFile))
FILE_BYTES = api.Endpoint("GET", _FILE, api.as_markdown, accept=_MARKDOWN)
PUT_FILE = api.Endpoint("PUT", _FILE, api.AsModel(MindFile), is_repeatable=False)
DELETE_FILE = api.Endpoint("DELETE", _FILE, api.AsModel(MindFileEntry), is_repeatable=False)
CHANGED_STORY = api.Endpoint("GET", f"{_MIND}/story", AsChanged(Story), other_statuses=_KNOWN)


def put_file(mind: str, *, path: str, text: str, etag: str | None) -> Call[MindFile]:
    """The call that replaces or makes a file, as Markdown: JSON would limit its length."""
    condition = {"If-None-Match": "*"} if etag is None else {"If-Match": etag}
    headers = {"Content-Type": f"{_MARKDOWN}; charset=utf-8", **condition}
    return PUT_FILE.call(mind_id=mind, path=path, content=text.encode(), headers=headers)


class FileCalls:
    """A mind's files, for the client that blocks."""

    _transport: Transport

    def files(self, mind: str) -> MindFiles:
        """List the files that only people write: SOUL.md, MEMORY.md, memory/, their settings and prompts."""
        return self._transport.send(FILES.call(mind_id=mind))

    def changed_files(self, mind: str, *, etag: str) -> MindFiles | None:
        """The same; None while the list has the tag *etag* that it had before."""
        return self._transport.send(CHANGED_FILES.call(mind_id=mind, headers={"If-None-Match": etag}))

    def file(self, mind: str, *, path: str) -> MindFile:
        """Read one of these files."""
        return self._transport.send(FILE.call(mind_id=mind, path=path))

    def file_bytes(self, mind: str, *, path: str) -> bytes:
        """Read one of these files as it is on disk."""
        return self._transport.send(FILE_BYTES.call(mind_id=mind, path=path))

    def put_file(self, mind: str, *, path: str, text: str, etag: str | None = None) -> MindFile:
        """Replace the file that *etag* names, or make a new one. Raises StoryChanged if another is there."""
        return self._transport.send(put_file(mind, path=path, text=text, etag=etag))

    def delete_file(self, mind: str, *, path: str, etag: str) -> MindFileEntry:
        """Delete the file that *etag* names. Raises StoryChanged where somebody changed it meanwhile."""
        return self._transport.send(DELETE_FILE.call(mind_id=mind, path=path, headers={"If-Match": etag}))

    def changed_story(self, mind: str, *, etag: str) -> Story | None:
        """Read the story; None while it has the tag *etag* that it had before."""
        return self._transport.send(CHANGED_STORY.call(mind_id=mind, headers={"If-None-Match": etag}))


class AsyncFileCalls:
    """A mind's files, for the client that is awaited."""

    _transport: AsyncTransport

    async def files(self, mind: str) -> MindFiles:
        """List the files that only people write: SOUL.md, MEMORY.md, memory/, their settings and prompts."""
        return await self._transport.send(FILES.call(mind_id=mind))

    async def changed_files(self, mind: str, *, etag: str) -> MindFiles | None:
        """The same; None while the list has the tag *etag* that it had before."""
        return await self._transport.send(CHANGED_FILES.call(mind_id=mind, headers={"If-None-Match": etag}))

    async def file(self, mind: str, *, path: str) -> MindFile:
        """Read one of these files."""
        return await self._transport.send(FILE.call(mind_id=mind, path=path))

    async def file_bytes(self, mind: str, *, path: str) -> bytes:
        """Read one of these files as it is on disk."""
        return await self._transport.send(FILE_BYTES.call(mind_id=mind, path=path))

    async def put_file(self, mind: str, *, path: str, text: str, etag: str | None = None) -> MindFile:
        """Replace the file that *etag* names, or make a new one. Raises StoryChanged if another is there."""
        return await self._transport.send(put_file(mind, path=path, text=text, etag=etag))

    async def delete_file(self, mind: str, *, path: str, etag: str) -> MindFileEntry:
        """Delete the file that *etag* names. Raises StoryChanged where somebody changed it meanwhile."""
        return await self._transport.send(DELETE_FILE.call(mind_id=mind, path=path, headers={"If-Match": etag}))

    async def changed_story(self, mind: str, *, etag: str) -> Story | None:
        """Read the story; None while it has the tag *etag* that it had before."""
        return await self._transport.send(CHANGED_STORY.call(mind_id=mind, headers={"If-None-Match": etag}))
