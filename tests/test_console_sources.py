"""Rules of the console's sources that its compiler does not know; console/README.md names them."""

import json
import re
from pathlib import Path

import pytest

CONSOLE = Path(__file__).parents[1] / "console"
SOURCES = [one for one in sorted((CONSOLE / "src").rglob("*.ts*")) if one.name != "schema.d.ts"]
CALLERS = {"api/client.ts", "session.ts"}
DANGEROUS = re.compile(
    r"innerHTML|outerHTML|insertAdjacentHTML|dangerouslySetInnerHTML|document\.write|\beval\(|new Function"
)


def name(file):
    return str(file.relative_to(CONSOLE / "src"))


@pytest.mark.parametrize("file", SOURCES, ids=name)
def test_a_source_is_short_and_makes_no_markup_of_text(file):
    text = file.read_text()

    assert text.count("\n") <= 300
    assert DANGEROUS.search(text) is None
    assert name(file) in CALLERS or re.search(r"\bfetch\(", text) is None


@pytest.mark.parametrize("file", [one for one in SOURCES if name(one) != "dates.ts"], ids=name)
def test_the_words_of_a_time_come_from_one_place_which_is_english(file):
    """Broken: "last asked vor 4 Minuten", in a browser that is German."""
    assert re.search(r"new Intl\b|\.toLocale(?:Date|Time)?String\(", file.read_text()) is None


def test_the_lock_names_packages_by_their_hashes_and_no_registry():
    locked = json.loads((CONSOLE / "package-lock.json").read_text())["packages"]
    packages = {place: one for place, one in locked.items() if place}

    assert packages
    assert all("integrity" in one and "resolved" not in one for one in packages.values())


def test_the_document_of_the_api_is_what_types_are_made_of():
    """``make check`` makes them anew, so that a call the service no longer has does not compile."""
    scripts = json.loads((CONSOLE / "package.json").read_text())["scripts"]

    assert "../tests/golden/openapi.json" in scripts["check"]
    assert "build.py --check" in (CONSOLE.parent / "Makefile").read_text()
