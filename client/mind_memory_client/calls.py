"""Every call, described once: what is sent, and how its answer is read. Nothing is sent here."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import quote

from mind_memory_client import answers, states
from mind_memory_client.call import Call, into, json_object, listed
from mind_memory_client.faults import MemoryFault, MindNotFound
from mind_memory_client.said import Messages, as_messages, said, window
from mind_memory_client.surroundings import fresh_id

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

OnFailure = Literal["raise", "silent"]
Outcome = Literal["acted", "used", "deferred", "dismissed", "contradicted"]
Trigger = Literal["manual", "global_sync", "bootstrap"]

_BEFORE_A_TURN_SECONDS = 10.0  # where the caller leaves the deadline to the service
_BEYOND_DEADLINE_SECONDS = 2.0  # the way there and back
_TELLING_SECONDS = 1800.0
_NOTHING_YET = "there is no such mind yet"


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
    off_the_record: bool = False,
    relevance: float | None = None,
    on_failure: OnFailure = "raise",
) -> Call[answers.Resonance]:
    """
    Before a turn: what surfaces. A mind without a turn is silent.

    With ``on_failure="silent"`` no failure is raised: the answer is silence, that says why, so that a chat goes on.
    """
    whole = as_messages(messages)
    body = {
        "session_id": session,
        "messages": window(whole),
        "now": _instant(now),
        "timezone": timezone,
        "deadline_ms": deadline_ms,
        "max_fragments": max_fragments,
        "max_tokens": max_tokens,
        "placement": placement,
        "off_the_record": off_the_record or None,
        "relevance": relevance,
    }

    def instead(fault: MemoryFault) -> answers.Resonance | None:
        if isinstance(fault, MindNotFound):
            return answers.silent(mind, whole, why=_NOTHING_YET)
        if on_failure == "silent":
            return answers.silent(mind, whole, why=str(fault), degraded=("memory_unavailable",))
        return None

    return Call(
        "POST",
        f"{_mind(mind)}/resonance",
        into(answers.Resonance),
        body=_given(body),
        attempts=2,
        seconds=_patience(deadline_ms),
        instead=instead,
    )


def store_turn(
    mind: str,
    session: str,
    messages: Messages,
    *,
    turn_id: str | None = None,
    kind: Literal["turn", "heartbeat", "probe", "import"] | None = None,
    off_the_record: bool = False,
    metadata: Mapping[str, Any] | None = None,
    trace_id: str | None = None,
    outcomes: Mapping[str, Outcome] | None = None,
) -> Call[answers.TurnKept]:
    """
    After a turn: keep it; it is on disk when this returns, and in any number of attempts it is kept once.

    *outcomes* says what became of flashbacks, by their ids; *trace_id* is their resonance's.
    """
    body = {
        "turn_id": turn_id or fresh_id(),  # ours, before the first attempt, so that all attempts are one turn
        "session_id": session,
        "messages": [one for message in as_messages(messages) if (one := said(message)) is not None],
        "kind": kind,
        "off_the_record": off_the_record or None,
        "metadata": dict(metadata) if metadata else None,
        "trace_id": trace_id,
        "outcomes": [{"id": one, "outcome": outcome} for one, outcome in (outcomes or {}).items()] or None,
    }
    return Call("POST", f"{_mind(mind)}/turns", into(answers.TurnKept), body=_given(body))


def remember(
    mind: str,
    query: str,
    *,
    kinds: Sequence[Literal["fact", "entity", "episode"]] | None = None,
    since: datetime | str | None = None,
    until: datetime | str | None = None,
    at: datetime | str | None = None,
    limit: int | None = None,
) -> Call[answers.Remembered]:
    """Recall on purpose: facts, entities and episodes, best first."""
    asked = {"query": query, "since": _instant(since), "until": _instant(until), "at": _instant(at), "limit": limit}
    query_pairs = (*_query(**asked), *(("kinds", kind) for kind in kinds or ()))
    return Call("GET", f"{_mind(mind)}/remember", into(answers.Remembered), query=query_pairs)


def journal_search(
    mind: str, query: str, *, max_results: int | None = None, min_score: float | None = None
) -> Call[answers.JournalFound]:
    """Search MEMORY.md and the files of memory/ by meaning and by words, best first."""
    asked = _query(query=query, max_results=max_results, min_score=min_score)
    return Call("GET", f"{_mind(mind)}/journal/search", into(answers.JournalFound), query=asked)


def journal_get(
    mind: str, path: str, *, from_line: int | None = None, lines: int | None = None
) -> Call[answers.JournalFile]:
    """Lines of MEMORY.md or of a file of memory/."""
    asked = _query(path=path, from_line=from_line, lines=lines)
    return Call("GET", f"{_mind(mind)}/journal/file", into(answers.JournalFile), query=asked)


def story(mind: str) -> Call[answers.Story]:
    """The story as it stands."""
    return Call("GET", f"{_mind(mind)}/story", into(answers.Story), headers={"Accept": "application/json"})


def edit_story(mind: str, text: str, *, etag: str) -> Call[answers.Story]:
    """Put *text* in the place of the story that *etag* names; StoryChanged where another stands by now."""
    headers = {"If-Match": etag}
    place = f"{_mind(mind)}/story"
    return Call("PUT", place, into(answers.Story), body={"text": text}, headers=headers, is_repeatable=False)


def consolidate(
    mind: str, *, trigger: Trigger = "manual", wait: bool = True, skip: bool = False
) -> Call[states.Consolidation]:
    """Tell what waits, now; with *wait*, answered when it is told; with *skip*, counted as told without telling."""
    body = {"trigger": trigger, "wait": wait, "skip": skip}
    seconds = _TELLING_SECONDS if wait else None
    return Call("POST", f"{_mind(mind)}/consolidation", into(states.Consolidation), body=body, seconds=seconds)


def consolidation(mind: str) -> Call[states.Consolidation]:
    """How far the telling is."""
    return Call("GET", f"{_mind(mind)}/consolidation", into(states.Consolidation))


def compaction(mind: str, session: str, messages: Messages) -> Call[states.Compacted]:
    """A window that is about to be cut: what is not known yet becomes turns."""
    body = {"messages": [one for message in as_messages(messages) if (one := said(message)) is not None]}
    return Call("POST", f"{_mind(mind)}/sessions/{_part(session)}/compaction", into(states.Compacted), body=body)


def mind(mind: str) -> Call[states.Mind]:
    """What a mind holds, and how far it is."""
    return Call("GET", _mind(mind), into(states.Mind))


def minds() -> Call[tuple[states.MindListed, ...]]:
    """Every mind that the key may see."""
    return Call("GET", "/v1/minds", lambda reply: into(states.Minds)(reply).minds)


def trace(mind: str, trace_id: str) -> Call[dict[str, Any]]:
    """Why each fragment surfaced or did not, phase by phase."""
    return Call("GET", f"{_mind(mind)}/traces/{_part(trace_id)}", json_object)


def traces(mind: str, *, limit: int | None = None) -> Call[tuple[dict[str, Any], ...]]:
    """The newest traces, newest first."""
    return Call(
        "GET", f"{_mind(mind)}/traces", lambda reply: tuple(listed(reply, name="traces")), query=_query(limit=limit)
    )


def _mind(mind: str) -> str:
    return f"/v1/minds/{_part(mind)}"


def _part(text: str) -> str:
    """*text* as one step of a path, also where it is dots."""
    return quote(text, safe="") if text.strip(".") else text.replace(".", "%2E")


def _patience(deadline_ms: int | None) -> float | None:
    if deadline_ms is None:
        return _BEFORE_A_TURN_SECONDS
    return deadline_ms / 1000 + _BEYOND_DEADLINE_SECONDS if deadline_ms else None


def _given(body: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in body.items() if value is not None}


def _query(**asked: object) -> tuple[tuple[str, str], ...]:
    return tuple((name, str(value)) for name, value in asked.items() if value is not None)


def _instant(at: datetime | str | None) -> str | None:
    return at if at is None or isinstance(at, str) else at.isoformat()
