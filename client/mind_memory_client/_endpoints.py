"""
Every call of the HTTP API, described once: what is sent, how its answer is read, whether it may be sent twice.

Nothing is sent here. An Endpoint is one route; its ``call`` fills in one request.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeVar
from urllib.parse import quote

from pydantic import BaseModel, ValidationError

from mind_memory_client import models
from mind_memory_client.errors import MindMemoryError, MindNotFound, UnexpectedAnswer, is_passing, log
from mind_memory_client.log_page import LogPage
from mind_memory_client.messages import Messages, as_list, newest_that_fit, plain_messages
from mind_memory_client.observations import Observations
from mind_memory_client.service_status import ServiceStatus
from mind_memory_client.sleep import Dreams, KeptActions, SleepBegun, SleepStatus
from mind_memory_client.story import Story, StoryDiff, StoryHistory, StorySources
from mind_memory_client.waking import Waking

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")
M = TypeVar("M", bound=BaseModel)

Memories = str | Mapping[str, Any] | Iterable[str | Mapping[str, Any]]
Actions = Mapping[str, Any] | Iterable[Mapping[str, Any]]
OnFailure = Literal["raise", "silent"]
Part = Literal["flashbacks", "story", "protocol"]
Outcome = Literal["acted", "used", "deferred", "dismissed", "contradicted"]
PreTurnKind = Literal["turn", "heartbeat", "probe"]
TurnKind = Literal["turn", "heartbeat", "probe", "import"]

LARGEST_PAGE = 500  # of a list
_MARKDOWN, _ZIP, EVENTS_TYPE = "text/markdown", "application/zip", "text/event-stream"
_PRE_TURN_SECONDS = 10.0  # where the caller leaves the deadline to the service
_ROUND_TRIP_SECONDS = 2.0  # added to a deadline, which the service counts without the way there and back
_CONSOLIDATION_SECONDS = 1800.0
_LONG_SECONDS = 3600.0  # a large mind takes its time before the first byte
_HEALTH_SECONDS = 5.0
_TRIM_SECONDS = 120.0  # megabytes may leave a window, and all of them are on disk when it is answered


@dataclass(frozen=True)
class Reply:
    """An HTTP answer; header names in lower case. Of a download, ``response`` is still open and ``content`` empty."""

    status: int
    headers: Mapping[str, str]
    content: bytes
    response: Any = None


@dataclass(frozen=True)
class Endpoint(Generic[T]):
    """
    A route of the API.

    ``is_repeatable`` means that doing it twice is doing it once. ``seconds`` limits all attempts together, or each
    step of an upload or a download, whose length nobody knows. An answer with one of ``other_statuses`` is read like a
    success.
    """

    method: str
    path: str
    read: Callable[[Reply], T]
    accept: str = "application/json"
    is_repeatable: bool = True
    max_attempts: int | None = None
    seconds: float | None = None
    is_download: bool = False
    is_upload: bool = False
    other_statuses: frozenset[int] = frozenset()

    def call(
        self,
        *,
        query: Mapping[str, object] | None = None,
        body: Mapping[str, Any] | None = None,
        content: Any = None,  # noqa: ANN401 - bytes, or a stream of them
        headers: Mapping[str, str] | None = None,
        seconds: float | None = None,
        fallback: Callable[[MindMemoryError], T | None] = lambda _: None,
        **path: str,
    ) -> Call[T]:
        """One request; what is None in *query* and *body* is left out."""
        return Call(
            self,
            self.path.format(**{name: _step(value) for name, value in path.items()}),
            query=tuple(_pairs(query or {})),
            body=None if body is None else {name: value for name, value in body.items() if value is not None},
            content=content,
            headers={"Accept": self.accept, **(headers or {})},
            seconds=self.seconds if seconds is None else seconds,
            fallback=fallback,
        )


@dataclass(frozen=True)
class Call(Generic[T]):
    """One request, ready to be sent. ``fallback`` may give an answer to go on with when it fails."""

    endpoint: Endpoint[T]
    path: str
    query: tuple[tuple[str, str], ...]
    body: Mapping[str, Any] | None
    content: Any
    headers: Mapping[str, str]
    seconds: float | None
    fallback: Callable[[MindMemoryError], T | None]


@dataclass(frozen=True)
class AsModel(Generic[M]):
    """Reads a body as a model. Raises UnexpectedAnswer."""

    model: type[M]

    def __call__(self, reply: Reply) -> M:
        try:
            return self._validated(reply)
        except ValidationError as error:
            name, count = self.model.__name__, error.error_count()
            raise UnexpectedAnswer(f"the answer does not look like {name}: {count} fields differ") from error

    def _validated(self, reply: Reply) -> M:
        return self.model.model_validate_json(reply.content)


class AsWindow(AsModel[M]):
    """The same, of messages that may hold half of a surrogate pair, which pydantic's own parser refuses."""

    def _validated(self, reply: Reply) -> M:
        return self.model.model_validate(as_json(reply))


def as_json(reply: Reply) -> dict[str, Any]:
    """The body as a JSON object. Raises UnexpectedAnswer."""
    try:
        found = json.loads(reply.content)
    except ValueError as error:
        raise UnexpectedAnswer("the answer is not JSON") from error
    if not isinstance(found, dict):
        raise UnexpectedAnswer("the answer is not a JSON object")
    return found


def as_markdown(reply: Reply) -> bytes:
    """The body as it is. Raises UnexpectedAnswer where it is not Markdown."""
    if not reply.headers.get("content-type", "").startswith(_MARKDOWN):
        raise UnexpectedAnswer("the answer is not Markdown")
    return reply.content


def as_download(reply: Reply) -> Any:  # noqa: ANN401 - the response of either HTTP library
    """The response, still open. Raises UnexpectedAnswer where it is not an archive."""
    if not is_archive(reply.headers):
        raise UnexpectedAnswer("the answer is not an archive")
    return reply.response


def is_archive(headers: Mapping[str, str]) -> bool:
    """Whether an answer is an archive of a mind, which may be larger than memory."""
    return headers.get("content-type", "").startswith(_ZIP)


def is_download(headers: Mapping[str, str]) -> bool:
    """Whether an answer is read part by part: an archive, or events that may never end."""
    return is_archive(headers) or headers.get("content-type", "").startswith(EVENTS_TYPE)


_MIND = "/v1/minds/{mind_id}"
_STORY = f"{_MIND}/story"

TURNS = Endpoint("POST", f"{_MIND}/turns", AsModel(models.StoredTurn))
TURN_BATCH = Endpoint("POST", f"{_MIND}/turns/batch", AsModel(models.StoredBatch))
MEMORIES = Endpoint("POST", f"{_MIND}/memories", AsModel(models.SavedMemories))
COMPACTION = Endpoint("POST", f"{_MIND}/sessions/{{session_id}}/compaction", AsModel(models.Compaction))
TRIM = Endpoint("POST", f"{_MIND}/sessions/{{session_id}}/trim", AsWindow(models.TrimmedWindow), seconds=_TRIM_SECONDS)

ACTIONS = Endpoint("POST", f"{_MIND}/sessions/{{session_id}}/actions", AsModel(KeptActions))
# Not repeatable: the second call would find the agent asleep, and begin another sleep.
SLEEP = Endpoint("POST", f"{_MIND}/sleep", AsModel(SleepBegun), is_repeatable=False)
SLEEP_STATUS = Endpoint("GET", f"{_MIND}/sleep", AsModel(SleepStatus))
WAKE = Endpoint("POST", f"{_MIND}/wake", AsModel(SleepStatus))
DREAM = Endpoint("POST", f"{_MIND}/dreams", AsModel(Dreams))
DREAMS = Endpoint("GET", f"{_MIND}/dreams", AsModel(Dreams))

RESONANCE = Endpoint("POST", f"{_MIND}/resonance", AsModel(models.Resonance), max_attempts=2)
REMEMBER = Endpoint("GET", f"{_MIND}/remember", AsModel(models.Remembered))
LOG = Endpoint("GET", f"{_MIND}/log", AsModel(LogPage))
WAKING = Endpoint("GET", f"{_MIND}/waking", AsModel(Waking))
OUTCOMES = Endpoint("POST", f"{_MIND}/outcomes", AsModel(models.AppliedOutcomes))
TRACE = Endpoint("GET", f"{_MIND}/traces/{{trace_id}}", as_json)
TRACES = Endpoint("GET", f"{_MIND}/traces", AsModel(models.Traces))

JOURNAL_SEARCH = Endpoint("GET", f"{_MIND}/journal/search", AsModel(models.JournalSearch))
JOURNAL_FILE = Endpoint("GET", f"{_MIND}/journal/file", AsModel(models.JournalFile))

STORY = Endpoint("GET", _STORY, AsModel(Story))
STORY_BYTES = Endpoint("GET", _STORY, as_markdown, accept=_MARKDOWN)
STORY_EDIT = Endpoint("PUT", _STORY, AsModel(Story), is_repeatable=False)
STORY_SOURCES = Endpoint("GET", f"{_STORY}/sources", AsModel(StorySources), seconds=_LONG_SECONDS)
STORY_HISTORY = Endpoint("GET", f"{_STORY}/history", AsModel(StoryHistory))
STORY_VERSION_BYTES = Endpoint("GET", f"{_STORY}/history/{{version}}", as_markdown, accept=_MARKDOWN)
STORY_DIFF = Endpoint("GET", f"{_STORY}/diff", AsModel(StoryDiff))
STORY_RESTORE = Endpoint("POST", f"{_STORY}/restore", AsModel(Story), is_repeatable=False)

OBSERVATIONS = Endpoint("GET", f"{_MIND}/observations", AsModel(Observations))
OBSERVATIONS_EDIT = Endpoint("PUT", f"{_MIND}/observations", AsModel(Observations), is_repeatable=False)

CONSOLIDATE = Endpoint("POST", f"{_MIND}/consolidation", AsModel(models.Consolidation))
CONSOLIDATION = Endpoint("GET", f"{_MIND}/consolidation", AsModel(models.Consolidation))

MINDS = Endpoint("GET", "/v1/minds", AsModel(models.Minds))
MIND = Endpoint("GET", _MIND, AsModel(models.Mind))
RETRY_PARKED = Endpoint("POST", f"{_MIND}/parked/retry", AsModel(models.RetriedTurns))
REBUILD = Endpoint("POST", f"{_MIND}/rebuild", AsModel(models.Rebuild), is_repeatable=False, seconds=_LONG_SECONDS)
EXPORT = Endpoint("GET", f"{_MIND}/export", as_download, accept=_ZIP, seconds=_LONG_SECONDS, is_download=True)
IMPORT = Endpoint(
    "POST",
    f"{_MIND}/import",
    AsModel(models.ImportedMind),
    is_repeatable=False,
    max_attempts=1,  # a stream can not be read twice
    seconds=_LONG_SECONDS,
    is_upload=True,
)
# Not repeatable: once it is done, the same call is answered by 404 instead of the receipt.
ERASE = Endpoint("DELETE", _MIND, AsModel(models.Erasure), is_repeatable=False, seconds=_LONG_SECONDS)
ERASE_SESSION = Endpoint(
    "DELETE",
    f"{_MIND}/sessions/{{session_id}}",
    AsModel(models.Erasure),
    is_repeatable=False,
    seconds=_LONG_SECONDS,
)
ERASE_TURN = Endpoint(
    "DELETE", f"{_MIND}/turns/{{turn_id}}", AsModel(models.Erasure), is_repeatable=False, seconds=_LONG_SECONDS
)

STATUS = Endpoint("GET", "/v1/status", AsModel(ServiceStatus))
HEALTH = Endpoint("GET", "/healthz", as_json, max_attempts=1, seconds=_HEALTH_SECONDS)
READINESS = Endpoint(
    "GET", "/readyz", AsModel(models.Readiness), seconds=_HEALTH_SECONDS, other_statuses=frozenset({503})
)


def resonance(
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
) -> Call[models.Resonance]:
    """The call before a turn; of a mind that does not exist yet, the answer is silence."""
    whole = as_list(messages)

    def fallback(error: MindMemoryError) -> models.Resonance | None:
        if isinstance(error, MindNotFound):
            return models.Resonance.silent(mind, whole, why="this mind does not exist yet")
        if on_failure == "silent":
            if not is_passing(error):
                log.error("nothing surfaces in %s: %s", mind, error)
            return models.Resonance.silent(mind, whole, why=str(error), degraded=("memory_unavailable",))
        return None

    body = {
        "session_id": session,
        "messages": newest_that_fit(whole, with_audio=with_audio),
        "now": now.isoformat() if isinstance(now, datetime) else now,
        "timezone": timezone,
        "deadline_ms": deadline_ms,
        "max_fragments": max_fragments,
        "max_tokens": max_tokens,
        "placement": placement,
        "known_story_etag": known_story_etag,
        "off_the_record": off_the_record or None,
        "kind": kind,
        "relevance": relevance,
        "query": query,
        "include": list(include) if include is not None else None,
        "filter": dict(filter) if filter is not None else None,
        "also_read": list(also_read) if also_read is not None else None,
    }
    return RESONANCE.call(mind_id=mind, body=body, seconds=_pre_turn_seconds(deadline_ms), fallback=fallback)


def store_turn(
    mind: str,
    session: str,
    messages: Messages,
    *,
    turn_id: str,
    kind: TurnKind | None = None,
    off_the_record: bool = False,
    metadata: Mapping[str, Any] | None = None,
    trace_id: str | None = None,
    outcomes: Mapping[str, Outcome] | None = None,
    with_audio: bool = False,
) -> Call[models.StoredTurn]:
    """The call after a turn. Its id is chosen before the first attempt, so all attempts are the same turn."""
    body = {
        "turn_id": turn_id,
        "session_id": session,
        "messages": plain_messages(messages, with_audio=with_audio),
        "kind": kind,
        "off_the_record": off_the_record or None,
        "metadata": dict(metadata) if metadata else None,
        "trace_id": trace_id,
        "outcomes": [{"id": one, "outcome": outcome} for one, outcome in (outcomes or {}).items()] or None,
    }
    return TURNS.call(mind_id=mind, body=body)


def store_turns(
    mind: str, turns: Iterable[Mapping[str, Any]], *, fresh_id: Callable[[], str]
) -> Call[models.StoredBatch]:
    """The call that stores turns. Their ids are chosen before the first attempt, so that all attempts store once."""
    return TURN_BATCH.call(mind_id=mind, body={"turns": [_turn(one, fresh_id()) for one in turns]})


def _turn(given: Mapping[str, Any], new_id: str) -> dict[str, Any]:
    found = {**given, "turn_id": given.get("turn_id") or new_id, "messages": plain_messages(given["messages"])}
    if isinstance(outcomes := found.get("outcomes"), Mapping):
        found["outcomes"] = [{"id": one, "outcome": outcome} for one, outcome in outcomes.items()]
    return {name: value for name, value in found.items() if value is not None}


def report_outcomes(
    shown: models.Resonance | str, outcomes: Outcome | Mapping[str, Outcome], *, trace_id: str | None
) -> Call[models.AppliedOutcomes] | None:
    """The call that tells what became of flashbacks; None where there is nothing to tell."""
    if isinstance(shown, models.Resonance):
        mind, trace_id = shown.mind_id, trace_id or shown.trace_id
        by_id = dict.fromkeys((one.id for one in shown.flashbacks), outcomes) if isinstance(outcomes, str) else outcomes
    elif isinstance(outcomes, str):
        raise TypeError("say of which memories: {id: outcome}")
    else:
        mind, by_id = shown, outcomes
    if not by_id:
        return None
    body = {"trace_id": trace_id, "outcomes": [{"id": one, "outcome": outcome} for one, outcome in by_id.items()]}
    return OUTCOMES.call(mind_id=mind, body=body)


def save_memories(
    mind: str,
    memories: Memories,
    *,
    importance: float | None = None,
    session: str | None = None,
    fresh_id: Callable[[], str],
) -> Call[models.SavedMemories]:
    """The call that saves memories. Their ids are chosen before the first attempt, so that all attempts save once."""
    found = [dict(one) if isinstance(one, Mapping) else {"text": one} for one in as_memories(memories)]
    body = {"session_id": session, "memories": [_memory(one, importance, fresh_id()) for one in found]}
    return MEMORIES.call(mind_id=mind, body=body)


def as_memories(memories: Memories) -> list[str | Mapping[str, Any]]:
    """*memories* as a list; a string is one memory."""
    return [memories] if isinstance(memories, (str, Mapping)) else list(memories)


def _memory(given: Mapping[str, Any], importance: float | None, new_id: str) -> dict[str, Any]:
    found = {"id": new_id, "importance": importance, **given}
    if isinstance(at := found.get("occurred_at"), datetime):
        found["occurred_at"] = at.isoformat()
    return {name: value for name, value in found.items() if value is not None}


def trim(
    mind: str, session: str, messages: Iterable[Mapping[str, Any]], *, keep: int | None, max_characters: int | None
) -> Call[models.TrimmedWindow]:
    """The call that trims a context window, in ASCII: what a tool printed may hold half of a surrogate pair."""
    body = {"messages": [dict(one) for one in messages], "keep": keep, "max_characters": max_characters}
    content = json.dumps({name: value for name, value in body.items() if value is not None}).encode()
    headers = {"Content-Type": "application/json"}
    return TRIM.call(mind_id=mind, session_id=session, content=content, headers=headers)


def act(mind: str, session: str, actions: Actions, *, fresh_id: Callable[[], str]) -> Call[KeptActions]:
    """The call that stores actions. Their ids are chosen before the first attempt, so that all attempts store once."""
    found = [actions] if isinstance(actions, Mapping) else list(actions)
    body = {"actions": [_action(one, fresh_id()) for one in found]}
    return ACTIONS.call(mind_id=mind, session_id=session, body=body)


def _action(given: Mapping[str, Any], new_id: str) -> dict[str, Any]:
    found = {**given, "id": given.get("id") or new_id}
    if isinstance(at := found.get("timestamp"), datetime):
        found["timestamp"] = at.isoformat()
    return found


def sleep(mind: str, *, seconds: float, session: str | None, timezone: str | None, wait: bool) -> Call[SleepBegun]:
    """The call that lets an agent sleep; it may take long when it waits for the dream."""
    body = {"seconds": seconds, "session_id": session, "timezone": timezone, "wait": wait}
    return SLEEP.call(mind_id=mind, body=body, seconds=_CONSOLIDATION_SECONDS if wait else None)


def dream(mind: str, *, deep: bool, timezone: str | None, wait: bool) -> Call[Dreams]:
    """The call that begins a dream; it may take long when it waits for its end."""
    body = {"deep": deep, "timezone": timezone, "wait": wait}
    return DREAM.call(mind_id=mind, body=body, seconds=_CONSOLIDATION_SECONDS if wait else None)


def edit_story(mind: str, *, text: str, etag: str) -> Call[Story]:
    """The call that replaces a story, as Markdown: JSON would limit its length."""
    headers = {"Content-Type": f"{_MARKDOWN}; charset=utf-8", "If-Match": etag}
    return STORY_EDIT.call(mind_id=mind, content=text.encode("utf-8", "surrogateescape"), headers=headers)


def put_observations(mind: str, *, text: str, etag: str) -> Call[Observations]:
    """The call that replaces observations, as Markdown."""
    headers = {"Content-Type": f"{_MARKDOWN}; charset=utf-8", "If-Match": etag}
    return OBSERVATIONS_EDIT.call(mind_id=mind, content=text.encode("utf-8", "surrogateescape"), headers=headers)


def story_bytes(mind: str, *, version: str | None) -> Call[bytes]:
    """The call for a story as it is on disk."""
    if version is None:
        return STORY_BYTES.call(mind_id=mind)
    return STORY_VERSION_BYTES.call(mind_id=mind, version=version)


def consolidate(mind: str, *, trigger: str, wait: bool, skip: bool) -> Call[models.Consolidation]:
    """The call that begins a run; it may take long when it waits for the end."""
    body = {"trigger": trigger, "wait": wait, "skip": skip}
    return CONSOLIDATE.call(mind_id=mind, body=body, seconds=_CONSOLIDATION_SECONDS if wait else None)


def import_archive(mind: str, *, archive: object, reembed: bool, prompts: bool) -> Call[models.ImportedMind]:
    """The call that uploads an archive."""
    headers = {"Content-Type": _ZIP}
    query = {"reembed": reembed or None, "prompts": prompts or None}
    return IMPORT.call(mind_id=mind, query=query, content=archive, headers=headers)


def any_request(
    method: str, path: str, *, query: Mapping[str, object] | None, body: Mapping[str, Any] | None
) -> Call[dict[str, Any]]:
    """A call of a route that has no description here; only a GET is sent twice."""
    endpoint = Endpoint(method, path.replace("{", "{{").replace("}", "}}"), as_json, is_repeatable=method == "GET")
    return endpoint.call(query=query, body=body)


def _pre_turn_seconds(deadline_ms: int | None) -> float | None:
    if deadline_ms is None:
        return _PRE_TURN_SECONDS
    return deadline_ms / 1000 + _ROUND_TRIP_SECONDS if deadline_ms else None  # 0 stands for no deadline


def _step(text: str) -> str:
    """*text* as one step of a path, also where it is dots, which a client would resolve."""
    return quote(text, safe="") if text.strip(".") else text.replace(".", "%2E")


def _pairs(query: Mapping[str, object]) -> list[tuple[str, str]]:
    return [
        (name, _text(one))
        for name, value in query.items()
        for one in (value if isinstance(value, (list, tuple)) else (value,))
        if one is not None
    ]


def _text(value: object) -> str:
    if isinstance(value, datetime):
        return value.isoformat()
    own = dict(value) if isinstance(value, Mapping) else value
    return json.dumps(own) if isinstance(own, (bool, dict)) else str(own)
