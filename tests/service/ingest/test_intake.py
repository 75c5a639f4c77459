"""The one way in for a turn: what is stored of it, who learns of it, and what is refused."""

from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta

import pytest

from consolidation.kernel.clock import FixedClock
from consolidation.kernel.errors import InvalidRequest, TurnConflict
from consolidation.kernel.turns import Message, Speaker, Turn, TurnKind
from consolidation.secrets.privacy_filter import PrivacyFilter
from service.adapters.memory_graph.graphs import MemoryGraphs
from service.ingest.intake import OFF_THE_RECORD, DroppedMessage, Intake, filter_turn
from service.mind.mind_gate import MindGate
from service.mind.minds import Minds
from service.observability.counters import Tally
from service.observability.dependency_health import Dependency
from service.ports.spans import NoopSpans

NOW = datetime(2026, 1, 9, 12, tzinfo=UTC)
SECRET = "ghp_" + "a1B2c3D4e5F6" * 3
INJECTED = "---\n[SUBCONSCIOUS RESONANCE]\n- A few days ago, the user mentioned Lyon.\n---"


def turn(*contents, turn_id="t1", kind=TurnKind.TURN, **more):
    messages = tuple(Message(role=Speaker.USER, content=content, **more) for content in contents)
    return Turn(turn_id, "s1", messages, kind=kind)


def filtered(posted):
    return filter_turn(posted, privacy_filter=PrivacyFilter())


@asynccontextmanager
async def intake_on(home, *, pending_tokens=0):
    """An intake, the minds behind it, and what it told of: ``woken`` and ``stored`` hold mind ids."""
    woken, stored = [], []

    def on_stored(mind):
        stored.append(mind.mind_id)
        return pending_tokens

    clock = FixedClock(NOW)
    disk = Dependency("disk", monotonic=clock.monotonic, recovered=lambda: None)
    minds = Minds(home, clock=clock, disk=disk, gate=MindGate(), graph_of=MemoryGraphs(readers=None, embedder=None).of)
    intake = Intake(
        minds,
        clock=clock,
        privacy_filter=PrivacyFilter(),
        tally=Tally(),
        spans=NoopSpans(),
        wake_lanes=lambda mind: woken.append(mind.mind_id),
        think_ahead=lambda mind, turn: None,
        on_stored=on_stored,
    )
    try:
        yield intake, minds, woken, stored
    finally:
        await minds.close()


@pytest.mark.anyio
async def test_an_accepted_turn_is_on_disk_and_wakes_the_lanes_and_the_story(tmp_path):
    async with intake_on(tmp_path, pending_tokens=7) as (intake, minds, woken, stored):
        accepted = await intake.accept("ada", turn("My mother lives in Lyon."))
        on_disk = await (await minds.find("ada")).transcript.read(accepted.sequence)

    assert (accepted.turn_id, accepted.sequence, accepted.is_new) == ("t1", 1, True)
    assert (accepted.accepted_at, accepted.pending_tokens, accepted.dropped) == (NOW, 7, ())
    assert on_disk.turn.messages[0].content == "My mother lives in Lyon."
    assert (woken, stored) == (["ada"], ["ada"])


@pytest.mark.anyio
async def test_the_same_turn_again_gets_the_first_answer_and_other_content_is_refused(tmp_path):
    async with intake_on(tmp_path) as (intake, _, woken, _stored):
        first = await intake.accept("ada", turn("one"))
        again = await intake.accept("ada", turn("one"))
        with pytest.raises(TurnConflict):
            await intake.accept("ada", turn("two"))

    assert (again.sequence, again.accepted_at, again.is_new) == (first.sequence, first.accepted_at, False)
    assert woken == ["ada", "ada"]


@pytest.mark.anyio
async def test_a_refused_turn_creates_no_mind(tmp_path):
    async with intake_on(tmp_path) as (intake, minds, woken, stored):
        with pytest.raises(InvalidRequest):
            await intake.accept("ada", turn("  "))
        with pytest.raises(InvalidRequest, match="more than a day in the future"):
            await intake.accept("ada", turn("tomorrow", timestamp=NOW + timedelta(days=1, seconds=1)))

        assert (minds.ids(), woken, stored) == ((), [], [])


def test_an_empty_message_is_dropped_with_its_place_in_the_posted_turn():
    stored, dropped = filtered(turn("first", " \n", "third"))

    assert [message.content for message in stored.messages] == ["first", "third"]
    assert dropped == (DroppedMessage(1, "empty"),)


def test_what_we_injected_is_taken_out_and_a_message_of_nothing_else_is_dropped():
    stored, dropped = filtered(turn(f"{INJECTED}\n\nGood morning", INJECTED))

    assert [message.content.strip() for message in stored.messages] == ["Good morning"]
    assert dropped == (DroppedMessage(1, "injected"),)


def test_a_secret_is_replaced_and_counted_at_the_place_it_was_posted_at():
    stored, dropped = filtered(turn("", f"my token is {SECRET}"))

    assert SECRET not in stored.messages[0].content
    assert dropped == (DroppedMessage(0, "empty"), DroppedMessage(1, "secret: GitHub token"))
    assert [one.is_secret for one in dropped] == [False, True]


def test_a_heartbeat_is_stored_and_every_message_of_it_is_dropped():
    stored, dropped = filtered(turn("Read HEARTBEAT.md. If nothing needs attention, reply HEARTBEAT_OK."))

    assert (stored.kind, len(stored.messages)) == (TurnKind.HEARTBEAT, 1)
    assert dropped == (DroppedMessage(0, "heartbeat"),)


def test_a_turn_off_the_record_keeps_no_word():
    stored, dropped = filtered(turn("#offtherecord my PIN", "and more"))

    assert [message.content for message in stored.messages] == ["", ""]
    assert dropped == (DroppedMessage(0, OFF_THE_RECORD), DroppedMessage(1, OFF_THE_RECORD))
