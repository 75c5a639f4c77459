"""
STORY.md of a mounted folder: the service in the narrator's place.

What came from the service is merged into the file by chapter, by the same code that the narrator uses, and what a
person saved is put into the story. Their edit wins. Each step is on disk before it is done (see ``state``), so that a
kill between two makes no chapter twice and takes none out.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from anyio import to_thread
from mind_memory_client import AsyncMemoryClient, Story, StoryChanged, errors

from consolidation.story.anchor import anchor_moved_back, read_marks, without_marks
from consolidation.story.edits import etag_of
from consolidation.story.exchange import read_stable
from consolidation.story.storyfile import merged_under_marks
from consolidation.text.surrogates import as_text
from service.cli.commands.story_edit import changes_in_words
from service.cli.mounting.state import MountState, Record, Written, is_utf8

STORY = "STORY.md"
_MOST_TRIES = 20
_VERSIONS = 10  # of the story, among which a text that was sent is looked for
_UNREADABLE = "\ufffd"


class StorySync:
    """Keeps STORY.md of one folder in step."""

    def __init__(self, state: MountState, memory: AsyncMemoryClient, *, mind: str, say: Callable[[str], None]) -> None:
        self._state = state
        self._memory = memory
        self._mind = mind
        self._say = say
        self._place = state.folder / STORY
        self._file = state.file(STORY)
        self._refused: str | None = None

    async def step(self) -> None:
        """Merge both ways, once. Raises MindMemoryError, StoryFault, Locked, OSError."""
        for _ in range(_MOST_TRIES):
            record = await to_thread.run_sync(self._settled)
            text, etag = await self._service_has(record)
            record = await self._known_as_sent(record, text, etag)
            base = record.base if record is not None else await self._first_base(text)
            record = await to_thread.run_sync(self._merge, record or Record(STORY), base, text, etag)
            if await self._send(record, text, etag):
                return

    def _settled(self) -> Record | None:
        """The record; what a killed process wrote into the file counts as agreed on."""
        record = self._state.record(STORY)
        if record is None or record.writing is None:
            return record
        writing = record.writing
        if self._file.written() == writing.text:
            return self._state.save(record.agreed(writing.base, writing.etag))
        return self._state.save(replace(record, writing=None))

    async def _service_has(self, record: Record | None) -> tuple[str, str]:
        """The story there, with its ETag."""
        found: Story | None
        if record is not None and record.etag is not None:
            found = await self._memory.changed_story(self._mind, etag=record.etag)
            if found is None:
                return record.base, record.etag
        else:
            found = await self._memory.story(self._mind)
        for _ in range(_MOST_TRIES):
            if _UNREADABLE not in found.text:
                return found.text, found.etag
            text = as_text(await self._memory.story_bytes(self._mind))
            if etag_of(text) == found.etag:
                return text, found.etag
            found = await self._memory.story(self._mind)
        raise errors.UnexpectedAnswer("the story keeps changing")

    async def _known_as_sent(self, record: Record | None, text: str, etag: str) -> Record | None:
        """The record, once it is known what became of a text that was sent before a kill or an outage."""
        sent = record.sent if record is not None else None
        if record is None or sent is None or record.etag == etag:
            return record
        if without_marks(text) == without_marks(sent):
            record = record.agreed(text, etag)
        elif (version := await self._version_of(sent)) is not None:
            record = record.agreed(version, None)
        else:
            record = replace(record, sent=None)
        return await to_thread.run_sync(self._state.save, record)

    async def _version_of(self, text: str) -> str | None:
        """The earlier story that holds *text*, if one of the newest does."""
        for one in (await self._memory.story_history(self._mind))[:_VERSIONS]:
            found = as_text(await self._memory.story_bytes(self._mind, version=one.version))
            if without_marks(found) == without_marks(text):
                return found
        return None

    async def _first_base(self, text: str) -> str:
        """What a file was made of that is there at the first run; one of which that is not known is kept beside."""
        local = await to_thread.run_sync(self._file.read)
        if not local.strip() or without_marks(local) == without_marks(text):
            return local
        version = await self._version_of(local)
        if version is None and (name := await to_thread.run_sync(self._state.keep_beside, self._place, local)):
            self._say(f"{STORY} was another one here: your text is in {name}")
        return local

    def _merge(self, record: Record, base: str, text: str, etag: str) -> Record:
        """Merge the service's *text* into the file, and note that both have it."""
        if record.base.strip() and read_stable(self._place, is_expected=True) is None:
            self._say(f"{STORY} was deleted here: it is laid out again (to empty the story, save it empty)")
            base = ""
        record = replace(record, base=base)

        def plan(local: str) -> str:
            before.append(local)
            merged = merged_under_marks(base, theirs=local, story=text)
            if merged != local:
                self._state.save(replace(record, writing=Written(merged, text, etag)))
            return merged

        before: list[str] = []
        written = self._state.change(STORY, plan)
        if without_marks(written) != without_marks(before[-1]):
            self._say(f"{STORY} received: {changes_in_words(without_marks(before[-1]), without_marks(written))}")
        return self._state.save(record.agreed(text, etag))

    async def _send(self, record: Record, text: str, etag: str) -> bool:
        """Send what a person saved, if they did; whether there is nothing left to do."""
        local = await to_thread.run_sync(self._file.read)
        back = anchor_moved_back(read_marks(local), since=read_marks(text))
        if (without_marks(local) == without_marks(text) and back is None) or local == self._refused:
            return True
        if not is_utf8(local):
            self._refuse(local, "it holds bytes that are not UTF-8")
            return True
        record = await to_thread.run_sync(self._state.save, replace(record, sent=local))
        try:
            answer = await self._memory.edit_story(self._mind, text=local, etag=etag)
        except StoryChanged:
            await to_thread.run_sync(self._state.save, replace(record, sent=None))
            return False
        except errors.InvalidRequest as refused:
            self._refuse(local, refused.detail or refused.title)
            return True
        await to_thread.run_sync(self._state.save, record.agreed(answer.text, answer.etag))
        self._say(f"{STORY} sent: {changes_in_words(without_marks(text), without_marks(local))}")
        return True

    def _refuse(self, local: str, reason: str) -> None:
        self._refused = local
        self._say(f"{STORY} not sent: {reason}")
