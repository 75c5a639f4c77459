"""The outbox: each delivery once, in order, until it is made."""

import sqlite3
from contextlib import closing
from datetime import timedelta

import pytest

from service.webhooks.endpoint import WebhookEndpoint, delivery_of
from service.webhooks.outbox import Outbox
from tests.support.fragments import NOON

CRM = WebhookEndpoint("crm", "http://127.0.0.1/", "whsec_")


@pytest.fixture
def outbox(tmp_path):
    found = Outbox(tmp_path / "outbox.sqlite3")
    found.register(["crm"], now=NOON)
    yield found
    found.close()


def kept(sequence, mind_id="ada"):
    about = {"turn_id": f"t{sequence}", "session_id": "s1", "sequence": sequence}
    return delivery_of(CRM, mind_id, "turn.kept", at=NOON, about=about, key=str(sequence))


def add(outbox, *deliveries, position="1"):
    for one in deliveries:
        outbox.advance("crm", one.mind_id, "turns", deliveries=[one], position=position)


def test_a_delivery_is_made_once_whoever_adds_it_how_often(outbox):
    add(outbox, kept(1), kept(1))
    add(outbox, kept(2), position="2")

    outbox.made(outbox.due("crm", now=NOON), now=NOON)

    assert outbox.due("crm", now=NOON).turn_id == "t2"
    assert outbox.state("crm").waiting == 1
    assert outbox.position("crm", "ada", "turns") == "2"
    assert outbox.position("crm", "ada", "story") is None


def test_an_outbox_of_before_positions_begins_anew(tmp_path):
    file = tmp_path / "outbox.sqlite3"
    with closing(sqlite3.connect(file)) as database:
        database.executescript("CREATE TABLE cursors (a); CREATE TABLE deliveries (a); CREATE TABLE endpoints (a)")

    outbox = Outbox(file)
    outbox.register(["crm"], now=NOON)

    assert outbox.state("crm").waiting == 0
    outbox.close()


def test_what_failed_waits_for_its_time_and_what_is_given_up_for_a_request(outbox):
    add(outbox, kept(1), kept(2))
    outbox.failed(outbox.due("crm", now=NOON), "down", now=NOON, due=NOON + timedelta(minutes=1))
    outbox.failed(outbox.due("crm", now=NOON), "gone", now=NOON, due=None)

    assert outbox.due("crm", now=NOON) is None
    assert outbox.due("crm", now=NOON + timedelta(minutes=1)).turn_id == "t1"
    assert (outbox.state("crm").waiting, outbox.state("crm").given_up) == (1, 1)
    assert outbox.retry("crm", now=NOON) == 2
    assert outbox.due("crm", now=NOON).turn_id == "t1"


def test_an_endpoint_that_is_configured_no_more_leaves_nothing(outbox):
    add(outbox, kept(1))
    outbox.register(["other"], now=NOON)
    outbox.register(["crm"], now=NOON + timedelta(days=1))

    assert outbox.state("crm").waiting == 0
    assert outbox.since("crm") == NOON + timedelta(days=1)


def test_a_mind_that_is_erased_leaves_nothing(outbox):
    add(outbox, kept(1), kept(1, mind_id="bob"))

    outbox.forget("ada")

    assert outbox.position("crm", "ada", "turns") is None
    assert outbox.due("crm", now=NOON).mind_id == "bob"
