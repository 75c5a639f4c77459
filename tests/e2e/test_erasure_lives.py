"""Turns, erases, tellings and restarts in any order: no erased word anywhere, no other turn lost or told twice."""

import asyncio
import tempfile
from datetime import UTC, datetime, timedelta
from pathlib import Path

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from tests.e2e.test_bad_narrators import patient
from tests.e2e.test_erasure import consolidate, holding
from tests.support.embedded_graph import column
from tests.support.service import running

FIRST = datetime(2026, 1, 1, 12, tzinfo=UTC)
steps = st.lists(
    st.one_of(
        st.tuples(st.just("keep"), st.integers(0, 2)),
        st.tuples(st.just("keep"), st.integers(0, 2)),
        st.tuples(st.just("erase turn"), st.integers(0, 50)),
        st.tuples(st.just("erase session"), st.integers(0, 2)),
        st.tuples(st.just("erase and keep"), st.integers(0, 50)),
        st.tuples(st.just("tell"), st.just(0)),
        st.tuples(st.just("recall"), st.integers(0, 50)),
        st.tuples(st.just("restart"), st.just(0)),
    ),
    min_size=8,
    max_size=14,
)


class Mind:
    """What a mind was told and what of it was erased, by number."""

    def __init__(self, home):
        self.home = home
        self.count = 0
        self.kept: dict[int, str] = {}
        self.gone: set[int] = set()

    async def live(self, script):
        script = [("keep", 0), ("keep", 1), ("tell", 0), *script, ("tell", 0)]
        while script:
            async with running(self.home, settings=patient(self.home, {})) as self.service:
                while script:
                    step, number = script.pop(0)
                    if step == "restart":
                        break
                    await self.act(step, number)
                if not script:
                    await self.check()

    async def act(self, step, number):
        match step:
            case "keep":
                await self.keep(f"s{number}")
            case "erase turn" if self.kept:
                await self.erase([sorted(self.kept)[number % len(self.kept)]])
            case "erase session" if f"s{number}" in self.kept.values():
                of_it = [one for one, session in self.kept.items() if session == f"s{number}"]
                await self.erase(of_it, path=f"sessions/s{number}")
            case "erase and keep" if self.kept:  # while it is digested, told and recalled
                one = sorted(self.kept)[number % len(self.kept)]
                await asyncio.gather(self.erase([one]), self.keep("s0"), consolidate(self.service), self.recall(one))
            case "tell" if self.kept:
                await consolidate(self.service)
            case "recall" if self.kept:
                await self.recall(sorted(self.kept)[number % len(self.kept)])

    async def keep(self, session):
        self.count += 1
        number, at = self.count, FIRST + timedelta(days=self.count)
        said = {"role": "user", "timestamp": at.isoformat(), "content": sentence(number)}
        kept = await self.service.keep("ada", said, turn_id=f"turn-k{number:05}", session_id=session)
        assert kept.status_code == 202
        self.kept[number] = session

    async def erase(self, numbers, *, path=""):
        for number in numbers:
            del self.kept[number]
        path = path or f"turns/turn-k{numbers[0]:05}"
        answer = await self.service.http.delete(f"/v1/minds/ada/{path}")
        assert answer.status_code == 200 and answer.json()["verified"], answer.text
        self.gone.update(numbers)

    async def recall(self, number):
        answer = await self.service.resonate("ada", f"Where does my friend Canary{number}x live?")
        assert answer.status_code == 200

    async def check(self):
        await self.service.until("ada", lambda s: s["graph"]["lag"] == 0 and s["graph"]["episodes"] == len(self.kept))
        told = (await consolidate(self.service))["pending_turns"]
        story = (self.home / "minds/ada/STORY.md").read_text()
        contents = await column(self.service, "ada", "MATCH (n:Episodic) RETURN n.content")
        status = await self.service.status("ada")

        assert (told, status["turns"], status["graph"]["parked"]) == (0, len(self.kept), [])
        assert {number: story.count(f"k{number:05} ") for number in self.kept} == dict.fromkeys(self.kept, 1)
        assert sorted(contents) == sorted(f"user: {sentence(number)}" for number in self.kept)
        assert holding(self.home, *(f"k{number:05}" for number in self.gone)) == []
        assert holding(self.home, *(f"canary{number}x" for number in self.gone)) == []


def sentence(number):
    return f"My friend Canary{number}x has the number k{number:05} in Lyon today."


@settings(
    max_examples=3, deadline=None, suppress_health_check=list(HealthCheck), phases=[Phase.generate], derandomize=False
)
@given(steps)
def test_whatever_happens_what_is_erased_is_gone_and_all_else_is_there_once(script):
    with tempfile.TemporaryDirectory() as home:
        asyncio.run(Mind(Path(home)).live(script))
