"""While a file of a mind is swapped for a link and back as fast as a thread can, no door reads or writes through it."""

import json
import os
import shutil
import threading
from contextlib import contextmanager, suppress

import pytest

from tests.support.archives import members
from tests.support.service import running

pytestmark = pytest.mark.anyio

SECRET = "Vortquible"
THEIRS = f"# Theirs\n\n### [2026-01-09 18:30] {SECRET}\n\n{SECRET} hides the money in the oven, my mother said.\n"
OURS = "# Ours\n\n### [2026-01-09 18:30] A day\n\nMy mother bought a kite.\n"
FILES = ("STORY.md", "SOUL.md", "MEMORY.md", "memory/notes.md", "prompts/recall_protocol.md", "STORY.md.lock")
FOLDERS = ("memory", "prompts", "story-history")
ROUNDS = 6


@contextmanager
def swapped(place, target):
    """*place* is in turn what it was and a link to *target*, until the block ends. Yields a count of the turns."""
    ended, turns = threading.Event(), [0]
    aside = place.with_name(f".{place.name}-aside")

    def swap_file():
        ours = place.read_bytes()
        while not ended.is_set():
            aside.symlink_to(target)
            os.replace(aside, place)
            aside.write_bytes(ours)
            os.replace(aside, place)
            turns[0] += 1

    def swap_folder():
        while not ended.is_set():
            place.rename(aside)
            with suppress(FileExistsError):  # the service has made the folder anew meanwhile
                place.symlink_to(target)
                place.unlink()
            put_back()
            turns[0] += 1

    def put_back():
        while aside.exists():
            try:
                aside.rename(place)
            except OSError:  # there is a new folder, and the service may be writing in it
                shutil.rmtree(place, ignore_errors=True)

    thread = threading.Thread(target=swap_folder if place.is_dir() else swap_file)
    thread.start()
    try:
        yield turns
    finally:
        ended.set()
        thread.join()


async def every_door(service):
    """What each door that reads or writes a mind's files answers, as text."""
    http, mind = service.http, "/v1/minds/ada"
    read = await http.get(f"{mind}/story")
    put = await http.put(
        f"{mind}/story",
        content=OURS,
        headers={"If-Match": read.headers.get("ETag", "*"), "Content-Type": "text/markdown"},
    )
    history = await http.get(f"{mind}/story/history")
    versions = [one["version"] for one in history.json().get("versions", ())][:3]
    answers = [
        read,
        put,
        history,
        await http.get(f"{mind}/story", headers={"Accept": "text/markdown"}),
        *[await http.get(f"{mind}/story/history/{version}") for version in versions],
        *[await http.post(f"{mind}/story/restore", json={"version": version}) for version in versions[:1]],
        await service.keep("ada", "My mother bought another kite."),
        await http.post(f"{mind}/consolidation", json={"trigger": "manual", "wait": True}),
        await http.post(f"{mind}/consolidation", json={"trigger": "bootstrap", "wait": True}),
        await service.resonate("ada", "Where does my mother hide the money?"),
        await http.get(f"{mind}/journal/search", params={"query": "mother money oven"}),
        await http.get(f"{mind}/journal/file", params={"path": "MEMORY.md"}),
        await http.get(f"{mind}/journal/file", params={"path": "memory/notes.md"}),
        await http.get(mind),
    ]
    assert all(answer.status_code < 500 or answer.status_code == 503 for answer in answers), answers
    export = await http.get(f"{mind}/export")  # refused where the disk changes below it
    held = members(export.content) if export.status_code == 200 else {"refused": export.content}
    return [*(answer.text for answer in answers), *(one.decode("utf-8", "replace") for one in held.values())]


def content_of(folder):
    kept = (*FILES[:5], "story-history/2026-01-09T18-31-00-000000Z.md")
    names = [one.name for one in folder.iterdir() if one.suffix != ".new"]  # that is a write under way
    return {name: (folder / name).read_bytes() for name in kept}, sorted(names)


@pytest.mark.parametrize("name", [*FILES, *FOLDERS])
async def test_nothing_crosses_while_a_file_becomes_a_link_and_a_file_again(tmp_path, name):
    async with running(tmp_path) as service:
        for mind_id, words in (("ada", OURS), ("bob", THEIRS)):
            await service.keep(mind_id, "I like tea.")
            await service.digested(mind_id)
            for file in (*FILES, "story-history/2026-01-09T18-31-00-000000Z.md"):
                (tmp_path / "minds" / mind_id / file).parent.mkdir(exist_ok=True)
                (tmp_path / "minds" / mind_id / file).write_text(words)
        bobs = tmp_path / "minds/bob"
        before = content_of(bobs)

        with swapped(tmp_path / "minds/ada" / name, bobs / name) as turns:
            answers = [text for _ in range(ROUNDS) for text in await every_door(service)]
        owned = await service.http.get("/v1/minds/ada/remember", params={"query": SECRET})

        assert turns[0] > 20
        assert [text[:400] for text in answers if SECRET in text] == []
        assert SECRET not in json.dumps(owned.json()["memories"])
        assert content_of(bobs) == before
