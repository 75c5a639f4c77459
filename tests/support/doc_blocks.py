"""The code blocks of a page of the documentation, in order."""

from __future__ import annotations

import re
from dataclasses import dataclass

from tests.support.paths import ROOT

PAGES = (
    "README.md", "SECURITY.md", "client/README.md", "client/CURL.md", "client-ts/README.md", "docker/README.md", "release/README.md",
    *sorted(file.relative_to(ROOT).as_posix() for file in (ROOT / "docs").rglob("*.md")),
)  # fmt: skip
_FENCE = re.compile(r'^( *)```([^\s`]*)(?: title="([^"]*)")?\n(.*?)^\1```$', re.MULTILINE | re.DOTALL)


@dataclass(frozen=True, slots=True)
class Block:
    """A block: its *language*, the *title* above it (a file's name, or where it is typed), and its *text*."""

    page: str
    line: int
    language: str
    title: str
    text: str

    @property
    def place(self) -> str:
        """Where a person finds it."""
        return f"{self.page}:{self.line}"

    @property
    def key(self) -> tuple[str, str]:
        """What it is known by in a list: its page and its first line."""
        return self.page, self.text.partition("\n")[0]


def blocks_of(page: str) -> list[Block]:
    """Every block of a page, a path below the project."""
    text = (ROOT / page).read_text()
    assert text.count("```") == 2 * len(found := list(_FENCE.finditer(text))), (
        f"{page} has a fence that is not understood"
    )
    return [Block(page, text.count("\n", 0, one.start()) + 1, one[2], one[3] or "", one[4]) for one in found]
