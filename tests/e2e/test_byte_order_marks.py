"""Files that were saved by an editor on Windows, which puts a byte order mark before the text: they are read as meant."""

import pytest

from tests.e2e.test_own_settings import patch, settings_in
from tests.support.service import running

pytestmark = pytest.mark.anyio

MARK = "\ufeff"


async def test_a_minds_settings_are_obeyed_and_changed_and_the_mark_stays(tmp_path):
    """Broken: the file was not TOML. Of a fault it was said that `relevance` stood nowhere."""
    folder = tmp_path / "minds/ada"
    async with running(tmp_path) as service:
        await service.keep("ada", "Hello.")
        (folder / "settings.toml").write_text(f'{MARK}never_keep = ["project Neptune"]\nrelevance = 0.3\n')
        told = await settings_in(service)
        await service.keep("ada", "Project Neptune starts on Monday.")
        changed = await patch(service, {"relevance": 0.2, "never_keep": ["project Pluto"]})
        written = (folder / "settings.toml").read_text()
        (folder / "settings.toml").write_text(f"{MARK}relevance = 7\n")
        fault = (await settings_in(service))["fault"]
        transcript = "".join(file.read_text() for file in folder.glob("transcript/*.jsonl"))

    assert told["fault"] is None
    assert told["settings"]["never_keep"] == {"value": ["project Neptune"], "source": "mind"}
    assert "Neptune" not in transcript and changed.status_code == 200
    assert written == f'{MARK}never_keep = ["project Pluto"]\nrelevance = 0.2\n'
    assert (fault["key"], fault["line"]) == ("relevance", 1)


async def test_words_that_are_never_kept_are_read_of_settings_with_a_fault_too(tmp_path):
    folder = tmp_path / "minds/ada"
    async with running(tmp_path) as service:
        await service.keep("ada", "Hello.")
        (folder / "settings.toml").write_text(f'{MARK}never_keep = ["project Neptune"]\nrelevance = \n')
        await service.keep("ada", "Project Neptune starts on Monday.")
        transcript = "".join(file.read_text() for file in folder.glob("transcript/*.jsonl"))

    assert "Neptune" not in transcript


async def test_old_notes_begin_with_their_first_word(tmp_path):
    """Broken: the mark became the first character of what was remembered."""
    folder = tmp_path / "minds/ada"
    async with running(tmp_path) as service:
        await service.keep("ada", "Hello.")
        (folder / "memory/2025-03-04.md").write_text(f"{MARK}I helped Ann book the night train.\n")
        answer = await service.http.post("/v1/minds/ada/consolidation", json={"trigger": "bootstrap", "wait": True})
        transcript = "".join(file.read_text() for file in folder.glob("transcript/*.jsonl"))

    assert answer.status_code == 200 and "I helped Ann book" in transcript
    assert MARK not in transcript and "\\ufeff" not in transcript
