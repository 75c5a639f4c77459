"""
Lines of WhatsApp's exported chats: who said what, and when, in the ways in which phones write dates.

Phones write `[09.01.26, 18:30:05] Ann: Hi` (iOS) or `09/01/2026, 6:30 PM - Ann: Hi` (Android), in the order of their
region, with 12 or 24 hours, in their own digits, and with invisible marks and narrow spaces.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import tzinfo

type DateOrder = Literal["dmy", "mdy", "ymd"]

LONGEST_HEAD = 60  # characters of a line within which its date and time stand
_LONGEST_NAME = 100
_MARK = "\u200e"  # iOS writes it before what WhatsApp itself says
_INVISIBLE = dict.fromkeys(map(ord, "\ufeff\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"))
_SPACES = dict.fromkeys(map(ord, "\u00a0\u202f\u2009\u2007\t"), " ")
_HALF = r"(?:[ap]\.? ?m\.?|上午|下午|午前|午後|오전|오후|ص|م|π\.?μ\.?|μ\.?μ\.?)"
_HEAD = re.compile(
    r"(?P<open>\[?)(?P<a>\d{1,4}) ?[./\-年년] ?(?P<b>\d{1,2}) ?[./\-月월] ?(?P<c>\d{1,4}) ?[.日일]?"
    r"(?:[,،]? (?:klo|kl\.|um|à|at|г\.)?,? ?|[,،] ?)"
    rf"(?P<before>{_HALF})? ?(?P<hour>\d{{1,2}})[:.](?P<minute>\d\d)(?:[:.](?P<second>\d\d))? ?"
    rf"(?P<after>{_HALF})?(?: Uhr)?"
    r"(?:\] ?| - )",
    re.IGNORECASE,
)
_AFTERNOON = re.compile(r"p|下午|午後|오후|م|μ\.?μ", re.IGNORECASE)
_QUOTES = frozenset('"“”„«»‘')  # a line of WhatsApp itself quotes names of groups; a speaker's name has none
_MEDIA = re.compile(r"<[^<>\n]{3,40}>")  # "<Media omitted>", in any language
_ATTACHED = re.compile(r"<[^<>:\n]{2,20}: ?([^<>\n]{1,150}\.\w{2,5})>")  # iOS
_FILE = re.compile(r"([^\s/][^\n/]{0,100}?\.\w{2,5}) \([^()\n]{4,40}\)")  # Android
_EDITED = re.compile(r" ?<[^<>\n]{5,60}>$")
# What Android, which marks nothing, writes for a deleted message in the languages of our labels, without a stop.
_DELETED = frozenset(
    (
        *("null", "this message was deleted", "you deleted this message"),
        *("diese nachricht wurde gelöscht", "du hast diese nachricht gelöscht"),
        *("ce message a été supprimé", "vous avez supprimé ce message"),
        *("este mensaje fue eliminado", "se eliminó este mensaje", "eliminaste este mensaje"),
        *("questo messaggio è stato eliminato", "hai eliminato questo messaggio"),
        *("mensagem apagada", "esta mensagem foi apagada", "você apagou esta mensagem", "apagou esta mensagem"),
        *("dit bericht is verwijderd", "dit bericht werd verwijderd", "je hebt dit bericht verwijderd"),
        *("ta wiadomość została usunięta", "usunięto tę wiadomość", "usunąłeś tę wiadomość", "usunięto wiadomość"),
        *("данное сообщение удалено", "сообщение удалено", "вы удалили данное сообщение"),
        *("تم حذف هذه الرسالة", "لقد حذفت هذه الرسالة"),
        *("このメッセージは削除されました", "このメッセージを削除しました"),
        *("此消息已被删除", "这条消息已删除", "您已删除此消息", "此訊息已刪除", "您已刪除此訊息", "你已刪除此訊息"),
    )
)
# In what iOS marked as WhatsApp's own: the place of a picture, a sound, a document that was left out.
_LEFT_OUT = re.compile(
    r"omitted|omitid[oa]|weggelassen|ausgelassen|absente?$|omise?$|retirée?$|omess[oa]|esclus[oa]|non inclus[oa]"
    r"|ocult(?:ad)?[oa]|não revelad[oa]|weggelaten|pominięt|отсутству|не добавлен|пропущен[оа]?$|опущен[оа]?$"
    r"|لم يتم إدراج|省略|略去|忽略|略過|未包含|含まれてい",
    re.IGNORECASE,
)
_LONGEST_PLACEHOLDER = 45
_TWO_DIGITS, _NOON = 100, 12


@dataclass(frozen=True, slots=True)
class Head:
    """The date and time before a message, as its three numbers stand. In the USA, halves of a day are AM and PM."""

    numbers: tuple[int, int, int]
    hour: int
    minute: int
    second: int
    is_american: bool


@dataclass(frozen=True, slots=True)
class Line:
    """
    A line that begins a message. ``speaker`` is empty in a line of WhatsApp itself.

    ``is_marked``: iOS marked the words as WhatsApp's own, in every language: a deleted message, the place of a picture.
    """

    head: Head
    speaker: str
    words: str
    is_marked: bool


def parsed(line: str) -> Line | None:
    """The beginning of a message, or None for a line that goes on with the one before."""
    plain = line.translate(_SPACES)
    match = _HEAD.match(_in_ascii(plain.translate(_INVISIBLE)[:LONGEST_HEAD]))
    if match is None or not _is_time(match):
        return None
    rest = _after(plain, match.end())
    speaker, colon, words = rest.partition(": ")
    if not colon and rest.endswith(":"):
        speaker, colon, words = rest[:-1], ":", ""
    name = " ".join(speaker.translate(_INVISIBLE).split())
    if not colon or not name or len(name) > _LONGEST_NAME or not _QUOTES.isdisjoint(name):
        return Line(_head(match), "", rest.translate(_INVISIBLE).strip(), is_marked=True)
    is_marked = words.lstrip(" ").startswith(_MARK)
    return Line(_head(match), name, words.translate(_INVISIBLE).strip("\r\n"), is_marked=is_marked)


def order_of(heads: Sequence[Head]) -> DateOrder:
    """
    In which order the dates of a chat stand: as one of them can only be read, else so that time goes on.

    Where both are as good, short years before AM and PM are those of the USA.
    """
    if any(head.numbers[0] >= _TWO_DIGITS for head in heads):
        return "ymd"
    if any(head.numbers[0] > _NOON for head in heads):
        return "dmy"
    if any(head.numbers[1] > _NOON for head in heads):
        return "mdy"
    back = {order: _steps_back(heads, order) for order in ("dmy", "mdy")}
    if back["dmy"] != back["mdy"]:
        return "dmy" if back["dmy"] < back["mdy"] else "mdy"
    short = any(head.is_american and head.numbers[2] < _TWO_DIGITS for head in heads)
    return "mdy" if short else "dmy"


def instant(head: Head, *, order: DateOrder, zone: tzinfo) -> datetime | None:
    """When it was said; None for a date that no calendar has."""
    first, second, third = head.numbers
    year, month, day = {"ymd": (first, second, third), "dmy": (third, second, first), "mdy": (third, first, second)}[
        order
    ]
    full = year + 2000 if year < _TWO_DIGITS else year
    try:
        return datetime(full, month, day, head.hour, head.minute, head.second, tzinfo=zone)
    except ValueError:
        return None


def spoken(line: Line, more: Iterable[str]) -> str:
    """What was said: the words, with a mark in the place of a file; empty where WhatsApp itself says it."""
    first, *rest = "\n".join((line.words, *(one.translate(_SPACES).translate(_INVISIBLE) for one in more))).split("\n")
    said = _EDITED.sub("", first).strip() if not _MEDIA.fullmatch(first.strip()) else first.strip()
    if first.strip().rstrip(".。").casefold() in _DELETED:
        return ""
    attached = _ATTACHED.search(first) or _FILE.fullmatch(first.strip())
    if attached is not None:
        said = f"[file: {attached[1]}]"
    elif _MEDIA.fullmatch(first.strip()) or (line.is_marked and _is_left_out(first.strip())):
        said = "[attachment]"
    elif line.is_marked and not rest and not _is_link(first):
        said = ""
    return "\n".join((said, *(one.rstrip() for one in rest))).strip()


def _is_left_out(words: str) -> bool:
    return len(words) <= _LONGEST_PLACEHOLDER and _LEFT_OUT.search(words) is not None


def _is_link(words: str) -> bool:
    return "https://" in words


def _head(match: re.Match[str]) -> Head:
    half = match["before"] or match["after"]
    hour = int(match["hour"])
    if half is not None and hour <= _NOON:
        hour = hour % _NOON + (_NOON if _AFTERNOON.search(half) else 0)
    numbers = (int(match["a"]), int(match["b"]), int(match["c"]))
    second = int(match["second"] or 0)
    return Head(numbers, hour, int(match["minute"]), second, is_american=half in {"AM", "PM"})


def _is_time(match: re.Match[str]) -> bool:
    """Whether it is a time, in the brackets of iOS or before the dash of Android."""
    is_closed = match[0].rstrip().endswith("]")
    return int(match["hour"]) < 24 and int(match["minute"]) < 60 and bool(match["open"]) == is_closed  # noqa: PLR2004


def _in_ascii(text: str) -> str:
    """Digits of any script as ASCII."""
    return "".join(str(unicodedata.digit(one)) if one.isdigit() and not one.isascii() else one for one in text)


def _after(line: str, end: int) -> str:
    """What stands behind the first *end* visible characters."""
    seen = 0
    for at, letter in enumerate(line):
        if seen == end:
            return line[at:]
        seen += ord(letter) not in _INVISIBLE
    return ""


def _steps_back(heads: Sequence[Head], order: DateOrder) -> int:
    keys = [_key(head, order) for head in heads]
    return sum(now < before for before, now in pairwise(keys))


def _key(head: Head, order: DateOrder) -> tuple[int, ...]:
    first, second, third = head.numbers
    month, day = (second, first) if order == "dmy" else (first, second)
    return third, month, day, head.hour, head.minute, head.second
