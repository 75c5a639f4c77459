"""The way into the journal: its files by their exact names, and nothing else on the disk."""

import os

import pytest

from consolidation.kernel.errors import JournalFileNotFound, JournalFileTooLarge, JournalPathRefused
from service.index.journal_files import files_of, read, steps_of

SECRET = b"root:x:0:0"
REFUSED = {
    "absolute": "/etc/passwd",
    "parent": "../outside.md",
    "parent inside": "memory/../../outside.md",
    "parent of itself": "memory/../MEMORY.md",
    "here": "./MEMORY.md",
    "here inside": "memory/./a.md",
    "empty step": "memory//a.md",
    "folder": "memory",
    "folder with slash": "memory/",
    "slash behind": "MEMORY.md/",
    "empty": "",
    "story": "STORY.md",
    "soul": "SOUL.md",
    "transcript": "transcript/2026-01.jsonl",
    "index": "derived/journal.sqlite3",
    "other case": "memory.md",
    "other case of the folder": "Memory/a.md",
    "capitals": "MEMORY.MD",
    "other ending": "memory/a.txt",
    "no name": "memory/.md",
    "hidden": "memory/.git/a.md",
    "hidden file": "memory/.a.md",
    "backslash": "memory\\a.md",
    "backslash parent": "memory/..\\..\\outside.md",
    "NUL": "memory/a.md\x00.txt",
    "newline": "memory/a\n.md",
    "line separator": "memory/a\u2028.md",
    "half a surrogate": "memory/\ud83d.md",
    "encoded": "%2e%2e/outside.md",
    "drive": "C:/outside.md",
    "full-width folder": "ｍｅｍｏｒｙ/a.md",
    "full-width slash": "memory／a.md",
    "too deep": "memory/" + "a/" * 40 + "a.md",
    "too long": "memory/" + "a" * 2_000 + ".md",
    "a name no disk takes": "memory/" + "é" * 200 + ".md",
}
NOT_THERE = {
    "missing": "memory/nothing.md",
    "missing folder": "memory/nothing/a.md",
    "a file as a folder": "memory/a.md/b.md",
    "full-width dots": "memory/．．/outside.md",
    "other case of a file": "memory/A.md",
    "composed otherwise": "memory/cafe\u0301.md",
    "a folder called so": "memory/folder.md",
    "dot behind": "memory/a.md.md",
    "no width": "memory/a\u200b.md",
}


@pytest.fixture
def root(tmp_path):
    (tmp_path / "outside.md").write_bytes(SECRET)
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside/deep.md").write_bytes(SECRET)
    root = tmp_path / "mind"
    (root / "memory/deep/er").mkdir(parents=True)
    (root / "memory/folder.md").mkdir()
    for name in ("MEMORY.md", "memory/a.md", "memory/deep/er/b.md", "memory/caf\u00e9.md", "memory/a.txt", "STORY.md"):
        (root / name).write_text(name)
    (root / "memory/.hidden.md").write_text("hidden")
    return root


@pytest.mark.parametrize("path", REFUSED.values(), ids=REFUSED)
def test_a_path_that_leads_elsewhere_is_refused_and_pointed_at(root, path):
    with pytest.raises(JournalPathRefused) as refused:
        read(root, path, most_bytes=1_000)

    assert refused.value.pointer == "query/path"


@pytest.mark.parametrize("path", NOT_THERE.values(), ids=NOT_THERE)
def test_a_path_that_looks_like_another_is_not_there(root, path):
    with pytest.raises(JournalFileNotFound):
        read(root, path, most_bytes=1_000)


@pytest.mark.parametrize("path", ["MEMORY.md", "memory/a.md", "memory/deep/er/b.md", "memory/caf\u00e9.md"])
def test_a_file_of_the_journal_is_read_and_listed(root, path):
    content, stamp = read(root, path, most_bytes=1_000)

    assert content.decode() == path
    assert files_of(root)[path] == stamp


def test_nothing_else_is_listed(root):
    assert set(files_of(root)) == {"MEMORY.md", "memory/a.md", "memory/deep/er/b.md", "memory/caf\u00e9.md"}


LINKS = {
    "a file": ("memory/link.md", "outside.md", "memory/link.md"),
    "a file to a file inside": ("memory/link.md", "mind/memory/a.md", "memory/link.md"),
    "a folder": ("memory/link", "outside", "memory/link/deep.md"),
    "a folder inside": ("memory/link", "mind/memory/deep", "memory/link/er/b.md"),
    "one that leads nowhere": ("memory/link.md", "nowhere", "memory/link.md"),
}


@pytest.mark.parametrize(("link", "target", "path"), LINKS.values(), ids=LINKS)
def test_no_link_is_followed(root, link, target, path):
    (root / link).symlink_to(root.parent / target)

    with pytest.raises(JournalPathRefused):
        read(root, path, most_bytes=1_000)

    assert path not in files_of(root)


@pytest.mark.parametrize("name", ["MEMORY.md", "memory"])
def test_neither_the_notes_nor_their_folder_may_be_a_link(tmp_path, name):
    for target in ("notes.md", "notes/a.md"):
        (tmp_path / target).parent.mkdir(exist_ok=True)
        (tmp_path / target).write_bytes(SECRET)
    root = tmp_path / "mind"
    root.mkdir()
    (root / name).symlink_to(tmp_path / ("notes.md" if name == "MEMORY.md" else "notes"))

    with pytest.raises(JournalPathRefused):
        read(root, "MEMORY.md" if name == "MEMORY.md" else "memory/a.md", most_bytes=1_000)

    assert files_of(root) == {}


def test_a_pipe_is_no_file_and_keeps_nobody_waiting(root):
    os.mkfifo(root / "memory/pipe.md")

    with pytest.raises(JournalFileNotFound):
        read(root, "memory/pipe.md", most_bytes=1_000)

    assert "memory/pipe.md" not in files_of(root)


def test_a_file_that_is_too_large_is_said_to_be(root):
    (root / "memory/large.md").write_bytes(b"x" * 1_001)

    with pytest.raises(JournalFileTooLarge):
        read(root, "memory/large.md", most_bytes=1_000)


def test_a_name_that_is_no_text_is_not_of_the_journal(root):
    try:
        (root / "memory" / os.fsdecode(b"\xff.md")).write_text("odd")
    except OSError:
        pytest.skip("this disk takes no such name")

    assert all(path.isprintable() for path in files_of(root))


def test_a_home_without_notes_has_none(tmp_path):
    assert files_of(tmp_path) == {}
    assert files_of(tmp_path / "nothing") == {}


def test_the_steps_of_a_path_are_its_names():
    assert steps_of("memory/a b/c.md") == ("memory", "a b", "c.md")
