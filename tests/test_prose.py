"""Guards on plain English: habits of an older dialect, which a reader has to translate, do not come back."""

import re

import pytest

from tests.support.paths import ROOT

FILES = sorted(
    file
    for folder in ("client", "consolidation", "docker", "docs", "service", "workspace_template")
    for pattern in ("*.py", "*.md", "*.yaml", "*.toml")
    for file in (ROOT / folder).rglob(pattern)
    if not {".venv", "golden", "build", "node_modules"} & set(file.parts)
) + [ROOT / "README.md", ROOT / "CHANGELOG.md", ROOT / "Makefile", ROOT / "pyproject.toml"]

HABITS = {
    "'is no X' where 'is not an X' is meant": r"(?<!here )(?<!here)\b(?:is|are|was|were) no (?!longer\b|more\b|one\b|need\b|way\b)[a-z]",
    "a constructor's docstring that says 'Bind to …'": r"\"\"\"Bind to\b",
    "'Told' without a subject": r"\"\"\"Told\b|\bTold of\b",
    "a tag instead of a sentence: 'Pure.' or 'Blocks.'": r"(?:^|[.;:] )(?:Pure|Blocks)(?:[.;]| bookkeeping| but for)",
    "'whatever it is'": r", whatever it is\b",
}


def name_of(file):
    return file.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("file", FILES, ids=name_of)
def test_prose_is_plain_english(file):
    if name_of(file) == "tests/test_prose.py":
        return
    lines = file.read_text().splitlines()

    found = [
        f"line {number}: {habit}: {line.strip()}"
        for habit, pattern in HABITS.items()
        for number, line in enumerate(lines, 1)
        if re.search(pattern, line)
    ]

    assert found == []
