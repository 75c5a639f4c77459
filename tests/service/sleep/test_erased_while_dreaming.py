"""An erasure that comes while a dream is being written waits for it, so that nothing is written behind its back."""

import asyncio

import pytest

from consolidation.kernel.files import exclusive
from tests.service.sleep.test_erased_dreamt_again import LEFT, TOLD, brain_of, sleeping, written
from tests.support.agents import act, call
from tests.support.scripted_models import provider_of
from tests.support.waiting import until_async

pytestmark = pytest.mark.anyio

BAN = {"id": "m2", "kind": "message", "text": "Never deploy the Xylophonkeller on a Friday!"}
LONGER_THAN_A_GRACE = 3.5  # seconds; an erasure gives background work two to end by itself


@pytest.mark.parametrize("held", ["observations", "briefing"])
async def test_a_dream_that_is_being_written_when_its_turn_is_erased_leaves_nothing_of_it(tmp_path, held):
    told = TOLD | {"briefing": "The Xylophonkeller is not deployed on a Friday.\nThe tests of zanzibar fail."}
    folder, said = tmp_path / "minds/ada", {"dream": told}
    with provider_of(brain_of(said)) as provider:
        async with sleeping(tmp_path, provider) as service:
            await act(service, BAN)
            await act(service, *(call(n, output="zanzibar tests fail") for n in range(6)))
            with exclusive(folder / f"{held}.md", seconds=5):
                await service.http.post("/v1/minds/ada/sleep", json={"seconds": 60})
                await until_async((folder / ".dream.json").exists)
                erasing = asyncio.ensure_future(service.http.delete("/v1/minds/ada/turns/m2"))
                await asyncio.sleep(LONGER_THAN_A_GRACE)
                is_waiting = "Xylophonkeller" in "".join(one.read_text() for one in folder.glob("transcript/*.jsonl"))
                said |= {"dream": LEFT, "deep": {}}
            receipt = (await erasing).json()
            await service.memory.sleep.sleeper.until_dreamt(await service.memory.minds.find("ada"))
            after = written(tmp_path, "observations", "rules", "briefing")

    assert is_waiting
    assert (receipt["verified"], receipt["left"], receipt["edited_by_person"]) == (True, [], [])
    assert not any("Friday" in text for text in after.values()), after
