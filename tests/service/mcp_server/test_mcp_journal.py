"""People's notes through MCP: found by search, read on by path, and nothing else of the home."""

import pytest

from tests.support.cli_process import serving
from tests.support.mcp_hosts import LYON, called, over_http, refused, text_of

pytestmark = pytest.mark.anyio

NOTE = "# Friday\n\nMy mother moved into a flat in the Croix-Rousse.\n\n# Список\n\nКупить молоко и хлеб.\n"


@pytest.fixture(scope="module")
def service(tmp_path_factory):
    home = tmp_path_factory.mktemp("mcp-journal") / "home"
    with serving(home) as (_, url):
        yield home, url


@pytest.fixture
async def host(service):
    home, url = service
    async with over_http(url, X_Mind_Id="ada") as found:
        await called(found, "store_turn", messages=LYON, turn_id="lyon")
        (home / "minds" / "ada" / "memory" / "2026-01-09.md").write_text(NOTE, encoding="utf-8")
        yield found


@pytest.mark.parametrize(
    ("query", "words"), [("mother's flat", "Croix-Rousse"), ("молоко", "Купить молоко")], ids=["latin", "cyrillic"]
)
async def test_a_note_is_found_with_its_place_and_read_on_from_there(host, query, words):
    result = await host.call_tool("journal_memory_search", {"query": query, "max_results": 3})
    first = result.structured_content["results"][0]
    read = await host.call_tool(
        "journal_memory_get", {"path": first["path"], "from_line": first["start_line"], "lines": 3}
    )

    assert first["path"] == "memory/2026-01-09.md"
    assert words in first["snippet"]
    assert f"memory/2026-01-09.md, lines {first['start_line']} to {first['end_line']}" in text_of(result)
    assert read.structured_content["text"] == "\n".join(NOTE.splitlines()[first["start_line"] - 1 :][:3])
    assert read.structured_content["total_lines"] == len(NOTE.splitlines())
    assert read.structured_content["text"] in text_of(read)


async def test_a_long_file_is_read_in_parts_that_a_model_can_take(service, host):
    """Broken: a megabyte fills the window of the model, or the host refuses the answer."""
    lines = [f"line {number} of a long file" for number in range(1, 5001)]
    lines[2999] = "a line without an end " * 3000
    (service[0] / "minds" / "ada" / "memory" / "2026-01-10.md").write_text("\n".join(lines), encoding="utf-8")

    seen, at = {}, 1
    while at <= len(lines):
        result = await host.call_tool("journal_memory_get", {"path": "memory/2026-01-10.md", "from_line": at})
        part = result.structured_content
        assert len(text_of(result)) < 31_000
        seen |= dict(enumerate(part["text"].split("\n"), at))
        at += part["lines"]
        assert (f"read on with from_line {at}." in text_of(result)) == (at <= len(lines))

    assert [number for number, line in enumerate(lines, 1) if seen[number] != line] == [3000]
    assert lines[2999].startswith(seen[3000])


async def test_what_nobody_wrote_down_is_said_to_be_nowhere(host):
    result = await host.call_tool("journal_memory_search", {"query": "quantum chromodynamics", "min_score": 0.99})

    assert result.structured_content["results"] == []
    assert "says nothing about that" in text_of(result)


@pytest.mark.parametrize("path", ["../../service.json", "STORY.md", "/etc/passwd", "memory/../SOUL.md"])
async def test_nothing_but_notes_can_be_read(host, path):
    said = await refused(host, "journal_memory_get", path=path)

    assert "path: " in said


async def test_a_note_that_is_not_there_is_an_error_and_a_mind_that_is_not_there_is_empty(service, host):
    missing = await refused(host, "journal_memory_get", path="memory/2020-01-01.md")
    async with over_http(service[1], X_Mind_Id="nobody") as other:
        nobody = await other.call_tool("journal_memory_get", {"path": "MEMORY.md"})
        nothing = await other.call_tool("journal_memory_search", {"query": "mother"})

    assert "memory refused it" in missing.lower()
    for answer in (nobody, nothing):
        assert not answer.is_error
        assert "No mind is called 'nobody'" in text_of(answer)
