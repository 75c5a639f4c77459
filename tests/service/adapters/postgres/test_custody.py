"""Who works for which mind, by the database's clock, and what a replica that was stopped may not do."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from uuid import UUID

import pytest

from consolidation.kernel.errors import GraphUnavailable
from service.adapters.postgres.custody import PostgresCustody

LATER = 20.0
OURS, THEIRS = UUID(int=1), UUID(int=2)


class HandClock:
    """The clock of a process, which goes as a test says."""

    def __init__(self):
        self.now = 0.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return HandClock()


@pytest.fixture
def one(database, clock):
    """A replica that is alive by the database; its own clock stands still."""
    found = PostgresCustody(database, monotonic=clock)
    found.renew()
    return found


@pytest.fixture
def two(database):
    found = PostgresCustody(database)
    found.renew()
    return found


@pytest.fixture
def sql(database):
    def ask(statement, *values):
        with database.transaction(deadline_seconds=LATER) as cursor:
            cursor.execute(statement, values)
            return cursor.fetchall() if cursor.description else []

    return ask


@pytest.fixture
def minds(sql):
    """Minds by their ids, each with work."""

    def make(*mind_ids, has_work=True):
        for mind_id in mind_ids:
            sql("INSERT INTO minds (mind_id, has_work) VALUES (%s, %s)", mind_id, has_work)

    return make


def let_run_out(sql, custody):
    """As if its replica had been stopped for longer than its lease."""
    sql("UPDATE replicas SET alive_until = alive_until - interval '7 seconds' WHERE replica = %s", custody.replica)


def test_a_mind_with_work_is_claimed_by_one_alone(one, two, minds):
    minds("ada", "bo")
    minds("idle", has_work=False)

    assert set(one.claim(8)) == {"ada", "bo"}
    assert two.claim(8) == {}
    assert (set(one.held()), two.held()) == ({"ada", "bo"}, {})


def test_no_more_are_claimed_than_asked_for(one, two, minds):
    minds("ada", "bo", "cy")

    assert len(one.claim(2)) == 2
    assert len(one.claim(2)) == 1
    assert one.claim(2) == {}


def test_replicas_that_claim_at_once_share(database, minds, sql):
    minds(*(f"m{number}" for number in range(60)))
    replicas = [PostgresCustody(database) for _ in range(3)]
    for each in replicas:
        each.renew()

    with ThreadPoolExecutor(3) as threads:
        list(threads.map(lambda each: [each.claim(3) for _ in range(25)], replicas))

    held = [mind for each in replicas for mind in each.held()]
    assert (len(held), len(set(held))) == (60, 60)
    for each in replicas:
        assert dict(sql("SELECT mind_id, epoch FROM minds WHERE owner = %s", each.replica)) == each.held()


def test_a_replica_that_does_not_renew_loses_its_minds_and_its_epoch_is_old(one, two, minds, sql):
    minds("ada")
    [before] = one.claim(8).values()
    assert two.claim(8) == {}

    let_run_out(sql, one)

    [after] = two.claim(8).values()
    assert after > before
    assert one.held() == {"ada": before}  # it does not know yet, and what it writes is refused by its epoch
    assert sql("SELECT 1 FROM minds WHERE mind_id = 'ada' AND owner = %s AND epoch = %s", one.replica, before) == []
    assert one.renew() is False
    assert one.held() == {}


def test_a_replica_that_woke_late_keeps_what_nobody_took(one, minds, sql):
    minds("ada")
    claimed = one.claim(8)
    let_run_out(sql, one)

    assert one.renew() is False  # others might have, so what it caches goes
    assert one.held() == claimed
    assert one.renew() is True


def test_a_replica_whose_lease_ran_out_claims_nothing(one, minds, sql):
    minds("ada")
    let_run_out(sql, one)

    assert one.claim(8) == {}
    assert one.claim_one("ada") is None


def test_a_replica_whose_row_was_deleted_begins_anew(one, minds, sql):
    sql("DELETE FROM replicas")

    assert one.renew() is False
    minds("ada")
    assert set(one.claim(8)) == {"ada"}


def test_an_epoch_never_repeats_for_a_mind_that_left_and_came_back(one, minds, sql):
    minds("ada")
    [before] = one.claim(8).values()
    sql("DELETE FROM minds")
    [(now,)] = sql("SELECT extract(epoch FROM clock_timestamp())")

    sql("SELECT pg_sleep(1.01)")
    minds("ada")
    one.renew()

    [after] = one.claim(8).values()
    assert after > before
    assert after >= now


def test_an_epoch_rises_with_each_claim_within_a_second(one, two, minds, sql):
    minds("ada")
    epochs = []
    for each in (one, two, one, two):
        epochs.append(each.claim_one("ada"))
        sql("UPDATE minds SET has_work = false")
        assert each.release("ada")

    assert epochs == sorted(set(epochs))


def test_one_mind_is_claimed_without_work(one, two, minds):
    minds("ada", has_work=False)

    epoch = one.claim_one("ada")

    assert one.held() == {"ada": epoch}
    assert one.claim_one("ada") == epoch
    assert two.claim_one("ada") is None
    assert one.claim_one("nobody") is None


def test_a_mind_is_given_back_only_when_nothing_waits(one, two, minds, sql):
    minds("ada")
    epoch = one.claim_one("ada")

    assert one.release("ada") is False
    assert one.held() == {"ada": epoch}

    sql("UPDATE minds SET has_work = false")
    assert one.release("ada") is True
    assert one.held() == {}
    assert two.claim_one("ada") > epoch


def test_a_turn_that_comes_while_a_mind_is_given_back_keeps_it(one, minds, sql, database):
    minds("ada", has_work=False)
    one.claim_one("ada")

    with ThreadPoolExecutor(1) as threads:
        with database.transaction(deadline_seconds=LATER) as cursor:
            cursor.execute("UPDATE minds SET has_work = true")
            given_back = threads.submit(one.release, "ada")
            cursor.execute("SELECT pg_sleep(.1)")

        assert given_back.result() is False
    assert set(one.held()) == {"ada"}


def test_what_another_took_is_not_given_back(one, two, minds, sql):
    minds("ada", has_work=False)
    one.claim_one("ada")
    let_run_out(sql, one)
    epoch = two.claim_one("ada")

    assert one.release("ada") is False
    assert one.held() == {}
    assert sql("SELECT owner, epoch FROM minds") == [(two.replica, epoch)]


def test_a_claim_whose_answer_was_lost_is_made_again(one, minds, sql):
    minds("ada")
    sql("UPDATE minds SET owner = %s, epoch = 7", one.replica)

    assert one.claim(8)["ada"] > 7


def test_the_clock_of_a_process_does_not_matter(one, two, minds, clock, sql):
    minds("ada")
    clock.now = 1e9  # it believes that it slept for years
    assert one.may_begin() is False

    assert set(one.claim(8)) == {"ada"}
    assert two.claim(8) == {}
    assert one.renew() is True

    let_run_out(sql, one)  # and here its clock stands still, while time goes by
    assert one.may_begin() is True
    assert set(two.claim(8)) == {"ada"}


def test_a_step_begins_only_soon_after_a_renewal(database, clock):
    custody = PostgresCustody(database, monotonic=clock)
    assert custody.may_begin() is False

    assert custody.renew() is True
    clock.now = 4.9
    assert custody.may_begin() is True
    clock.now = 5.0
    assert custody.may_begin() is False


def test_a_replica_that_ends_gives_everything_back(one, two, minds, sql):
    minds("ada", "bo")
    one.claim(8)

    one.end()

    assert one.held() == {}
    assert one.may_begin() is False
    assert sql("SELECT replica FROM replicas") == [(two.replica,)]
    assert set(two.claim(8)) == {"ada", "bo"}


def test_replicas_that_never_came_back_are_forgotten(one, database, sql):
    sql("UPDATE replicas SET alive_until = alive_until - interval '2 hours'")
    two = PostgresCustody(database)

    two.renew()

    assert sql("SELECT replica FROM replicas") == [(two.replica,)]


def test_a_replica_that_did_not_end_is_named_for_an_hour_unless_it_had_nothing_left(one, two, sql):
    [(now,)] = sql("SELECT clock_timestamp()")
    assert two.unreached(now) == ()  # it is alive, and is asked itself

    let_run_out(sql, one)
    [alive_at] = two.unreached(now)
    assert abs(alive_at - now) < timedelta(minutes=1)

    one.is_clean(now)
    assert two.unreached(now - timedelta(seconds=1)) == ()
    assert two.unreached(now) == (alive_at,)

    sql("UPDATE replicas SET alive_until = alive_until - interval '1 hour' WHERE replica = %s", one.replica)
    assert two.unreached(now) == ()


def test_a_replica_knows_that_it_is_forgotten_before_the_others_forget_it(one, clock):
    clock.now = 3500
    assert not one.is_forgotten()

    clock.now = 3540
    assert one.is_forgotten()
    one.renew()
    assert not one.is_forgotten()


def test_a_replica_is_not_named_any_more_once_another_took_its_place(one, two, sql):
    [(now,)] = sql("SELECT clock_timestamp()")
    let_run_out(sql, one)

    two.succeed(one.replica)

    assert two.unreached(now) == ()


def test_a_mind_is_not_taken_from_a_replica_that_writes_its_story_until_it_has_written_it(one, two, minds):
    minds("ada")
    one.claim_one("ada")

    assert one.begin_story("ada") and one.begin_story("ada")  # two runs, one behind the other
    one.renew()
    assert not two.begin_story("ada")
    one.end_story("ada")
    assert not two.begin_story("ada") and one.holds("ada")
    one.end_story("ada")

    assert two.begin_story("ada") and two.holds("ada")
    assert not one.begin_story("ada")


def test_the_story_of_another_mind_and_of_a_dead_replica_keeps_nobody_waiting(one, two, minds, sql):
    minds("ada", "bo")
    one.begin_story("ada")

    assert two.begin_story("bo")
    sql("UPDATE replicas SET alive_until = now() - interval '1 second' WHERE replica = %s", one.replica)
    assert two.begin_story("ada")


def test_of_two_replicas_that_begin_a_story_at_once_one_waits(one, two, minds):
    for number in range(10):
        minds(f"m{number}")
        with ThreadPoolExecutor(2) as pool:
            found = list(pool.map(lambda replica, mind=f"m{number}": replica.begin_story(mind), (one, two)))

        assert sorted(found) == [False, True]


def test_a_story_that_can_not_be_written_is_not_waited_for(one, minds, sql):
    minds("ada")
    sql("UPDATE minds SET state = 1")

    assert one.begin_story("ada") and one.begin_story("nobody")
    assert one.held() == {}


def with_graph(custody, graph):
    custody.graph = graph
    custody.renew()
    return custody


def test_a_replica_with_other_graphs_than_the_rest_works_for_no_mind(one, two, minds):
    minds("ada", "bo")
    with_graph(one, OURS)
    two.claim_one("bo")
    with_graph(two, THEIRS)

    assert two.other_graph() is not None and one.other_graph() is None
    assert (two.held(), two.claim(8), two.claim_one("ada")) == ({}, {}, None)
    for claim in (two.take, two.begin_story):
        with pytest.raises(GraphUnavailable, match="FALKORDB_URL"):
            claim("ada")
    assert set(one.claim(8)) == {"ada", "bo"}


def test_it_works_again_once_its_graphs_are_those_of_the_others_or_the_others_are_gone(one, two, minds, sql):
    minds("ada")
    with_graph(one, OURS)
    with_graph(two, THEIRS)

    assert with_graph(two, OURS).claim_one("ada")
    two.release("ada")
    with_graph(two, THEIRS)
    let_run_out(sql, one)
    assert with_graph(two, THEIRS).other_graph() is None
    with_graph(one, OURS)
    assert one.other_graph() is None and with_graph(two, THEIRS).other_graph() is not None


def test_a_replica_that_could_not_ask_for_its_graphs_yet_works_for_minds(one, two, minds):
    minds("ada")
    with_graph(one, OURS)

    two.renew()

    assert two.other_graph() is None and two.claim_one("ada")


def test_of_two_with_different_graphs_who_begin_at_once_one_is_wrong(database, clock):
    for _ in range(10):
        both = [PostgresCustody(database, monotonic=clock) for _ in range(2)]
        with ThreadPoolExecutor(2) as pool:
            list(pool.map(with_graph, both, (OURS, THEIRS)))

        assert sum(custody.other_graph() is not None for custody in both) == 1
        for custody in both:
            custody.end()
