"""
Every code block of the documentation runs, as a reader would run it, against a service that runs.

What a block's language means here: `sh`, `python` run, and have to end well; with a title like "in one terminal, which keeps
running" a `sh` goes on until its page ends. `output` is what the block before it prints, or, "in the first terminal", what the one
prints that goes on; `…` stands for anything.
A title like `bot.py` makes the block a file, which another block of its page uses, or which is checked by its name.
`jsonl` is imported. Anything else has to stand in `not_run.py`, with the reason.
"""

from __future__ import annotations

import asyncio
import json
import re
import shutil
import subprocess
import sys
from dataclasses import replace

import httpx2
import pytest
import yaml
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client

from consolidation.dreams.observations import read_observations
from service.mind.own_settings import understood
from tests.docs.not_run import NOT_RUN
from tests.docs.stage import LYON, PageRun, staged
from tests.support.doc_blocks import PAGES, blocks_of
from tests.support.forked_process import READ_SETTINGS, ForkedProcess
from tests.support.mcp_hosts import TOOLS, over_http
from tests.support.waiting import GIVE_UP, until
from tests.twins.twilio import calls

GOES_ON = "which keeps running"
TYPED = ("in one terminal, which keeps running", "in another terminal", "in the first terminal")
WITH_BLOCKS = [page for page in PAGES if any(one.key not in NOT_RUN for one in blocks_of(page))]

pytestmark = [
    pytest.mark.skipif(not (shutil.which("jq") and shutil.which("curl")), reason="needs curl and jq"),
    pytest.mark.timeout(900),
]


@pytest.fixture(scope="module")
def stage(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        for name in ("MIND_MEMORY_HOME", "MIND_MEMORY_URL", "MIND_MEMORY_KEY"):
            patch.delenv(name, raising=False)
        with staged(tmp_path_factory.mktemp("docs")) as found:
            yield found


@pytest.mark.parametrize("page", WITH_BLOCKS)
def test_the_blocks_of_a_page_run(page, stage, tmp_path):
    found = [one for one in blocks_of(page) if one.key not in NOT_RUN]
    run = PageRun(stage, tmp_path, mind=re.sub(r"[^a-z]+", "-", page.removesuffix(".md").lower()))
    try:
        files = [one for one in found if is_file(one)]
        for block in files:
            run.save(block)
        for block in found:
            perform(block, run, others=[one for one in found if one is not block])
    finally:
        run.close()


def is_file(block):
    return bool(block.title) and block.title not in TYPED


def perform(block, run, *, others):
    if is_file(block):
        use_file(block, run, others=others)
    elif block.language == "output":
        expect(block, run)
    elif block.language == "jsonl":
        imports(block, run)
    elif block.language in RUNS:
        run.run(block, *RUNS[block.language], goes_on=GOES_ON in block.title)
    else:
        pytest.fail(
            f"{block.place}: what is a {block.language or 'block without a language'}? See the top of this file"
        )


RUNS = {"sh": ("bash", "-euo", "pipefail"), "python": (sys.executable,)}


def use_file(block, run, *, others):
    """A file is checked as what reads it would; else another block of the page has to name it."""
    if block.title in FILES:
        FILES[block.title](block, run)
    else:
        assert any(block.title.removesuffix(".py") in one.text for one in others), (
            f"{block.place}: nothing uses this file"
        )


def expect(block, run):
    """What the block before it printed, or, where that goes on, prints now."""
    said = run.goes_on if block.title else run.last
    assert said is not None, f"{block.place}: nothing ran before"
    pattern = re.escape(run.placed(block).strip()).replace("…", ".*?")
    found = re.search if block.title else re.fullmatch
    until(
        lambda: found(pattern, said.text().strip(), re.DOTALL),
        seconds=GIVE_UP if block.title else 0.1,
        said=lambda: f"{block.place} is not what was printed:\n{said.all()}",
    )


def imports(block, run):
    url = f"{run.stage.url}/v1/minds/{run.mind}/import/conversations?dry_run=true"
    headers = {"Content-Type": "application/octet-stream"}
    answer = httpx2.post(url, content=block.text.encode(), headers=headers, timeout=GIVE_UP)
    assert answer.status_code == 200, answer.text
    assert answer.json()["turns"] >= 1, answer.text


def is_settings_file(block, run):
    pipe = subprocess.PIPE
    with ForkedProcess([READ_SETTINGS], cwd=run.folder, env=run.env(), stderr=pipe, text=True) as reading:
        _, said = reading.communicate()
    assert reading.returncode == 0, f"{block.place}: {said}"


def is_a_minds_settings(block, _):
    assert understood(block.text).fault is None, block.place


def is_observations(block, _):
    assert len(read_observations(block.text)) == len(re.findall(r"^[A-Z]{3} ", block.text, re.MULTILINE)) > 0


def is_scrape_configuration(block, run):
    [job] = yaml.safe_load(run.placed(block))["scrape_configs"]
    [target] = job["static_configs"][0]["targets"]
    assert "mind_memory_build_info" in httpx2.get(f"http://{target}/metrics", timeout=GIVE_UP).text


def is_a_host(block, run):
    """A host that was given this entry finds the tools."""
    [server] = json.loads(run.placed(block))["mcpServers"].values()
    assert asyncio.run(tools_of(server, run)) == TOOLS


async def tools_of(server, run):
    if "url" in server:
        url, _, query = server["url"].partition("/mcp")
        async with over_http(url, query=query) as host:
            return {one.name for one in (await host.list_tools()).tools}
    command = shutil.which(server["command"], path=run.env()["PATH"])
    started = StdioServerParameters(command=command, args=server["args"], env=run.env())
    with (run.folder / "mcp.err").open("w") as said:
        async with Client(stdio_client(started, errlog=said)) as host:
            return {one.name for one in (await host.list_tools()).tools}


def is_a_bridge(block, run):
    """What the caller says in a call of Twilio's becomes a turn, and the bridge tells what came to mind."""
    run.run(replace(block, text="python bridge.py\n"), *RUNS["sh"], goes_on=True)
    asyncio.run(calls(f"ws://127.0.0.1:{run.stage.ports['8765']}", mind=run.mind))
    until(lambda: f"{LYON} →" in run.goes_on.text(), said=run.goes_on.all)
    turns = httpx2.get(f"{run.stage.url}/v1/minds/{run.mind}/turns", timeout=GIVE_UP).json()["items"]
    [said] = [one["metadata"]["mind_memory.spoken"] for one in turns if one["session_id"] == "CA1"]
    assert 1_000 <= said["end_ms"] - said["start_ms"] <= 1_500, (
        "the second that they spoke, and nothing that they heard"
    )


FILES = {
    "bridge.py": is_a_bridge,
    "mind-memory.toml": is_settings_file,
    "settings.toml": is_a_minds_settings,
    "observations.md": is_observations,
    "prometheus.yml": is_scrape_configuration,
    "claude_desktop_config.json": is_a_host,
    "mcp.json": is_a_host,
}


def test_what_does_not_run_is_a_block_that_is_there_and_has_a_reason():
    there = [one.key for page in PAGES for one in blocks_of(page)]

    assert [key for key in NOT_RUN if there.count(key) != 1] == []
    assert all(len(reason) > 10 for reason in NOT_RUN.values())
    assert len(NOT_RUN) <= len(there) / 4, "most of what a page says is tried"
