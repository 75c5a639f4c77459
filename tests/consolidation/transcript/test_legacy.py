import os
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from consolidation.kernel.turns import Speaker, Turn, TurnKind
from consolidation.transcript.legacy import Unread, legacy_turns
from tests.support.strategies import texts

TODAY = datetime(2026, 3, 5, 1, tzinfo=UTC)
paragraphs = st.lists(st.one_of(texts, st.text("ab é", max_size=6000), st.just("\n\n"), st.just("\n# ")), max_size=5)


def write(folder, name, text="Something was said."):
    file = folder / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    return file


def read(folder):
    found = list(legacy_turns(folder, today=TODAY))
    return [one for one in found if isinstance(one, Turn)], [one for one in found if isinstance(one, Unread)]


DATED = {
    "memory/2025-03-04.md": "2025-03-04",
    "memory/2025-03-04-lyon.md": "2025-03-04",
    "memory/a/b/notes-20250304.txt": "2025-03-04",
    "legacy/2025-03-04T09:15.markdown": "2025-03-04",
    "legacy/Diary 2024-02-29.MD": "2024-02-29",
}
UNDATED = [
    "memory/notes.md",
    "memory/2025-03-04.json",
    "memory/120250304.md",
    "memory/0001-01-01.md",
    "other/2025-03-04.md",
    "2025-03-04.md",
]


@pytest.mark.parametrize("name", ["memory/2025-02-29.md", "memory/2025-13-01-lyon.md"])
def test_a_file_that_is_named_after_a_day_which_is_not_in_the_calendar_is_said(tmp_path, name):
    """Broken: it is left out without a word."""
    write(tmp_path, name)

    assert read(tmp_path) == ([], [Unread(name, "the calendar has no such day")])


@pytest.mark.parametrize("name", DATED)
def test_a_file_dated_by_its_name_is_a_thought_of_that_day(tmp_path, name):
    write(tmp_path, name)
    ([turn], unread) = read(tmp_path)

    assert (turn.kind, turn.session_id, turn.messages[0].role) == (
        TurnKind.IMPORT,
        f"legacy:{DATED[name]}",
        Speaker.THOUGHT,
    )
    assert turn.messages[0].timestamp == datetime.fromisoformat(f"{DATED[name]}T12:00:00Z") and not unread
    assert turn.messages[0].content == "Something was said."


@pytest.mark.parametrize("name", UNDATED)
def test_what_has_no_date_in_its_name_is_left_alone(tmp_path, name):
    write(tmp_path, name)

    assert read(tmp_path) == ([], [])


def test_a_number_in_front_does_not_hide_the_date(tmp_path):
    write(tmp_path, "memory/9999-99-99 2025-03-04.md")

    assert [turn.session_id for turn in read(tmp_path)[0]] == ["legacy:2025-03-04"]


def test_a_day_that_is_not_over_waits_and_says_so(tmp_path):
    for day in ("04", "05", "06"):
        write(tmp_path, f"memory/2026-03-{day}.md")
    turns, unread = read(tmp_path)

    assert [turn.session_id for turn in turns] == ["legacy:2026-03-04"]
    assert [one.where for one in unread] == ["memory/2026-03-05.md", "memory/2026-03-06.md"]


def test_links_are_not_followed(tmp_path):
    outside = write(tmp_path, "outside/2025-03-04.md", "Secret.")
    write(tmp_path, "mind/memory/2025-03-05.md")
    (tmp_path / "mind/memory/2025-03-04.md").symlink_to(outside)
    (tmp_path / "mind/memory/deep").symlink_to(outside.parent)
    (tmp_path / "mind/legacy").symlink_to(outside.parent)

    assert [turn.session_id for turn in read(tmp_path / "mind")[0]] == ["legacy:2025-03-05"]


def test_the_oldest_file_is_read_first_wherever_it_lies(tmp_path):
    for name in ("memory/2025-03-05.md", "legacy/2025-03-04.md", "memory/a/2025-03-06.md"):
        write(tmp_path, name)

    assert [turn.session_id[-2:] for turn in read(tmp_path)[0]] == ["04", "05", "06"]


@given(paragraphs)
def test_a_long_file_becomes_pieces_in_order_and_loses_no_letter(tmp_path_factory, parts):
    folder = tmp_path_factory.getbasetemp() / "legacy-mind"
    text = "".join(parts)
    write(folder, "memory/2025-03-04.md", text)
    turns, _ = read(folder)
    pieces = [turn.messages[0].content for turn in turns]

    assert "".join("".join(pieces).split()) == "".join(text.replace("\x00", "").split())
    assert all(piece.strip() and len(piece) <= 4_002 for piece in pieces)
    assert len({turn.turn_id for turn in turns}) == len(turns)
    instants = [turn.messages[0].timestamp for turn in turns]
    assert instants == sorted(instants) and read(folder)[0] == turns


def test_a_very_long_file_loses_nothing_or_says_so(tmp_path):
    write(tmp_path, "memory/2025-03-04.md", "A line of a very long diary.\n\n" * 200_000 + "THE END.")
    turns, unread = read(tmp_path)

    assert "THE END." in turns[-1].messages[0].content or unread


def test_bytes_that_are_no_letters_are_read_as_well_as_can_be(tmp_path):
    write(tmp_path, "memory/2025-03-04.md", b"caf\xe9 \x00 and more\r\n")

    assert read(tmp_path)[0][0].messages[0].content.strip() == "caf\ufffd  and more"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_what_can_not_be_read_is_told_and_the_rest_is_read(tmp_path):
    write(tmp_path, "memory/2025-03-04.md").chmod(0)
    write(tmp_path, "memory/2025-03-05.md")
    turns, unread = read(tmp_path)

    assert [turn.session_id for turn in turns] == ["legacy:2025-03-05"] and unread[0].reason


def test_where_there_are_no_folders_there_is_nothing(tmp_path):
    assert read(tmp_path) == ([], [])
    write(tmp_path, "memory", "a file")
    assert read(tmp_path) == ([], [])
