"""Where sentences come from is computed once, remembered in a file, and forgotten by an erasure."""

import pytest

from consolidation.kernel.turns import TurnKind
from consolidation.story.source_cache import write_sources
from consolidation.story.triggers import Trigger

pytestmark = pytest.mark.anyio


async def narrated(stage):
    mind = await stage.store()
    await stage.writer.narrate(mind, trigger=Trigger.MANUAL)
    await stage.background.drain("ada", seconds=60)
    return mind


async def test_a_run_is_followed_by_the_computation_of_what_it_wrote(stage):
    mind = await narrated(stage)

    story = await stage.reader.snapshot(mind)
    found = await stage.sources.fidelity(mind, story)

    assert found is not None and (found.sentences, found.quoted) == (1, 1)
    assert mind.workspace.story_sources.is_file()


async def test_what_is_remembered_is_not_computed_again(stage):
    mind = await narrated(stage)
    first = await stage.sources.read(mind, first=0, limit=9)
    written = mind.workspace.story_sources.stat().st_mtime_ns

    again = await stage.sources.read(mind, first=0, limit=9)

    assert again.chapters == first.chapters and mind.workspace.story_sources.stat().st_mtime_ns == written
    assert first.chapters[0].sentences[0].turns == (1,)


async def test_an_erasure_deletes_the_file_and_what_was_computed_before_it_is_not_written(stage):
    mind = await narrated(stage)
    erasures = stage.sources._erasures["ada"]
    await stage.sources.erase(mind)

    await stage.sources._remember(mind, {}, erasures=erasures)

    assert not mind.workspace.story_sources.exists()
    assert (await stage.sources.read(mind, first=0, limit=9)).fidelity is not None


async def test_a_file_of_another_embedder_is_not_used(stage):
    mind = await narrated(stage)
    write_sources(mind.workspace.story_sources, {}, by="another")

    found = await stage.sources.read(mind, first=0, limit=9)

    assert found.chapters[0].sentences[0].state == "quoted"
    assert all(stored.turn.kind is TurnKind.TURN for stored in found.turns.values())
