"""
What an autonomous agent writes of itself is searched like its notes, read, and taken along.

Every docstring says what was broken, once, to see the test fail.
"""

import pytest

from service.index.journal_files import OWN_WRITINGS
from tests.support.service import running

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize("name", OWN_WRITINGS)
async def test_an_agents_own_writing_is_found_surfaces_and_is_read(tmp_path, name):
    """Broken: only MEMORY.md and memory/ are the journal."""
    async with running(tmp_path) as service:
        await service.keep("ada", "Good morning!")
        await service.digested("ada")
        (tmp_path / "minds" / "ada" / name).write_text(
            "# Notes\n\nThe upload to Kestrel fails when the proxy is cold.\n"
        )
        search = await service.http.get("/v1/minds/ada/journal/search", params={"query": "upload to Kestrel fails"})
        before = (await service.resonate("ada", "Why does the upload to Kestrel fail?")).json()
        text = (await service.http.get("/v1/minds/ada/journal/file", params={"path": name})).json()["text"]

    assert search.json()["results"][0]["path"] == name
    assert "proxy is cold" in before["block"]
    assert before["flashbacks"][0]["sources"][0]["path"] == name
    assert "Kestrel" in text
