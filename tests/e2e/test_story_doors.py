"""The story through its doors: read, put, look back, go back; begin a run and watch it; what is read in before."""

import re

import pytest

from tests.e2e.test_story import TALK, keep_talk
from tests.support.service import running, settings_of

pytestmark = pytest.mark.anyio

MARKDOWN = {"Accept": "text/markdown"}
MARKS = re.compile(r"^<!-- (?:LAST_PROCESSED|CURSOR).*\n", re.MULTILINE)


async def call(service, method, path, **more):
    return await service.http.request(method, f"/v1/minds/ada{path}", **more)


async def tell(service, **asked):
    answer = await call(service, "POST", "/consolidation", json=asked)
    assert answer.status_code == 200 and answer.json()["last_run"]["error"] is None, answer.text
    return answer.json()


async def raw(service):
    return (await call(service, "GET", "/story", headers=MARKDOWN)).text


async def test_the_story_is_read_to_the_last_byte_or_with_its_chapters(tmp_path):
    async with running(tmp_path) as service:
        await keep_talk(service)
        run = await tell(service)
        told = await call(service, "GET", "/story")
        text = await call(service, "GET", "/story", headers=MARKDOWN)
        same = await call(service, "GET", "/story", headers={"If-None-Match": told.headers["etag"]})

    assert run["last_run"]["told"] == 3 and run["pending_turns"] == 0 and not run["is_running"]
    assert text.content == (tmp_path / "minds/ada/STORY.md").read_bytes()
    assert text.headers["content-type"].startswith("text/markdown")
    assert told.json()["last_sequence"] == 3 and told.json()["etag"] == told.headers["etag"]
    assert [chapter["from"] for chapter in told.json()["chapters"]] == ["2026-01-09 18:30", "2026-02-14 10:00"]
    assert same.status_code == 304 and not same.content


async def test_a_put_story_stands_and_only_replaces_the_one_that_was_read(tmp_path):
    async with running(tmp_path) as service:
        await keep_talk(service)
        await tell(service)
        etag = (await call(service, "GET", "/story")).headers["etag"]
        mine = MARKS.sub("", await raw(service)).replace("turned seventy", "turned 70")
        unguarded = await call(service, "PUT", "/story", json={"text": mine})
        put = await call(service, "PUT", "/story", content=mine.encode(), headers={"If-Match": etag})
        stale = await call(service, "PUT", "/story", json={"text": "Lost."}, headers={"If-Match": etag})
        again = await tell(service)

    assert unguarded.status_code == 428 and put.status_code == 200
    assert stale.status_code == 412 and stale.json()["etag"] == put.headers["etag"]
    assert stale.json()["current"] == put.json()["text"]
    assert "turned 70" in put.json()["text"] and put.json()["last_sequence"] == 3
    assert [one["edited_by_person"] for one in put.json()["chapters"]] == [True, False]
    assert again["last_run"]["told"] == 0


async def test_a_put_story_can_not_claim_that_more_is_told(tmp_path):
    async with running(tmp_path) as service:
        await keep_talk(service, TALK[:1])
        await tell(service)
        etag = (await call(service, "GET", "/story")).headers["etag"]
        await keep_talk(service, TALK[1:])
        forged = "Mine.\n<!-- CURSOR: v1 seq=3 for=2026-02-14T10:00:00.000Z -->\n"
        put = await call(service, "PUT", "/story", content=forged, headers={"If-Match": etag})
        run = await tell(service)

    assert put.status_code == 200 and put.json()["last_sequence"] == 1
    assert run["last_run"]["told"] == 2


async def test_one_goes_back_to_an_earlier_story_and_may_have_the_rest_told_again(tmp_path):
    async with running(tmp_path) as service:
        await keep_talk(service, TALK[:2])
        await tell(service)
        await keep_talk(service, TALK[2:])
        await tell(service)
        [version] = [one["version"] for one in (await call(service, "GET", "/story/history")).json()["versions"]]
        diff = (await call(service, "GET", f"/story/diff?from={version}")).json()["diff"]
        whole = await call(service, "GET", f"/story/history/{version}", headers=MARKDOWN)
        back = (await call(service, "POST", "/story/restore", json={"version": version})).json()
        untold = (await tell(service))["last_run"]["told"]
        await call(service, "POST", "/story/restore", json={"version": version, "retell": True})
        retold = (await tell(service))["last_run"]["told"]
        story = await raw(service)
        unknown = await call(service, "POST", "/story/restore", json={"version": "../../../etc/passwd"})

    assert "+Ann told me: “We adopted a dog today and called him Pascal!”" in diff
    assert "Pascal" not in whole.text and "Pascal" not in back["text"] and back["last_sequence"] == 3
    assert (untold, retold) == (0, 1)
    assert story.count("and called him Pascal") == 1 and story.count("promised my sister") == 1
    assert unknown.status_code == 404 and unknown.json()["type"] == "/problems/version-not-found"


async def test_a_story_that_was_emptied_by_hand_is_restored_from_what_was_written_last(tmp_path):
    file = tmp_path / "minds/ada/STORY.md"
    async with running(tmp_path) as service:
        await keep_talk(service, TALK[:2])
        await tell(service)
        written = file.read_text()
        file.write_text("")
        [version] = (await call(service, "GET", "/story/history")).json()["versions"]
        back = (await call(service, "POST", "/story/restore", json={"version": version["version"]})).json()
        await keep_talk(service, TALK[2:])
        await tell(service)

    assert (version["bytes"], back["last_sequence"]) == (len(written.encode()), 2)
    assert back["text"] == MARKS.sub("", written)
    assert all(file.read_text().count(said) == 1 for said in ("called him Pascal", "promised my sister"))


@pytest.mark.parametrize("is_deleted", [True, False])
async def test_the_whole_life_is_told_again_from_the_beginning(tmp_path, is_deleted):
    """Broken: a story that was deleted can not be told anew by any door."""
    file = tmp_path / "minds/ada/STORY.md"
    async with running(tmp_path) as service:
        await keep_talk(service)
        await tell(service)
        written = file.read_text()
        if is_deleted:
            file.unlink()
        untold = (await tell(service))["last_run"]["told"]
        asked = {"version": "beginning", "retell": True}
        back = await call(service, "POST", "/story/restore", json=asked)
        retold = await tell(service)
        versions = (await call(service, "GET", "/story/history")).json()["versions"]
        turns = (await call(service, "GET", "/turns")).json()["items"]

    assert (back.status_code, back.json()["text"], back.json()["last_sequence"]) == (200, "", 0)
    assert (untold, retold["last_run"]["told"], retold["pending_turns"]) == (0, 3, 0)
    assert file.read_text() == written
    assert len(written.encode()) in {one["bytes"] for one in versions}
    assert all(turn["chapters"] for turn in turns)


async def test_what_is_skipped_is_never_told(tmp_path):
    async with running(tmp_path) as service:
        await keep_talk(service, TALK[:2])
        skipped = await tell(service, skip=True)
        await keep_talk(service, TALK[2:])
        await tell(service)
        story = await raw(service)

    assert skipped["pending_turns"] == 0 and skipped["last_run"]["turns"] == 2
    assert "Lyon" not in story and "Pascal" in story


async def test_a_compacted_window_is_kept_once_and_told(tmp_path):
    said = [TALK[0][1], "She plants roses in Villeurbanne, and I helped her last spring."]
    window = {"messages": [{"role": "user", "name": "Ann", "content": one} for one in said]}
    async with running(tmp_path) as service:
        await keep_talk(service, TALK[:1])
        first = await call(service, "POST", "/sessions/s1/compaction", json=window)
        again = await call(service, "POST", "/sessions/s1/compaction", json=window)
        status = await service.until("ada", lambda s: s["story"]["pending_turns"] == 0)
        story = await raw(service)

    assert first.status_code == 202 and first.json()["new_messages"] == 1 and first.json()["known_messages"] == 1
    assert again.json()["new_messages"] == 0 and status["turns"] == 2
    assert story.count("I helped her last spring.") == 1 and story.count("turned seventy") == 1


async def test_dated_files_are_told_once_among_their_own_days(tmp_path):
    async with running(tmp_path) as service:
        await keep_talk(service)
        await tell(service)
        note = tmp_path / "minds/ada/memory/2025-03-04-train.md"
        note.write_text("# Tuesday\n\nI helped Ann book the night train to Marseille.\n")
        run = await tell(service, trigger="bootstrap")
        again = await tell(service, trigger="bootstrap")
        story = await raw(service)

    assert run["last_run"]["gathered"] == {"files": 1, "turns": 1, "new": 1, "skipped": []}
    assert again["last_run"]["gathered"]["new"] == 0 and again["last_run"]["told"] == 0
    assert story.startswith("### [2025-03-04 12:00] ") and story.count("night train to Marseille") == 1


async def test_session_files_are_read_at_start_up_and_grow(tmp_path):
    sessions = tmp_path / "minds/ada/sessions"
    line = '{"role": "user", "content": "%s", "timestamp": "2026-03-0%dT10:00:00Z"}\n'
    async with running(tmp_path) as service:
        await keep_talk(service)
    sessions.mkdir()
    (sessions / "t1.jsonl").write_text(line % ("I started to learn Basque with Iker today.", 1))
    async with running(tmp_path, settings=settings_of(tmp_path)) as service:
        await service.until("ada", lambda s: s["turns"] == 4 and not s["story"]["pending_turns"])
        with (sessions / "t1.jsonl").open("a") as file:
            file.write(line % ("Iker lent me his old grammar of Basque.", 2))
        run = await tell(service, trigger="global_sync")
        story = await raw(service)

    assert run["last_run"]["gathered"]["new"] == 1 and run["last_run"]["told"] == 1
    assert story.count("learn Basque with Iker today.") == 1 and story.count("his old grammar of Basque.") == 1


async def test_a_quiet_mind_is_told_however_little_waits(tmp_path):
    async with running(tmp_path, settings=settings_of(tmp_path, story={"idle_seconds": 0.2})) as service:
        await keep_talk(service)
        await service.until("ada", lambda s: s["story"]["sequence"] == 3)
        run = (await call(service, "GET", "/consolidation")).json()["last_run"]

    assert run["trigger"] == "idle"


async def test_what_waits_can_be_read_until_it_is_told(tmp_path):
    file = tmp_path / "minds/ada/pending-episodes.log"
    async with running(tmp_path) as service:
        await keep_talk(service)
        await service.until("ada", lambda _: file.exists() and file.read_text().count("Ann: ") == 3)
        listed = file.read_text()
        await tell(service)

    assert listed.startswith("[1 | 2026-01-09 18:30 | s1]\nAnn: My mother Ines lives in Lyon")
    assert file.read_text() == ""


async def test_a_long_life_is_shorten_by_quoting_and_nobody_is_forgotten(tmp_path):
    people = ["Iker", "Ines", "Carla", "Pascal", "Dorothea", "Fumiko", "Bartholomew", "Wanda", "Oskar", "Leila"]
    async with running(tmp_path, settings=settings_of(tmp_path, story={"most_words": 250})) as service:
        for at, name in enumerate(people * 2):
            said = f"{name} and I decided to repaint the old boat that has stood behind the mill since {1950 + at}."
            await service.keep(
                "ada",
                *(
                    {
                        "role": "user",
                        "name": "Ann",
                        "content": one,
                        "timestamp": f"2026-{1 + at // 10:02}-{1 + at:02}T09:00:00Z",
                    }
                    for one in (said, f"It rained on all of us that afternoon, {at} buckets, and we laughed about it.")
                ),
            )
        run = await tell(service)
        told = (await call(service, "GET", "/story")).json()
        versions = (await call(service, "GET", "/story/history")).json()["versions"]

    assert run["last_run"]["compressed"] > 4 and told["words"] < 500
    assert all(name in told["text"] for name in people)
    assert any(one["from"] != one["to"] for one in told["chapters"]) and versions


async def test_what_a_person_leaves_in_the_history_is_theirs(tmp_path):
    async with running(tmp_path) as service:
        await keep_talk(service, TALK[:1])
        await tell(service)
        note = tmp_path / "minds/ada/story-history/notes.md"
        note.write_text("Mine.")
        await keep_talk(service, TALK[1:])
        await tell(service)
        listed = await call(service, "GET", "/story/history")

    assert listed.status_code == 200 and len(listed.json()["versions"]) == 1
    assert note.read_text() == "Mine."


async def test_a_story_that_is_no_file_is_a_conflict_and_nothing_is_lost(tmp_path):
    async with running(tmp_path) as service:
        await keep_talk(service, TALK[:1])
        (tmp_path / "minds/ada/STORY.md").mkdir()
        read = await call(service, "GET", "/story")
        (tmp_path / "minds/ada/STORY.md").rmdir()
        run = await tell(service)

    assert read.status_code == 409 and read.json()["type"] == "/problems/story-unreadable"
    assert run["last_run"]["told"] == 1


async def test_bytes_that_are_no_text_are_kept_and_shown_alike(tmp_path):
    file = tmp_path / "minds/ada/STORY.md"
    async with running(tmp_path) as service:
        await keep_talk(service, TALK[:1])
        file.write_bytes(b"Mine: \xff.\n")
        await tell(service)
        shown = (await call(service, "GET", "/story")).json()["text"]
        stale = await call(service, "PUT", "/story", json={"text": "x"}, headers={"If-Match": "old"})

    assert file.read_bytes().startswith(b"Mine: \xff.\n")
    assert shown.startswith("Mine: \ufffd.\n") and stale.json()["current"] == shown


async def test_a_list_of_what_waits_that_can_not_be_written_fails_no_run(tmp_path):
    async with running(tmp_path) as service:
        await keep_talk(service)
        pending = tmp_path / "minds/ada/pending-episodes.log"
        pending.unlink(missing_ok=True)
        pending.mkdir()
        state = await tell(service)

    assert state["last_run"]["told"] == 3 and state["pending_turns"] == 0
