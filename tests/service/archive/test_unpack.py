"""An archive of any members is unpacked to the byte, or refused; and never writes beside its folder."""

import json
import tempfile
import warnings
import zipfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from consolidation.kernel.errors import ArchiveTooLarge, ArchiveUnreadable, MemoryFault
from service.archive.layout import fault_of
from service.archive.manifest import FORMAT, VERSION
from service.archive.unpack import unpack
from tests.support.archives import manifest_of, zipped
from tests.support.strategies import NASTY

TRUE = {
    "format": FORMAT,
    "version": VERSION,
    "mind_id": "ada",
    "made_at": "2026-01-01T00:00:00Z",
    "last_sequence": 0,
    "embedder": None,
    "counts": {},
}
parts = st.sampled_from(
    [
        "memory",
        "prompts",
        "transcript",
        "torn",
        "story-history",
        "..",
        ".",
        "",
        "a",
        "Ä",
        "日記 🎻",
        "x.md",
        "x.jsonl",
        "2026-01.jsonl",
        "C:",
        "~",
        "con",
        *NASTY,
    ]
) | st.text(max_size=12)
names = st.lists(parts, min_size=1, max_size=4).map("/".join) | st.sampled_from(
    ["STORY.md", "SOUL.md", "MEMORY.md", "graph.jsonl", "settings.json", "subconscious.jsonl", "diary.md"]
)
contents = st.binary(max_size=40) | st.just(b"\n" * 9)


def inside(folder):
    return {file.relative_to(folder).as_posix(): file.read_bytes() for file in folder.rglob("*") if file.is_file()}


@given(st.dictionaries(names.filter(lambda name: name != "manifest.json"), contents, max_size=5), st.booleans())
@settings(max_examples=150)
def test_members_come_out_as_they_went_in_or_not_at_all(held, is_true):
    with tempfile.TemporaryDirectory() as place, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        folder, archive = Path(place) / "in", Path(place) / "archive.zip"
        folder.mkdir()
        told = manifest_of(held, **TRUE)
        if not is_true and told["members"]:
            told["members"][0]["bytes"] += 1
        try:
            made = zipped(held, manifest=told)
            archive.write_bytes(made)
        except (UnicodeEncodeError, ValueError):
            return  # no zip has such a name
        try:
            unpack(archive, folder=folder, most_bytes=1000, takes_prompts=True)
        except MemoryFault as fault:
            assert isinstance(fault, ArchiveUnreadable)
            assert str(fault).isprintable()
        else:
            assert is_true or not held
            assert not any(map(fault_of, held))
            expected = {name if name in {"graph.jsonl", "settings.json"} else f"mind/{name}" for name in held}
            found = inside(folder)
            assert found.keys() == expected
            assert {name.removeprefix("mind/"): content for name, content in found.items()} == held
        assert {file.name for file in Path(place).iterdir()} == {"in", "archive.zip"}


@given(st.binary(max_size=200), st.integers(0, 400), st.integers(0, 255))
@settings(max_examples=150)
def test_a_flipped_byte_is_noticed_or_changes_nothing(content, at, byte):
    held = {"STORY.md": content, "memory/x.md": content[::-1]}
    made = bytearray(zipped(held, manifest=manifest_of(held, **TRUE)))
    made[at % len(made)] = byte
    with tempfile.TemporaryDirectory() as place:
        folder, archive = Path(place) / "in", Path(place) / "archive.zip"
        folder.mkdir()
        archive.write_bytes(made)
        try:
            unpack(archive, folder=folder, most_bytes=1000, takes_prompts=True)
        except ArchiveUnreadable:
            return
        assert inside(folder) == {f"mind/{name}": found for name, found in held.items()}


def test_all_members_together_are_bounded_before_any_is_written(tmp_path):
    held = {"memory/a.md": bytes(600), "memory/b.md": bytes(600)}
    archive = tmp_path / "archive.zip"
    archive.write_bytes(zipped(held, manifest=manifest_of(held, **TRUE)))

    with pytest.raises(ArchiveTooLarge):
        unpack(archive, folder=tmp_path, most_bytes=1000, takes_prompts=True)

    assert [file.name for file in tmp_path.iterdir()] == ["archive.zip"]


def test_a_line_may_be_long_but_not_endless(tmp_path):
    long, endless = {"graph.jsonl": bytes(60_000_000)}, {"transcript/2026-01.jsonl": bytes(70_000_000)}
    for at, held in enumerate((long, endless)):
        folder = tmp_path / str(at)
        folder.mkdir()
        archive = tmp_path / f"{at}.zip"
        archive.write_bytes(zipped(held, manifest=manifest_of(held, **TRUE)))
        if held is endless:
            with pytest.raises(ArchiveUnreadable, match="too long"):
                unpack(archive, folder=folder, most_bytes=10**9, takes_prompts=True)
        else:
            unpack(archive, folder=folder, most_bytes=10**9, takes_prompts=True)


def test_a_manifest_is_the_only_thing_an_archive_needs(tmp_path):
    archive = tmp_path / "archive.zip"
    with zipfile.ZipFile(archive, "w") as made:
        made.writestr("manifest.json", json.dumps({**TRUE, "members": []}))

    assert unpack(archive, folder=tmp_path, most_bytes=1, takes_prompts=True).mind_id == "ada"
