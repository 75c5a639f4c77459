"""Traces over HTTP: found by session, time and memory, in pages; erased with what they rest on."""

import pytest

from tests.support.service import running, settings_of

pytestmark = pytest.mark.anyio

LYON, ASKS = "My mother lives in Lyon.", "Where does my mother live?"


async def told(service, *contents, session_id="s0"):
    kept = [(await service.keep("ada", one, session_id=session_id)).json() for one in contents]
    await service.digested("ada")
    return kept


async def listed(service, **asked):
    answer = await service.http.get("/v1/minds/ada/traces", params=asked)
    assert answer.status_code == 200, answer.text
    return answer.json()


async def test_traces_are_found_by_session_and_by_what_they_showed_in_pages(tmp_path):
    async with running(tmp_path) as service:
        await told(service, LYON)
        asks = {"role": "user", "content": ASKS}
        again = [asks, {"role": "assistant", "content": "In Lyon."}, asks]
        windows = (("s0", [asks]), ("s1", [asks]), ("s0", again), ("s1", again))
        found = [(await service.resonate("ada", window, session_id=session)).json() for session, window in windows]
        memory = found[0]["flashbacks"][0]["id"]
        by_session = await listed(service, session_id="s1")
        shown = await listed(service, memory=memory, role="shown")
        dropped = await listed(service, memory=memory, role="dropped")
        first = await listed(service, limit=3)
        rest = await listed(service, limit=3, cursor=first["next_cursor"])

    trace_ids = [one["trace_id"] for one in found]
    assert [one["trace_id"] for one in by_session["traces"]] == [trace_ids[3], trace_ids[1]]
    assert [one["trace_id"] for one in shown["traces"]] == [trace_ids[1], trace_ids[0]]
    assert [one["trace_id"] for one in dropped["traces"]] == [trace_ids[3], trace_ids[2]]
    assert [one["trace_id"] for one in (*first["traces"], *rest["traces"])] == trace_ids[::-1]
    assert rest["next_cursor"] is None


@pytest.mark.parametrize(
    ("asked", "pointer"),
    [
        ("limit=0", "query/limit"),
        ("limit=501", "query/limit"),
        ("cursor=x", "query/cursor"),
        ("since=yesterday", "query/since"),
        ("role=shown", "query/role"),
        ("memory=fact:x&role=seen", "query/role"),
        ("surfaced=perhaps", "query/surfaced"),
        ("colour=red", "query/colour"),
    ],
)
async def test_a_bad_question_for_traces_is_pointed_at(tmp_path, asked, pointer):
    async with running(tmp_path) as service:
        await service.keep("ada", LYON)

        answer = await service.http.get(f"/v1/minds/ada/traces?{asked}")

    assert answer.status_code == 422
    assert [one["pointer"] for one in answer.json()["errors"]] == [pointer]


async def test_traces_outlive_a_restart_and_the_index_with_it(tmp_path):
    async with running(tmp_path) as service:
        await told(service, LYON)
        real = (await service.resonate("ada", ASKS)).json()
    (tmp_path / "minds/ada/derived/traces.sqlite3").unlink()

    async with running(tmp_path) as service:
        found = await listed(service, memory=real["flashbacks"][0]["id"])

    assert [one["trace_id"] for one in found["traces"]] == [real["trace_id"]]


async def test_an_erased_turn_takes_its_traces_out_of_files_and_index(tmp_path):
    async with running(tmp_path) as service:
        (kept,) = await told(service, LYON)
        real = (await service.resonate("ada", ASKS)).json()
        receipt = (await service.http.delete(f"/v1/minds/ada/turns/{kept['turn_id']}")).json()
        found = await listed(service)
        memory = await listed(service, memory=real["flashbacks"][0]["id"])

    assert receipt["verified"] is True
    assert (found["traces"], memory["traces"]) == ([], [])
    files = [file for file in (tmp_path / "minds/ada").rglob("*") if file.is_file()]
    assert not any(real["trace_id"].encode() in file.read_bytes() for file in files)


async def test_old_traces_are_deleted_when_the_service_starts(tmp_path):
    async with running(tmp_path) as service:
        await told(service, LYON)
        await service.resonate("ada", ASKS)
    (new,) = (tmp_path / "minds/ada").glob("subconscious-*.jsonl")
    new.rename(new.with_name("subconscious-2026-01-09.jsonl"))

    async with running(tmp_path, settings=settings_of(tmp_path, traces={"keep_days": 0})) as service:
        kept = await listed(service)
    async with running(tmp_path) as service:
        await service.until("ada", lambda _: not list((tmp_path / "minds/ada").glob("subconscious-*.jsonl")))
        found = await listed(service)

    assert len(kept["traces"]) == 1
    assert found["traces"] == []


PARROT, LONG = (
    "My aunt Carla has a parrot.",
    " ".join(f"On day {at} we only walked along the quiet river." for at in range(40)),
)


async def test_a_fact_came_up_where_a_flashback_shows_its_sentence(tmp_path):
    """Broken: the traces of a fact are those of its own id alone; each fact of a turn that is shown has come up."""
    async with running(tmp_path) as service:
        await told(service, f"{LYON} {LONG} {PARROT}")
        answer = (await service.resonate("ada", ASKS)).json()
        facts = (await service.http.get("/v1/minds/ada/facts")).json()["items"]
        used = {word: next(one for one in facts if word in one["text"]) for word in ("Lyon", "parrot")}
        listed_by = {
            word: (await listed(service, memory=one["id"], role="shown"))["traces"] for word, one in used.items()
        }
        probe = await service.resonate("ada", ASKS, session_id="s9", probe=True)

    (shown,) = answer["flashbacks"]
    assert ("Lyon" in shown["text"], "parrot" in shown["text"]) == (True, False)
    assert used["Lyon"]["surfaced"]["trace_ids"] == [answer["trace_id"]]
    assert [one["trace_id"] for one in listed_by["Lyon"]] == [answer["trace_id"]]
    assert (used["parrot"]["surfaced"], listed_by["parrot"]) == (None, [])
    assert probe.status_code == 200
