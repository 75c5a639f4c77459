"""
Made-up lives: a person's year with an assistant, and 60 questions as people ask them, graded by what surfaces.

LoCoMo's questions name a speaker and repeat the words, and nothing in it changes. Here homes and doses change, the same
thing has other words, the bot was wrong and was corrected, and a fifth of the messages need no memory. A file holds
``turns`` and ``queries``. Of a query, ``expect`` names turns: ``top`` (one of them is the source of the best
flashback), ``all`` (each surfaces; ``"t3|t4"`` stands for either), ``any`` (one surfaces), ``none`` (outdated or wrong:
not before what is right, where its text shows one of ``stale``) and ``also`` (beside the answer, but no junk). ``says``
are strings of which one should stand in what surfaces.

Before each turn, as its client would, the service is asked what comes up, too. A reader gave ``marks`` to what may: by
turn, and by the turn that is remembered, 2 where a friend would answer otherwise for knowing it, 1 where it is on the
very subject, 0 where it is beside the point.
"""

from __future__ import annotations

import json
import secrets
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from tests.benchmarks.served import digested

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from tests.benchmarks.perfect_judge import PerfectJudge
    from tests.support.service import Running

FOLDER = Path(__file__).with_name("lives")
_MOST_JUNK = 2  # flashbacks beside the point; more of them halve the point
_NEEDED = 2  # the mark of what a friend would answer otherwise for

type Verdict = Literal["right", "with junk", "wrong", "silent wrongly", "not silent"]

POINTS: Mapping[Verdict, float] = {"right": 1.0, "with junk": 0.5}


@dataclass(frozen=True, slots=True)
class Query:
    """A message that ends a window, and what should surface for it; ``is_silent`` where nothing should."""

    id: str
    kind: str
    messages: tuple[Mapping[str, str], ...]
    expect: Mapping[str, Sequence[str]]
    is_silent: bool
    now: str


@dataclass(frozen=True, slots=True)
class Life:
    """One life: the bodies of ``POST …/turns`` in their order, the queries, and the marks of what comes up."""

    mind_id: str
    turns: tuple[Mapping[str, Any], ...]
    queries: tuple[Query, ...]
    marks: Mapping[str, Mapping[str, int]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Graded:
    """A query with its verdict, the reason of it, and whether what surfaced ``says`` the answer (None: not asked)."""

    query: Query
    verdict: Verdict
    reason: str
    says: bool | None
    flashbacks: Sequence[Mapping[str, Any]] = field(default=(), repr=False)


def read_life(file: Path) -> Life:
    """The life in *file*. Raises OSError, KeyError, json.JSONDecodeError."""
    found = json.loads(file.read_text(encoding="utf-8"))
    queries = (
        Query(
            one["id"],
            one["kind"],
            tuple(one["messages"]),
            one["expect"],
            one["silent"],
            one.get("now", found["now"]),
        )
        for one in found["queries"]
    )
    return Life(found["mind"], tuple(found["turns"]), tuple(queries), found.get("marks", {}))


async def chat(service: Running, life: Life, *, advanced: Callable[[], None] = lambda: None) -> dict[str, float]:
    """
    Live *life* in a mind of its own, turn by turn, with a pre-turn call before each, and tell what came up.

    ``surfaced`` is the share of calls, ``memories`` how many a call that surfaced any, ``of use`` the share of those
    with a mark that have 1 or 2, ``needed`` the share of calls with a 2 to be had in which one came up.
    """
    mind_id = f"{life.mind_id}-chat"
    windows: dict[str, list[Mapping[str, str]]] = {}
    came_up: dict[str, list[int | None]] = {}
    for turn in life.turns:
        window = windows.setdefault(turn["session_id"], [])
        said, *answers = turn["messages"]
        answer = await service.resonate(
            mind_id, [*window, said], session_id=turn["session_id"], now=said["timestamp"], include=["flashbacks"]
        )
        answer.raise_for_status()
        marks = life.marks.get(turn["turn_id"], {})
        sources = [[source["turn_id"] for source in one["sources"]] for one in answer.json()["flashbacks"]]
        came_up[turn["turn_id"]] = [max((marks[one] for one in some if one in marks), default=None) for some in sources]
        window += [said, *answers]
        await _tell(service, mind_id, turn)
        await digested(service, mind_id)
        advanced()
    shown = [one for some in came_up.values() for one in some]
    calls = sum(1 for some in came_up.values() if some)
    marked = [one for one in shown if one is not None]
    needed = [turn for turn, marks in life.marks.items() if _NEEDED in marks.values()]
    return {
        "surfaced": calls / len(came_up),
        "memories": len(shown) / max(calls, 1),
        "of use": sum(1 for one in marked if one) / max(len(marked), 1),
        "needed": sum(1 for turn in needed if _NEEDED in came_up[turn]) / max(len(needed), 1),
    }


async def live(service: Running, life: Life) -> None:
    """Post every turn, and wait until the mind holds them all."""
    for turn in life.turns:
        await _tell(service, life.mind_id, turn)
    await digested(service, life.mind_id)


async def _tell(service: Running, mind_id: str, turn: Mapping[str, Any]) -> None:
    body = {name: turn[name] for name in ("session_id", "turn_id", "messages")}
    (await service.http.post(f"/v1/minds/{mind_id}/turns", json=body)).raise_for_status()


async def graded(
    service: Running,
    life: Life,
    *,
    perfect: PerfectJudge | None = None,
    advanced: Callable[[], None] = lambda: None,
) -> list[Graded]:
    """Each query of *life*, in a session of its own, without a deadline; *perfect* is the model of the service."""
    run, found = secrets.token_hex(4), []
    if perfect is not None:
        perfect.hear(life)
    for query in life.queries:
        if perfect is not None:
            perfect.query = query
        answer = await service.resonate(
            life.mind_id, list(query.messages), session_id=f"ask-{run}-{query.id}", now=query.now
        )
        answer.raise_for_status()
        flashbacks = sorted(answer.json()["flashbacks"], key=lambda one: -one["score"])
        verdict, reason = judge(query, flashbacks)
        words = " ".join(one["text"] for one in flashbacks).casefold()
        expected = query.expect.get("says")
        says = any(one.casefold() in words for one in expected) if expected else None
        found.append(Graded(query, verdict, reason, says, flashbacks))
        advanced()
    return found


async def sought(service: Running, life: Life) -> dict[str, int]:
    """
    Ask ``remember`` for turns: in how many ``queries`` of those that something answers the ``first`` turn is right, or
    one of the first ``three``. The last message alone is asked, so a question that rests on those before is harder.
    """
    found = {"queries": 0, "first": 0, "three": 0}
    for query in life.queries:
        if query.is_silent:
            continue
        asked = {"query": query.messages[-1]["content"], "kinds": ["episode"], "limit": 3}
        answer = await service.http.get(f"/v1/minds/{life.mind_id}/remember", params=asked)
        memories = answer.raise_for_status().json()["memories"]
        is_right = [any(source["turn_id"] in _key(query) for source in one["sources"]) for one in memories]
        found["queries"] += 1
        found["first"] += is_right[:1] == [True]
        found["three"] += any(is_right)
    return found


def _key(query: Query) -> frozenset[str]:
    """The turns of which one answers *query*."""
    groups = [frozenset(entry.split("|")) for entry in query.expect.get("all", ())]
    top, of_all = frozenset(query.expect.get("top", ())), frozenset[str]().union(*groups)
    return top or of_all or frozenset(query.expect.get("any", ()))


def judge(query: Query, flashbacks: Sequence[Mapping[str, Any]]) -> tuple[Verdict, str]:
    """The verdict on *flashbacks*, best first, and why."""
    if query.is_silent:
        return ("not silent", f"{len(flashbacks)} surfaced") if flashbacks else ("right", "")
    if not flashbacks:
        return "silent wrongly", "nothing surfaced"
    groups = [frozenset(entry.split("|")) for entry in query.expect.get("all", ())]
    top, of_all, key = frozenset(query.expect.get("top", ())), frozenset[str]().union(*groups), _key(query)
    named = frozenset().union(top, of_all, *(query.expect.get(name, ()) for name in ("any", "also")))
    sources = [frozenset(source["turn_id"] for source in one["sources"]) for one in flashbacks]
    seen = frozenset().union(*sources)
    if top and not sources[0] & top:
        return "wrong", f"{_ids(sources[0])} is first"
    if missing := [_ids(group) for group in groups if not group & seen]:
        return "wrong", f"{', '.join(missing)} is missing"
    if not seen & key:
        return "wrong", f"none of {_ids(key)}"
    outdated = frozenset(query.expect.get("none", ()))
    for place, turns in enumerate(sources):
        if turns & key:
            break
        text = flashbacks[place]["text"].casefold()
        if turns & outdated and any(one.casefold() in text for one in query.expect.get("stale", ("",))):
            return "wrong", f"{_ids(turns & outdated)} comes before what is right"
    junk = sum(1 for turns in sources if not turns & named)
    return ("with junk", f"{junk} of {len(sources)} beside the point") if junk > _MOST_JUNK else ("right", "")


def points(found: Iterable[Graded]) -> float:
    """The points of all verdicts."""
    return sum(POINTS.get(one.verdict, 0.0) for one in found)


def by_kind(found: Sequence[Graded]) -> dict[str, tuple[float, int]]:
    """Points, and the number of queries, by kind."""
    kinds = dict.fromkeys(one.query.kind for one in found)
    of_kind = {kind: [one for one in found if one.query.kind == kind] for kind in kinds}
    return {kind: (points(some), len(some)) for kind, some in of_kind.items()}


def spoken(found: Iterable[Graded]) -> tuple[int, int]:
    """How many right queries show the words of the answer itself, and how many queries have one crisp answer."""
    crisp = [one for one in found if one.says is not None]
    return sum(1 for one in crisp if one.says and one.verdict in POINTS), len(crisp)


def _ids(turns: Iterable[str]) -> str:
    return "|".join(sorted(turns))
