"""
A damaged line of the corrections is a person's decision lost: it is reported, its bytes stay, and no other goes with it.

Every docstring says what was broken, once, to see the test fail.
"""

import json

import pytest
from structlog.testing import capture_logs

from tests.e2e.test_corrections import MOTHER, OTHERS, by_id, correct, fact_of, told
from tests.support.service import running

pytestmark = pytest.mark.anyio


def log_of(home):
    return home / "minds/ada/corrections.jsonl"


async def decided(service):
    items = (await service.http.get("/v1/minds/ada/corrections")).json()["items"]
    return sorted(one["to"] or one["what"] for one in items)


@pytest.fixture
async def home(tmp_path):
    """The home of a mind of which three things were decided."""
    async with running(tmp_path) as service:
        await told(service, MOTHER, *OTHERS)
        await correct(service, "wrong", by_id("fact", await fact_of(service)))
        await correct(service, "say", to="Ingrid keeps bees.")
        await correct(service, "say", to="Ingrid has a boat.")
    return tmp_path


BROKEN = {
    "no JSON any more": (lambda log: log.replace(b'"what":"wrong"', b'"what":"wro\x00g"'), "wrong"),
    "another known decision": (lambda log: log.replace(b'"what":"wrong"', b'"what":"right"'), "wrong"),
    "other words": (lambda log: log.replace(b"keeps bees", b"keeps bats"), "Ingrid keeps bees."),
    "torn by a kill": (lambda log: log[:-9], "Ingrid has a boat."),
}


@pytest.mark.parametrize("name", BROKEN)
async def test_a_damaged_decision_is_named_and_its_bytes_are_set_aside(home, name):
    """Broken: a line that can not be read is skipped; lines have no checksum; the mind names the transcript's damage only."""
    damage, lost = BROKEN[name]
    log = log_of(home)
    log.write_bytes(damage(log.read_bytes()))

    with capture_logs() as logs:
        async with running(home) as service:
            status = await service.status("ada")
            left = await decided(service)
            await correct(service, "say", to="Ingrid plays chess.")
    async with running(home) as service:
        again, after = await service.status("ada"), await decided(service)

    (one,) = status["damaged"]
    assert again["damaged"] == [one]
    bytes_of_it = (home / "minds/ada/transcript" / one["aside"]).read_bytes()
    assert one["file"] == "corrections.jsonl"
    assert log.read_bytes()[one["offset"] : one["offset"] + one["length"]] == bytes_of_it
    assert sorted([*left, lost]) == ["Ingrid has a boat.", "Ingrid keeps bees.", "wrong"]
    assert after == sorted([*left, "Ingrid plays chess."])
    (event,) = [one for one in logs if one["event"] == "mind.damaged"]
    assert (event["mind_id"], event["file"], event["lines"]) == ("ada", "corrections.jsonl", 1)


async def test_two_decisions_whose_newline_broke_hold_both(home):
    """Broken: whole decisions inside a damaged line are not looked for."""
    log = log_of(home)
    first, rest = log.read_bytes().split(b"\n", 1)
    log.write_bytes(first + b"\x0b" + rest)

    async with running(home) as service:
        status, left = await service.status("ada"), await decided(service)

    assert len(status["damaged"]) == 1
    assert left == ["Ingrid has a boat.", "Ingrid keeps bees.", "wrong"]


async def test_lines_of_a_version_without_checksums_hold(home):
    """Broken: a line without a checksum is damaged."""
    log = log_of(home)
    records = [json.loads(line) for line in log.read_text().splitlines()]
    log.write_text("".join(json.dumps({k: v for k, v in one.items() if k != "crc"}) + "\n" for one in records))

    async with running(home) as service:
        status, left = await service.status("ada"), await decided(service)

    assert all("crc" in one for one in records)
    assert status["damaged"] == []
    assert len(left) == len(records)


async def test_a_preview_counts_the_damaged_lines_that_the_erasure_takes_with_their_copies(home):
    """Broken: the preview counts decisions alone; the copies stay."""
    log = log_of(home)
    log.write_bytes(log.read_bytes().replace(b"keeps bees", b"keeps b\xfft\x00"))

    async with running(home) as service:
        seen = (await service.http.delete("/v1/minds/ada/turns/s0-1?dry_run=true")).json()
        before = await service.status("ada")
        gone = (await service.http.delete("/v1/minds/ada/turns/s0-1")).json()
        after, left = await service.status("ada"), await decided(service)

    (counted,) = [one["count"] for one in gone["erased"] if one["place"] == "corrections"]
    assert (seen["corrections"], counted) == (1, 1)
    assert (len(before["damaged"]), after["damaged"]) == (1, [])
    assert not list((home / "minds/ada/transcript/torn").glob("*"))
    assert left == ["Ingrid has a boat.", "wrong"]
    assert b"keeps b" not in log.read_bytes()
