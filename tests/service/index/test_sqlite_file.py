"""The file of full text: a full disk changes nothing, a damaged file is made anew, a healthy one is never let go."""

import sqlite3

import pytest

from consolidation.kernel.errors import IndexUnusable
from service.index.text_index import TextIndex
from tests.service.index.test_text_index import found, say


@pytest.fixture
def file(tmp_path):
    return tmp_path / "derived" / "text.sqlite"


@pytest.fixture
def text(file):
    index = TextIndex(file)
    yield index
    index.close()


def test_no_room_changes_nothing_and_is_over_when_there_is_room(text):
    say(text, "Bruno plays the cello.")
    with text._file.opened() as database:
        [[pages]] = database.execute("PRAGMA page_count").fetchall()
        database.execute(f"PRAGMA max_page_count = {pages}")

    with pytest.raises(IndexUnusable, match="full"):
        say(text, *("Carla plays. " + " ".join(f"w{number}x{n}" for n in range(300)) for number in range(20)))

    assert found(text, "Bruno cello") == [1]
    assert text.cursor("turns") < 20
    say(text, *["Bruno plays the cello."] * 20)
    assert text.cursor("turns") == 20


def test_a_damaged_file_is_made_anew(file):
    for damage in (b"", b"this is no database at all " * 500):
        index = TextIndex(file)
        say(index, "Bruno plays the cello.")
        index.close()
        file.write_bytes(damage)

        again = TextIndex(file)

        assert again.cursor("turns") == 0
        say(again, "Carla sails.")
        assert found(again, "Carla") == [1]
        again.close()


def test_a_file_that_is_damaged_while_it_is_open_is_told_of_and_made_anew(file, text):
    say(text, "Bruno plays the cello.")
    with text._file.opened() as database:
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        database.execute("PRAGMA cache_size = 0")
    with file.open("r+b") as handle:
        handle.write(b"\xff" * 40_000)

    with pytest.raises(IndexUnusable):
        found(text, "Bruno")

    assert text.cursor("turns") == 0


def test_a_file_that_can_not_be_opened_is_kept(file, text):
    say(text, "Bruno plays the cello.")
    text._file._close(deletes=False)
    aside = file.parent.rename(file.parent.with_name("aside"))
    file.parent.write_text("where the folder should be")

    with pytest.raises(IndexUnusable):
        text.cursor("turns")

    file.parent.unlink()
    aside.rename(file.parent)
    assert found(text, "Bruno") == [1]


def test_a_mistake_of_ours_is_no_failing_disk(text):
    with pytest.raises(sqlite3.OperationalError), text._file.opened() as database:
        database.execute("SELECT nothing FROM nowhere")
    say(text, "Bruno plays the cello.")
    assert found(text, "Bruno") == [1]


def test_nothing_is_opened_after_the_end(text):
    text.close()
    with pytest.raises(IndexUnusable):
        text.cursor("turns")
