"""What is remembered of where sentences come from."""

import json

import pytest

from consolidation.story.sentence_sources import SentenceSource, SentenceState
from consolidation.story.source_cache import read_sources, write_sources

FOUND = {
    "a1": (SentenceSource(3, 9, SentenceState.CARRIED, (1, 2)),),
    "b2": (SentenceSource(3, 9, SentenceState.PARTLY, (), ("Lyon", "猫")),),
}


def test_what_is_written_is_read_and_only_by_the_same_embedder(tmp_path):
    file = tmp_path / "derived" / "sources.json"
    write_sources(file, FOUND, by="e5")

    assert read_sources(file, by="e5") == FOUND
    assert read_sources(file, by="words") == {}


@pytest.mark.parametrize(
    "garbled",
    [b"", b"\xff\xfe", b"[]", b"{", b"null", b"[" * 100_000, b'{"method": 1, "by": "e5"}',
     b'{"method": 1, "by": "e5", "chapters": {"a": [[1, 2, "strange", [], []]]}}',
     b'{"method": 1, "by": "e5", "chapters": {"a": [[1, 2]]}}',
     b'{"method": 1, "by": "e5", "chapters": {"a": [["x", 2, "partly", [], []]]}}'],
)  # fmt: skip
def test_a_garbled_file_is_as_none(tmp_path, garbled):
    file = tmp_path / "sources.json"
    file.write_bytes(garbled)

    assert read_sources(file, by="e5") == {}


def test_the_file_holds_no_sentence(tmp_path):
    file = tmp_path / "sources.json"
    write_sources(file, FOUND, by="e5")

    assert json.loads(file.read_text())["chapters"]["a1"] == [[3, 9, "carried", [1, 2], []]]
