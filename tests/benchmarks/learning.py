"""
What outcomes teach: one made-up life, lived with and without a judge who reports what became of each flashback.

The judge knows from the life which turns answer a question, and which do not hold any more. Nothing else differs: the
same turns, the same questions, no model. The service's clock goes with the life.
"""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from consolidation.kernel.clock import SystemClock
from service.index.salience import OUTCOMES
from tests.benchmarks.learning_life import favourites, life
from tests.benchmarks.served import serving

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from datetime import datetime
    from pathlib import Path

    from service.index.salience import Outcome
    from tests.benchmarks.learning_life import LifeTurn
    from tests.support.service import Running

MIND = "learning"
_ACTED = 0.7  # of what answers shows in the answer; the rest only informs it
_PAIRS, _TIMES = 5, 100


@dataclass(frozen=True, slots=True)
class Shown:
    """What surfaced for one question: of each flashback, best first, the numbers of its turns, and its outcome."""

    question: LifeTurn
    turns: tuple[frozenset[int], ...]
    outcomes: tuple[Outcome, ...]

    @property
    def useful(self) -> frozenset[int]:
        """The turns that answer and surfaced."""
        return self.question.useful & frozenset[int]().union(*self.turns)

    @property
    def helping(self) -> int:
        """How many flashbacks are of use."""
        return sum(1 for one in self.outcomes if one in {"acted", "used"})


class LifeClock(SystemClock):
    """The machine's clock, but what it shows as the present is told to it."""

    def __init__(self, instant: datetime) -> None:
        self.instant = instant

    def now(self) -> datetime:
        """The instant it was told."""
        return self.instant


async def learning(
    home: Path, *, turns: int, pairs: int = _PAIRS, times: int = _TIMES, advanced: Callable[[], None]
) -> dict[str, Any]:
    """The figures of both lives, and what becomes of *pairs* of an old memory that helped so many *times* and a new one."""
    lived = life(turns=turns)
    results: dict[str, Any] = {"turns": len(lived), "questions": sum(one.role == "question" for one in lived)}
    for name, is_judged in (("without outcomes", False), ("with outcomes", True)):
        clock = LifeClock(lived[0].at)
        async with serving(home / name.replace(" ", "-"), clock=clock) as service:
            shown = await _live(service, lived, clock, is_judged=is_judged, advanced=advanced)
            results[name] = {
                half: _figures(lived, some)
                for half, some in zip(("first half", "second half"), _halves(lived, shown), strict=True)
            }
            results[name]["reported"] = (await service.status(MIND))["outcomes"]
    before, after = (results[name]["second half"]["of use"] for name in ("without outcomes", "with outcomes"))
    results["gain"] = round(after / before - 1, 3) if before else None
    clock = LifeClock(lived[-1].at)
    async with serving(home / "favourites", clock=clock) as service:
        told = [turn for turn in lived if turn.role != "question"]
        results["favourites"] = await _favourites(service, told, pairs=pairs, times=times)
    return results


def judged(question: LifeTurn, turns: frozenset[int], dice: random.Random) -> Outcome:
    """What became of a flashback that rests on these *turns*."""
    if turns & question.useful:
        return "acted" if dice.random() < _ACTED else "used"
    return "contradicted" if turns & question.outdated else "dismissed"


async def _live(
    service: Running, lived: Sequence[LifeTurn], clock: LifeClock, *, is_judged: bool, advanced: Callable[[], None]
) -> list[Shown]:
    dice, found = random.Random(len(lived)), []
    for turn in lived:
        clock.instant = turn.at
        session = f"s-{turn.at:%m-%d}"
        if turn.role == "question":
            session = turn.turn_id
            await service.digested(MIND)
            answer = await _asked(service, turn.user, session_id=session, now=turn.at)
            sources = [frozenset(map(_number, one["sources"])) for one in answer["flashbacks"]]
            outcomes = tuple(judged(turn, one, dice) for one in sources)
            found.append(Shown(turn, tuple(sources), outcomes))
            if is_judged:
                await _report(service, answer, outcomes)
        await _tell(service, turn.turn_id, session, turn.at, turn.user, turn.bot)
        advanced()
    await service.digested(MIND)
    return found


async def _favourites(service: Running, told: Sequence[LifeTurn], *, pairs: int, times: int) -> list[dict[str, Any]]:
    """
    Where something old and something new, equally relevant, surface, before and after the old was *acted* so many *times*.

    One mind is told *told*, and reports; another is told the same, and does not.
    """
    began, now = told[0].at, service.memory.clock.now()
    some = favourites()[:pairs]
    found = [{"question": question} for question, _, _ in some]
    for name, often in (("never acted", 0), (f"{times} times acted", times)):
        mind_id = f"favourites-{often}"
        for number, (_, old, _) in enumerate(some):
            await _tell(service, f"old-{number}", f"old-{number}", began, old, "Noted.", mind_id=mind_id)
        for turn in told:
            await _tell(service, turn.turn_id, f"s-{turn.at:%m-%d}", turn.at, turn.user, turn.bot, mind_id=mind_id)
        await service.digested(mind_id)
        for number, (question, _, new) in enumerate(some):
            await _favour(service, mind_id, question, f"old-{number}", now=now, times=often)
            await _tell(service, f"new-{number}", f"new-{number}", now, new, "Noted.", mind_id=mind_id)
            await service.digested(mind_id)
            answer = await _asked(service, question, session_id=f"then-{number}", now=now, mind_id=mind_id)
            ranked = sorted(answer["flashbacks"], key=lambda one: -one["score"])
            for which in ("old", "new"):
                found[number][f"{which}, {name}"] = _place([_rests_on(one, f"{which}-{number}") for one in ranked])
    return found


async def _favour(service: Running, mind_id: str, question: str, turn_id: str, *, now: datetime, times: int) -> None:
    """Ask so many *times*, and report each time that what was said in this turn was acted on."""
    for number in range(times):
        session_id = f"{turn_id}-{number}"
        answer = await _asked(service, question, session_id=session_id, now=now, mind_id=mind_id)
        ids = [one["id"] for one in answer["flashbacks"] if _rests_on(one, turn_id)]
        if not ids:
            raise RuntimeError(f"the favourite did not surface: {question}")
        report = {"trace_id": answer["trace_id"], "outcomes": [{"id": one, "outcome": "acted"} for one in ids]}
        (await service.http.post(f"/v1/minds/{mind_id}/outcomes", json=report)).raise_for_status()


def _rests_on(flashback: Mapping[str, Any], turn_id: str) -> bool:
    return any(source["turn_id"] == turn_id for source in flashback["sources"])


def _place(found: Sequence[bool]) -> int | None:
    return found.index(True) + 1 if any(found) else None


async def _asked(
    service: Running, question: str, *, session_id: str, now: datetime, mind_id: str = MIND
) -> Mapping[str, Any]:
    answer = await service.resonate(mind_id, question, session_id=session_id, now=now.isoformat())
    answer.raise_for_status()
    if (found := answer.json())["degraded"]:
        raise RuntimeError(f"the service was not whole: {found['degraded']}")
    return found


async def _report(service: Running, answer: Mapping[str, Any], outcomes: Sequence[Outcome]) -> None:
    """Tell the service what became of each flashback of *answer*."""
    pairs = zip(answer["flashbacks"], outcomes, strict=True)
    body = {"trace_id": answer["trace_id"], "outcomes": [{"id": one["id"], "outcome": said} for one, said in pairs]}
    if outcomes:
        (await service.http.post(f"/v1/minds/{MIND}/outcomes", json=body)).raise_for_status()


async def _tell(
    service: Running, turn_id: str, session_id: str, at: datetime, user: str, bot: str, *, mind_id: str = MIND
) -> None:
    messages = [
        {"role": role, "content": text, "timestamp": at.isoformat()}
        for role, text in (("user", user), ("assistant", bot))
    ]
    (await service.keep(mind_id, *messages, session_id=session_id, turn_id=turn_id)).raise_for_status()


def _halves(lived: Sequence[LifeTurn], shown: Sequence[Shown]) -> tuple[list[Shown], list[Shown]]:
    middle = len(lived) // 2
    return [one for one in shown if one.question.number <= middle], [
        one for one in shown if one.question.number > middle
    ]


def _figures(lived: Sequence[LifeTurn], shown: Sequence[Shown]) -> dict[str, Any]:
    """Shares of flashbacks, and of what answers, over some questions."""
    of_use, all_shown = sum(one.helping for one in shown), sum(len(one.turns) for one in shown)
    roles = {turn.number: turn.role for turn in lived}
    middle = len(lived) // 2
    wanted = [(one, number) for one in shown for number in one.question.useful]
    new = [(one, number) for one, number in wanted if number > middle]
    what: Counter[str] = Counter()
    for one in shown:
        for turns, outcome in zip(one.turns, one.outcomes, strict=True):
            role = roles[min(turns)]
            what["outdated" if outcome == "contradicted" else f"{role}, {_helps(outcome)}"] += 1
    return {
        "questions": len(shown),
        "silent": sum(not one.turns for one in shown),
        "shown": all_shown,
        "of use": _share(of_use, all_shown),
        **{
            f"of use, {kind}": _share(
                sum(one.helping for one in shown if one.question.is_narrow == is_narrow),
                sum(len(one.turns) for one in shown if one.question.is_narrow == is_narrow),
            )
            for kind, is_narrow in (("narrow", True), ("broad", False))
        },
        "answers found": _share(sum(number in one.useful for one, number in wanted), len(wanted)),
        "new answers found": _share(sum(number in one.useful for one, number in new), len(new)),
        "outcomes": {outcome: sum(one.outcomes.count(outcome) for one in shown) for outcome in OUTCOMES},
        "what surfaced": dict(what.most_common()),
    }


def _helps(outcome: Outcome) -> str:
    return "of use" if outcome in {"acted", "used"} else "of no use"


def _share(part: int, whole: int) -> float:
    return round(part / whole, 3) if whole else 0.0


def _number(source: Mapping[str, Any]) -> int:
    return int(source["turn_id"].removeprefix("turn-"))
