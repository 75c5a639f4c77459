"""What is read of a story: one text and what can be said of exactly that text; how much is pending; what changed."""

import pytest

from consolidation.kernel.errors import StoryChanged, StoryPreconditionMissing, VersionNotFound
from consolidation.story.edits import etag_of
from consolidation.story.triggers import Trigger
from service.story.reader import saved_at

pytestmark = pytest.mark.anyio


async def narrated(stage):
    mind = await stage.store()
    await stage.writer.narrate(mind, trigger=Trigger.MANUAL)
    return mind


async def test_a_snapshot_says_everything_of_its_own_text(stage):
    mind = await narrated(stage)

    story = await stage.reader.snapshot(mind)

    assert story.text == mind.workspace.story.read_text() and story.etag == etag_of(story.text)
    assert story.sequence == 1 and {chapter.digest for chapter in story.book.chapters} == story.ours


async def test_pending_turns_are_counted_by_the_story_on_disk(stage):
    mind = await narrated(stage)
    await stage.store()
    before = await stage.reader.pending(mind)
    mind.workspace.story.write_text("Begun anew.\n<!-- LAST_PROCESSED: 2020-01-01T00:00:00.000Z -->\n")
    after = await stage.reader.pending(mind)

    assert (before.turns, before.tokens) == (1, 40) and (after.turns, after.tokens) == (2, 80)


async def test_a_put_answers_with_its_own_text_and_makes_a_version(stage):
    mind = await narrated(stage)
    before = await stage.reader.snapshot(mind)

    after = await stage.editor.put(mind, "Mine.\n", expected=before.etag)
    [version] = await stage.reader.versions(mind)
    found = await stage.reader.difference(mind, since=version.name, until=None)

    assert after.text.startswith("Mine.\n") and after.sequence == 1
    assert await stage.reader.version(mind, version.name) == before.text
    assert "+Mine." in found.diff and (found.since, found.until) == (version.name, "now")
    assert saved_at(version.name).replace(microsecond=0) == stage.clock.now()


async def test_a_put_without_the_etag_of_the_story_changes_nothing(stage):
    mind = await narrated(stage)
    before = await stage.reader.snapshot(mind)

    with pytest.raises(StoryPreconditionMissing):
        await stage.editor.put(mind, "Mine.\n", expected=None)
    with pytest.raises(StoryChanged):
        await stage.editor.put(mind, "Mine.\n", expected='"another"')

    assert (await stage.reader.snapshot(mind)).text == before.text


async def test_a_name_that_is_no_version_is_not_found(stage):
    mind = await narrated(stage)

    for name in ("../STORY", "published", "2026-01-01T00-00-00-000000Z"):
        with pytest.raises(VersionNotFound):
            await stage.reader.version(mind, name)
