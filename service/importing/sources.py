"""
Where exports are: a file, every file of a folder, the conversations, memories or chats in a zip. Opened as text, with
errors translated.
"""

from __future__ import annotations

import codecs
import io
import lzma
import os
import re
import zipfile
import zlib
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import PurePosixPath
from typing import IO, TYPE_CHECKING

from consolidation.kernel.errors import ImportUnreadable
from service.importing.fields import clean
from service.importing.results import Skipped, unreadable

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from typing import TextIO

_ENDINGS = frozenset({".json", ".jsonl"})
_CONVERSATIONS = re.compile(r"conversations(?:-\d+)?\.json")  # large exports are split: conversations-000.json
_PRODUCTS = ("gemini", "bard")  # in the name of a folder of Takeout
_LINES = frozenset({".jsonl", ".ndjson"})
_SAVED = "memory.json"  # ChatGPT's memories
_MANIFEST, _TRANSCRIPT = "manifest.json", "transcript"  # of an archive of ours
_MIND = "the archive of a mind"
_AS_ZIP = "its zip becomes a new mind by `mind-memory import`, or POST /v1/minds/{mind_id}/import"
_GENERIC = re.compile(r"_chat(?: ?\(\d{1,2}\))?", re.IGNORECASE)  # what every chat of an iPhone is called
_ENCRYPTED = 0x1
_LONGEST_DIRECTORY = 16 << 20  # of a zip: far more names than any export has
_LONGEST_LINE = 1 << 20  # that is looked at at once
_UTF_8 = "utf-8-sig"
_NOT_UTF_8 = "not UTF-8: its letters were read as Windows-1252; where they are wrong, save the file as UTF-8"
_FOREIGN = "mind_memory.windows_1252"
# Python says so of a zip whose end is missing, too, as of a backup that a full disk or a lost connection cut off.
_NO_ZIP, _CUT_OFF = "File is not a zip file", "it is not a zip file, or one whose end is missing"
_BROKEN = (OSError, zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, NotImplementedError)


@dataclass(frozen=True, slots=True)
class ImportSource:
    """One text to read: a file, or a member of a zip."""

    path: Path
    member: str | None = None

    @property
    def where(self) -> str:
        """The place in words for people."""
        return clean(str(self.path) if self.member is None else f"{self.path}/{self.member}")

    @property
    def stem(self) -> str:
        """
        What it is called, without folder and ending.

        A chat that is called like any other is called like the folder that was unzipped, or the zip. A folder whose
        name does not say that it holds a chat, such as that of downloads, gives none.
        """
        inner = PurePosixPath(self.member) if self.member is not None else None
        name = inner.stem if inner is not None and _is_chat(inner.name) else self.path.stem
        if _GENERIC.fullmatch(name) is None:
            return name
        if inner is not None:
            return inner.parent.name or self.path.stem
        return self.path.parent.name if _is_chat(f"{self.path.parent.name}.txt") else name

    @property
    def is_lines(self) -> bool:
        """Whether its name promises one JSON value per line."""
        return self.path.suffix.lower() in _LINES

    @contextmanager
    def open(self) -> Iterator[TextIO]:
        """The text, which is UTF-8 or UTF-16. Other bytes are read as Windows-1252, as ``foreign`` says."""
        try:
            with ExitStack() as stack:
                raw = self._raw(stack)
                yield io.TextIOWrapper(raw, encoding=_encoding(raw), errors=_FOREIGN, newline="\n")
        except _BROKEN as error:
            raise unreadable(self.where, found=_reason(error)) from error

    def foreign(self) -> Skipped | None:
        """What is to be said where the bytes are of another encoding, with the first place."""
        try:
            with ExitStack() as stack:
                raw = self._raw(stack)
                lines = iter(partial(raw.readline, _LONGEST_LINE), b"")
                numbers = (at for at, line in enumerate(lines, start=1) if not _is_utf_8(line))
                first = next(numbers, None) if _encoding(raw) == _UTF_8 else None
                more = sum(1 for _ in numbers) if first is not None else 0
        except _BROKEN as error:
            raise unreadable(self.where, found=_reason(error)) from error
        also = f", and {more:,} more lines like it" if more else ""
        return None if first is None else Skipped(f"{self.where}:{first}", f"{_NOT_UTF_8}{also}")

    def _raw(self, stack: ExitStack) -> IO[bytes]:
        if self.member is None:
            return stack.enter_context(self.path.open("rb"))
        archive = stack.enter_context(zipfile.ZipFile(stack.enter_context(_Bounded(self.path))))
        return stack.enter_context(archive.open(self.member))


def _encoding(raw: IO[bytes]) -> str:
    """UTF-16 by its mark, or by the first two letters, which are ASCII in an export; else UTF-8."""
    head = raw.read(4)
    raw.seek(0)
    if head[:2] in {codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE}:
        return "utf-16"
    return {b"\1\0\1\0": "utf-16-le", b"\0\1\0\1": "utf-16-be"}.get(bytes(map(bool, head)), _UTF_8)


def _is_utf_8(line: bytes) -> bool:
    try:
        line.decode()
    except UnicodeDecodeError as error:
        return error.end == len(line) == _LONGEST_LINE  # a letter that is cut in two
    return True


def _as_windows_1252(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeDecodeError):
        raise error
    return error.object[error.start : error.end].decode("cp1252", errors="replace"), error.end


codecs.register_error(_FOREIGN, _as_windows_1252)


def sources_of(path: Path) -> list[ImportSource]:
    """Every source under the path, sorted. Raises ImportUnreadable if there is none."""
    try:
        if path.is_dir():
            return _in_folder(path)
        if not path.exists():
            raise ImportUnreadable(clean(str(path)), found="there is no such file or folder", known_formats=())
        if not path.is_file():
            raise unreadable(clean(str(path)), found="neither a file nor a folder")
        return _in_zip(path) if path.suffix.lower() == ".zip" else [ImportSource(path)]
    except _BROKEN as error:
        raise unreadable(clean(str(path)), found=_reason(error)) from error


def _in_folder(folder: Path) -> list[ImportSource]:
    if (folder / _MANIFEST).is_file() and (folder / _TRANSCRIPT).is_dir():
        raise ImportUnreadable(clean(str(folder)), found=f"{_MIND}, unpacked: {_AS_ZIP}", known_formats=())
    files = sorted(each for each in _visible(folder) if each.suffix.lower() in _ENDINGS or _is_chat(each.name))
    if not files:
        raise unreadable(clean(str(folder)), found="a folder without any .json or .jsonl file, or WhatsApp chat")
    exports = {each.parent for each in files if _CONVERSATIONS.fullmatch(each.name)}
    return [ImportSource(file) for file in files if file.parent not in exports or not _is_left_out(file)]


def _is_left_out(file: Path) -> bool:
    """Whether a file beside conversations is one that is not read of their zip: ratings, the account, links."""
    return file.suffix.lower() == ".json" and file.name != _SAVED and not _CONVERSATIONS.fullmatch(file.name)


def _visible(folder: Path) -> Iterator[Path]:
    """The files below a folder, without hidden files and folders, and without homes of ours: they are not exports."""
    for place, folders, files in folder.walk():
        folders[:] = [name for name in folders if not name.startswith(".") and not _is_home(place / name)]
        yield from (place / name for name in files if not name.startswith(".") and (place / name).is_file())


def _is_home(folder: Path) -> bool:
    """Whether a folder is a home, or the folder of a mind. Only what the person names themselves is read of these."""
    return (folder / "minds").is_dir() or ((folder / "transcript").is_dir() and (folder / "SOUL.md").exists())


def _in_zip(path: Path) -> list[ImportSource]:
    with _Bounded(path) as file, zipfile.ZipFile(file) as archive:
        listed = archive.infolist()
    members = _members(listed)
    if not members and any(_last(each.filename) == _MANIFEST for each in listed):
        raise ImportUnreadable(clean(str(path)), found=f"{_MIND}: {_AS_ZIP}", known_formats=())
    if not members and any(_is_activity(each.filename, ending=".html") for each in listed):
        raise unreadable(clean(str(path)), found="a Takeout in HTML: export it again, and choose JSON for My Activity")
    if not members:
        raise unreadable(
            clean(str(path)),
            found="a zip without a conversations.json, memory.json, memories.json, or the text of a chat",
        )
    if any(each.flag_bits & _ENCRYPTED for each in members):
        raise unreadable(clean(str(path)), found="a zip that is encrypted")
    return [ImportSource(path, name) for name in sorted({each.filename for each in members})]


def _members(listed: list[zipfile.ZipInfo]) -> list[zipfile.ZipInfo]:
    """What is read of a zip: its conversations, with ChatGPT's memories; else what else it may be an export of."""
    shown = [each for each in listed if not _is_hidden(each.filename)]
    conversations = [each for each in shown if _CONVERSATIONS.fullmatch(_last(each.filename))]
    saved = [each for each in shown if _last(each.filename) == _SAVED]
    if conversations or saved:
        return conversations + saved
    memories = [each for each in shown if _last(each.filename) == "memories.json"]  # in a backup of OpenMemory
    activity = [each for each in shown if _is_activity(each.filename, ending=".json")]
    return memories or activity or [each for each in shown if _is_chat(_last(each.filename))]


def _last(member: str) -> str:
    return member.rpartition("/")[2]


def _is_hidden(member: str) -> bool:
    return any(part.startswith((".", "__MACOSX")) for part in member.split("/"))


def _is_activity(member: str, *, ending: str) -> bool:
    """Whether a member of a Takeout is what was done with Gemini."""
    folder, _, name = member.casefold().rpartition("/")
    is_of_gemini = any(product in _last(folder) for product in _PRODUCTS)
    return name.endswith(ending) and (is_of_gemini or name.replace(" ", "") == f"myactivity{ending}")


def _is_chat(name: str) -> bool:
    """Whether a text is a WhatsApp chat, by its name. Other texts of a folder or a zip are notes."""
    lower = name.casefold()
    return lower.endswith(".txt") and (_GENERIC.fullmatch(lower[:-4]) is not None or "whatsapp" in lower)


def unpacked_bytes(path: Path) -> int:
    """How many bytes of text a file, or the conversations in a zip, say to have. Raises ImportUnreadable."""
    sources = sources_of(path)
    if sources[0].member is None:
        return sum(source.path.stat().st_size for source in sources)
    with _Bounded(path) as file, zipfile.ZipFile(file) as archive:
        return sum(archive.getinfo(source.member).file_size for source in sources if source.member is not None)


class _Bounded(io.FileIO):
    """A zip whose directory, which is read as a whole, can not fill the memory."""

    def read(self, size: int | None = -1) -> bytes:
        wanted = os.fstat(self.fileno()).st_size - self.tell() if size is None or size < 0 else size
        if wanted > _LONGEST_DIRECTORY:
            raise zipfile.BadZipFile("its directory is too long")
        return super().read(wanted)


def _reason(error: Exception) -> str:
    reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return _CUT_OFF if reason == _NO_ZIP else clean(reason or type(error).__name__)
