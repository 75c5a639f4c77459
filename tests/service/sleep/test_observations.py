"""Observations as a file that people edit: what is known of each line, and whose save wins."""

import asyncio
from datetime import date

import pytest

from consolidation.dreams.observations import Level, read_observations
from consolidation.kernel.errors import ObservationsChanged, StoryPreconditionMissing
from service.sleep.observations import ObservationEntry, ObservationsSnapshot
from tests.support.service import running

pytestmark = pytest.mark.anyio

FILE = "## 2026-02-12\n\nRED 09:32 One\nGRN 09:40 Two\n\n## 2026-02-13\n\nRED 08:00 Three\n"


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
