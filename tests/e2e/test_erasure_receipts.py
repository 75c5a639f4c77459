"""What an erasure would take is seen before, and what it took is kept: counts, and nobody's words."""

import json
import re

import pytest

from service.erasure.receipt_log import FILE
from tests.e2e.test_bad_narrators import patient
from tests.e2e.test_erasure import SECRET, STEMS, counts, erase, holding, keep_all
from tests.support.api_keys import make_key
from tests.support.service import running
from tests.support.waiting import until_async

pytestmark = pytest.mark.anyio


async def preview(service, path):
    answer = await service.http.delete(f"/v1/minds/{path}?dry_run=true")
    assert answer.status_code == 200, answer.text
    return answer.json()


async def receipts(service, path="minds/ada/erasures", **asked):
    answer = await service.http.get(f"/v1/{path}", params=asked)
    assert answer.status_code == 200, answer.text
    return answer.json()


async def test_a_preview_counts_what_the_receipt_then_says_and_changes_nothing(tmp_path):
    async with running(tmp_path, settings=patient(tmp_path, {})) as service:
        await keep_all(service)
        (tmp_path / "minds/ada/MEMORY.md").write_text("Zerlina Quittenbaum is my aunt.\n")
        said = {"what": "pin", "target": {"kind": "turn", "turn_ids": ["turn-of-1"]}}
        assert (await service.http.post("/v1/minds/ada/corrections", json=said)).status_code == 201
        before = await service.status("ada")

        seen = await preview(service, "ada/turns/turn-of-1")
        again = await preview(service, "ada/turns/turn-of-1")

        assert (await service.status("ada"))["turns"] == before["turns"] and seen == again
        receipt = counts(await erase(service, "ada/turns/turn-of-1"))

    assert seen["dry_run"] is True and (seen["turns"], seen["corrections"]) == (1, 1)
    graph = (receipt["graph", "facts"], receipt["graph", "entities"])
    assert (seen["facts"], seen["entities"]) == graph and all(graph)
    assert len(seen["chapters"]) == receipt["story", "chapters"] and not seen["chapters"][0]["is_edited"]
    assert seen["traces"] == receipt["traces", "traces"]
    assert seen["left"] == ["MEMORY.md"] and any(name.startswith("subconscious-") for name in seen["files"])


async def test_a_preview_of_a_whole_mind_names_its_chapters_and_peoples_files(tmp_path):
    async with running(tmp_path, settings=patient(tmp_path, {})) as service:
        await keep_all(service)
        seen = await preview(service, "ada")
        session = await preview(service, "ada/sessions/s1")
        status = await service.status("ada")

    assert (seen["turns"], session["turns"]) == (4, 3) and status["turns"] == 4
    assert {"MEMORY.md", "SOUL.md"} <= set(seen["files"]) and seen["left"] == []
    assert seen["chapters"] and 0 < session["facts"] <= seen["facts"] == status["graph"]["facts"]


async def test_a_dry_run_that_is_misspelt_or_contradicts_itself_erases_nothing(tmp_path):
    async with running(tmp_path) as service:
        await service.keep("ada", "Hello.", turn_id="t1")
        refused = await service.http.delete("/v1/minds/ada?dryrun=true")
        missing = await service.http.delete("/v1/minds/ada/turns/t2?dry_run=true")
        torn = await service.http.delete("/v1/minds/ada?dry_run=true&dry_run=false")

        assert (refused.status_code, refused.json()["errors"][0]["pointer"]) == (422, "query/dryrun")
        assert (torn.status_code, torn.json()["errors"][0]["pointer"]) == (422, "query/dry_run")
        assert (await service.status("ada"))["turns"] == 1 and missing.status_code == 404


async def test_receipts_are_kept_without_words_and_outlive_their_mind(tmp_path):
    async with running(tmp_path) as service:
        await keep_all(service)
        await erase(service, "ada/turns/turn-of-1")
        await erase(service, "ada/sessions/s9")
        first = await receipts(service, limit=1)
        second = await receipts(service, limit=1, cursor=first["next_cursor"])
        bad = await service.http.get("/v1/minds/ada/erasures?cursor=nonsense")
        await erase(service, "ada")
        own = (await receipts(service))["items"]
        unknown = await service.http.get("/v1/minds/bob/erasures")
    async with running(tmp_path) as service:
        kept = (await receipts(service, "erasures"))["items"]

    assert [one["kind"] for one in kept] == ["mind", "session", "turn"] and second["next_cursor"] is None
    assert [*first["items"], *second["items"]] == kept[1:]
    assert all(one["verified"] and one["by"] == "local" and one["turns"] for one in kept)
    assert (kept[0]["part"], kept[0]["turns"]) == (None, 2) and re.fullmatch("[0-9a-f]{16}", kept[2]["part"])
    assert (bad.status_code, bad.json()["errors"][0]["pointer"], unknown.status_code) == (422, "query/cursor", 404)
    assert own == kept
    assert holding(tmp_path, *STEMS, "turn-of-1") == []


async def test_a_key_for_one_mind_finds_the_receipt_of_its_mind_and_no_other(tmp_path):
    """Broken: 404 at its own address, and at that of all, too."""
    key = make_key(tmp_path, minds=("ada",))
    async with running(tmp_path) as service:
        service.http.headers["Authorization"] = f"Bearer {key}"
        await service.keep("ada", "Hello.")
        await erase(service, "ada")
        own = (await receipts(service))["items"]
        others = await service.http.get("/v1/minds/bob/erasures")

    assert [one["kind"] for one in own] == ["mind"]
    assert others.status_code == 404


async def test_a_kill_between_an_erasure_and_its_receipt_loses_no_receipt_and_doubles_none(tmp_path):
    """Broken: the plan is dropped before the receipt is written; only who waits for an erasure notes it."""
    plans = tmp_path / "erasing"
    async with running(tmp_path) as service:
        await service.keep("ada", SECRET, turn_id="t1")
        await service.keep("ada", "Hello.", turn_id="t2")
        await service.digested("ada")
        add, copied = service.memory.erasure.receipts.add, {}
        log = service.memory.erasure.receipts

        class Copying:
            """Receipts that copy the plan, as a kill right after the receipt would leave it."""

            def add(self, kept):
                copied.update({file.name: file.read_text() for file in plans.iterdir()})
                add(kept)

            newest = log.newest

        service.memory.erasure.receipts = Copying()
        await erase(service, "ada/turns/t1")
    for lost in (False, True):  # the kill came after the receipt; and before it
        plans.mkdir()
        for name, text in copied.items():
            (plans / name).write_text(text)
        if lost:
            (tmp_path / FILE).write_text('{"id": "torn')
        async with running(tmp_path) as service:
            await until_async(lambda: not plans.exists())
            [kept] = (await receipts(service))["items"]

        assert (kept["kind"], kept["turns"], kept["by"]) == ("turn", 1, "local")
        assert json.loads((tmp_path / FILE).read_text().splitlines()[-1])["id"] == kept["id"]
        noted = [json.loads(line) for line in (tmp_path / "audit.jsonl").read_text().splitlines()]
        assert [one["by"] for one in noted if one["action"] == "turn.erased"] == ["local"] * (3 if lost else 2)


async def test_a_session_that_left_only_pre_turn_calls_can_be_erased(tmp_path):
    """Broken: a session without turns is 404, and the traces hold its words on."""
    words = "My secret codeword is Rumpelstiltskin, do you know it?"
    async with running(tmp_path) as service:
        await service.keep("ada", "My aunt Carla lives in Lyon.", session_id="s1")
        await service.digested("ada")
        asked = (await service.resonate("ada", words, session_id="lonely")).json()
        other = (await service.resonate("ada", "Where does Carla live?", session_id="s2")).json()
        reported = {"id": other["flashbacks"][0]["id"], "outcome": "acted"}
        answer = await service.http.post(
            "/v1/minds/ada/outcomes", json={"trace_id": other["trace_id"], "outcomes": [reported]}
        )
        assert answer.json()["applied"] == 1
        seen = await preview(service, "ada/sessions/lonely")
        receipt = await erase(service, "ada/sessions/lonely")
        kept = await receipts(service)
        again = await service.http.delete("/v1/minds/ada/sessions/lonely")
        gone = await service.http.get(f"/v1/minds/ada/traces/{asked['trace_id']}")
        with_outcome = counts(await erase(service, "ada/sessions/s2"))
        status = await service.status("ada")
        found = (await service.resonate("ada", "Where does Carla live?", session_id="s3")).json()

    assert (seen["turns"], seen["traces"]) == (0, 1)
    assert counts(receipt)["traces", "traces"] == 1
    assert kept["items"]
    assert (again.status_code, gone.status_code) == (404, 404)
    assert holding(tmp_path, "Rumpelstiltskin") == []
    assert (with_outcome["traces", "traces"], with_outcome["outcomes", "outcomes"]) == (1, 1)
    assert status["turns"] == 1
    assert "Lyon" in found["block"]
