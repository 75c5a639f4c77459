"""Whoever can make a link in a mind's folder, a bot with a file tool or a careless sync, gains nothing by it."""

import json
import os
import stat

import pytest

from service.access.audit_log import FILE as AUDIT
from service.access.keyring import FILE as KEYS
from tests.support.api_keys import make_key
from tests.support.archives import exported, members
from tests.support.cli_process import call
from tests.support.exports import jsonl
from tests.support.service import running, settings_of

pytestmark = pytest.mark.anyio

SECRET = "owner-token-0123456789"
WAYS = {"link": os.symlink, "hard link": os.link}
STORY = "# Mine\n\n### [2026-01-09 18:30] A day\n\nI bought a kite.\n"


async def a_mind(service, mind_id="ada"):
    await service.keep(mind_id, "My mother lives in Lyon.", "How often do you see her?")
    await service.digested(mind_id)


def in_its_place(file, *, way, target):
    file.unlink(missing_ok=True)
    WAYS[way](target, file)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", ["STORY.md", "SOUL.md", "MEMORY.md", "memory/notes.md", "prompts/recall_protocol.md"])
@pytest.mark.parametrize("secret", ["service.json", KEYS, AUDIT])
async def test_a_secret_of_the_home_is_neither_shown_nor_exported_nor_written(tmp_path, way, name, secret):
    async with running(tmp_path) as service:
        make_key(tmp_path)
        owner = service.memory.authenticator.owner_token.get_secret_value()
        service.http.headers["Authorization"] = f"Bearer {owner}"
        await a_mind(service)
        guarded = tmp_path / secret
        guarded.write_text(guarded.read_text() if guarded.exists() else json.dumps({"token": SECRET}))
        before = guarded.read_bytes()
        file = tmp_path / "minds/ada" / name
        file.parent.mkdir(exist_ok=True)
        in_its_place(file, way=way, target=guarded)
        read = await service.http.get("/v1/minds/ada/story")
        written = await service.http.put("/v1/minds/ada/story", content=STORY, headers={"If-Match": "*"})
        told = await service.http.post("/v1/minds/ada/consolidation", json={"trigger": "manual", "wait": True})
        said = [
            (await service.resonate("ada", "Hello")).text,
            (await service.http.get("/v1/minds/ada/journal/file", params={"path": name})).text,
            (await service.http.get("/v1/minds/ada/journal/search", params={"query": "token"})).text,
            *(content.decode("utf-8", "replace") for content in members(await exported(service)).values()),
        ]
        after = guarded.read_bytes()

    text = before.decode()[:200].strip()
    assert not any(text in one for one in (*said, read.text, written.text, told.text))
    if secret != AUDIT:  # the export itself is noted there
        assert after == before
    assert not guarded.with_name(f"{secret}.lock").exists() or secret != "service.json"
    if name == "STORY.md":
        assert (read.status_code, read.json()["type"]) == (409, "/problems/story-unreadable")
        assert written.status_code == 409


async def test_another_minds_story_is_not_reached_and_outlives_an_erase(tmp_path):
    async with running(tmp_path) as service:
        for mind_id in ("ada", "bob"):
            await a_mind(service, mind_id)
        bobs = tmp_path / "minds/bob/STORY.md"
        bobs.write_text(STORY)
        in_its_place(tmp_path / "minds/ada/STORY.md", way="link", target=bobs)
        read = await service.http.get("/v1/minds/ada/story")
        stable = (await service.resonate("ada", "Hello")).json()["stable"]["text"]
        held = members(await exported(service))
        left_out = json.loads(held["manifest.json"])["left_out"]
        erased = await service.http.delete("/v1/minds/ada")

    assert read.status_code == 409 and "kite" not in read.text + stable
    assert "STORY.md" not in held
    assert [one["name"] for one in left_out] == ["STORY.md"]
    assert erased.status_code == 200, erased.text
    assert bobs.read_text() == STORY
    assert not (tmp_path / "minds/ada").exists()


@pytest.mark.parametrize("name", ["story-history", "memory", "prompts", "transcript/torn"])
async def test_a_folder_of_another_mind_is_not_read(tmp_path, name):
    async with running(tmp_path) as service:
        for mind_id in ("ada", "bob"):
            await a_mind(service, mind_id)
        bobs = tmp_path / "minds/bob" / name
        bobs.mkdir(parents=True, exist_ok=True)
        (bobs / "2026-01-09T18-31-00-000000Z.md").write_text(STORY)
        adas = tmp_path / "minds/ada" / name
        if adas.is_dir():
            adas.rename(adas.with_name("moved"))
        adas.symlink_to(bobs)
        version = await service.http.get("/v1/minds/ada/story/history/2026-01-09T18-31-00-000000Z")
        held = members(await exported(service))

    assert version.status_code == 404
    assert not any(b"kite" in content for content in held.values())


async def test_a_version_and_a_trace_file_that_are_links_are_not_shown(tmp_path):
    async with running(tmp_path) as service:
        for mind_id in ("ada", "bob"):
            await a_mind(service, mind_id)
        await service.resonate("bob", "Where does my mother live?")
        folder = tmp_path / "minds/ada"
        (kept,) = (tmp_path / "minds/bob").glob("subconscious-*.jsonl")
        (folder / "story-history").mkdir(exist_ok=True)
        (folder / "story-history/2026-01-09T18-31-00-000000Z.md").symlink_to(kept)
        in_its_place(folder / kept.name, way="link", target=kept)
        bobs = kept.read_bytes()
        history = (await service.http.get("/v1/minds/ada/story/history")).json()
        version = await service.http.get("/v1/minds/ada/story/history/2026-01-09T18-31-00-000000Z")
        answer = await service.resonate("ada", "Hello")
        listed = (await service.http.get("/v1/minds/ada/traces")).json()["traces"]
        after = kept.read_bytes()

    assert version.status_code == 404 and "2026-01-09T18-31" not in json.dumps(history)
    assert answer.status_code == 200
    assert after == bobs and listed == []


async def test_a_mind_whose_transcript_is_another_minds_is_not_opened(tmp_path):
    async with running(tmp_path) as service:
        await a_mind(service, "bob")
    folder = tmp_path / "minds/ada"
    folder.mkdir()
    (folder / "transcript").symlink_to(tmp_path / "minds/bob/transcript")
    async with running(tmp_path) as service:
        answer = await service.http.get("/v1/minds/ada/remember", params={"query": "mother"})

    assert (answer.status_code, "Lyon" in answer.text) == (503, False)


async def test_a_vault_is_followed_where_the_settings_name_it_and_nowhere_else(tmp_path):
    home, vault, elsewhere = tmp_path / "home", tmp_path / "vault", tmp_path / "elsewhere"
    for folder in (vault, elsewhere):
        folder.mkdir()
        (folder / "story.md").write_text(STORY)
    settings = settings_of(home, story={"linked_folders": [vault]})
    async with running(home, settings=settings) as service:
        await a_mind(service)
        file = home / "minds/ada/STORY.md"
        in_its_place(file, way="link", target=vault / "story.md")
        read = await service.http.get("/v1/minds/ada/story")
        headers = {"If-Match": read.headers["ETag"], "Content-Type": "text/markdown"}
        put = await service.http.put("/v1/minds/ada/story", content=f"{STORY}More.\n", headers=headers)
        held = members(await exported(service))
        in_its_place(file, way="link", target=elsewhere / "story.md")
        refused = await service.http.get("/v1/minds/ada/story")
        without = (await service.resonate("ada", "Where does my mother live?", session_id="later")).json()

    assert (read.status_code, put.status_code) == (200, 200), put.text
    assert "story_unavailable" in without["degraded"]
    assert "More." in (vault / "story.md").read_text()
    assert b"More." in held["STORY.md"]
    assert refused.status_code == 409
    assert "MIND_MEMORY_STORY__LINKED_FOLDERS" in refused.json()["detail"]
    assert (elsewhere / "story.md").read_text() == STORY


def test_doctor_names_links_that_are_not_read(tmp_path):
    home = tmp_path / "home"
    call("import", jsonl(tmp_path / "talk.jsonl"), "--home", home, "--mind", "ada")
    folder = home / "minds/ada"
    for name in ("SOUL.md", "MEMORY.md"):
        in_its_place(folder / name, way="link", target=tmp_path / "talk.jsonl")

    said = " ".join(call("doctor", "--home", home).stdout.split())

    assert "SOUL.md is not read: it is a link, and leads into no folder of MIND_MEMORY_STORY__LINKED_FOLDERS" in said
    assert "MEMORY.md is not read: it is a link" in said


async def test_a_lock_that_is_another_name_of_the_keys_does_not_empty_them(tmp_path):
    async with running(tmp_path) as service:
        await a_mind(service)
        make_key(tmp_path)
        service.http.headers["Authorization"] = f"Bearer {service.memory.authenticator.owner_token.get_secret_value()}"
        before = (tmp_path / KEYS).read_bytes()
        in_its_place(tmp_path / "minds/ada/STORY.md.lock", way="hard link", target=tmp_path / KEYS)
        await service.http.post("/v1/minds/ada/consolidation", json={"trigger": "manual", "wait": True})

    assert (tmp_path / KEYS).read_bytes() == before
    assert stat.S_IMODE((tmp_path / KEYS).stat().st_mode) == 0o600
