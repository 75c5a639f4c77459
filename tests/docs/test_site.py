"""The documentation as a site: it builds strictly, every page is in it, and nothing of it comes from elsewhere."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys

import pytest

from tests.support.paths import ROOT
from tests.support.waiting import GIVE_UP

NAMED = (ROOT / "docs" / "mkdocs.yml").read_text()
LOADS = re.compile(
    r"""<(?:script|img|iframe|source)\b[^>]*\bsrc="([^"]+)"|<link\b[^>]*\bhref="([^"]+)"|url\(["']?([^"')]+)|@import\s+["']([^"']+)"""
)


def built(to, script="docs/build.py"):
    return subprocess.run(
        [sys.executable, script, "--to", to], capture_output=True, text=True, timeout=GIVE_UP, cwd=ROOT
    )


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    done = built(folder)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder / "site"


def test_every_page_of_the_documentation_is_in_the_navigation():
    pages = [file.relative_to(ROOT).as_posix() for file in (ROOT / "docs").rglob("*.md")]

    assert [page for page in pages if f": {page}\n" not in NAMED] == []


def test_every_page_is_built_and_can_be_searched(site):
    named = re.findall(r": (\S+\.md)$", NAMED, re.MULTILINE)
    searched = {one["location"].partition("#")[0] for one in json.loads((site / "search.json").read_text())["items"]}

    assert len(named) > 30
    for page in named:
        place = re.sub(r"README\.md$", "index.md", page).removesuffix(".md") + ".html"
        assert (site / place).is_file(), place
        assert place in searched, place


def test_it_loads_nothing_from_elsewhere(site):
    loaded = {
        (file.relative_to(site).as_posix(), next(filter(None, found)))
        for kind in ("*.html", "*.css")
        for file in site.rglob(kind)
        for found in LOADS.findall(file.read_text())
    }

    assert len(loaded) > 50
    assert {one for one in loaded if re.match(r"(?:https?:)?//", one[1])} == set()


@pytest.mark.parametrize("link", ["gone.md", "glossary.md#gone"])
def test_a_link_that_leads_nowhere_fails_the_build(tmp_path, link):
    for name in ("docs", "client/README.md"):
        source, target = ROOT / name, tmp_path / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copytree(source, target) if source.is_dir() else shutil.copy2(source, target)
    (tmp_path / "docs" / "mkdocs.yml").write_text(
        re.sub(r"nav:\n.*", "nav:\n  - One: docs/glossary.md\n", NAMED, flags=re.DOTALL)
    )
    page = tmp_path / "docs" / "glossary.md"
    page.write_text(f"{page.read_text()}\nSee [the other]({link}).\n")

    done = built(tmp_path / "built", script=tmp_path / "docs" / "build.py")

    assert done.returncode != 0
    assert "does not exist" in done.stdout + done.stderr
