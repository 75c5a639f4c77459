"""The TypeScript client: its own tests, against a real service, and what of it can be seen from here."""

import json
import os
import re
import subprocess
import sys

import pytest

from tests.support.paths import ROOT
from tests.support.waiting import GIVE_UP

CLIENT = ROOT / "client-ts"
PACKAGE = json.loads((CLIENT / "package.json").read_text())
sys.path.insert(0, str(ROOT / "console"))
from build import node_is_new_enough  # noqa: E402


@pytest.mark.timeout(900)
@pytest.mark.skipif(not node_is_new_enough(), reason="there is no npm with Node 20 or newer on the path")
def test_its_own_tests_pass_against_a_real_service():
    own = {name: value for name, value in os.environ.items() if not name.startswith("MIND_MEMORY_")}
    words = [sys.executable, CLIENT / "build.py", "--test"]

    done = subprocess.run(words, capture_output=True, text=True, timeout=GIVE_UP * 6, env=own)

    assert done.returncode == 0, done.stdout[-8_000:] + done.stderr[-4_000:]
    assert int(re.search(r"^\S+ pass (\d+)", done.stdout, re.MULTILINE)[1]) >= 25


def test_it_has_no_dependency_at_run_time():
    assert not {"dependencies", "peerDependencies", "optionalDependencies"} & PACKAGE.keys()
    for file in (CLIENT / "src").glob("*.ts"):
        sources = re.findall(r'(?:from|import) "([^"]+)"', file.read_text()) if file.name != "schema.d.ts" else []
        assert [one for one in sources if not one.startswith("./")] == [], file.name


def test_its_lock_names_packages_by_their_hashes_and_no_registry():
    locked = json.loads((CLIENT / "package-lock.json").read_text())["packages"]
    packages = {place: one for place, one in locked.items() if place and not one.get("inBundle")}

    assert packages
    assert all("integrity" in one and "resolved" not in one for one in packages.values())


def test_make_reaches_it():
    makefile = (ROOT / "Makefile").read_text()

    assert "client-ts/build.py --check" in makefile
    assert "make check" in (ROOT / ".ci" / "run").read_text()
