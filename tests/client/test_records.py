"""What a person brings in, writes and erases, through the Python client."""

import json
import time

import pytest
from mind_memory_client import AsyncMemoryClient, StoryChanged

SAID = [{"turn_id": "t1", "session_id": "s1", "messages": [{"role": "user", "content": "My aunt has rubies."}]}]
GIVE_UP, OFTEN = 60, 0.05


def file():
    """A file of conversations, part by part."""
    yield from (json.dumps(one).encode() for one in SAID)


def until_done(memory, mind, import_id):
    for _ in range(int(GIVE_UP / OFTEN)):
        found = memory.import_progress(mind, import_id=import_id)
        if found.state != "running":
            return found
        time.sleep(OFTEN)
    raise AssertionError(found)


def test_a_file_is_looked_at_then_stored_and_what_would_be_erased_is_seen_before(memory, mind):
    seen = memory.survey_conversations(mind, file=file(), filename="talk.jsonl")
    begun = memory.import_conversations(mind, file=file(), filename="talk.jsonl")
    done = until_done(memory, mind, begun.import_id)
    preview = memory.preview_erasure(mind, turn_id="t1")
    memory.erase_turn(mind, turn_id="t1")
    [receipt] = memory.erasures(mind, limit=1).items

    assert (seen.format, seen.turns, seen.opening) == ("jsonl", 1, "My aunt has rubies.") and begun.turns == 1
    assert (done.state, done.stored, done.of) == ("done", 1, 1)
    assert (preview.dry_run, preview.turns, preview.turn_id) == (True, 1, "t1")
    assert (receipt.kind, receipt.turns) == ("turn", 1) and receipt in memory.all_erasures().items


@pytest.mark.anyio
async def test_a_persons_file_is_replaced_by_who_has_read_it(url, memory, mind):
    memory.store_turn(mind, "s1", "Good morning!")
    async with AsyncMemoryClient(url) as awaited:
        etag = (await awaited.journal_get(mind, path="SOUL.md")).etag
        written = await awaited.put_journal_file(mind, path="SOUL.md", text="Be kind.\n", etag=etag)
        with pytest.raises(StoryChanged):
            await awaited.put_journal_file(mind, path="SOUL.md", text="Be brief.\n", etag=etag)
        files = (await awaited.journal_files(mind)).files

    assert written.text == "Be kind." and {"SOUL.md", "MEMORY.md"} <= {one.path for one in files if one.is_editable}
