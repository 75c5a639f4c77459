"""The outbox of a home on files, as earlier versions left it. What every outbox does: tests/contracts."""

import sqlite3
from contextlib import closing

import pytest

from consolidation.kernel.errors import HomeFault
from service.adapters.sqlite_outbox import SqliteOutbox
from service.webhooks.endpoint import WebhookEndpoint, delivery_of
from tests.support.fragments import NOON

CRM = WebhookEndpoint("crm", "http://127.0.0.1/", "whsec_")
BEFORE_RESTS = """
CREATE TABLE endpoints (
  name TEXT PRIMARY KEY, since REAL NOT NULL, delivered INTEGER NOT NULL DEFAULT 0, delivered_at REAL,
  error TEXT, failed_at REAL
);
INSERT INTO endpoints (name, since, delivered) VALUES ('crm', 1, 7);
"""


def test_an_outbox_of_before_positions_begins_anew(tmp_path):
    file = tmp_path / "outbox.sqlite3"
    with closing(sqlite3.connect(file)) as database:
        database.executescript("CREATE TABLE cursors (a); CREATE TABLE deliveries (a); CREATE TABLE endpoints (a)")

    with closing(SqliteOutbox(file)) as outbox:
        outbox.register(["crm"], now=NOON)

        assert outbox.state("crm").waiting == 0


def test_an_outbox_of_before_endpoints_rested_goes_on(tmp_path):
    file = tmp_path / "outbox.sqlite3"
    with closing(sqlite3.connect(file)) as database:
        database.executescript(BEFORE_RESTS)

    with closing(SqliteOutbox(file)) as outbox:
        outbox.register(["crm"], now=NOON)

        assert outbox.state("crm").delivered == 7


def test_a_file_that_is_not_an_outbox_is_a_fault_of_the_home(tmp_path):
    file = tmp_path / "outbox.sqlite3"
    file.write_text("Not a database at all, and longer than its header would be. " * 50)

    with pytest.raises(HomeFault, match=r"outbox\.sqlite3"):
        SqliteOutbox(file)


def steps_of(outbox, work):
    """About how much SQLite has to do for *work*, in hundreds of its own steps."""
    steps = []
    outbox._database.set_progress_handler(lambda: steps.append(1), 100)
    work()
    outbox._database.set_progress_handler(None, 0)
    return len(steps)


def test_what_an_event_costs_does_not_grow_with_those_that_wait(tmp_path):
    def deliveries(first, count):
        numbers = range(first, first + count)
        return [delivery_of(CRM, "ada", "turn.kept", at=NOON, about={}, key=str(number)) for number in numbers]

    def note(outbox, first, count):
        before = outbox.noted("ada").positions.get(("crm", "turns"))
        made, place = deliveries(first, count), str(first)
        outbox.advance("crm", "ada", "turns", deliveries=made, before=before, position=place, generation=0)

    costs = []
    with closing(SqliteOutbox(tmp_path / "outbox.sqlite3")) as outbox:
        outbox.register(["crm"], now=NOON)
        for first, waiting in ((1, 50), (10_000, 5_000)):
            note(outbox, first, waiting)
            seen = [
                steps_of(outbox, lambda: note(outbox, 100_000 * first, 50)),  # noqa: B023 - called at once
                steps_of(outbox, lambda: outbox.due("crm", now=NOON)),
            ]
            costs.append(seen)

    (noting, finding), (noting_then, finding_then) = costs
    assert noting_then <= 2 * noting and finding_then <= 2 * finding + 1


def test_an_outbox_of_before_goes_on_with_what_waits(tmp_path):
    file = tmp_path / "outbox.sqlite3"
    with closing(SqliteOutbox(file)) as outbox:
        outbox.register(["crm"], now=NOON)
        made = [delivery_of(CRM, "ada", "turn.kept", at=NOON, about={}, key="1")]
        outbox.advance("crm", "ada", "turns", deliveries=made, before=None, position="1", generation=0)
    with closing(sqlite3.connect(file)) as database:
        database.executescript("DROP INDEX deliveries_in_order; DROP INDEX deliveries_number")

    with closing(SqliteOutbox(file)) as outbox:
        assert outbox.due("crm", now=NOON).delivery == made[0]
