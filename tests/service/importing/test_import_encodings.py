"""Exports in UTF-16 and in older encodings are read, and what is uncertain is said with its place."""

import json
import zipfile

import pytest

from service.importing.formats import read_conversations
from service.importing.results import FoundTurn, Skipped
from tests.support.cli_process import call

WORDS = "Das Caf\u00e9 in Z\u00fcrich macht sp\u00e4t zu."
LINES = [
    {"role": "user", "content": "hello"},
    {"role": "user", "content": WORDS},
    {"role": "user", "content": WORDS + "!"},
]
TEXT = "\n".join(json.dumps(one, ensure_ascii=False) for one in LINES)
NOTE = "not UTF-8: its letters were read as Windows-1252; where they are wrong, save the file as UTF-8"


def read(path):
    found = list(read_conversations(path))
    said = [one.turn.messages[0].content for one in found if isinstance(one, FoundTurn)]
    return said, [one for one in found if isinstance(one, Skipped)]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("name", ["chat.jsonl", "chat.json"])
def test_a_text_of_unicode_is_read_as_it_is(tmp_path, encoding, name):
    (tmp_path / name).write_bytes(TEXT.encode(encoding))

    assert read(tmp_path / name) == ([one["content"] for one in LINES], [])


@pytest.mark.parametrize("encoding", ["latin-1", "cp1252"])
def test_letters_of_an_older_encoding_are_read_and_said(tmp_path, encoding):
    """Broken: they were stored as marks of replacement, without a word."""
    file = tmp_path / "chat.jsonl"
    file.write_bytes(TEXT.encode(encoding))

    said, skipped = read(file)

    assert said == [one["content"] for one in LINES]
    assert skipped == [Skipped(f"{file}:2", f"{NOTE}, and 1 more lines like it")]


def test_so_are_those_of_a_chat_in_a_zip(tmp_path):
    file = tmp_path / "WhatsApp Chat with Ann.zip"
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("_chat.txt", f"28/01/2026, 13:45 - Ada: {WORDS}\n".encode("cp1252"))

    said, skipped = read(file)

    assert said == [WORDS] and [one.reason for one in skipped] == [NOTE]


def test_a_dry_run_says_so(tmp_path):
    file = tmp_path / "chat.jsonl"
    file.write_bytes(TEXT.encode("latin-1"))

    shown = call("import", file, "--mind", "ada", "--home", tmp_path / "home", "--dry-run")

    assert "chat.jsonl:2: not UTF-8" in " ".join(shown.stdout.split())
