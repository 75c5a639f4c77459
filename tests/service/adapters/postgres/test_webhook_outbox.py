"""Several services with one outbox: who sends to an endpoint, and that nothing erased is noted. See also the contract."""

from datetime import timedelta

import pytest

from consolidation.kernel.files import remove_tree
from consolidation.kernel.shared_files import sharing
from consolidation.transcript.records import encode
from consolidation.transcript.tombstones import tombstone_of
from service.adapters.postgres.webhook_outbox import PostgresOutbox
from service.webhooks.endpoint import WebhookEndpoint, delivery_of
from tests.support.fragments import NOON
from tests.support.shared_machines import MIND, Machine

CRM = WebhookEndpoint("crm", "http://127.0.0.1/", "whsec_")


def kept(turn_id, sequence=None):
    """That a turn was kept, whose number is its sequence."""
    about = {"turn_id": turn_id, "sequence": int(turn_id[1:]) if sequence is None else sequence}
    return delivery_of(CRM, MIND, "turn.kept", at=NOON, about=about, key=turn_id)


class Service(Machine):
    """A machine with an outbox for one endpoint."""

    def __init__(self, database, folder, *names):
        super().__init__(database, folder, is_told=True)
        self.outbox = PostgresOutbox(database, replica=self.custody.replica, generation_of=self.shared.generation)
        self.outbox.register(names or ["crm"], now=NOON)

    def due(self, now=NOON):
        return self.outbox.due("crm", now=now).delivery

    def note(self, *turn_ids, noted=None, position="1"):
        """Note turns, as they were read under *noted*."""
        noted = noted or self.outbox.noted(MIND)
        deliveries = [kept(one) for one in turn_ids]
        before = noted.positions.get(("crm", "turns"))
        return self.outbox.advance(
            "crm",
            MIND,
            "turns",
            deliveries=deliveries,
            before=before,
            position=position,
            generation=noted.generation,
        )


@pytest.fixture
def one(database, tmp_path):
    return Service(database, tmp_path / "one")


@pytest.fixture
def two(database, tmp_path):
    return Service(database, tmp_path / "two")


def erase(service, kept):
    """Put a tombstone in the place of a turn."""
    tombstone = tombstone_of(kept.kept, salt="0123456789abcdef")
    service.shared.overwrite_turns(MIND, {tombstone.sequence: encode(tombstone)[:-1]})


def dies(database, service):
    """Let the lease of a service run out."""
    with database.transaction(deadline_seconds=5) as cursor:
        past = "UPDATE replicas SET alive_until = now() - interval '1 second' WHERE replica = %s"
        cursor.execute(past, (service.custody.replica,))


def test_one_service_sends_and_another_takes_over_when_it_dies(database, one, two):
    one.keep("t1")
    one.bring_up()
    one.note("t1")
    first = one.due()

    assert first is not None
    assert two.due() is None and not two.outbox.is_due(first)
    dies(database, one)

    assert two.due() == first and two.outbox.is_due(first)
    assert one.due() is None and not one.outbox.is_due(first)


def test_what_both_sent_counts_once(one, two, database):
    one.keep("t1")
    one.bring_up()
    one.note("t1")
    sent = one.due()
    dies(database, one)
    two.outbox.made(two.due(), now=NOON)

    one.outbox.made(sent, now=NOON)

    assert [service.outbox.state("crm").delivered for service in (one, two)] == [1, 1]


def test_a_pause_outlives_the_service_that_began_it(database, one, two):
    one.keep("t1", "t2")
    one.bring_up()
    one.note("t1", "t2")
    one.outbox.failed(one.due(), "down", now=NOON, due=NOON + timedelta(hours=1), rests=True)
    dies(database, one)

    assert two.due() is None
    assert two.due(NOON + timedelta(hours=1)).turn_id == "t1"
    assert two.outbox.retry("crm", now=NOON) == 2
    assert two.due().turn_id == "t1"


def test_a_turn_that_was_erased_leaves_the_outbox_in_the_same_transaction(one, two):
    kept = one.keep("t1", "t2")
    one.bring_up()
    one.note("t1", "t2")
    one.custody.take(MIND)
    erase(one, kept[0])

    assert [service.outbox.state("crm").waiting for service in (one, two)] == [1, 1]
    assert one.due().turn_id == "t2"


def test_what_was_read_before_an_erasure_is_not_noted_after_it(one, two):
    kept = one.keep("t1", "t2")
    one.bring_up()
    two.bring_up()
    read_before = two.outbox.noted(MIND)
    one.custody.take(MIND)
    erase(one, kept[0])

    assert not two.note("t1", "t2", noted=read_before)
    two.shared.renew(MIND)
    assert two.note("t1", "t2")  # the first of them is not there any more, whoever still knows it

    assert two.due().turn_id == "t2"
    assert two.outbox.state("crm").waiting == 1


def test_a_mind_that_is_erased_takes_its_events_and_positions_with_it(one, two):
    one.keep("t1")
    one.bring_up()
    one.note("t1")
    noted = one.outbox.noted(MIND)
    with sharing(one.home, one.shared):
        remove_tree(one.workspace.folder)

    assert not one.note("t1", noted=noted)
    assert one.outbox.noted(MIND).positions == {}
    assert two.outbox.state("crm").waiting == 0


def test_an_endpoint_that_a_living_service_has_stays_when_another_starts_without_it(database, one, tmp_path):
    one.keep("t1")
    one.bring_up()
    one.note("t1")
    Service(database, tmp_path / "newer", "other")
    assert one.outbox.state("crm").waiting == 1
    dies(database, one)

    newest = Service(database, tmp_path / "newest", "crm", "other")

    assert newest.outbox.since("crm") == NOON  # its name was known again before anything was dropped
    assert newest.outbox.state("crm").waiting == 1


def test_an_endpoint_that_was_forgotten_while_its_service_was_stopped_is_known_again(database, one, tmp_path):
    dies(database, one)
    Service(database, tmp_path / "newer", "other")
    assert one.outbox.state("crm").delivered == 0

    one.custody.renew()
    assert one.due() is None  # it is registered again
    one.keep("t1")
    one.bring_up()
    one.note("t1")

    assert one.due().turn_id == "t1"


def test_an_endpoint_whose_service_was_stopped_for_a_while_does_not_count_as_removed(database, one, tmp_path):
    """Broken: it stays marked, and the first start after its service has ended drops it."""
    one.keep("t1")
    one.bring_up()
    one.note("t1")
    dies(database, one)
    newer = Service(database, tmp_path / "newer", "other")
    assert [found.name for found in newer.outbox.drop_removed(before=NOON)] == ["crm"]

    one.custody.renew()
    assert one.due() is None
    assert one.due().turn_id == "t1"

    assert newer.outbox.drop_removed(before=NOON + timedelta(days=9)) == ()
    assert newer.outbox.state("crm").waiting == 1


def has_work(database):
    with database.read_transaction(deadline_seconds=5) as cursor:
        cursor.execute("SELECT has_work FROM minds WHERE mind_id = %s", (MIND,))
        return cursor.fetchone() == (True,)


def rests(service, *, version):
    service.custody.take(MIND)
    return service.custody.rest(MIND, last=1, version=version)


@pytest.mark.parametrize("name", [f"subconscious-{NOON.date()}.jsonl", "corrections.jsonl"])
def test_what_is_to_be_told_of_gives_a_mind_work_until_it_was_read(database, one, two, name):
    """Whoever wrote it may die at once: the service that claims the mind then reads it."""
    one.keep("t1")
    one.bring_up()
    read = one.shared.version(MIND)
    assert rests(one, version=read) and not has_work(database)

    with sharing(two.home, two.shared):
        two.bring_up()
        two.append(name, "{}")

    assert has_work(database)
    assert not rests(one, version=read)
    one.bring_up()
    assert rests(one, version=one.shared.version(MIND)) and not has_work(database)


def test_where_nobody_is_told_a_trace_gives_no_work(database, tmp_path):
    machine = Machine(database, tmp_path / "machine")
    machine.keep("t1")
    machine.bring_up()
    assert rests(machine, version=None)

    with sharing(machine.home, machine.shared):
        machine.append(f"subconscious-{NOON.date()}.jsonl", "{}")

    assert not has_work(database)


def test_a_turn_that_the_database_took_back_moves_no_position_over_the_one_in_its_place(one):
    """Broken: the sequence is not asked for; the position is moved all the same."""
    one.keep("t1", "t2")
    one.bring_up()
    noted = one.outbox.noted(MIND)

    def note(*deliveries):
        return one.outbox.advance(
            "crm", MIND, "turns", deliveries=deliveries, before=None, position="2", generation=noted.generation
        )

    assert not note(kept("t1"), kept("t9", 2))  # which a copy still has in its place
    assert not note(kept("t1"), kept("t2", 3))
    assert one.due() is None and not one.outbox.noted(MIND).positions

    assert note(kept("t1"), kept("t2"))
    assert one.outbox.state("crm").waiting == 2
