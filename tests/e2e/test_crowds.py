"""Many pre-turn calls at once: as many are searched for as keep the processor busy, and none is lost."""

import asyncio

import pytest

from service.adapters.hashing_embedder import HashingEmbedder
from tests.support.service import running
from tests.support.waiting import until_async

pytestmark = pytest.mark.anyio

MIND = "crowd"
SUBJECTS = ("otter", "violin", "canal", "lantern", "compass", "orchard", "ferry", "walnut", "glacier", "saddle")


class HeldEmbedder(HashingEmbedder):
    """Answers queries while ``gate`` is open; ``asking`` wait for it, ``most`` did so at once."""

    def __init__(self):
        super().__init__()
        self.gate, self.asking, self.most = asyncio.Event(), 0, 0

    async def embed_queries(self, texts):
        self.asking += 1
        self.most = max(self.most, self.asking)
        try:
            await self.gate.wait()
            return await super().embed_queries(texts)
        finally:
            self.asking -= 1


class HeldProvider(HeldEmbedder):
    """The same, where another machine makes the vectors."""

    is_in_process = False


async def _told(service):
    for subject in SUBJECTS:
        await service.keep(MIND, f"I painted the {subject} for my aunt Klara.", "It came out well.")
    await service.digested(MIND)


def _asked(service, **more):
    """One call for each subject, all begun."""
    return [
        asyncio.ensure_future(
            service.resonate(MIND, f"Who did I paint the {subject} for?", session_id=f"s-{subject}", **more)
        )
        for subject in SUBJECTS
    ]


@pytest.mark.parametrize(("kind", "most"), [(HeldEmbedder, 4), (HeldProvider, len(SUBJECTS))])
async def test_of_a_crowd_a_few_are_searched_for_at_once_where_this_process_makes_the_vectors(tmp_path, kind, most):
    embedder = kind()
    async with running(tmp_path / "home", embedder=embedder) as service:
        await _told(service)
        calls = _asked(service)
        await until_async(lambda: embedder.asking == most)
        embedder.gate.set()
        answers = [call.json() for call in await asyncio.gather(*calls)]
    assert embedder.most == most
    for subject, answer in zip(SUBJECTS, answers, strict=True):
        assert subject in answer["block"]


async def test_who_waits_in_vain_is_answered_by_the_deadline_and_the_next_call_surfaces(tmp_path):
    embedder = HeldEmbedder()
    async with running(tmp_path / "home", embedder=embedder) as service:
        await _told(service)
        first = _asked(service)
        await until_async(lambda: embedder.asking == 4)
        late = [(await call).json() for call in _asked(service, deadline_ms=200)]
        embedder.gate.set()
        await asyncio.gather(*first)
        answer = (await service.resonate(MIND, "Who did I paint the otter for?", session_id="after")).json()
    assert all(not one["surfaced"] and "deadline" in one["degraded"] for one in late)
    assert "otter" in answer["block"]
