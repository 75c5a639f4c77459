"""The script of the backup recipe, as cron would run it: every mind is in its folder, or it ends with an error."""

from __future__ import annotations

import os
import shutil
import subprocess
import time

import httpx2
import pytest

from tests.support.api_keys import make_key
from tests.support.cli_process import calling, serving, serving_commands
from tests.support.doc_blocks import blocks_of
from tests.support.waiting import GIVE_UP, until

MINDS = ("ada", "bo", "cy")

pytestmark = pytest.mark.skipif(not (shutil.which("jq") and shutil.which("curl")), reason="needs curl and jq")


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    return tmp_path_factory.mktemp("backup") / "home"


@pytest.fixture(scope="module")
def url(home):
    with serving(home) as (_, url):
        for mind in MINDS:
            turn = {"session_id": "s", "messages": [{"role": "user", "content": "hi"}]}
            assert httpx2.post(f"{url}/v1/minds/{mind}/turns", json=turn, timeout=GIVE_UP).status_code == 202
        yield url


@pytest.fixture(scope="module")
def key(home, url):
    return make_key(home)


@pytest.fixture
def backup(url, tmp_path):
    """Run the script with these variables: how it ended, and the names of the archives."""
    [block] = [one for one in blocks_of("docs/recipes/backup.md") if one.title == "backup.sh"]
    (tmp_path / "backup.sh").write_text(block.text.replace("limit=500", "limit=2"))  # so that there are two pages
    known = {name: value for name, value in os.environ.items() if not name.startswith("MIND_MEMORY_")}
    tools = tmp_path / "tools"
    tools.mkdir()
    with serving_commands() as commands:
        (tools / "mind-memory").write_text(f'#!/bin/sh\ntest "$3" != "$BROKEN" || exit 1\n{calling(commands)} "$@"\n')
        (tools / "mind-memory").chmod(0o755)

        def run(**more):
            env = {**known, "BROKEN": "", "PATH": f"{tools}:{known['PATH']}", "MIND_MEMORY_URL": url, **more}
            words = ["sh", "backup.sh", "backups"]
            done = subprocess.run(words, cwd=tmp_path, env=env, capture_output=True, text=True, timeout=GIVE_UP)
            return done, sorted(one.name for one in (tmp_path / "backups").rglob("*.zip"))

        yield run


def test_every_mind_is_backed_up_with_the_key_of_the_variable(backup, key):
    done, archives = backup(MIND_MEMORY_KEY=key)

    assert done.returncode == 0, done.stderr
    assert archives == [f"{mind}.zip" for mind in MINDS]


def test_a_later_run_makes_archives_beside_those_of_the_first(backup, key):
    backup(MIND_MEMORY_KEY=key)
    second = int(time.time())
    until(lambda: int(time.time()) != second)  # as the folder is named

    done, archives = backup(MIND_MEMORY_KEY=key)

    assert done.returncode == 0, done.stderr
    assert len(archives) == 2 * len(MINDS)


@pytest.mark.parametrize(
    "more", [{}, {"MIND_MEMORY_KEY": "mm_wrong"}, {"MIND_MEMORY_URL": "http://127.0.0.1:9"}], ids=str
)
def test_without_a_key_that_is_good_or_without_a_service_it_ends_with_an_error(backup, key, more):
    done, archives = backup(**more)

    assert done.returncode != 0
    assert done.stderr and archives == []


def test_a_mind_that_can_not_be_exported_is_an_error_and_the_others_are_backed_up(backup, key):
    done, archives = backup(MIND_MEMORY_KEY=key, BROKEN="bo")

    assert done.returncode != 0
    assert archives == ["ada.zip", "cy.zip"]
