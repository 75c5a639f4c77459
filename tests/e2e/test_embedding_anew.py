"""While a mind is embedded anew, oldest turns first: it is found by its words, and says that it is."""

import asyncio
from contextlib import asynccontextmanager

import pytest

from consolidation.kernel.errors import EmbedderUnavailable
from service.adapters.multilingual_e5.embedder import MultilingualE5
from tests.support.earlier_embedder import Earlier
from tests.support.service import running
from tests.support.waiting import GIVE_UP

pytestmark = pytest.mark.anyio

BEFORE = "I work at a bank called Norbury."
NOW = "I've left the bank and work at a bookshop called Harbour Books."
ASKS = "Where do I work?"
BATCH = 32


class Halting(MultilingualE5):
    """This version's, which makes no more vectors of what is stored once it meets the newest of the old turns."""

    def __init__(self):
        super().__init__()
        self.halted, self.released, self.is_down = asyncio.Event(), asyncio.Event(), False

    async def embed(self, texts, /):
        if any("Congratulations" in text for text in texts):  # of a turn, not of a fact
            self.halted.set()
            await self.released.wait()
            if self.is_down:
                raise EmbedderUnavailable("it is down")
        return await super().embed(texts)


@pytest.fixture
async def told(tmp_path):
    """A home, and an archive, in which an earlier version was told of a change, behind more than a batch of turns."""
    async with running(tmp_path, embedder=Earlier()) as service:
        await service.keep("ada", BEFORE, "How nice.")
        for day in range(BATCH + 8):
            await service.keep("ada", f"On day {day} it rained again.", "Oh dear.", session_id=f"s{day}")
        await service.keep("ada", NOW, "Congratulations!", session_id="later")
        await service.digested("ada")
        (tmp_path / "ada.zip").write_bytes((await service.http.get("/v1/minds/ada/export")).content)
    return tmp_path


@asynccontextmanager
async def halted(home, mind_id):
    """A service of this version that has made the first vectors of a mind anew, and waits with the others."""
    embedder = Halting()
    async with running(home, embedder=embedder) as service:
        if mind_id == "ada":
            await service.resonate("ada", "Hello!", session_id="first")  # a mind is embedded anew when it is used
        else:
            archive = (home / "ada.zip").read_bytes()
            answer = await service.http.post(f"/v1/minds/{mind_id}/import", content=archive)
            assert answer.json()["reembedded"] is True
        async with asyncio.timeout(GIVE_UP):
            await embedder.halted.wait()
        await service.until(mind_id, lambda status: status["graph"]["saved"] == BATCH)
        try:
            yield service, embedder
        finally:
            embedder.released.set()


def in_order(text):
    """Which employers *text* names, in its order."""
    return sorted((one for one in ("Norbury", "Harbour Books") if one in text), key=text.index)


async def on_purpose(service, mind_id):
    """What `remember` finds first, what `ask` has as evidence, and what each says was missing."""
    asked = {"query": ASKS, "kinds": "episode"}
    remembered = (await service.http.get(f"/v1/minds/{mind_id}/remember", params=asked)).json()
    answered = (await service.http.post(f"/v1/minds/{mind_id}/ask", json={"question": ASKS})).json()
    evidence = [one["text"] for one in answered["evidence"]]
    return remembered["memories"][0]["text"], evidence, [*remembered["degraded"], *answered["degraded"]]


@pytest.mark.parametrize("mind_id", ["ada", "imported"])
async def test_what_no_longer_holds_does_not_come_first_until_all_turns_are_embedded_anew(told, mind_id):
    async with halted(told, mind_id) as (service, embedder):
        found = (await service.resonate(mind_id, ASKS)).json()
        first, evidence, degraded = await on_purpose(service, mind_id)
        status = await service.status(mind_id)
        await service.keep(mind_id, "My sister Ines keeps bees.", "Does she?", session_id="new")
        new = (await service.resonate(mind_id, "What does my sister keep?", session_id="s3")).json()
        embedder.released.set()
        await service.digested(mind_id)
        later = (await service.resonate(mind_id, ASKS, session_id="s4")).json()
        *_, later_degraded = await on_purpose(service, mind_id)

    assert in_order(found["block"])[0] == "Harbour Books", found["block"]
    assert found["degraded"] == ["index_behind"]
    assert "Harbour Books" in first
    assert any("Harbour Books" in one for one in evidence), evidence
    assert degraded == ["index_behind", "index_behind"]
    assert status["graph"]["lag"] == status["turns"] - BATCH
    assert "bees" in new["block"]
    assert in_order(later["block"])[0] == "Harbour Books"
    assert (later["degraded"], later_degraded) == ([], [])


async def test_a_service_that_is_started_again_meanwhile_knows_that_vectors_are_missing(told):
    async with halted(told, "ada") as (_, embedder):
        embedder.is_down = True
    again = Halting()
    async with running(told, embedder=again) as service:
        found = (await service.resonate("ada", ASKS)).json()
        again.released.set()
        await service.digested("ada")
        later = (await service.resonate("ada", ASKS, session_id="s4")).json()

    assert in_order(found["block"])[0] == "Harbour Books", found["block"]
    assert found["degraded"] == ["index_behind"]
    assert later["degraded"] == []
