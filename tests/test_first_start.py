"""The first `make`: it says what it does, and where it fails, what to do. No package is installed here."""

import os
import shutil
import subprocess

import pytest

from tests.support.paths import ROOT

MAKE = shutil.which("make")
FILES = ("Makefile", "requirements.lock", "requirements-dev.lock")
PYTHON = "mkdir -p .venv/bin; ln -sf /bin/true .venv/bin/python"

pytestmark = pytest.mark.skipif(MAKE is None, reason="there is no make")


def installed(folder, *, uv=None, python3="exit 1", locked="requirements.lock"):
    """`make install` in a copy of the checkout, with these commands in the place of uv and python3."""
    for name in FILES:
        shutil.copy(ROOT / name, folder)
    tools = folder / "tools"
    tools.mkdir()
    for name, body in {"uv": uv, "python3": python3}.items():
        if body is not None:
            (tools / name).write_text(f'#!/bin/sh\ntest "$1" = --version && exit 0\n{body}\n')
            (tools / name).chmod(0o755)
    for name in ("bash", "sh", "grep", "du", "cut", "mkdir", "ln", "env"):
        (tools / name).symlink_to(shutil.which(name))
    return subprocess.run(
        [MAKE, "-s", "install", f"LOCKED={locked}"],
        cwd=folder, env={"PATH": str(tools), "HOME": str(folder)}, capture_output=True, text=True, timeout=60,
    )  # fmt: skip


@pytest.mark.parametrize(("locked", "size"), [("requirements.lock", "0.8 GB"), ("requirements-dev.lock", "1.3 GB")])
def test_it_says_how_much_it_installs_and_what_that_takes(tmp_path, locked, size):
    done = installed(tmp_path, uv=PYTHON, locked=locked)

    number = sum("==" in line for line in (ROOT / locked).read_text().splitlines())
    assert done.returncode == 0, done.stderr
    assert f"installing {number} packages into .venv: {size} on disk" in done.stdout
    assert "installed: " in done.stdout


@pytest.mark.parametrize(
    ("uv", "words"),
    [
        (None, "install it (https://docs.astral.sh/uv) or Python 3 with its venv"),
        ("exit 2", "there is no Python 3.12 and uv could not fetch one"),
        (f"test $1 = venv && {{ {PYTHON}; exit 0; }}; echo 'dns error' >&2; exit 2", "the lines above say why"),
    ],
    ids=["no uv", "no Python", "no network"],
)
def test_where_it_fails_it_says_what_to_do(tmp_path, uv, words):
    done = installed(tmp_path, uv=uv)

    assert done.returncode != 0
    assert words in done.stderr
    assert "installed: " not in done.stdout


def test_who_has_uv_is_not_asked_for_another(tmp_path):
    done = installed(tmp_path, uv=PYTHON)

    assert "fetching uv" not in done.stdout
    assert not os.path.lexists(tmp_path / ".venv" / "uv")
