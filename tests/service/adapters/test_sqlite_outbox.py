"""The outbox of a home on files, as earlier versions left it. What every outbox does: tests/contracts."""

import sqlite3
from contextlib import closing

import pytest

from consolidation.kernel.errors import HomeFault
from service.adapters.sqlite_outbox import SqliteOutbox
from tests.support.fragments import NOON

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
