"""Observations as a file that people edit: what is known of each line, and whose save wins."""

import asyncio
from datetime import date

import pytest

from consolidation.dreams.observations import Level, read_observations
from consolidation.kernel.errors import ObservationsChanged, StoryPreconditionMissing
from service.sleep.observations import ObservationEntry, ObservationsSnapshot
from tests.support.agents import act, acted, slept
from tests.support.scripted_models import Brain, hosted, provider_of
from tests.support.service import running

pytestmark = pytest.mark.anyio

FILE = "## 2026-02-12\n\nRED 09:32 One\nGRN 09:40 Two\n\n## 2026-02-13\n\nRED 08:00 Three\n"
LATIN_1 = "RED 09:00 Der Käufer zahlt bar\n".encode("latin-1")
DREAM = {
    "observations": [{"level": "GRN", "at": "09:31", "text": "The shell answers as it should", "supersedes": []}],
    "reflection": "I worked on the steps and each of them went well, so I get on.",
    "priority": "Go on with the next step.",
    "rules": {"add": [], "remove": []},
    "briefing": "The steps go on.",
}


def test_entries_are_chosen_by_level_and_day():
    entries = tuple(ObservationEntry(one, False, False, ()) for one in read_observations(FILE))
    found = ObservationsSnapshot(FILE, entries)

    assert found.of(level=None, since=None) == entries
    assert [one.observation.text for one in found.of(level=Level.RED, since=None)] == ["One", "Three"]
    assert [one.observation.text for one in found.of(level=None, since=date(2026, 2, 13))] == ["Three"]


async def test_of_two_who_replace_the_same_text_one_is_told_what_the_other_wrote(tmp_path):
    async with running(tmp_path) as service:
        await service.keep("ada", "Good morning!")
        mind, editor = await service.memory.minds.find("ada"), service.memory.observations
        read = await editor.snapshot(mind)
        puts = (editor.put(mind, text, expected=read.etag) for text in (FILE, FILE.replace("One", "Won")))
        won, lost = sorted(
            await asyncio.gather(*puts, return_exceptions=True), key=lambda one: isinstance(one, Exception)
        )

    assert isinstance(lost, ObservationsChanged)
    assert (lost.current, lost.etag) == (won.text, won.etag)


async def test_a_put_without_the_version_it_replaces_is_refused(tmp_path):
    async with running(tmp_path) as service:
        await service.keep("ada", "Good morning!")
        mind, editor = await service.memory.minds.find("ada"), service.memory.observations

        with pytest.raises(StoryPreconditionMissing):
            await editor.put(mind, FILE, expected=None)

        assert (await editor.snapshot(mind)).text == ""


async def test_a_line_that_is_not_utf_8_stays_and_stops_no_dream_and_no_erasure(tmp_path):
    brain = Brain(dream=DREAM)
    with provider_of(brain) as provider:
        sleep = {"dream_interval_seconds": 0}
        async with running(tmp_path, settings=hosted(tmp_path, provider, "narrative", "chat", sleep=sleep)) as service:
            await act(service, {"id": "m1", "kind": "message", "text": "The kettle is in the attic."})
            await acted(service, 6)
            await slept(service)
            file = tmp_path / "minds/ada/observations.md"
            file.write_bytes(file.read_bytes() + LATIN_1)
            await acted(service, 6, first=20)
            await slept(service)
            answers = [
                await service.http.get(f"/v1/minds/ada/{path}")
                for path in ("observations", "dreams", "waking", "sleep", "export")
            ]
            undone = await service.http.post("/v1/minds/ada/dreams/1/undo")
            receipt = (await service.http.delete("/v1/minds/ada/turns/m1")).json()
            after = file.read_bytes()

    assert [one.status_code for one in (*answers, undone)] == [200] * 6
    assert len(answers[1].json()["dreams"]) == 2
    assert "K\ufffdufer zahlt bar" in answers[0].text
    assert receipt["verified"], receipt
    assert LATIN_1 in after
    assert b"attic" not in after
