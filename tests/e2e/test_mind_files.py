"""People's files as a whole: a closed list, by compare-and-swap, for who holds copies of them."""

import asyncio
import os

import pytest

from tests.support.api_keys import make_key
from tests.support.service import running
from tests.support.waiting import OFTEN

pytestmark = pytest.mark.anyio

FILES = "/v1/minds/ada/files"
NEW = {"If-None-Match": "*"}


async def put(service, path, text, headers, *, status=200):
    answer = await service.http.put(
        f"{FILES}/{path}", content=text, headers={"Content-Type": "text/markdown", **headers}
    )
    assert answer.status_code == status, answer.text
    return answer


async def listed(service):
    found = (await service.http.get(FILES)).json()["files"]
    return {one["path"]: one for one in found}


async def test_a_file_is_made_found_replaced_and_deleted_by_its_etag(tmp_path):
    async with running(tmp_path) as service:
        await service.keep("ada", "Hello.")
        made = await put(service, "memory/trips/lyon.md", "Met Nina at the aquarium.\n", NEW)
        found = (await service.http.get("/v1/minds/ada/journal/search", params={"query": "aquarium"})).json()
        again = await put(service, "memory/trips/lyon.md", "Mine.\n", NEW, status=412)
        etag = made.headers["etag"]
        replaced = await put(service, "memory/trips/lyon.md", "Met Nina at the \ufeffzoo.\r\n", {"If-Match": etag})
        stale = await put(service, "memory/trips/lyon.md", "Mine.\n", {"If-Match": etag}, status=412)
        bare = await put(service, "memory/trips/lyon.md", "Mine.\n", {}, status=428)
        whole = await service.http.get(f"{FILES}/memory/trips/lyon.md", headers={"Accept": "text/markdown"})
        seen = await listed(service)
        unseen = await service.http.delete(f"{FILES}/memory/trips/lyon.md", headers={"If-Match": etag})
        etag = replaced.headers["etag"]
        gone = await service.http.delete(f"{FILES}/memory%2Ftrips%2Flyon.md", headers={"If-Match": etag})
        after = (await service.http.get("/v1/minds/ada/journal/search", params={"query": "zoo"})).json()
        events = [one["event"] for one in (await service.http.get("/v1/audit")).json()["items"]]

    assert [one["path"] for one in found["results"]] == ["memory/trips/lyon.md"]
    assert again.json()["current"] == "Met Nina at the aquarium.\n" and stale.json()["etag"] == etag
    assert "If-None-Match" in bare.json()["detail"]
    assert whole.content == "Met Nina at the \ufeffzoo.\r\n".encode() and whole.headers["etag"] == etag
    assert seen["memory/trips/lyon.md"]["etag"] == etag
    assert unseen.status_code == 412 and gone.status_code == 200 and after["results"] == []
    assert events[:3] == ["file.deleted", "file.written", "file.written"]
    assert not (tmp_path / "minds/ada/memory/trips/lyon.md").exists()


@pytest.mark.parametrize(
    "path", ["STORY.md", "observations.md", "transcript/2026-01.jsonl", "memory/.hidden.md", "memory/a.txt", "keys.json",
             "memory/%2E%2E/%2E%2E/x.md", "prompts/none.md", "prompts/README.md", "memory%2F..%2F..%2Fbob%2FSOUL.md", "memory/",
             f"memory/{'日' * 85}.md", f"memory/{'a' * 256}/b.md"]
)  # fmt: skip
async def test_any_other_path_is_refused_with_a_pointer(tmp_path, path):
    async with running(tmp_path) as service:
        await service.keep("ada", "Hello.")
        answers = [
            await service.http.put(f"{FILES}/{path}", content="x", headers={"Content-Type": "text/markdown", **NEW}),
            await service.http.get(f"{FILES}/{path}"),
            await service.http.delete(f"{FILES}/{path}", headers={"If-Match": "*"}),
        ]

    assert {answer.status_code for answer in answers} == {422}, [answer.text for answer in answers]
    assert {one["pointer"] for answer in answers for one in answer.json()["errors"]} == {"path/path"}


async def test_a_name_that_fits_and_leaves_no_room_for_its_new_content_is_refused_when_it_is_written(tmp_path):
    """Broken: 503, as if the disk were at fault, so that a client tries again."""
    path = f"memory/{'a' * 252}.md"
    async with running(tmp_path) as service:
        await service.keep("ada", "Hello.")
        (tmp_path / "minds/ada" / path).write_text("By hand.\n")
        read = await service.http.get(f"{FILES}/{path}")
        etag = {"If-Match": read.headers["etag"]}
        refused = [
            await put(service, f"memory/{'b' * 252}.md", "x", NEW, status=422),
            await put(service, path, "x", etag, status=422),
            await service.http.put(
                "/v1/minds/ada/journal/file", params={"path": path}, json={"text": "x"}, headers=etag
            ),
        ]

    assert read.json()["text"] == "By hand.\n"
    assert [(one.status_code, one.json()["errors"][0]["pointer"]) for one in refused] == [
        (422, "path/path"), (422, "path/path"), (422, "query/path"),
    ]  # fmt: skip
    assert "too long" in refused[0].json()["errors"][0]["detail"]


async def test_no_link_is_followed(tmp_path):
    outside, folder = tmp_path / "outside", tmp_path / "home/minds/ada"
    outside.mkdir()
    (outside / "a.md").write_text("A secret.\n")
    async with running(tmp_path / "home") as service:
        await service.keep("ada", "Hello.")
        (folder / "memory/linked").symlink_to(outside)
        (folder / "memory/a.md").symlink_to(outside / "a.md")
        codes = [
            (await put(service, "memory/linked/new.md", "x", NEW, status=422)).json()["errors"][0]["pointer"],
            (await put(service, "memory/a.md", "x", NEW, status=422)).json()["errors"][0]["pointer"],
            (await service.http.get(f"{FILES}/memory/a.md")).json()["errors"][0]["pointer"],
        ]
        seen = await listed(service)

    assert codes == ["path/path"] * 3
    assert os.listdir(outside) == ["a.md"] and (outside / "a.md").read_text() == "A secret.\n"
    assert not {"memory/a.md", "memory/linked/a.md"} & seen.keys()


async def test_settings_and_prompts_that_could_not_be_used_are_refused(tmp_path):
    async with running(tmp_path) as service:
        await service.keep("ada", "Hello.")
        bad = (await put(service, "settings.toml", "relevance = 7\n", NEW, status=422)).json()
        prompt = (await put(service, "prompts/seeds.md", "{{ nobody }}\n", NEW, status=422)).json()
        await put(service, "settings.toml", "max_fragments = 2 # two\n", NEW)
        shown = (await service.http.get("/v1/minds/ada/settings")).json()["settings"]["max_fragments"]
        etag = (await service.http.get(f"{FILES}/settings.toml")).headers["etag"]
        await service.http.delete(f"{FILES}/settings.toml", headers={"If-Match": etag})
        without = (await service.http.get("/v1/minds/ada/settings")).json()["settings"]["max_fragments"]

    assert "relevance" in bad["detail"] and "prompt" in prompt["detail"]
    assert shown == {"value": 2, "source": "mind"} and without["source"] != "mind"


async def test_a_key_for_one_mind_can_not_give_itself_another_by_its_settings(tmp_path):
    async with running(tmp_path) as service:
        await service.keep("ada", "Hello.")
        await service.keep("bob", "A secret.")
        key = make_key(tmp_path, minds=["ada"])
        headers = {"Authorization": f"Bearer {key}", **NEW}
        await put(service, "settings.toml", 'also_read = ["bob"]\n', headers, status=404)
        other = await service.http.get("/v1/minds/bob/files", headers={"Authorization": f"Bearer {key}"})
        await put(service, "SOUL.md", "x", {"Authorization": f"Bearer {key}", "If-Match": "*"})

    assert other.status_code == 404 and not (tmp_path / "minds/ada/settings.toml").exists()


async def test_what_an_editor_wrote_has_another_etag(tmp_path):
    async with running(tmp_path) as service:
        await service.keep("ada", "Hello.")
        before = (await service.http.get(f"{FILES}/SOUL.md")).headers["etag"]
        (tmp_path / "minds/ada/SOUL.md").write_text("Be kind.\n")
        after = await service.http.get(f"{FILES}/SOUL.md", headers={"If-None-Match": before})
        known = await service.http.get(f"{FILES}/SOUL.md", headers={"If-None-Match": after.headers["etag"]})

    assert (after.status_code, after.json()["text"], known.status_code) == (200, "Be kind.\n", 304)


async def test_the_list_is_not_modified_until_a_file_is(tmp_path):
    async with running(tmp_path) as service:
        await service.keep("ada", "Hello.")
        while "etag" not in (first := await service.http.get(FILES)).headers:
            await asyncio.sleep(OFTEN)
        same = await service.http.get(FILES, headers={"If-None-Match": first.headers["etag"]})
        (tmp_path / "minds/ada/SOUL.md").write_text("Be kind.\n")
        changed = await service.http.get(FILES, headers={"If-None-Match": first.headers["etag"]})

    assert same.status_code == 304 and first.json()["etag"] == first.headers["etag"]
    assert changed.status_code == 200 and changed.json()["etag"] is None
