"""The client that blocks. Its awaited twin in ``async_client.py`` has the same methods over the same endpoints."""

from __future__ import annotations

from contextlib import contextmanager
from time import sleep
from typing import TYPE_CHECKING, Any, Literal

from mind_memory_client import _endpoints as api
from mind_memory_client import models
from mind_memory_client._calls import Calls
from mind_memory_client._transport import Transport, new_id
from mind_memory_client.errors import MindMemoryError, Unreachable
from mind_memory_client.messages import plain_messages
from mind_memory_client.turn import Turn, begin_turn
from mind_memory_client.waiting import (
    CLOSE_SECONDS,
    LOOK_SECONDS,
    RESEND_SECONDS,
    Resending,
    UnansweredMessages,
    UnsavedTurns,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from datetime import datetime
    from types import TracebackType

    import httpx
    import httpx2
    from typing_extensions import Self

    from mind_memory_client._endpoints import OnFailure, Outcome, Part, PreTurnKind, TurnKind
    from mind_memory_client._retry import RetryPolicy
    from mind_memory_client.errors import OnUnsaved, UnsavedTurn
    from mind_memory_client.log_page import LogPage
    from mind_memory_client.messages import Messages, Placement
    from mind_memory_client.service_status import ServiceStatus
    from mind_memory_client.story import Story, StoryDiff, StorySources, StoryVersion


class MemoryClient(Calls):
    """
    A memory service. Safe to share among threads.

    *url* and *key* default to MIND_MEMORY_URL and MIND_MEMORY_KEY, then to this machine (http://127.0.0.1:8001) without
    a key. A call that nobody answers, or that a busy service puts off, is tried again as *retry* allows. *http* is a
    ``Client`` of httpx2 or httpx to send with; it stays yours to close.

    Every call raises a MindMemoryError when it fails: see ``mind_memory_client.errors``. Only ``turn`` does not: what
    it could not store waits in ``unsaved``.
    """

    def __init__(
        self,
        url: str | None = None,
        *,
        key: str | None = None,
        retry: RetryPolicy | None = None,
        http: httpx2.Client | httpx.Client | None = None,
    ) -> None:
        self._transport = Transport(url, key=key, retry=retry, http=http)
        self._send = self._transport.send
        self._waiting = UnansweredMessages()
        self.unsaved = UnsavedTurns()

    # A turn

    @contextmanager
    def turn(
        self,
        mind: str,
        session: str,
        messages: Messages,
        *,
        placement: Placement = "tail",
        now: datetime | str | None = None,
        timezone: str | None = None,
        deadline_ms: int | None = None,
        max_fragments: int | None = None,
        off_the_record: bool = False,
        kind: PreTurnKind | None = None,
        query: str | None = None,
        include: Sequence[Part] | None = None,
        filter: Mapping[str, Any] | None = None,  # noqa: A002 - the field of the API
        also_read: Sequence[str] | None = None,
        on_failure: OnFailure = "silent",
        on_unsaved: OnUnsaved = None,
        turn_id: str | None = None,
        metadata: Mapping[str, Any] | None = None,
    ) -> Iterator[Turn]:
        """
        Wrap a model call: ``with memory.turn(mind, session, messages) as turn:``.

        On entering, it asks what surfaces; send ``turn.messages`` to the model and give its answer to ``turn.answer``.
        On leaving, it stores what was said, also when the block is left by an error. *messages* is the conversation so
        far, newest last. When memory fails, the turn goes on without it, unless *on_failure* is ``"raise"``. A turn
        that can not be stored waits in ``unsaved`` and is sent again after later ones that can be. *on_unsaved* takes
        it instead; with ``"raise"``, TurnUnsaved is raised. A heartbeat or a probe, by *kind* or by its words, gets
        silence and is not remembered. *filter* and *also_read* are those of ``resonance``.
        """
        turn = begin_turn(
            mind,
            session,
            messages,
            placement=placement,
            now=now,
            timezone=timezone,
            deadline_ms=deadline_ms,
            max_fragments=max_fragments,
            off_the_record=off_the_record,
            kind=kind,
            query=query,
            include=include,
            filter=filter,
            also_read=also_read,
            on_failure=on_failure,
            on_unsaved=on_unsaved,
            turn_id=turn_id,
            metadata=metadata,
        )
        self.recall(turn)
        try:
            yield turn
        except BaseException:
            turn.broke_off()
            self.save(turn, raises=False)
            raise
        self.save(turn)

    def recall(self, turn: Turn) -> None:
        """Ask what surfaces: the first half of ``turn``, for a framework without a place for a ``with`` block."""
        if turn.recall_call is not None:
            turn.recalled(self._send(turn.recall_call))

    def save(self, turn: Turn, *, raises: bool = True) -> None:
        """Store what was said: the second half of ``turn``. With *raises* false, a failure is logged instead."""
        call = None
        try:
            while not self.unsaved.drop_unanswered(turn.mind, turn.session, turn.user_words):
                sleep(LOOK_SECONDS)
            if (call := turn.store_call(self._waiting)) is None:
                return
            stored = self._send(call)
        except MindMemoryError as error:
            turn.was_not_stored(call, error, self._waiting, raises=raises, queue=self.unsaved)
        except BaseException:  # it may be on disk or not, and sent again it is stored once
            stopped = Unreachable("the caller stopped while it was sent", was_sent=True)
            turn.was_not_stored(call, stopped, self._waiting, raises=False, queue=self.unsaved)
            raise
        else:
            turn.was_stored(stored, self._waiting)
            self._resend_all()

    def resend(self, unsaved: UnsavedTurn) -> models.StoredTurn:
        """Send a turn again that could not be stored; however often it is sent, it is stored once."""
        return self._send(api.TURNS.call(mind_id=unsaved.mind, body=unsaved.body))

    def _resend_all(self, *, seconds: float = RESEND_SECONDS, is_last: bool = False) -> None:
        with Resending(self.unsaved, self._waiting, seconds=seconds, is_last=is_last) as turns:
            for unsaved in turns:
                with turns.sending(unsaved):
                    self._send(api.TURNS.call(mind_id=unsaved.mind, body=unsaved.body, seconds=turns.seconds))

    def resonance(
        self,
        mind: str,
        session: str,
        messages: Messages,
        *,
        now: datetime | str | None = None,
        timezone: str | None = None,
        deadline_ms: int | None = None,
        max_fragments: int | None = None,
        max_tokens: int | None = None,
        placement: Literal["tail", "system"] | None = None,
        known_story_etag: str | None = None,
        off_the_record: bool = False,
        kind: PreTurnKind | None = None,
        relevance: float | None = None,
        query: str | None = None,
        include: Sequence[Part] | None = None,
        with_audio: bool = False,
        filter: Mapping[str, Any] | None = None,  # noqa: A002 - the field of the API
        also_read: Sequence[str] | None = None,
        on_failure: OnFailure = "raise",
    ) -> models.Resonance:
        """
        Ask before a turn what surfaces. A mind without a turn is silent.

        *deadline_ms* limits the search; 0 stands for no deadline. *relevance*, from 0 to 1, is how sure the gate must
        be. *query* is searched for in place of the last message. *include* names the parts that are wanted: with
        ``["flashbacks"]``, story and recall protocol are left out. *filter* names the turns that count, by
        ``session_ids``, ``speakers``, ``turn_kinds`` and ``metadata``. *also_read* are other minds whose memories may
        surface too. *with_audio* sends what was spoken, too. With ``on_failure="silent"`` a failure is answered by
        silence that says why: a chat goes on.
        """
        call = api.resonance(
            mind,
            session,
            messages,
            now=now,
            timezone=timezone,
            deadline_ms=deadline_ms,
            max_fragments=max_fragments,
            max_tokens=max_tokens,
            placement=placement,
            known_story_etag=known_story_etag,
            off_the_record=off_the_record,
            kind=kind,
            relevance=relevance,
            query=query,
            include=include,
            with_audio=with_audio,
            filter=filter,
            also_read=also_read,
            on_failure=on_failure,
        )
        return self._send(call)

    def store_turn(
        self,
        mind: str,
        session: str,
        messages: Messages,
        *,
        turn_id: str | None = None,
        kind: TurnKind | None = None,
        off_the_record: bool = False,
        metadata: Mapping[str, Any] | None = None,
        trace_id: str | None = None,
        outcomes: Mapping[str, Outcome] | None = None,
        with_audio: bool = False,
    ) -> models.StoredTurn:
        """
        Store a turn. It is on disk when this returns, and stored once in any number of attempts.

        *outcomes* reports what became of flashbacks, by their ids; *trace_id* is that of their resonance.
        *with_audio* sends the ``input_audio`` parts of messages, to be transcribed; else they are left out.
        """
        call = api.store_turn(
            mind,
            session,
            messages,
            turn_id=turn_id or new_id(),
            kind=kind,
            off_the_record=off_the_record,
            metadata=metadata,
            trace_id=trace_id,
            outcomes=outcomes,
            with_audio=with_audio,
        )
        return self._send(call)

    def compaction(self, mind: str, *, session: str, messages: Messages) -> models.Compaction:
        """Store the messages of a context window before it is cut; those that are not known yet become turns."""
        body = {"messages": plain_messages(messages)}
        return self._send(api.COMPACTION.call(mind_id=mind, session_id=session, body=body))

    # Recall on purpose

    def remember(
        self,
        mind: str,
        query: str,
        *,
        kinds: Sequence[Literal["fact", "entity", "episode", "observation"]] | None = None,
        since: datetime | str | None = None,
        until: datetime | str | None = None,
        at: datetime | str | None = None,
        limit: int | None = None,
        entity_kinds: Sequence[str] | None = None,
        session_ids: Sequence[str] | None = None,
        speakers: Sequence[str] | None = None,
        turn_kinds: Sequence[Literal["turn", "import", "memory", "action"]] | None = None,
        metadata: Mapping[str, Any] | None = None,
        also_read: Sequence[str] | None = None,
        asker: str | None = None,
    ) -> models.Remembered:
        """
        Search facts, entities, episodes and observations, best first. *at* finds facts that held at that time.

        *entity_kinds* finds entities of these kinds alone, and facts that join one. *session_ids*, *speakers*,
        *turn_kinds* and *metadata* name the turns that count; a field of *metadata* may have several values.
        *also_read* are other minds that are searched too. *asker* is the name of who asks, to whom "I" refers.
        """
        asked: dict[str, object] = {"query": query, "kinds": kinds, "entity_kinds": entity_kinds, "limit": limit}
        asked |= {"since": since, "until": until, "at": at, "session_ids": session_ids, "speakers": speakers}
        asked |= {"turn_kinds": turn_kinds, "also_read": also_read, "asker": asker, "metadata": metadata or None}
        return self._send(api.REMEMBER.call(mind_id=mind, query=asked))

    def search_log(
        self,
        mind: str,
        query: str,
        *,
        session: str | None = None,
        role: Literal["user", "assistant", "system", "tool", "thought"] | None = None,
        since: datetime | str | None = None,
        until: datetime | str | None = None,
        exclude_from: datetime | str | None = None,
        limit: int | None = None,
        context: int | None = None,
        cursor: str | None = None,
        timezone: str | None = None,
        language: str | None = None,
    ) -> LogPage:
        """
        Search every stored message word for word, newest first, with *context* messages around each.

        *exclude_from* leaves out what was said at that time and later; ``cycle`` stands for when the agent last woke.
        *timezone* and *language* are those of each item's age. *cursor* is the ``next_cursor`` of the page before.
        """
        asked = {
            "query": query,
            "session_id": session,
            "role": role,
            "since": since,
            "until": until,
            "exclude_from": exclude_from,
            "limit": limit,
            "context": context,
            "cursor": cursor,
            "timezone": timezone,
            "language": language,
        }
        return self._send(api.LOG.call(mind_id=mind, query=asked))

    def journal_search(
        self, mind: str, *, query: str, max_results: int | None = None, min_score: float | None = None
    ) -> models.JournalSearch:
        """Search MEMORY.md and the files of memory/ by meaning and by words, best first."""
        asked = {"query": query, "max_results": max_results, "min_score": min_score}
        return self._send(api.JOURNAL_SEARCH.call(mind_id=mind, query=asked))

    def journal_get(
        self, mind: str, *, path: str, from_line: int | None = None, lines: int | None = None
    ) -> models.JournalFile:
        """Read lines of MEMORY.md or of a file of memory/; *from_line* counts from 1."""
        asked = {"path": path, "from_line": from_line, "lines": lines}
        return self._send(api.JOURNAL_FILE.call(mind_id=mind, query=asked))

    def report_outcomes(
        self,
        shown: models.Resonance | str,
        outcomes: Outcome | Mapping[str, Outcome],
        *,
        trace_id: str | None = None,
    ) -> models.AppliedOutcomes:
        """
        Tell what became of flashbacks, so that what helps surfaces sooner and what is wrong stays away.

        *outcomes* is one for all that surfaced, or each its own, by id. With a mind's name instead of a resonance, ids
        are those of its trace *trace_id*; without that, of any memories, as ``remember`` gives them.
        """
        call = api.report_outcomes(shown, outcomes, trace_id=trace_id)
        return self._send(call) if call is not None else models.AppliedOutcomes(applied=0, unknown=())

    def trace(self, mind: str, *, trace_id: str) -> dict[str, Any]:
        """Read phase by phase why each fragment surfaced or did not."""
        return self._send(api.TRACE.call(mind_id=mind, trace_id=trace_id))

    def traces(self, mind: str, *, limit: int | None = None) -> tuple[dict[str, Any], ...]:
        """Read the newest traces, newest first."""
        return self._send(api.TRACES.call(mind_id=mind, query={"limit": limit})).traces

    # The story

    def story(self, mind: str) -> Story:
        """Read the story with its chapters, and the etag that an edit must name."""
        return self._send(api.STORY.call(mind_id=mind))

    def story_bytes(self, mind: str, *, version: str | None = None) -> bytes:
        """Read STORY.md, or an earlier *version* of it, byte for byte."""
        return self._send(api.story_bytes(mind, version=version))

    def edit_story(self, mind: str, *, text: str, etag: str) -> Story:
        """Replace the story that *etag* names. Raises StoryChanged where somebody changed it meanwhile."""
        return self._send(api.edit_story(mind, text=text, etag=etag))

    def story_sources(self, mind: str, *, after: int | None = None, limit: int | None = None) -> StorySources:
        """Read which turns carry each sentence of the story, from the chapter behind the first *after* on."""
        return self._send(api.STORY_SOURCES.call(mind_id=mind, query={"after": after, "limit": limit}))

    def story_history(self, mind: str) -> tuple[StoryVersion, ...]:
        """List earlier versions of the story, newest first."""
        return self._send(api.STORY_HISTORY.call(mind_id=mind)).versions

    def story_diff(self, mind: str, *, since: str, until: str | None = None) -> StoryDiff:
        """Compare a version of the story with another one, or with the story as it is now."""
        return self._send(api.STORY_DIFF.call(mind_id=mind, query={"from": since, "to": until}))

    def restore_story(self, mind: str, *, version: str, retell: bool = False) -> Story:
        """
        Go back to an earlier version. With *retell*, the turns after it are written into the story again.

        The version ``beginning`` is before all chapters.
        """
        return self._send(api.STORY_RESTORE.call(mind_id=mind, body={"version": version, "retell": retell}))

    def consolidate(
        self,
        mind: str,
        *,
        trigger: Literal["manual", "global_sync", "bootstrap"] = "manual",
        wait: bool = True,
        skip: bool = False,
    ) -> models.Consolidation:
        """
        Write what waits into the story, now. With *wait*, this returns when it is done.

        With *skip*, the waiting turns are marked as done and not written. ``global_sync`` reads session files first,
        ``bootstrap`` files that are dated by their names.
        """
        return self._send(api.consolidate(mind, trigger=trigger, wait=wait, skip=skip))

    def consolidation(self, mind: str) -> models.Consolidation:
        """Read what waits to enter the story, and how far the last run came."""
        return self._send(api.CONSOLIDATION.call(mind_id=mind))

    # Minds

    def minds(self) -> tuple[models.MindSummary, ...]:
        """List all minds that the key may see, by their ids; a page after the other is asked for."""
        page = self._send(api.MINDS.call(query={"limit": api.LARGEST_PAGE}))
        found = [*page.minds]
        while page.next_cursor is not None:
            page = self._send(api.MINDS.call(query={"limit": api.LARGEST_PAGE, "cursor": page.next_cursor}))
            found += page.minds
        return tuple(found)

    def mind(self, mind: str) -> models.Mind:
        """Read what a mind holds, and how far it is."""
        return self._send(api.MIND.call(mind_id=mind))

    def retry_parked(self, mind: str) -> int:
        """Give every turn that no model could read to the model once more; returns how many there are."""
        return self._send(api.RETRY_PARKED.call(mind_id=mind)).retrying

    def rebuild(self, mind: str) -> models.Rebuild:
        """Drop the graph and the full-text index; both fill again from the transcript, which asks models anew."""
        return self._send(api.REBUILD.call(mind_id=mind))

    # The service

    def status(self, *, mind: str | None = None, cursor: str | None = None, limit: int | None = None) -> ServiceStatus:
        """
        Read how service, dependencies and minds are doing; cheap enough to ask every second.

        *mind* shows one alone. *cursor* is the ``next_cursor`` of the page of minds before.
        """
        return self._send(api.STATUS.call(query={"mind_id": mind, "cursor": cursor, "limit": limit}))

    def is_alive(self) -> bool:
        """Tell whether this service answers, and not something else. It raises nothing and is not retried."""
        try:
            return self._send(api.HEALTH.call()).get("status") == "alive"
        except MindMemoryError:
            return False

    def readiness(self) -> models.Readiness:
        """Read each dependency's state. A service that is not ready answers too."""
        return self._send(api.READINESS.call())

    def request(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, object] | None = None,
        body: Mapping[str, Any] | None = None,
    ) -> dict[str, Any]:
        """Send any call that is answered by a JSON object, such as ``request("GET", "/v1/minds")``."""
        return self._send(api.any_request(method, path, query=query, body=body))

    def close(self) -> None:
        """Send what waits in ``unsaved``, for a few seconds, log what is left, and close, but not *http* of yours."""
        try:
            self._resend_all(seconds=CLOSE_SECONDS, is_last=True)
        finally:
            self._transport.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
