"""What is known of closed minds: it is the same after a restart, and a mind that is awake never seems to rest."""

from datetime import UTC, datetime

import pytest

from service.mind.health import LaneName
from service.mind.mind_register import MindRegister, RestingMind, RestingStory
from service.mind.story_progress import PendingTurns
from service.mind.summary import AgentActivity, MindSummary, Narration
from service.mind.trace_log import PreTurnCalls

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


def resting(mind_id="ada", *, due_at=None, used_at=0.0, embedder="e5", error=None, parked=0):
    return RestingMind(
        summary=MindSummary(
            mind_id=mind_id,
            turns=7,
            sessions=2,
            pending=PendingTurns(3, 90),
            calls=PreTurnCalls(5, 2, NOON, True),
            agent=AgentActivity(4, 1, NOON),
            narration=Narration(error=error),
            parked=parked,
        ),
        cursors={LaneName.INDEXING: 7, LaneName.SAVING: 7, LaneName.EXTRACTING: 6},
        story=RestingStory(PendingTurns(1, 10), 1.5, 2, 2.5, True, due_at),
        used_at=used_at,
        embedder=embedder,
    )


@pytest.fixture
def file(tmp_path):
    return tmp_path / "derived" / "minds.sqlite3"


@pytest.fixture
def register(file):
    opened = MindRegister(file)
    yield opened
    opened.close()


def test_a_resting_mind_is_known_as_it_was_after_a_restart(register, file):
    register.rest(resting(error="ModelUnavailable: nobody", parked=2))
    register.close()

    assert MindRegister(file).get(["ada", "bob"]) == {"ada": resting(error="ModelUnavailable: nobody", parked=2)}


def test_a_mind_that_was_opened_does_not_rest_whatever_is_killed(register, file):
    register.rest(resting("ada"))
    register.rest(resting("bob"))

    register.wake("ada")

    assert MindRegister(file).resting_ids() == {"bob"}
    assert register.get(["ada"]) == {}


def test_a_story_is_due_at_its_time_the_longest_due_first(register):
    for mind_id, due_at in (("ada", 30.0), ("bob", 10.0), ("eve", None), ("zoe", 99.0)):
        register.rest(resting(mind_id, due_at=due_at))

    assert register.due(30.0, limit=9) == ("bob", "ada")
    assert register.due(30.0, limit=1) == ("bob",)
    register.wake("bob")
    assert register.due(30.0, limit=9) == ("ada",)


def test_the_least_used_comes_first(register):
    for mind_id, used_at in (("ada", 3.0), ("bob", 1.0), ("eve", 2.0)):
        register.rest(resting(mind_id, used_at=used_at))

    assert register.least_used({"ada", "bob", "nobody"}, limit=5) == ("bob", "ada")
    assert register.least_used({"ada", "bob", "eve"}, limit=2) == ("bob", "eve")


def test_minds_of_another_embedder_are_named(register):
    for mind_id, embedder in (("ada", "e5"), ("bob", None), ("eve", "minilm")):
        register.rest(resting(mind_id, embedder=embedder))

    assert register.of_other_embedders("e5") == (("bob",), (("eve", "minilm"),))


def test_sums_are_over_those_that_rest(register):
    for mind_id, error in (("ada", None), ("bob", "failed"), ("eve", None)):
        register.rest(resting(mind_id, error=error, parked=2))
    register.wake("eve")

    found = register.totals()

    assert (found.minds, found.pending, found.parked, found.failed_stories) == (2, PendingTurns(6, 180), 4, 1)


def test_an_erased_mind_is_forgotten(register):
    register.rest(resting())

    register.forget("ada")

    assert register.resting_ids() == set() and register.get(["ada"]) == {}


@pytest.mark.parametrize("content", [b"", b"not a database, but long enough to be looked at " * 30])
def test_a_damaged_file_is_an_empty_one(file, content):
    file.parent.mkdir()
    file.write_bytes(content)
    register = MindRegister(file)

    assert register.resting_ids() == set()
    register.rest(resting())
    assert register.resting_ids() == {"ada"}
    register.close()


def test_a_file_of_another_version_begins_again(register, file):
    register.rest(resting())
    with register._file.changed() as database:  # noqa: SLF001 - as another version would have left it
        database.execute("PRAGMA user_version = 99")
    register.close()

    assert MindRegister(file).resting_ids() == set()
