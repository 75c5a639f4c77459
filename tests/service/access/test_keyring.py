"""The file of the keys: whole at every moment, for its owner alone, read again as soon as it changes."""

import json
import multiprocessing
import os
from datetime import UTC, datetime, timedelta

import pytest

from consolidation.kernel.errors import KeysUnreadable
from service.access.keyring import FILE, Keyring
from service.access.keys import ApiKey, digest_of, key_text, find_key, parse_key
from tests.support.api_keys import LONG_AGO, id_of, make_key

NOW = datetime(2026, 1, 28, 12, tzinfo=UTC)
SECRET = "5" * 64


def a_key(key_id="0a1b2c3d", **more):
    return ApiKey(key_id, "a bot", digest_of(SECRET), None, NOW, **more)


def found_by(text, key):
    return find_key(parse_key(text), {key.key_id: key}, now=NOW)


def test_a_key_opens_with_its_own_text():
    assert found_by(key_text("0a1b2c3d", SECRET), a_key()) == a_key()


@pytest.mark.parametrize(
    "text",
    ["", "mm_", "mm_0a1b2c3d_", f"mm_0a1b2c3d_{SECRET}\n", f" mm_0a1b2c3d_{SECRET}", f"mm_0A1B2C3D_{SECRET}", SECRET],
)
def test_what_only_looks_like_it_does_not(text):
    assert found_by(text, a_key()) is None


@pytest.mark.parametrize(
    ("more", "is_live"),
    [
        ({}, True),
        ({"expires_at": NOW + timedelta(microseconds=1)}, True),
        ({"expires_at": NOW}, False),
        ({"revoked_at": NOW + timedelta(days=1)}, False),
    ],
)
def test_a_key_opens_until_it_expires_or_is_revoked(more, is_live):
    assert (found_by(key_text("0a1b2c3d", SECRET), a_key(**more)) is not None) == is_live


def test_what_is_added_is_read_back_and_no_secret_is_in_the_file(tmp_path):
    home = tmp_path / "home"
    text = make_key(home, minds=("ada", "bob"), expires_at=NOW, name="Zoë's bot")

    found = Keyring(home).ring()[id_of(text)]

    assert (found.name, found.minds, found.expires_at, found.created_at) == ("Zoë's bot", ("ada", "bob"), NOW, LONG_AGO)
    assert text.rpartition("_")[2] not in (home / FILE).read_text()
    assert (home / FILE).stat().st_mode & 0o777 == 0o600


def test_a_file_of_another_hand_is_made_private_at_the_next_change(tmp_path):
    make_key(tmp_path)
    (tmp_path / FILE).chmod(0o644)
    before = os.umask(0)
    try:
        make_key(tmp_path)
    finally:
        os.umask(before)

    assert (tmp_path / FILE).stat().st_mode & 0o777 == 0o600


def test_a_change_by_another_is_seen(tmp_path):
    ours, theirs = Keyring(tmp_path), Keyring(tmp_path)
    assert ours.ring() == {}

    theirs.add(a_key())
    assert not ours.ring()["0a1b2c3d"].revoked_at
    theirs.revoke("0a1b2c3d", now=NOW)

    assert ours.ring()["0a1b2c3d"].revoked_at == NOW
    assert theirs.revoke("0a1b2c3d", now=NOW + timedelta(days=1)).revoked_at == NOW
    (tmp_path / FILE).unlink()
    assert ours.ring() == {}


def test_a_use_of_a_key_that_is_gone_is_not_noted(tmp_path):
    ring = Keyring(tmp_path)
    ring.add(a_key())

    ring.note_use("ffffffff", now=NOW)
    ring.note_use("0a1b2c3d", now=NOW)

    assert [key.last_used_at for key in Keyring(tmp_path).ring().values()] == [NOW]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "null",
        '{"version": 2, "keys": []}',
        '{"version": 1}',
        '{"version": 1, "keys": [{}]}',
        '{"version": 1, "keys": [1]}',
        '{"version": 1, "keys": {"a": 1}}',
        "\ufeff",
    ],
)
def test_a_file_that_is_no_ring_is_said_and_not_written_over(tmp_path, text):
    (tmp_path / FILE).write_text(text)

    for act in (lambda ring: ring.ring(), lambda ring: ring.add(a_key())):
        with pytest.raises(KeysUnreadable):
            act(Keyring(tmp_path))
    assert (tmp_path / FILE).read_text() == text


def test_a_ring_with_a_time_without_offset_is_not_believed(tmp_path):
    Keyring(tmp_path).add(a_key(expires_at=NOW))
    content = (tmp_path / FILE).read_text()
    (tmp_path / FILE).write_text(content.replace("2026-01-28T12:00:00+00:00", "2026-01-28T12:00:00"))

    with pytest.raises(KeysUnreadable):
        Keyring(tmp_path).ring()


def _add(home, count):
    for _ in range(count):
        make_key(home)


def test_several_processes_lose_no_key(tmp_path):
    start = multiprocessing.get_context("spawn").Process
    workers = [start(target=_add, args=(tmp_path, 10)) for _ in range(3)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(60)

    assert [worker.exitcode for worker in workers] == [0, 0, 0]
    assert len(Keyring(tmp_path).ring()) == 30
    assert len(json.loads((tmp_path / FILE).read_text())["keys"]) == 30
