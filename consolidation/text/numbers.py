"""Numbers as they may be meant, however they are written: "1,620" and "1 620" are 1620, "1.620" is 1620 or 1.62."""

from __future__ import annotations

import re
import unicodedata

_SPACE = r"[ \u00a0\u202f'’]"
NUMBER = re.compile(rf"(?<![\d.,:])\d{{1,3}}(?:{_SPACE}\d{{3}})+(?!\d)(?:[.,]\d+)?|\d+(?:[.,:]\d+)*")
_SPACES = re.compile(_SPACE)
_GROUPED = re.compile(r"(\d{1,3}(?:[.,]\d{3})+)(?:[.,](\d+))?")
_DECIMAL = re.compile(r"(\d+)[.,](\d+)")
_CLOCK = re.compile(r"0?(\d{1,2})[.:](\d\d)")


def readings(number: str) -> frozenset[str]:
    """What *number*, as ``NUMBER`` finds it, may mean: ASCII digits, with "." before decimals and ":" in a time."""
    whole = "".join(str(unicodedata.decimal(one)) if one.isdecimal() else one for one in _SPACES.sub("", number))
    found = set[str]()
    if grouped := _GROUPED.fullmatch(whole):
        found.add(_decimal(re.sub(r"\D", "", grouped[1]), grouped[2] or ""))
    if decimal := _DECIMAL.fullmatch(whole):
        found.add(_decimal(decimal[1], decimal[2]))
    if clock := _CLOCK.fullmatch(whole):
        found.add(f"{clock[1]}:{clock[2]}")
    return frozenset(found or {whole})


def numbers_said(text: str) -> frozenset[str]:
    """What the numbers of *text* may mean, with those that a time, a date or two numbers side by side are made of."""
    found = set[str]()
    for number in NUMBER.findall(text):
        is_one = _GROUPED.fullmatch(number) or _DECIMAL.fullmatch(number)
        found |= readings(number).union(*(() if is_one else map(readings, re.findall(r"\d+", number))))
    return frozenset(found)


def is_said(number: str, said: frozenset[str]) -> bool:
    """Whether *number* is among those of ``numbers_said``; "3 300" may also be two of them."""
    apart = _SPACES.split(number)
    return not readings(number).isdisjoint(said) or (
        len(apart) > 1 and all(not readings(one).isdisjoint(said) for one in apart)
    )


def _decimal(whole: str, decimals: str) -> str:
    return f"{whole}.{decimals.rstrip('0')}".rstrip(".")
