"""Where exports lie: a file, every file of a folder, the conversations of a zip; opened as text, faults translated."""

from __future__ import annotations

import io
import lzma
import re
import zipfile
import zlib
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING

from service.importing.fields import clean
from service.importing.found import ImportUnreadable

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from typing import TextIO

_ENDINGS = frozenset({".json", ".jsonl"})
_LINES = frozenset({".jsonl", ".ndjson"})
_CONVERSATIONS = re.compile(r"(?:.*/)?conversations(?:-\d+)?\.json")  # large exports are cut: conversations-000.json
_ENCRYPTED = 0x1
_BROKEN = (OSError, zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, NotImplementedError)


@dataclass(frozen=True, slots=True)
class Source:
    """One text to read: a file, or a member of a zip."""

    path: Path
    member: str | None = None

    @property
    def where(self) -> str:
        """The place as people would name it."""
        return clean(str(self.path) if self.member is None else f"{self.path}/{self.member}")

    @property
    def is_lines(self) -> bool:
        """Whether its name promises one JSON value a line."""
        return self.path.suffix.lower() in _LINES

    @contextmanager
    def open(self) -> Iterator[TextIO]:
        """The text; bytes that are not UTF-8 come out as lone surrogates, which cleaning replaces."""
        try:
            with ExitStack() as stack:
                raw = self._raw(stack)
                yield io.TextIOWrapper(raw, encoding="utf-8-sig", errors="surrogateescape", newline="\n")
        except _BROKEN as error:
            raise ImportUnreadable(self.where, found=_said(error)) from error

    def _raw(self, stack: ExitStack) -> IO[bytes]:
        if self.member is None:
            return stack.enter_context(self.path.open("rb"))
        archive = stack.enter_context(zipfile.ZipFile(self.path))
        return stack.enter_context(archive.open(self.member))


def sources_of(path: Path) -> list[Source]:
    """Every source under the path, sorted; raises where there is none."""
    try:
        if path.is_dir():
            return _in_folder(path)
        if not path.exists():
            raise ImportUnreadable(clean(str(path)), found="there is no such file or folder")
        if not path.is_file():
            raise ImportUnreadable(clean(str(path)), found="neither a file nor a folder")
        return _in_zip(path) if path.suffix.lower() == ".zip" else [Source(path)]
    except _BROKEN as error:
        raise ImportUnreadable(clean(str(path)), found=_said(error)) from error


def _in_folder(folder: Path) -> list[Source]:
    files = sorted(each for each in folder.rglob("*") if each.suffix.lower() in _ENDINGS and each.is_file())
    if not files:
        raise ImportUnreadable(clean(str(folder)), found="a folder without any .json or .jsonl file")
    return [Source(file) for file in files]


def _in_zip(path: Path) -> list[Source]:
    with zipfile.ZipFile(path) as archive:
        members = [each for each in archive.infolist() if _CONVERSATIONS.fullmatch(each.filename)]
    if not members:
        raise ImportUnreadable(clean(str(path)), found="a zip without a conversations.json")
    if any(each.flag_bits & _ENCRYPTED for each in members):
        raise ImportUnreadable(clean(str(path)), found="a zip that is encrypted")
    return [Source(path, name) for name in sorted({each.filename for each in members})]


def _said(error: Exception) -> str:
    reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return clean(reason or type(error).__name__)
