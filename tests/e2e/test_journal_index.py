"""The index of the journal: it holds what is in the files now, and is made again where it is lost."""

import asyncio
import sqlite3
from contextlib import closing

import pytest

from consolidation.kernel.errors import EmbedderUnavailable
from service.adapters.hashing_embedder import HashingEmbedder
from tests.support.journals import NOTES, person_of
from tests.support.service import running, settings_of
from tests.support.waiting import GIVE_UP

pytestmark = pytest.mark.anyio


async def test_what_is_saved_is_found_at_once_and_what_is_gone_is_not(tmp_path):
    async with running(tmp_path, settings=settings_of(tmp_path, journal={"watch": False})) as service:
        person = await person_of(service, tmp_path)
        assert await person.found("tulips") == []
        assert not person.index.exists()
        person.write("MEMORY.md", "Tulips grow by the fence.\n")
        first = await person.found("tulips")
        person.write("MEMORY.md", "Tulips grow by the hedge.\n")  # as long as before, and perhaps in the same tick
        second = await person.found("tulips")
        beside = person.folder / ".MEMORY.md.swp"
        beside.write_text("Roses grow by the hedge.\n")
        beside.rename(person.folder / "MEMORY.md")
        third = await person.found("tulips"), await person.found("roses")
        (person.folder / "MEMORY.md").unlink()
        gone = await person.found("roses")

    assert "fence" in first[0]["snippet"]
    assert "hedge" in second[0]["snippet"]
    assert (len(third[1]), gone) == (1, [])
    assert not any("Tulips" in one["snippet"] for one in third[0])


async def test_a_note_is_read_and_embedded_as_soon_as_it_is_saved(tmp_path):
    async with running(tmp_path) as service:
        person = await person_of(service, tmp_path)

        async def embedded():
            while not person.index.exists():
                person.write("memory/new.md", "Tulips grow by the fence.\n")  # the watch may still be about to begin
                for _ in range(20):
                    await asyncio.sleep(0.05)
            while rows(person, "SELECT count(*) FROM vectors") != [(1,)]:  # written again, it would be embedded again
                await asyncio.sleep(0.05)

        async with asyncio.timeout(GIVE_UP):
            await embedded()


def rows(person, asked):
    """What stands in a copy of the index: the service has the file for itself."""
    with closing(sqlite3.connect(":memory:")) as memory:
        copy = person.folder.parent / "copy.sqlite3"
        for end in ("", "-wal"):
            source = person.index.with_name(f"{person.index.name}{end}")
            if source.exists():
                copy.with_name(f"{copy.name}{end}").write_bytes(source.read_bytes())
        with closing(sqlite3.connect(copy)) as database:
            try:
                database.backup(memory)
                return memory.execute(asked).fetchall()
            except sqlite3.DatabaseError:  # copied amid a write
                return []


async def test_only_new_chunks_are_embedded(tmp_path):
    asked = []

    class Counting(HashingEmbedder):
        name = stored_name = "counting"
        dimension, has_meaning = 2, True

        async def embed(self, texts):
            import numpy as np

            asked.extend(texts)
            return np.array([[1.0, 0.0]] * len(texts), np.float32)

    async with running(tmp_path, embedder=Counting()) as service:
        person = await person_of(service, tmp_path, notes={"memory/a.md": "Tulips.\n", "memory/b.md": "Roses.\n"})
        await service.digested("ada")
        await person.found("flowers")
        first = [one for one in asked if one in {"Tulips.", "Roses."}]
        person.write("memory/b.md", "Lilies.\n")
        person.write("memory/c.md", "Tulips.\n")
        asked.clear()
        await person.found("flowers")

    assert sorted(first) == ["Roses.", "Tulips."]
    assert asked == ["Lilies."]


LOSSES = {
    "missing": lambda file: [one.unlink() for one in file.parent.glob(f"{file.name}*")],
    "damaged": lambda file: file.write_bytes(b"this is no database at all " * 500),
    "of another version": lambda file: set_version(file, 99),
}


def set_version(file, version):
    with closing(sqlite3.connect(file)) as database:
        database.execute(f"PRAGMA user_version = {version}")


async def test_chunks_of_another_length_are_cut_anew(tmp_path):
    note = "\n\n".join(f"Bruno repaired boiler number {n} in the cellar of the old mill." for n in range(60))
    async with running(tmp_path) as service:
        person = await person_of(service, tmp_path, notes={"MEMORY.md": note})
        [long] = await person.found("boiler number 7", max_results=1)
    settings = settings_of(tmp_path, journal={"chunk_tokens": 60, "overlap_tokens": 0})
    async with running(tmp_path, settings=settings) as service:
        person.service = service
        [short] = await person.found("boiler number 7", max_results=1)

    assert long["end_line"] - long["start_line"] > 20
    assert short["end_line"] - short["start_line"] < 10


@pytest.mark.parametrize("loss", LOSSES.values(), ids=LOSSES)
async def test_an_index_that_is_lost_is_made_again(tmp_path, loss):
    async with running(tmp_path) as service:
        person = await person_of(service, tmp_path, notes=NOTES)
        before = await person.search("Which medicine did the doctor give me?")
    loss(person.index)
    async with running(tmp_path) as service:
        person.service = service
        after = await person.search("Which medicine did the doctor give me?")
        (person.index).unlink()
        again = await person.search("Which medicine did the doctor give me?")

    assert after == again == before


async def test_another_embedder_makes_the_vectors_again(tmp_path):
    async with running(tmp_path) as service:
        person = await person_of(service, tmp_path, notes=NOTES)
        await service.digested("ada")
        before = await person.search("Which medicine did the doctor give me?")
    with closing(sqlite3.connect(person.index)) as database, database:
        database.execute("UPDATE made_with SET value = 'another/384' WHERE name = 'embedder'")
        database.execute("UPDATE vectors SET vector = zeroblob(4 * 384)")
    async with running(tmp_path) as service:
        person.service = service
        after = await person.search("Which medicine did the doctor give me?")

    assert after == before


async def test_without_vectors_words_find_and_it_is_said(tmp_path):
    class Away(HashingEmbedder):
        name = stored_name = "away"
        dimension, has_meaning = 2, True

        async def embed(self, texts):
            raise EmbedderUnavailable("nobody is there")

    async with running(tmp_path, embedder=Away()) as service:
        person = await person_of(service, tmp_path, notes=NOTES)
        found = await person.search("Where is the fuse box?")

    assert found["results"][0]["path"] == "MEMORY.md"
    assert found["degraded"] == ["embedder_unavailable"]
