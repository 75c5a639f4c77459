"""
Gemini's part of Google Takeout (My Activity, Gemini Apps, as JSON): what was asked and what was answered, as turns.

Skipped: what the person did and did not say, such as a rating. The file names no conversations, so those of one day are
one session. It has the newest first, so all of its turns are held until the oldest is read.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime
from html.parser import HTMLParser
from typing import TYPE_CHECKING

from consolidation.kernel.turns import Message, Speaker, Turn, TurnKind
from service.importing.fields import clean, list_of, mapping_of, text_of
from service.importing.results import FoundTurn, ImportItem, Skipped

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from service.importing.ids import IdAssigner
    from service.importing.records import Record
    from service.importing.times import Times

_PRODUCTS = ("gemini", "bard")
_ASKED = re.compile(r"(?:Prompted|Asked|Said|Answered|Branched)(?: with| Gemini| Bard)?:? +")
_FILES = re.compile(r"(\d{1,3}) files?\.?")
_BLOCKS = frozenset(
    {"p", "div", "br", "li", "ul", "ol", "tr", "table", "pre", "h1", "h2", "h3", "h4", "h5", "h6", "hr"}
)
_UNSEEN = frozenset({"script", "style"})
_EMPTY_LINES = re.compile(r"\n{3,}")
_LONG_AGO = datetime(1970, 1, 1, tzinfo=UTC)


def is_gemini(value: dict[str, object]) -> bool:
    """Whether the object is an activity of Gemini."""
    if not isinstance(value.get("title"), str) or "time" not in value:
        return False
    named = [value.get("header"), *list_of(value.get("products"))]
    return "safeHtmlItem" in value or any(one in str(name).casefold() for name in named for one in _PRODUCTS)


def read_gemini(records: Iterable[Record], *, ids: IdAssigner, times: Times, only: str | None) -> Iterator[ImportItem]:
    """The turns of every activity, oldest first, or those of the session ``only``."""
    found: list[tuple[datetime, str, tuple[Message, ...]]] = []
    for record in records:
        value = mapping_of(record.value)
        at = times.read(value.get("time"))
        messages = _messages(value, at)
        if isinstance(messages, str):
            yield Skipped(record.where, messages)
        else:
            found.append((at or _LONG_AGO, record.where, messages))
    found.reverse()  # of one time, the last in the file is the oldest
    for at, where, messages in sorted(found, key=lambda one: one[0]):
        session = f"gemini:{at:%Y-%m-%d}" if at != _LONG_AGO else "gemini:undated"
        if only is None or only == session:
            found_ids = ids.turn_ids(session, messages=messages)
            turn = Turn(found_ids.turn_id, session, messages, kind=TurnKind.IMPORT, metadata={"source": "gemini"})
            yield FoundTurn(turn, where, found_ids.earlier)


def _messages(value: dict[str, object], at: datetime | None) -> tuple[Message, ...] | str:
    """What was asked and answered, or why nothing was."""
    title = text_of(value.get("title")).strip()
    answers = [words for one in list_of(value.get("safeHtmlItem")) if (words := _words_of(mapping_of(one).get("html")))]
    asked = _ASKED.match(title)
    if asked is None and not answers:
        return "an activity without words of the person"
    said = _with_mark(title[asked.end() if asked is not None else 0 :])
    spoken = [Message(Speaker.USER, said, at)] if said else []
    spoken += [Message(Speaker.ASSISTANT, "\n\n".join(answers), at)] if answers else []
    return tuple(spoken) or "an activity without words of the person"


def _with_mark(said: str) -> str:
    """What was said, with a mark in the place of the files that came with it."""
    words, _, tail = said.rpartition("Attached ")
    files = _FILES.fullmatch(tail)
    return f"{words}[{files[1]} files]" if files is not None else said.strip()


class _Text(HTMLParser):
    """The words of a page, with a line for each block."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.parts: list[str] = []
        self._unseen = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        del attrs
        self._unseen += tag in _UNSEEN
        if tag in _BLOCKS:
            self.parts.append("\n- " if tag == "li" else "\n")

    def handle_endtag(self, tag: str) -> None:
        self._unseen -= tag in _UNSEEN and self._unseen > 0
        if tag in _BLOCKS and tag != "li":
            self.parts.append("\n")

    def handle_data(self, data: str) -> None:
        if not self._unseen:
            self.parts.append(data)


def _words_of(html: object) -> str:
    parser = _Text()
    parser.feed(html if isinstance(html, str) else "")
    parser.close()
    lines = (" ".join(line.split(" ")).rstrip() for line in "".join(parser.parts).split("\n"))
    return clean(_EMPTY_LINES.sub("\n\n", "\n".join(lines))).strip()
