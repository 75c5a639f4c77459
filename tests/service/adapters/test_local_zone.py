"""The time zone of whoever sits at a terminal: named, linked, or only copied into a container."""

import subprocess
import sys
from pathlib import Path
from zoneinfo import TZPATH

import pytest

from service.adapters.local_zone import zone_of
from tests.support.paths import ROOT

ZONES = next((Path(folder) for folder in TZPATH if (Path(folder) / "Asia/Tokyo").is_file()), None)


def said(**env):
    words = [sys.executable, "-c", "from service.adapters.local_zone import local_zone; print(local_zone())"]
    env |= {"PATH": "/usr/bin:/bin"}
    return subprocess.run(
        words, cwd=ROOT, env=env, capture_output=True, text=True, timeout=60, check=True
    ).stdout.strip()


@pytest.mark.parametrize("tz", ["Asia/Kathmandu", ":Europe/Lisbon"])
def test_a_zone_is_taken_by_its_name(tz):
    assert said(TZ=tz) == tz.removeprefix(":")


def test_a_name_that_is_no_zone_is_passed_over():
    assert said(TZ="Moon/Tranquility") == said()


@pytest.mark.skipif(ZONES is None, reason="this machine has no zones to copy")
@pytest.mark.parametrize("zone", ["Asia/Tokyo", "Europe/Berlin", "UTC"])
def test_a_copy_of_a_zone_is_recognised_by_its_rules(tmp_path, zone):
    copy = tmp_path / "localtime"
    copy.write_bytes((ZONES / zone).read_bytes())

    assert zone_of(copy) == zone


def test_no_rules_and_unknown_ones_are_of_no_zone(tmp_path):
    (tmp_path / "localtime").write_bytes(b"TZif of my own")

    assert zone_of(tmp_path / "none") is None
    assert zone_of(tmp_path / "localtime") is None
