"""Observations over HTTP: they surface as memories of their turns, are found on purpose, and are people's to edit."""

import json
from datetime import date

import pytest

from consolidation.dreams.dream_log import DreamRecord
from consolidation.dreams.observations import read_observations
from tests.support.service import running

pytestmark = pytest.mark.anyio

SAID = "I promised Ann that she gets the report about the turbines by Friday noon."
ASKS = "What did I promise Ann about the report?"
NOW = "2026-02-13T09:00:00Z"
FILE = """## 2026-02-12

RED 09:32 Promised Ann the report about the turbines by Friday noon
YLW 09:40 The review of branch import-2 still waits for Bo

Bo keeps bees in his garden.
"""
MINE, REVIEW = read_observations(FILE)


async def lived(service, home, *, text=FILE, sources=(1,), superseded=()):
    """A mind of two turns, the first of which a dream distilled into the first line of *text*."""
    for content in (SAID, "The canteen serves lentils today."):
        said = {"role": "user", "content": content, "timestamp": "2026-02-12T09:30:00Z"}
        assert (await service.keep("ada", said)).status_code == 202
    await service.digested("ada")
    folder = home / "minds" / "ada"
    (folder / "observations.md").write_text(text)
    records = [
        {
            "t": "2026-02-12T10:00:00Z",
            "dream": 1,
            "last_sequence": 2,
            "sources": {MINE.digest: sources},
            "levels": {MINE.digest: MINE.level},
        },
        {"t": "2026-02-12T20:00:00Z", "dream": 2, "last_sequence": 2, "superseded": superseded},
    ]
    lines = (DreamRecord.model_validate(one).model_dump_json() for one in records)
    (folder / "dreams.jsonl").write_text("".join(f"{one}\n" for one in lines))
    return folder


async def surfaced(service, message=ASKS, **more):
    answer = (await service.resonate("ada", message, now=more.pop("now", NOW), **more)).json()
    return answer["flashbacks"]


async def remembered(service, query, **more):
    answer = await service.http.get("/v1/minds/ada/remember", params={"query": query, **more})
    assert answer.status_code == 200, answer.text
    return answer.json()["memories"]


async def test_an_observation_surfaces_in_the_place_of_its_turn_with_turn_and_line(tmp_path):
    async with running(tmp_path) as service:
        await lived(service, tmp_path)
        found = await surfaced(service)
        said = {"role": "assistant", "content": "The report about the turbines, by Friday noon."}
        asks = {"role": "user", "content": ASKS}
        again = await surfaced(service, [asks, said, asks])

    [observed] = [one for one in found if one["kind"] == "observation"]
    assert observed["id"] == f"observation:{MINE.digest}"
    assert observed["raw"] == MINE.text
    assert observed["occurred_at"] == "2026-02-12T09:32:00Z"
    assert observed["label"] == "yesterday"
    turn, line = observed["sources"]
    assert (turn["sequence"], line["path"], line["start_line"]) == (1, "observations.md", 3)
    assert not any(SAID in one["raw"] for one in found)
    assert not any("Ann" in one["raw"] for one in again)  # an echo, and so is its turn


async def test_a_superseded_observation_does_not_surface_and_is_still_found(tmp_path):
    async with running(tmp_path) as service:
        await lived(service, tmp_path, superseded=(MINE.digest,))
        found = await surfaced(service)
        [memory] = await remembered(service, ASKS, kinds="observation", limit=1)

    assert [one["kind"] for one in found if "Ann" in one["raw"]] == ["episode"]
    assert memory["text"] == MINE.text
    assert [one["sequence"] for one in memory["sources"]] == [1, None]
    assert memory["sources"][1]["path"] == "observations.md"


async def test_an_observation_is_hidden_while_its_turn_is_in_sight(tmp_path):
    async with running(tmp_path) as service:
        await lived(service, tmp_path)
        window = [{"role": "user", "content": SAID}, {"role": "user", "content": ASKS}]
        found = await surfaced(service, window)

    assert not any(one["kind"] == "observation" for one in found)


async def test_a_persons_edit_is_seen_at_the_next_call_and_rests_on_no_turn(tmp_path):
    async with running(tmp_path) as service:
        folder = await lived(service, tmp_path)
        await surfaced(service, session_id="s8")
        edited = FILE.replace("Friday noon", "Thursday evening")
        (folder / "observations.md").write_text(edited)
        found = await surfaced(service, session_id="s9")

    [observed] = [one for one in found if one["kind"] == "observation"]
    assert "Thursday evening" in observed["raw"]
    assert [one["path"] for one in observed["sources"]] == ["observations.md"]


async def test_what_is_no_observation_in_the_file_goes_on_as_a_note(tmp_path):
    async with running(tmp_path) as service:
        await lived(service, tmp_path)
        found = await surfaced(service, "What does Bo keep in his garden?")

    [note] = [one for one in found if one["kind"] == "journal"]
    assert note["label"] == "from my notes"
    assert "bees" in note["raw"]
    assert "RED" not in note["raw"]


async def test_of_the_same_words_red_comes_first_and_what_was_informational_long_ago_last(tmp_path):
    days = "".join(
        f"## 2026-02-{day}\n\n{level} 08:00 The pump {name} rattles at full load\n\n"
        for day, level, name in (("09", "GRN", "alpha"), ("11", "YLW", "beta"), ("12", "RED", "gamma"))
    )
    async with running(tmp_path) as service:
        await lived(service, tmp_path, text=days)
        found = await remembered(service, "Which pump rattles at full load?", kinds="observation")

    assert [one["text"].split()[2] for one in found] == ["gamma", "beta", "alpha"]
    assert found[2]["score"] < 0.7 * found[0]["score"]


async def test_remember_finds_all_kinds_unless_it_is_asked_for_some(tmp_path):
    async with running(tmp_path) as service:
        await lived(service, tmp_path)
        every = await remembered(service, "review of branch import-2")
        episodes = await remembered(service, "review of branch import-2", kinds="episode")
        before = await remembered(
            service, "review of branch import-2", kinds="observation", until="2026-02-12T09:00:00Z"
        )

    assert "observation" in {one["kind"] for one in every}
    assert {one["kind"] for one in episodes} <= {"episode"}
    assert before == []


async def test_an_outcome_of_an_observation_is_taken_and_holds_it_back(tmp_path):
    async with running(tmp_path) as service:
        await lived(service, tmp_path)
        body = {"outcomes": [{"id": f"observation:{MINE.digest}", "outcome": "contradicted"},
                             {"id": "observation:0000", "outcome": "acted"}]}  # fmt: skip
        applied = (await service.http.post("/v1/minds/ada/outcomes", json=body)).json()
        found = await surfaced(service)

    assert (applied["applied"], applied["unknown"]) == (1, ["observation:0000"])
    assert not any(one["kind"] == "observation" for one in found)


async def test_the_file_is_read_by_line_with_what_dreams_know_and_narrowed(tmp_path):
    async with running(tmp_path) as service:
        await lived(service, tmp_path, superseded=(REVIEW.digest,))
        answer = await service.http.get("/v1/minds/ada/observations")
        url = "/v1/minds/ada/observations"
        red = (await service.http.get(url, params={"level": "RED"})).json()["observations"]
        later = (await service.http.get(url, params={"since": str(date(2026, 2, 13))})).json()["observations"]
        same = await service.http.get(url, headers={"If-None-Match": answer.headers["ETag"]})
        raw = await service.http.get(url, headers={"Accept": "text/markdown"})

    mine, review = answer.json()["observations"]
    assert mine == {"level": "RED", "day": "2026-02-12", "at": "09:32", "text": MINE.text, "is_ours": True,
                    "is_superseded": False, "sources": [1]}  # fmt: skip
    assert (review["is_ours"], review["is_superseded"], review["sources"]) == (False, False, [])
    assert (answer.json()["etag"], answer.json()["text"]) == (answer.headers["ETag"], FILE)
    assert ([one["level"] for one in red], later) == (["RED"], [])
    assert same.status_code == 304
    assert (raw.content, raw.headers["ETag"]) == (FILE.encode(), answer.headers["ETag"])


async def test_a_put_replaces_what_it_has_read_and_nobodys_edit_is_lost(tmp_path):
    url, text = "/v1/minds/ada/observations", FILE.replace("YLW", "GRN")
    async with running(tmp_path) as service:
        folder = await lived(service, tmp_path)
        etag = (await service.http.get(url)).headers["ETag"]
        blind = await service.http.put(url, content=text, headers={"Content-Type": "text/markdown"})
        put = await service.http.put(url, json={"text": text}, headers={"If-Match": etag})
        late = await service.http.put(url, content="gone", headers={"If-Match": etag, "Content-Type": "text/markdown"})

    assert (blind.status_code, put.status_code, late.status_code) == (428, 200, 412)
    assert [one["level"] for one in put.json()["observations"]] == ["RED", "GRN"]
    assert late.json()["type"] == "/problems/observations-changed"
    assert (late.json()["current"], late.json()["etag"]) == (text, put.headers["ETag"])
    assert (folder / "observations.md").read_text() == text
    assert FILE in [file.read_text() for file in (folder / "observations-history").glob("*.md")]


async def test_a_mind_without_observations_has_an_empty_file_that_can_be_put(tmp_path):
    url = "/v1/minds/ada/observations"
    async with running(tmp_path) as service:
        await service.keep("ada", "Good morning!")
        empty = await service.http.get(url)
        put = await service.http.put(url, json={"text": FILE}, headers={"If-Match": empty.headers["ETag"]})
        unknown = await service.http.get("/v1/minds/nobody/observations")

    assert (empty.status_code, empty.json()["observations"], empty.json()["text"]) == (200, [], "")
    assert (put.status_code, len(put.json()["observations"])) == (200, 2)
    assert unknown.status_code == 404


@pytest.mark.parametrize(
    ("params", "pointer"),
    [({"level": "PINK"}, "query/level"), ({"since": "yesterday"}, "query/since"), ({"since": "5"}, "query/since")],
)
async def test_bad_input_says_where_it_is(tmp_path, params, pointer):
    async with running(tmp_path) as service:
        await service.keep("ada", "Good morning!")
        answer = await service.http.get("/v1/minds/ada/observations", params=params)

    assert answer.status_code == 422
    assert json.loads(answer.text)["errors"][0]["pointer"] == pointer


async def test_where_dreams_can_not_be_read_notes_and_turns_still_surface(tmp_path):
    async with running(tmp_path) as service:
        folder = await lived(service, tmp_path)
        (folder / "dreams.jsonl").unlink()
        (folder / "dreams.jsonl").mkdir()
        found = (await service.resonate("ada", ASKS, now=NOW)).json()
        recalled = await service.http.get("/v1/minds/ada/remember", params={"query": ASKS})

    assert found["degraded"] == ["journal_unavailable"]
    assert {one["kind"] for one in found["flashbacks"]} == {"episode"}
    assert (recalled.status_code, recalled.json()["degraded"]) == (200, ["journal_unavailable"])
