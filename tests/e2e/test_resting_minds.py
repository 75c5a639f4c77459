"""Minds that nobody uses: not opened by a start, their graphs out of memory, and there at once when somebody calls."""

import asyncio
import shutil
import sqlite3
from contextlib import closing

import pytest

from tests.support.scripted_models import Brain, hosted, prompts, provider_of
from tests.support.service import QUICK, running, settings_of
from tests.support.waiting import until_async
from tests.support.watches import watches
from tests.twins.provider import Fails

pytestmark = pytest.mark.anyio

NAMES = ("ada", "bob", "eve")


def closing_soon(home, **more):
    return settings_of(home, idle_mind_seconds=0.01, **more)


async def all_resting(service):
    """
    Return once every mind is closed and has nothing left to do, and its story was looked at.

    A mind that is opened since its story was due is not due any more, and does not rest: so that is asked last.
    """
    minds = service.memory.minds
    while await minds.due(limit=1) or not all(map(minds.is_resting, NAMES)):
        await asyncio.sleep(0.05)


def copy_sqlite(file, target):
    """The database as it is at one moment, though it is written to: file and log, copied one by one, would not be."""
    with closing(sqlite3.connect(file)) as source, closing(sqlite3.connect(target)) as copy:
        source.backup(copy)


async def told(service):
    for name in NAMES:
        assert (await service.keep(name, f"The boat of {name} is called Zibblewock.")).status_code == 202
        await service.digested(name)


async def home_at_rest(folder):
    """A home whose service has ended, with minds that nobody used any longer."""
    home = folder / "home"
    async with running(home, settings=closing_soon(home)) as service:
        await told(service)
        await all_resting(service)
    return home


async def test_a_start_opens_no_mind_that_rests_and_lists_all(tmp_path):
    home = tmp_path / "home"
    async with running(home, settings=closing_soon(home)) as service:
        await told(service)
        await all_resting(service)
        before = (await service.http.get("/v1/status")).json()["minds"]

    async with running(home) as service:
        await asyncio.sleep(2)  # four sweeps

        assert service.memory.minds.opened() == ()
        listed = (await service.http.get("/v1/minds")).json()["minds"]
        assert [(one["mind_id"], one["turns"]) for one in listed] == [(name, 1) for name in NAMES]
        assert (await service.http.get("/v1/status")).json()["minds"] == before
        assert service.memory.minds.opened() == ()


async def test_a_mind_that_was_open_when_the_service_died_goes_on_by_itself(tmp_path):
    home, copy = tmp_path / "home", tmp_path / "copy"
    async with running(home, settings=closing_soon(home)) as service:
        await told(service)
        await all_resting(service)
        with service.memory.minds.gate.enter("bob"):  # it stays open
            await service.keep("bob", "My dog is called Quandrillo.")
            shutil.copytree(home / "minds", copy / "minds")  # what is on the disk when the power goes
            (copy / "derived").mkdir()
            copy_sqlite(home / "derived" / "minds.sqlite3", copy / "derived" / "minds.sqlite3")

    async with running(copy) as service:
        await until_async(lambda: service.memory.minds.get("bob") is not None)

        assert [mind.mind_id for mind in service.memory.minds.opened()] == ["bob"]
        assert (await service.digested("bob"))["graph"]["episodes"] == 2


async def test_a_turn_that_an_outage_parked_is_read_after_a_restart(tmp_path):
    """Broken: its mind rests, and no start opens it."""
    home, brain = tmp_path / "home", Brain()
    usual, brain.rules["extraction"] = brain.rules["extraction"], Fails(500)
    with provider_of(brain) as provider:
        digestion = {**QUICK, "most_attempts": 1}
        settings = hosted(home, provider, "extraction", digestion=digestion, idle_mind_seconds=0.01)
        async with running(home, settings=settings) as service:
            await service.keep("ada", "Ada met Bruno.")
            await service.until("ada", lambda s: s["graph"]["parked"])
        brain.rules["extraction"] = usual
        async with running(home, settings=settings) as service:
            await until_async(lambda: prompts(provider, "extraction")[1:] and service.memory.minds.is_resting("ada"))
            status = await service.status("ada")

    assert status["graph"]["parked"] == []


async def test_a_home_without_the_register_opens_each_mind_once(tmp_path):
    home = tmp_path / "home"
    async with running(home, settings=closing_soon(home)) as service:
        await told(service)
    shutil.rmtree(home / "derived")

    async with running(home) as service:
        await until_async(lambda: len(service.memory.minds.opened()) == len(NAMES))


async def test_a_mind_whose_full_text_is_made_anew_remembers_at_its_first_call(tmp_path):
    """
    Broken: it is at rest, so nobody makes its full text before the next sweep, and the first calls are silent.

    A new version empties the file at its first use; here it has gone.
    """
    home = tmp_path / "home"
    async with running(home, settings=closing_soon(home)) as service:
        await told(service)
        await all_resting(service)
        text = service.memory.minds.workspace("eve").text_index
    for file in text.parent.glob(f"{text.name}*"):
        file.unlink()

    async with running(home, settings=settings_of(home, digestion={"sweep_seconds": 3600})) as service:
        answer = await service.resonate("eve", "What is the boat called?", deadline_ms=20_000)

        assert "Zibblewock" in answer.json()["flashbacks"][0]["text"]
        assert answer.json()["degraded"] == []
        await service.digested("eve")
        assert (await service.status("eve"))["text"]["sequence"] == 1


async def test_a_mind_that_is_copied_in_while_the_service_runs_is_found(tmp_path):
    home, other = tmp_path / "home", tmp_path / "other"
    async with running(other) as service:
        await told(service)
    async with running(home) as service:
        assert (await service.http.get("/v1/minds")).json()["minds"] == []

        shutil.copytree(other / "minds" / "ada", home / "minds" / "ada")

        await until_async(lambda: service.memory.minds.get("ada") is not None)
        assert (await service.digested("ada"))["graph"]["episodes"] == 1


async def test_graphs_leave_memory_for_files_and_answer_at_the_next_call(tmp_path):
    home = tmp_path / "home"
    settings = closing_soon(home, graph={"memory_mb": 1})  # less than the server takes without any graph
    async with running(home, settings=settings) as service:
        await told(service)
        await all_resting(service)
        while await service.memory.graphs.in_memory():
            await asyncio.sleep(0.05)

        answer = await service.resonate("eve", "What is the boat called?")

        assert "Zibblewock" in answer.json()["flashbacks"][0]["text"]
        status = await service.status("eve")
        assert (status["graph"]["episodes"], status["graph"]["lag"]) == (1, 0)


async def test_a_start_finds_the_graphs_that_left(tmp_path):
    home = tmp_path / "home"
    async with running(home, settings=closing_soon(home, graph={"memory_mb": 1})) as service:
        await told(service)
        await all_resting(service)
        while await service.memory.graphs.in_memory():
            await asyncio.sleep(0.05)

    async with running(home) as service:
        assert "ada" not in await service.memory.graphs.in_memory()
        assert (await service.keep("ada", "My cat is called Quandrillo.")).status_code == 202

        status = await service.digested("ada")

        assert (status["graph"]["episodes"], status["graph"]["saved"]) == (2, 2)


async def test_an_erased_mind_leaves_neither_graph_nor_file_nor_row(tmp_path):
    home = tmp_path / "home"
    async with running(home, settings=closing_soon(home, graph={"memory_mb": 1})) as service:
        await told(service)
        await until_async(lambda: (home / "minds" / "ada" / "graph.checkpoint").exists())

        answer = await service.http.request("DELETE", "/v1/minds/ada", json={"mind_id": "ada"})

        assert answer.status_code in {200, 202}, answer.text
        await until_async(lambda: not (home / "minds" / "ada").exists())
        assert "ada" not in await service.memory.graphs.in_memory()
        assert b"Zibblewock" not in b"".join(
            file.read_bytes() for file in (home / "derived").rglob("*") if file.is_file()
        )
        assert [one["mind_id"] for one in (await service.http.get("/v1/minds")).json()["minds"]] == ["bob", "eve"]


async def test_a_mind_that_was_only_looked_at_still_says_which_embedder_made_its_graph(tmp_path):
    """Otherwise the next start would ask its graph, and load it for that."""
    home = tmp_path / "home"
    async with running(home, settings=closing_soon(home)) as service:
        await told(service)
        await all_resting(service)
        minds, embedder = service.memory.minds, service.memory.embedder.stored_name
        await minds.find("ada")  # no lane has anything to do
        await all_resting(service)

        unknown, _ = await minds.of_other_embedders(embedder)

        assert unknown == ()


async def test_the_folders_of_open_minds_alone_are_watched(tmp_path):
    """Broken: the watch covers all minds. The system has no watches for a hundred thousand."""
    home = tmp_path / "home"
    async with running(home, settings=closing_soon(home)) as service:
        minds = service.memory.minds
        await told(service)
        await until_async(lambda: watches(home) == 0 == len(minds.opened()))
        with minds.gate.enter("ada"):  # it stays open
            await service.resonate("ada", "What is the boat called?")
            await until_async(lambda: watches(home) > 0)

            assert watches(home) < 10 * len(minds.opened())


async def test_who_asks_of_the_folders_of_all_minds_while_others_do_shares_a_look(tmp_path):
    """Broken: each of them looks through a hundred thousand folders for itself."""
    home, seen = tmp_path / "home", {"a": [], "b": [], "c": []}

    def look_of(name, is_so):
        return service.memory.minds.those_with(lambda folder: seen[name].append(folder) or is_so(folder))

    async with running(home) as service:
        await told(service)
        found = await asyncio.gather(
            look_of("a", lambda folder: "transcript" in folder.names),
            look_of("b", lambda folder: folder.mind_id == "bob"),
            look_of("c", lambda folder: "nothing" in folder.names),
        )

    assert found == [NAMES, ("bob",), ()]
    assert [list(map(id, seen[name])) for name in "bc"] == [list(map(id, seen["a"]))] * 2


async def test_a_call_to_a_mind_that_takes_long_to_open_does_not_wait_for_it(tmp_path):
    """Broken: the deadline began behind the opening, which takes seconds in a mind of 60,000 turns."""
    home = await home_at_rest(tmp_path)
    (home / "minds" / "ada" / "dreams.jsonl").write_text("{}\n" * 100_000)

    async with running(home) as service:
        found = (await service.resonate("ada", "What is the boat of ada called?", deadline_ms=50)).json()
        assert service.memory.minds.get("ada") is None
        assert found["degraded"] == ["deadline"] and found["silence"] == "the deadline came first"

        await until_async(lambda: service.memory.minds.get("ada") is not None)  # nobody has to ask again for that
        found = (await service.resonate("ada", "What is the boat of ada called?")).json()
        assert "Zibblewock" in found["flashbacks"][0]["text"]


async def test_another_mind_that_takes_long_to_open_holds_up_no_call_that_also_reads_it(tmp_path):
    """Broken: the call waited for the other mind, and came behind its deadline."""
    home = await home_at_rest(tmp_path)
    (home / "minds" / "bob" / "dreams.jsonl").write_text("{}\n" * 100_000)

    async with running(home) as service:
        await service.resonate("ada", "Hello!")
        question = "What is the boat of bob called?"
        found = (await service.resonate("ada", question, also_read=["bob"], deadline_ms=300)).json()
        assert service.memory.minds.get("bob") is None
        assert "also_read_unavailable" in found["degraded"]

        await until_async(lambda: service.memory.minds.get("bob") is not None)
        found = (await service.resonate("ada", question, also_read=["bob"])).json()
        assert found["degraded"] == [] and any(one["id"].startswith("bob/") for one in found["flashbacks"])


async def test_a_mind_is_opened_though_another_program_has_locked_its_full_text(tmp_path):
    """Broken: the opening waited for the file, five seconds, and every other mind's opening with it."""
    home = await home_at_rest(tmp_path)
    file = home / "minds" / "ada" / "derived" / "text.sqlite3"

    with closing(sqlite3.connect(file)) as other:
        other.execute("SELECT * FROM turns").fetchall()
        async with running(home) as service:
            found = (await service.resonate("ada", "What is the boat of ada called?", deadline_ms=500)).json()
            assert found["trace_id"] is not None  # it is open, and its full text is waited for
            assert found["degraded"][0] == "deadline"

            other.close()
            found = (await service.resonate("ada", "What is the boat of ada called?")).json()
            assert "Zibblewock" in found["flashbacks"][0]["text"]
