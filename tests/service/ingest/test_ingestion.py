"""The rules of the three lanes: their order, poison turns, outages, lost wake-ups, and who stops whom."""

import asyncio

import pytest

from consolidation.kernel.errors import (
    EmbedderMismatch,
    GraphUnavailable,
    InvalidModelOutput,
    ModelCircuitOpen,
    ModelUnavailable,
)
from service.ingest.parking import READ_AGAIN
from service.mind.health import LaneName
from service.ports.embedder import EmbedderIdentity
from service.ports.graph import Parked
from tests.support.graphs import OURS, read_turn
from tests.support.write_path import MOST_ATTEMPTS, write_path

pytestmark = pytest.mark.anyio

POISON = "Voldemort"


def failing(error, *, on=""):
    """A rule of a model that fails for every turn that holds *on*."""

    def read(words):
        if any(on in one.content for one in words["said"]):
            raise error
        return read_turn(words)

    return read


async def attempts_at(path, content):
    asked = [ask.words["said"] for ask in path.reader.asked if ask.prompt == "extraction"]
    return sum(any(content in one.content for one in said) for said in asked)


async def test_a_turn_is_indexed_before_it_is_saved_and_saved_before_a_model_reads_it(tmp_path):
    seen = []

    def read(words):
        seen.append((mind.lag(LaneName.INDEXING), mind.lag(LaneName.SAVING), mind.lag(LaneName.EXTRACTING)))
        return read_turn(words)

    async with write_path(tmp_path) as path:
        path.reader.rules["extraction"] = read
        mind = await path.store("ada", "Ada met Bruno.")
        path.ingestion.wake(mind)
        await path.until_extracted(mind)

    assert seen == [(0, 0, 1)]


async def test_the_saving_lane_never_runs_ahead_of_the_indexing_lane(tmp_path):
    async with write_path(tmp_path) as path:
        indexing, saving, _ = path.ingestion.lanes
        mind = await path.store("ada", "Ada met Bruno.")

        assert await saving.step(mind) is False
        assert (await mind.graph.progress()).saved == 0
        await indexing.step(mind)
        await saving.step(mind)
        assert (await mind.graph.progress()).saved == 1


async def test_the_extraction_lane_never_runs_ahead_of_the_saving_lane(tmp_path):
    async with write_path(tmp_path) as path:
        indexing, saving, extraction = path.ingestion.lanes
        mind = await path.store("ada", "Ada met Bruno.")
        await indexing.step(mind)

        assert await extraction.step(mind) is False
        assert path.reader.asked == []
        await saving.step(mind)
        await extraction.step(mind)
        assert await attempts_at(path, "Ada met Bruno.") == 1


async def test_a_graph_that_is_away_keeps_no_turn_from_being_found_by_its_words(tmp_path):
    async with write_path(tmp_path) as path:
        path.graphs.outage = GraphUnavailable("away")
        mind = await path.store("ada", "Ada met Bruno.")
        path.ingestion.wake(mind)
        await path.until(lambda: mind.health.lanes[LaneName.SAVING].waiting_for is not None)

        assert mind.text.cursor("turns") == 1
        assert mind.lag(LaneName.INDEXING) == 0
        assert mind.lag(LaneName.SAVING) == 1
        path.graphs.outage = None
        await path.until_extracted(mind)
        assert mind.health.waiting_for is None


async def test_a_poison_turn_is_parked_after_five_failures_and_the_others_go_on(tmp_path):
    async with write_path(tmp_path) as path:
        path.reader.rules["extraction"] = failing(InvalidModelOutput("no JSON"), on=POISON)
        mind = await path.store("ada", "Ada met Bruno.", f"{POISON} met Carla.", "Carla met Ada.")
        path.ingestion.wake(mind)
        await path.until_extracted(mind)
        [parked] = (await mind.graph.progress()).parked
        facts = {fact.text for fact in (await mind.graph.knowledge(after=0, limit=100)).facts}

        assert (parked.turn_id, parked.attempts) == ("t2", MOST_ATTEMPTS)
        assert await attempts_at(path, POISON) == MOST_ATTEMPTS
        assert facts == {"Ada met Bruno.", "Carla met Ada."}


async def test_a_poison_turn_of_one_mind_holds_up_no_other_mind(tmp_path):
    async with write_path(tmp_path) as path:
        path.reader.rules["extraction"] = failing(InvalidModelOutput("no JSON"), on=POISON)
        ada = await path.store("ada", f"{POISON} met Carla.")
        bob = await path.store("bob", "Bob met Carla.")
        path.ingestion.wake(ada)
        path.ingestion.wake(bob)
        await path.until_extracted(bob)
        await path.until_extracted(ada)

        assert ((await ada.graph.progress()).parked != (), (await bob.graph.progress()).parked) == (True, ())


def at_its_limit():
    fault = ModelUnavailable("left alone")
    fault.is_busy = True
    return fault


@pytest.mark.parametrize("error", [ModelCircuitOpen("left alone"), at_its_limit()])
async def test_while_a_provider_takes_no_questions_nothing_is_parked_however_often_it_is_tried(tmp_path, error):
    async with write_path(tmp_path) as path:
        path.reader.rules["extraction"] = failing(error)
        mind = await path.store("ada", "Ada met Bruno.")
        path.ingestion.wake(mind)
        await path.until(lambda: path.tally.lane_failures["extracting"] > 5 * MOST_ATTEMPTS)

        assert (await mind.graph.progress()).parked == ()
        assert mind.health.waiting_for == f"{type(error).__name__}: left alone"
        path.reader.rules["extraction"] = read_turn
        await path.until_extracted(mind)
        assert (await mind.graph.progress()).parked == ()


async def test_an_outage_parks_one_turn_after_five_failures_the_next_after_twenty_and_all_are_read_when_it_ends(
    tmp_path,
):
    async with write_path(tmp_path) as path:
        path.reader.rules["extraction"] = failing(ModelUnavailable("no credit left"))
        mind = await path.store("ada", "Ada met Bruno.", "Bruno met Carla.", "Carla met Ada.")
        path.ingestion.wake(mind)
        await path.until(lambda: len(mind.health.parked) == 2)
        tried = [await attempts_at(path, text) for text in ("Ada met Bruno.", "Bruno met Carla.")]
        path.reader.rules["extraction"] = read_turn
        await path.until_extracted(mind)

        assert tried == [MOST_ATTEMPTS, 4 * MOST_ATTEMPTS]
        assert (await mind.graph.progress()).parked == ()
        facts = (await mind.graph.knowledge(after=0, limit=100)).facts
        assert len(facts) == 3


async def parked_in_an_outage(path, mind_id, content):
    """A mind whose one turn an outage, which goes on, has parked."""
    mind = await path.store(mind_id, content)
    path.ingestion.wake(mind)
    await path.until_extracted(mind)
    return mind


async def test_a_turn_that_an_outage_parked_is_tried_by_itself_and_read_though_nothing_follows_it(tmp_path):
    async with write_path(tmp_path, probe_seconds=0.05) as path:
        path.reader.rules["extraction"] = failing(ModelUnavailable("away"))
        mind = await parked_in_an_outage(path, "ada", "Ada met Bruno.")
        [parked] = mind.health.parked
        tried = await attempts_at(path, "Ada met Bruno.")
        await path.until(lambda: len(path.reader.asked) >= tried + 3)  # probes, while the outage goes on
        unchanged = (await mind.graph.progress()).parked
        path.reader.rules["extraction"] = read_turn
        await path.until(lambda: not mind.health.parked)

        assert unchanged == (parked,)
        assert [fact.text for fact in (await mind.graph.knowledge(after=0, limit=9)).facts] == ["Ada met Bruno."]


async def test_each_mind_is_tried_once_any_turn_was_read_and_what_fails_again_waits_for_the_next(tmp_path):
    async with write_path(tmp_path, probe_seconds=1000) as path:
        path.reader.rules["extraction"] = failing(ModelUnavailable("away"))
        ada = await parked_in_an_outage(path, "ada", "Ada met Bruno.")
        bob = await parked_in_an_outage(path, "bob", f"{POISON} met Carla.")
        path.reader.rules["extraction"] = failing(ModelUnavailable("away"), on=POISON)
        eve = await path.store("eve", "Eve met Carla.")
        path.ingestion.wake(eve)
        await path.until(lambda: not ada.health.parked and bob.health.parked[0].attempts > MOST_ATTEMPTS)
        await path.until(lambda: path.waits_for_next_reading(bob) and not path.background_jobs())  # Ada's was one, too
        tried = await attempts_at(path, POISON)
        await asyncio.sleep(0.1)

        assert [one.error for one in bob.health.parked] == ["ModelUnavailable: away"]
        assert await attempts_at(path, POISON) == tried


async def test_a_turn_that_no_provider_ever_answers_is_left_alone_in_the_end(tmp_path):
    async with write_path(tmp_path, probe_seconds=1000) as path:
        path.reader.rules["extraction"] = failing(ModelUnavailable("away"), on=POISON)
        bob = await parked_in_an_outage(path, "bob", f"{POISON} met Carla.")
        for number in range(6 * MOST_ATTEMPTS):
            await path.store("bob", f"Bob met Carla {number} times.")
            path.ingestion.wake(bob)
            await path.until_extracted(bob)

        [parked] = bob.health.parked
        assert (parked.error, parked.attempts) == ("tried again: ModelUnavailable: away", 5 * MOST_ATTEMPTS)
        assert not bob.health.awaits_end_of_outage


async def test_an_outage_that_comes_back_while_its_turns_are_tried_again_costs_none_of_them(tmp_path):
    """Broken: the round goes on behind the first of them that nobody answers, and each of them had its one chance."""
    async with write_path(tmp_path, probe_seconds=0.02) as path:
        path.reader.rules["extraction"] = failing(ModelUnavailable("away"))
        said = ("Ada met Bruno.", "Bruno met Carla.", "Carla met Ada.")
        for words in said:
            mind = await parked_in_an_outage(path, "ada", words)
        asked = len(path.reader.asked)

        def read(words):
            if len(path.reader.asked) > asked + 1:
                raise ModelUnavailable("away again")
            return read_turn(words)

        path.reader.rules["extraction"] = read
        await path.until(lambda: len(mind.health.parked) == 2)
        await path.until(lambda: len(path.reader.asked) > asked + 4)
        waiting = [one.error for one in mind.health.parked]
        path.reader.rules["extraction"] = read_turn
        await path.until(lambda: not mind.health.parked)

        assert all(error.startswith("ModelUnavailable: away") for error in waiting)
        facts = {fact.text for fact in (await mind.graph.knowledge(after=0, limit=9)).facts}
        assert facts == {*said}


async def test_a_turn_that_only_seems_to_be_an_outage_keeps_no_other_from_being_the_probe(tmp_path):
    async with write_path(tmp_path, probe_seconds=0.02) as path:
        path.reader.rules["extraction"] = failing(ModelUnavailable("away"))
        mind = await path.store("ada", f"{POISON} met Carla.", "Ada met Bruno.")
        path.ingestion.wake(mind)
        await path.until_extracted(mind)
        path.reader.rules["extraction"] = failing(ModelUnavailable("away"), on=POISON)
        await path.until(lambda: [one.sequence for one in mind.health.parked] == [1])

        assert [fact.text for fact in (await mind.graph.knowledge(after=0, limit=9)).facts] == ["Ada met Bruno."]


async def test_a_mind_stays_open_while_a_turn_that_an_outage_parked_was_not_tried_again(tmp_path):
    async with write_path(tmp_path) as path:
        path.reader.rules["extraction"] = failing(ModelUnavailable("away"))
        mind = await parked_in_an_outage(path, "ada", "Ada met Bruno.")
        await path.minds.close_unused(idle_seconds=1e-9)
        was_open = path.minds.opened() == (mind,)
        path.ingestion.try_after_outage(mind, 0)
        path.reader.rules["extraction"] = failing(InvalidModelOutput("no JSON"))
        await path.until(lambda: not path.background_jobs())
        await path.minds.close_unused(idle_seconds=1e-9)

        assert was_open
        assert path.minds.opened() == ()


async def test_who_asks_for_a_parked_turn_during_the_outage_does_not_use_up_its_chance(tmp_path):
    async with write_path(tmp_path) as path:
        path.reader.rules["extraction"] = failing(ModelUnavailable("away"))
        mind = await parked_in_an_outage(path, "ada", "Ada met Bruno.")
        path.ingestion.retry(mind)
        await path.until(lambda: not path.background_jobs())

        [parked] = mind.health.parked
        assert (parked.error, parked.attempts) == ("ModelUnavailable: away", MOST_ATTEMPTS + 1)
        assert mind.health.awaits_end_of_outage


async def test_a_parked_turn_is_read_when_somebody_asks_for_it(tmp_path):
    async with write_path(tmp_path) as path:
        path.reader.rules["extraction"] = failing(InvalidModelOutput("no JSON"))
        mind = await path.store("ada", "Ada met Bruno.")
        path.ingestion.wake(mind)
        await path.until_extracted(mind)
        path.reader.rules["extraction"] = read_turn
        path.ingestion.retry(mind)
        await path.until(lambda: not path.background_jobs())

        assert (await mind.graph.progress()).parked == ()
        assert [fact.text for fact in (await mind.graph.knowledge(after=0, limit=9)).facts] == ["Ada met Bruno."]


async def test_many_turns_that_are_read_again_leave_room_for_new_ones(tmp_path):
    """Broken: all of them are read before the next turn; or those of the next step wait until something happens."""
    async with write_path(tmp_path) as path:
        mind = await path.store("ada", *(f"Ada met number {at} in Lyon." for at in range(50)))
        path.ingestion.wake(mind)
        await path.until_extracted(mind)
        for stored in await mind.transcript.after(0, limit=50):
            await mind.graph.park(Parked(stored.sequence, stored.turn.turn_id, READ_AGAIN, 0, stored.accepted_at))
        path.reader.asked.clear()
        await path.store("ada", "Ada met Bruno.")
        path.ingestion.wake(mind)
        await path.until_extracted(mind)
        await path.until(lambda: not mind.health.parked)

    said = [ask.words["said"][0].content for ask in path.reader.asked if ask.prompt == "extraction"]
    assert len(said) == 51 and said.index("Ada met Bruno.") < 25


async def test_while_a_mind_is_embedded_anew_its_turns_wait_whether_parked_or_never_read(tmp_path):
    async with write_path(tmp_path) as path:
        indexing, saving, _ = path.ingestion.lanes
        path.reader.rules["extraction"] = failing(InvalidModelOutput("no JSON"))
        mind = await path.store("ada", "Ada met Bruno.")
        path.ingestion.wake(mind)
        await path.until_extracted(mind)
        await path.until(lambda: not path.background_jobs())
        [parked] = mind.health.parked
        path.reader.rules["extraction"] = read_turn
        await path.store("ada", "Bruno met Carla.")
        await indexing.step(mind)
        await saving.step(mind)
        mind.graph.content().identity = EmbedderIdentity("an earlier version", OURS.dimension)
        saving.forget("ada")
        with pytest.raises(EmbedderMismatch):
            await saving.step(mind)
        tried = len(path.reader.asked)

        path.ingestion.retry(mind)
        await path.until(lambda: path.tally.lane_failures["extracting"] > 3 * MOST_ATTEMPTS)
        waiting, attempts = mind.health.waiting_for, [*mind.graph.content().all("Attempt")]

        assert (await mind.graph.progress()).parked == (parked,)
        assert waiting.startswith("EmbedderMismatch")
        assert [one.properties["count"] for one in attempts] == [MOST_ATTEMPTS]  # the parked turn's
        assert len(path.reader.asked) == tried
        mind.graph.content().identity = OURS
        path.ingestion.wake(mind)
        await path.until_extracted(mind)
        await path.until(lambda: not path.background_jobs())
        assert (await mind.graph.progress()).parked == ()
        assert len((await mind.graph.knowledge(after=0, limit=9)).facts) == 2


async def test_vectors_that_turn_out_to_be_anothers_while_a_turn_is_read_park_nothing(tmp_path):
    async with write_path(tmp_path) as path:
        path.reader.rules["extraction"] = failing(EmbedderMismatch("of an earlier version"))
        mind = await path.store("ada", "Ada met Bruno.")
        path.ingestion.wake(mind)
        await path.until(lambda: path.tally.lane_failures["extracting"] > 3 * MOST_ATTEMPTS)

        assert (await mind.graph.progress()).parked == ()


async def test_a_lost_wake_up_is_found_by_the_sweep(tmp_path):
    async with write_path(tmp_path, sweeps=True, sweep_seconds=0.01) as path:
        mind = await path.store("ada", "Ada met Bruno.")  # and nobody is woken
        await path.until_extracted(mind)

        assert (await mind.graph.progress()).extracted == 1


async def test_a_mind_that_can_not_be_opened_keeps_no_other_from_the_sweep(tmp_path):
    async with write_path(tmp_path, sweeps=True, sweep_seconds=0.01) as path:
        mind = await path.store("bob", "Bob met Carla.")
        (tmp_path / "minds" / "ada" / "transcript" / "2026-01.jsonl").mkdir(parents=True)  # where a file must be
        await path.until_extracted(mind)
        await path.until(lambda: path.minds.disk.trouble is not None)

        assert path.minds.disk.trouble == "a mind can not be opened; the log says which"


async def test_a_fault_of_the_saving_lane_does_not_stop_the_indexing_lane(tmp_path):
    async with write_path(tmp_path) as path:
        _, saving, _ = path.ingestion.lanes
        real, saving.step = saving.step, _raises
        mind = await path.store("ada", "Ada met Bruno.")
        path.ingestion.wake(mind)
        await path.until(lambda: mind.health.lanes[LaneName.SAVING].waiting_for is not None)
        await path.store("ada", "Bruno met Carla.")
        path.ingestion.wake(mind)
        await path.until(lambda: mind.lag(LaneName.INDEXING) == 0)
        saving.step = real
        await path.until_extracted(mind)

        assert path.tally.lane_failures["indexing"] == 0


async def _raises(_mind):
    raise ZeroDivisionError


async def test_inside_suspended_no_lane_runs_and_what_was_given_up_is_done_afterwards(tmp_path):
    began, never = asyncio.Event(), asyncio.Event()

    async with write_path(tmp_path) as path:
        _, _, extraction = path.ingestion.lanes
        real = extraction.step

        async def hangs(_mind):
            began.set()
            await never.wait()

        extraction.step = hangs
        mind = await path.store("ada", "Ada met Bruno.")
        path.ingestion.wake(mind)
        await began.wait()
        async with path.ingestion.suspended(mind):
            extraction.step = real
            path.ingestion.wake(mind)
            assert path.background_jobs() == []
        await path.until_extracted(mind)

        assert (await mind.graph.progress()).extracted == 1
