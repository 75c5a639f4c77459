"""Several turns in one call: each stored once, in order, with an answer of its own."""

import asyncio
import json

import pytest

from mind_memory_client import AsyncMemoryClient
from tests.support.service import running, settings_of

pytestmark = pytest.mark.anyio


def turn(number, words=None, **more):
    content = f"Thing {number} is blue." if words is None else words
    return {"turn_id": f"t{number}", "session_id": "s1", "messages": [{"role": "user", "content": content}], **more}


async def post(service, *turns, mind="ada"):
    return await service.http.post(f"/v1/minds/{mind}/turns/batch", json={"turns": [*turns]})


def ids_on_disk(home):
    files = sorted((home / "minds" / "ada" / "transcript").glob("*.jsonl"))
    return [json.loads(line).get("turn_id") for file in files for line in file.read_text().splitlines()]


async def test_a_batch_is_on_disk_in_its_order_when_it_answers_and_can_be_recalled(tmp_path):
    async with running(tmp_path) as service:
        answer = await post(service, turn(1), turn(2, session_id="s2"), turn(3, "My mother lives in Lyon."))

        assert answer.status_code == 207
        found = answer.json()
        assert (found["stored"], found["refused"]) == (3, 0)
        assert [one["stored"]["sequence"] for one in found["turns"]] == [1, 2, 3]
        assert ids_on_disk(tmp_path) == ["t1", "t2", "t3"]
        await service.digested("ada")
        assert "Lyon" in (await service.resonate("ada", "Where does my mother live?")).json()["block"]


async def test_the_same_batch_again_stores_nothing_twice_and_answers_the_same(tmp_path):
    async with running(tmp_path) as service:
        first, second = [(await post(service, turn(1), turn(2))).json() for _ in range(2)]
        together = await asyncio.gather(*(post(service, turn(2), turn(3)) for _ in range(4)))

        assert [one["stored"]["duplicate"] for one in second["turns"]] == [True, True]
        assert [one["stored"]["sequence"] for one in second["turns"]] == [1, 2]
        assert [one["stored"]["accepted_at"] for one in first["turns"]] == [
            one["stored"]["accepted_at"] for one in second["turns"]
        ]
        assert {one.json()["turns"][1]["stored"]["sequence"] for one in together} == {3}
        assert ids_on_disk(tmp_path) == ["t1", "t2", "t3"]


async def test_one_refused_turn_has_its_problem_and_the_others_are_stored(tmp_path):
    async with running(tmp_path) as service:
        await post(service, turn(1), turn(9))
        assert (await service.http.delete("/v1/minds/ada/turns/t9")).status_code == 200

        answer = await post(
            service, turn(2), turn(1, "Other words."), turn(9), turn(3, " "), turn(4, "My card is 4111 1111 1111 1111.")
        )

        turns = answer.json()["turns"]
        assert [one["status"] for one in turns] == [202, 409, 410, 422, 202]
        assert [one["problem"] and one["problem"]["type"] for one in turns] == [
            None,
            "/problems/turn-conflict",
            "/problems/turn-erased",
            "/problems/invalid-request",
            None,
        ]
        assert turns[3]["problem"]["errors"][0]["pointer"] == "#/turns/3/messages/0/content"
        assert turns[4]["stored"]["dropped"] == [{"index": 0, "reason": "secret: card number"}]
        assert ids_on_disk(tmp_path)[-2:] == ["t2", "t4"]
        figures = await service.figures()
        assert figures["mind_memory_turns_total", ("outcome", "refused")] == 3


async def test_two_turns_with_one_id_are_as_two_calls_with_it(tmp_path):
    async with running(tmp_path) as service:
        found = (await post(service, turn(1), turn(1), turn(1, "Other words."), turn(2))).json()

        assert [one["status"] for one in found["turns"]] == [202, 202, 409, 202]
        assert found["turns"][1]["stored"]["duplicate"]
        assert ids_on_disk(tmp_path) == ["t1", "t2"]


@pytest.mark.parametrize(
    ("turns", "pointer"),
    [
        ([], "#/turns"),
        ([turn(1), {**turn(2), "turn_id": None}], "#/turns/1/turn_id"),
        ([turn(1), {name: value for name, value in turn(2).items() if name != "turn_id"}], "#/turns/1/turn_id"),
        ([turn(1), turn(2, weight=1)], "#/turns/1/weight"),
        ([turn(number) for number in range(101)], "#/turns"),
    ],
)
async def test_a_batch_that_is_not_valid_stores_nothing(tmp_path, turns, pointer):
    async with running(tmp_path) as service:
        answer = await post(service, *turns)

        assert answer.status_code == 422
        assert pointer in [one["pointer"] for one in answer.json()["errors"]]
        assert not (tmp_path / "minds" / "ada").exists()


async def test_outcomes_and_traces_of_a_batch_count(tmp_path):
    async with running(tmp_path) as service:
        await post(service, turn(1, "My mother lives in Lyon."))
        await service.digested("ada")
        shown = (await service.resonate("ada", "Where does my mother live?")).json()
        outcomes = [{"id": shown["flashbacks"][0]["id"], "outcome": "acted"}]

        answer = await post(service, turn(2, trace_id=shown["trace_id"], outcomes=outcomes))

        assert answer.json()["turns"][0]["stored"]["outcomes"] == {"applied": 1, "unknown": []}
        assert (await service.status("ada"))["outcomes"]["acted"] == 1


async def test_the_limits_of_a_request_and_of_new_minds_hold(tmp_path):
    async with running(tmp_path, settings=settings_of(tmp_path, access={"new_minds_per_minute": 1})) as service:
        assert (
            await post(service, turn(1, "x" * 390_000), turn(2, "y" * 390_000), turn(3, "z" * 390_000))
        ).status_code == 413
        assert (await post(service, turn(1))).status_code == 207
        assert (await post(service, turn(1), mind="bob")).status_code == 429


async def test_the_client_makes_the_ids_and_reads_each_answer(tmp_path):
    async with running(tmp_path) as service:
        async with AsyncMemoryClient("http://localhost", http=service.http) as memory:
            await memory.store_turn("ada", "s1", "Words of its own.", turn_id="t1")
            turns = [{"session_id": "s1", "messages": "Hello."}, turn(1), turn(2)]
            found = await memory.store_turns("ada", turns=turns)

        assert [one.turn_id for one in found.turns][1:] == ["t1", "t2"]
        assert len(found.turns[0].turn_id) == 32
        assert [one.stored is not None for one in found.turns] == [True, False, True]
        assert found.turns[1].problem.status == 409
