"""Where commands find a running service, and when they do not."""

import json
import os
import shutil
from datetime import UTC, datetime

from pydantic import SecretStr
from structlog.testing import capture_logs

from service.runtime.service_file import FILE, Presence, announced, find_service

SERVICE = Presence(os.getpid(), "http://127.0.0.1:8001", datetime(2026, 1, 9, tzinfo=UTC), SecretStr("a token"))


def test_a_service_is_found_while_it_listens_and_not_afterwards(tmp_path):
    with announced(tmp_path, SERVICE):
        assert find_service(tmp_path) == SERVICE

    assert find_service(tmp_path) is None
    assert not (tmp_path / FILE).exists()


def test_only_the_owner_can_read_the_token(tmp_path):
    with announced(tmp_path, SERVICE):
        assert (tmp_path / FILE).stat().st_mode & 0o077 == 0


def test_the_file_of_a_killed_service_is_ignored(tmp_path):
    gone = {"pid": 2**22 + 1, "url": SERVICE.url, "started_at": SERVICE.started_at.isoformat(), "token": ""}
    (tmp_path / FILE).write_text(json.dumps(gone))

    assert find_service(tmp_path) is None


def test_a_copy_of_a_home_in_use_is_not_taken_for_the_home(tmp_path):
    home, copy, moved = tmp_path / "home", tmp_path / "copy", tmp_path / "moved"
    home.mkdir()

    with announced(home, SERVICE):
        shutil.copytree(home, copy)
        home.rename(moved)

        assert find_service(copy) is None
        assert find_service(moved) == SERVICE


def test_a_file_that_says_something_else_is_ignored(tmp_path):
    for text in ("", "[]", '{"pid": "x"}', '{"pid": 1}', "\x00"):
        (tmp_path / FILE).write_text(text)
        assert find_service(tmp_path) is None


def test_a_service_that_can_not_write_its_file_runs_all_the_same_and_says_so(tmp_path):
    with capture_logs() as events, announced(tmp_path / "missing", SERVICE):
        assert find_service(tmp_path / "missing") is None

    assert [event["event"] for event in events] == ["service_file.unwritable"]
