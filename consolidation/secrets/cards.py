"""
Finds numbers of payment cards among all the other long numbers that people write.

A card's number has a known beginning, a length that goes with it, a check digit (Luhn), and is written in one piece or
in its usual groups. Where it is written otherwise, or has a length that other numbers have too (an EAN, somebody's
account in a chat), a word nearby must say that it is a card.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    type Groups = Sequence[tuple[int, int]]  # from, to

KIND, CODE = "card number", "card security code"
_CODE = re.compile(  # behind its name; a code is never kept by who is paid, either
    r"(?<![a-z0-9])(?:cv[vc]2?|card (?:security|verification) (?:code|value|number)|kartenpr(?:ü|ue)f(?:nummer|ziffer)"
    r"|cryptogramme(?: visuel)?)(?: ?(?:codes?|numbers?|nummer|is|was|ist|es|est|è|é|är|to|от|это|是|は)){0,3}"
    r"[\s:：=#(\"'`*]{0,5}(?P<value>\d{3,4})(?![\w%]|[.,:/-]\d)",
    re.IGNORECASE,
)
_GAP = r"[ \-\u00a0\u2007\u2009\u202f\u2010-\u2015]{1,3}"
_RUN = re.compile(rf"\d++(?:{_GAP}\d++)*+")
_POINTED = re.compile(
    r"(?<![0-9A-Za-z_.])\d{4}(?P<by>[./_·])(?:\d{4}(?P=by)\d{4}(?P=by)\d{4}|\d{6}(?P=by)\d{5})(?![0-9A-Za-z_]|\.\d)"
)
_DIGITS = re.compile(r"\d+")
_SHORTEST, _LONGEST = 13, 19
_GROUPED = {(4, 4, 4, 4), (4, 6, 5), (4, 6, 4), (4, 4, 4, 4, 3), (4, 5, 6), (8, 8)}
_PLAIN_LENGTHS = {(14,), (15,), (16,)}
_MOST_GROUPS = 5
_LONGEST_RUN = 400  # characters; what is longer is a table
_SHORTEST_GROUP = 3
_LONGEST_TAIL = 3  # a security code, the month of expiry
_NUMBER = re.compile(
    r"4(?:\d{12}|\d{15}|\d{17,18})"  # Visa
    r"|(?:5[1-5]\d\d|222[1-9]|22[3-9]\d|2[3-6]\d\d|27[01]\d|2720)\d{12}"  # Mastercard
    r"|3[47]\d{13}"  # American Express
    r"|(?:6011|64[4-9]\d|65\d\d|62\d\d|35(?:2[89]|[3-8]\d)|220[0-4])\d{12,15}"  # Discover, UnionPay, JCB, Mir
    r"|(?:30[0-5]\d|3095|36\d\d|3[89]\d\d)(?:\d{10}|\d{12}|\d{15})"  # Diners Club
    r"|(?:50\d\d|5[678]\d\d|6304|6759|676[0-3])\d{9,15}"  # Maestro
    r"|(?:60\d\d|81\d\d|9792)\d{12}",  # RuPay, Troy
    re.ASCII,
)
_WORDS = (
    "card", "visa", "amex", "american express", "maestro", "credit", "debit", "cvv", "cvc", "karte", "carte", "tarjeta",
    "cartão", "cartao", "carta", "kaart", "kort", "карт", "卡", "カード", "카드", "بطاقة", "कार्ड", "כרטיס",
)  # fmt: skip
_AROUND = 60  # characters within which such a word must be
_DOUBLED = bytes.maketrans(b"0123456789", b"0246813579")


def find_cards(text: str) -> Iterator[tuple[int, int, str]]:
    """Card numbers, and the codes on their backs: start, end, kind."""
    yield from ((*found.span("value"), CODE) for found in _CODE.finditer(text))
    for found in _POINTED.finditer(text):
        if is_card_number(found[0].replace(found["by"], "")):
            yield *found.span(), KIND
    words: list[int] | None = None
    for run in _RUN.finditer(text):
        start, end = run.span()
        if not _SHORTEST <= end - start <= _LONGEST_RUN or _is_part(text, start, end):
            continue
        groups = [one.span() for one in _DIGITS.finditer(text, start, end)]
        sure = _sure(text, groups) if text[start - 1 : start] not in {"#", "/"} else None
        if sure is not None:
            yield *sure, KIND
            continue
        for span in _windows(text, groups):
            words = _words(text) if words is None else words
            if _is_near(words, *span):
                yield *span, KIND


def _is_part(text: str, start: int, end: int) -> bool:
    """Whether the number belongs to something longer: a word, a decimal, a telephone number, an IBAN."""
    before, after = text[start - 1 : start], text[end : end + 1]
    if _is_letter(before) or _is_letter(after) or before in {"+", "_"} or after == "_":
        return True
    is_behind_point = before in {".", ","} and text[start - 2 : start - 1].isdigit()
    return is_behind_point or (after in {".", ","} and text[end + 1 : end + 2].isdigit())


def _is_letter(character: str) -> bool:
    return character.isascii() and character.isalpha()


def _sure(text: str, groups: Groups) -> tuple[int, int] | None:
    """The card that needs no word beside it: all of the run, but for a short number or two behind it."""
    for cut in range(3):
        head = groups[: len(groups) - cut]
        if len(head) > _MOST_GROUPS or any(end - start > _LONGEST_TAIL for start, end in groups[len(head) :]):
            continue
        lengths = tuple(end - start for start, end in head)
        if (lengths in _GROUPED or lengths in _PLAIN_LENGTHS) and is_card_number(_joined(text, head)):
            return head[0][0], head[-1][1]
    return None


def _windows(text: str, groups: Groups) -> Iterator[tuple[int, int]]:
    """Every part of a run that is a card if it is said to be one; the longest from each place."""
    past = 0
    for first, (start, _) in enumerate(groups):
        if start < past:
            continue
        ends = [
            groups[last][1] for last in _lasts(groups, first) if is_card_number(_joined(text, groups[first : last + 1]))
        ]
        if ends:
            past = ends[-1]
            yield start, past


def _lasts(groups: Groups, first: int) -> Iterator[int]:
    """Where a card's number that begins with group *first* could end, by its length; only the last may be short."""
    length = 0
    for last in range(first, min(len(groups), first + _MOST_GROUPS)):
        size = groups[last][1] - groups[last][0]
        length += size
        if length > _LONGEST:
            return
        if length >= _SHORTEST:
            yield last
        if size < _SHORTEST_GROUP:
            return


def _joined(text: str, groups: Groups) -> str:
    return "".join(text[start:end] for start, end in groups)


def is_card_number(digits: str) -> bool:
    """Whether digits alone, of any script, could be a card's: beginning, length and check digit."""
    plain = digits if digits.isascii() else "".join(str(int(digit)) for digit in digits)
    return _NUMBER.fullmatch(plain) is not None and _luhn(plain.encode())


def _luhn(digits: bytes) -> bool:
    weighed = digits[::-2] + digits[-2::-2].translate(_DOUBLED)
    return (sum(weighed) - len(weighed) * ord("0")) % 10 == 0


def _words(text: str) -> list[int]:
    """The offsets of words that speak of cards, ascending."""
    low = text.lower()
    if len(low) != len(text):  # a letter became two: places would be wrong
        low = text
    return sorted(found.start() for word in _WORDS if word in low for found in re.finditer(re.escape(word), low))


def _is_near(words: Sequence[int], start: int, end: int) -> bool:
    at = bisect_left(words, start - _AROUND)
    return at < len(words) and words[at] <= end + _AROUND
