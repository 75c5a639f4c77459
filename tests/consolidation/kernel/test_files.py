"""Writes that are whole or not at all, and a lock that says which file is locked."""

import resource
from contextlib import contextmanager

import pytest

from consolidation.kernel.errors import Locked, StoryFault
from consolidation.kernel.files import append_line, append_synced, exclusive, new_file, replace_bytes, replacing
from tests.support.paths import ROOT

SYNCING = {  # the modules that make bytes durable, and why they do it themselves
    "consolidation/kernel/files.py": "the writer of everything else",
    "consolidation/transcript/log.py": "group commit on a file that stays open",
    "service/archive/unpack.py": "a failing disk and a broken archive are told apart, byte by byte",
    "service/index/vector_table.py": "writes records in place, which a new file would copy",
}


@contextmanager
def no_file_above(most_bytes):
    """A disk that is full: a write is cut short, and the next one is refused."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (most_bytes, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def names_in(folder):
    return sorted(file.name for file in folder.iterdir())


def test_a_file_is_replaced_and_only_its_owner_can_read_it(tmp_path):
    file = tmp_path / "keys.json"
    file.write_text("old")

    replace_bytes(file, b"new")

    assert file.read_bytes() == b"new" and file.stat().st_mode & 0o777 == 0o600
    assert names_in(tmp_path) == ["keys.json"]


def test_a_disk_that_is_full_leaves_the_old_content_and_no_litter(tmp_path):
    file = tmp_path / "keys.json"
    file.write_text("old")

    with no_file_above(1_000), pytest.raises(OSError, match="too large"):
        replace_bytes(file, b"x" * 5_000)

    assert file.read_text() == "old" and names_in(tmp_path) == ["keys.json"]


def test_a_block_that_raises_leaves_the_old_content_and_no_litter(tmp_path):
    file = tmp_path / "traces.jsonl"
    file.write_text("old")

    with pytest.raises(ZeroDivisionError), replacing(file) as new:
        new.write(b"half")
        new.write(bytes(1 // 0))

    assert file.read_text() == "old" and names_in(tmp_path) == ["traces.jsonl"]


def test_what_a_killed_process_left_beside_the_file_stops_nobody(tmp_path):
    (tmp_path / ".keys.json.new").write_text("half of it")

    replace_bytes(tmp_path / "keys.json", b"new")

    assert (tmp_path / "keys.json").read_bytes() == b"new" and names_in(tmp_path) == ["keys.json"]


def test_a_new_file_takes_no_other_ones_place_not_even_through_a_link(tmp_path):
    (tmp_path / "there").write_text("old")
    (tmp_path / "link").symlink_to(tmp_path / "elsewhere")

    for name in ("there", "link"):
        with pytest.raises(FileExistsError), new_file(tmp_path / name):
            pass

    assert (tmp_path / "there").read_text() == "old" and not (tmp_path / "elsewhere").exists()


def test_a_line_that_does_not_fit_is_taken_back_whole(tmp_path):
    file = tmp_path / "lines.jsonl"
    append_line(file, "first")

    with no_file_above(1_000), pytest.raises(OSError, match="too large"):
        append_line(file, "x" * 5_000)
    append_line(file, "second")

    assert file.read_text() == "first\nsecond\n"


def test_what_is_appended_and_synced_goes_behind_what_was_there(tmp_path):
    for part in (b"one\n", b"two\n"):
        append_synced(tmp_path / "audit.jsonl", part)

    assert (tmp_path / "audit.jsonl").read_bytes() == b"one\ntwo\n"


def test_a_lock_that_another_one_holds_names_the_file_and_says_nothing_of_a_story(tmp_path):
    file = tmp_path / "keys.json"

    with exclusive(file, seconds=1), pytest.raises(Locked, match=r"^keys\.json is locked by another process") as met:
        with exclusive(file, seconds=0.01):
            pass

    assert not isinstance(met.value, StoryFault)


def test_nothing_else_makes_bytes_durable_by_itself():
    modules = [file for top in ("consolidation", "prompts", "service") for file in (ROOT / top).rglob("*.py")]

    found = {file.relative_to(ROOT).as_posix() for file in modules if "os.fsync" in file.read_text()}

    assert found <= SYNCING.keys()
