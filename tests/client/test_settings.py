"""What is set for a mind, through the Python client: read, changed, and not over what somebody else changed."""

import pytest
from mind_memory_client import AsyncMemoryClient, StoryChanged


def test_a_setting_is_made_the_minds_own_and_taken_away(memory, mind):
    memory.store_turn(mind, "s1", "Good morning!")
    before = memory.settings(mind)
    changed = memory.change_settings(mind, changes={"relevance": 0.25, "never_keep": ["salary"]}, etag=before.etag)
    back = memory.change_settings(mind, changes={"relevance": None}, etag=changed.etag)

    assert (before.settings.relevance.source, before.fault) == ("default", None)
    assert (changed.settings.relevance.value, changed.settings.relevance.source) == (0.25, "mind")
    assert back.settings.relevance == before.settings.relevance
    assert back.settings.never_keep.value == ("salary",)
    assert memory.mind(mind).settings_fault is None


@pytest.mark.anyio
async def test_a_change_of_what_was_changed_meanwhile_is_refused(url, memory, mind):
    memory.store_turn(mind, "s1", "Good morning!")
    async with AsyncMemoryClient(url) as awaited:
        etag = (await awaited.settings(mind)).etag
        await awaited.change_settings(mind, changes={"language": "de"}, etag=etag)
        with pytest.raises(StoryChanged) as told:
            await awaited.change_settings(mind, changes={"language": "fr"}, etag=etag)

    assert told.value.current == 'language = "de"\n'
