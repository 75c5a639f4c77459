"""
Made-up lives: a person's year with an assistant, and 60 questions as people ask them, graded by what surfaces.

LoCoMo's questions name a speaker and repeat the words, and nothing in it changes. Here homes and doses change, the same
thing has other words, the bot was wrong and was corrected, and a fifth of the messages need no memory. A file holds
``turns`` and ``queries``. Of a query, ``expect`` names turns: ``top`` (one of them is the source of the best
flashback), ``all`` (each surfaces; ``"t3|t4"`` stands for either), ``any`` (one surfaces), ``none`` (outdated or wrong:
not before what is right, where its text shows one of ``stale``) and ``also`` (beside the answer, but no junk). ``says``
are strings of which one should stand in what surfaces.
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

    from tests.support.service import Running

FOLDER = Path(__file__).with_name("lives")
_MOST_JUNK = 2  # flashbacks beside the point; more of them halve the point

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
    """One life: the bodies of ``POST …/turns`` in their order, and the queries."""

    mind_id: str
    turns: tuple[Mapping[str, Any], ...]
    queries: tuple[Query, ...]


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
    return Life(found["mind"], tuple(found["turns"]), tuple(queries))


async def live(service: Running, life: Life) -> None:
    """Post every turn, and wait until the mind holds them all."""
    for turn in life.turns:
        body = {name: turn[name] for name in ("session_id", "turn_id", "messages")}
        (await service.http.post(f"/v1/minds/{life.mind_id}/turns", json=body)).raise_for_status()
    await digested(service, life.mind_id)


async def graded(service: Running, life: Life, *, advanced: Callable[[], None] = lambda: None) -> list[Graded]:
    """Each query of *life*, in a session of its own, without a deadline."""
    run, found = secrets.token_hex(4), []
    for query in life.queries:
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


def judge(query: Query, flashbacks: Sequence[Mapping[str, Any]]) -> tuple[Verdict, str]:
    """The verdict on *flashbacks*, best first, and why."""
    if query.is_silent:
        return ("not silent", f"{len(flashbacks)} surfaced") if flashbacks else ("right", "")
    if not flashbacks:
        return "silent wrongly", "nothing surfaced"
    groups = [frozenset(entry.split("|")) for entry in query.expect.get("all", ())]
    top, of_all = frozenset(query.expect.get("top", ())), frozenset[str]().union(*groups)
    key = top or of_all or frozenset(query.expect.get("any", ()))
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
