"""
Whether a sentence says that what another one told is over: "I no longer work at Siemens" of "I work at Siemens".

It has to be sure, since what is over is not told as true any more. So both sentences have the same words in the same
order, but for the words that say "no longer"; the older one may go on with "in Munich". Nothing here asks a model.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING

from consolidation.text.words import is_dense, stems, tokens

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

_LONGEST = 600  # characters of a sentence that is looked at
_CLAUSE = re.compile(r"[,;:–—。，、；：،؛]")


@dataclass(frozen=True, slots=True)
class _Language:
    """
    How one language says that something is over, as ``tokens`` has it.

    Each of ``over`` is parts that follow each other. ``idle`` words change nothing. Behind ``goes_on`` the older
    sentence only says more, behind ``joins`` it says something else. ``spelt`` has other spellings.
    """

    over: tuple[str, ...]
    idle: str
    goes_on: str
    joins: str
    spelt: Mapping[str, str]
    has_stems: bool = False  # only where the negated verb has another form: elsewhere its ending is its subject


_ENGLISH = {
    "dont": "do not", "doesnt": "does not", "isnt": "is not", "arent": "are not", "havent": "have not",
    "hasnt": "has not", "cant": "can not", "cannot": "can not", "im": "i am", "hes": "he is", "shes": "she is",
    "theyre": "they are", "anymore": "any more", "has": "have", "goes": "go",
}  # fmt: skip
_LANGUAGES = (
    _Language(
        ("no longer", "do not … any more", "does not … any more", "not … any more", "do not … any longer",
         "does not … any longer", "not … any longer"),
        "a an the any now still currently", "in at on with near for from by since as to", "and but or", _ENGLISH,
        has_stems=True,
    ),
    _Language(
        ("nicht mehr", *(f"kein{end} … mehr" for end in ("", "e", "en", "em", "er", "es")), "nicht … mehr"),
        "ein eine einen einem einer eines der die das den dem jetzt noch", "in im bei beim am an auf mit seit als für",
        "und aber oder", {},
    ),
    _Language(
        ("ya no", "no … mas"), "un una el la los las yo ahora todavia aun", "en con desde como por para cerca",
        "y e pero o", {},
    ),
    _Language(
        ("ne … plus", "n … plus"), "un une de d des du le la les l encore toujours maintenant",
        "a au aux en dans chez avec depuis comme pour pres", "et mais ou", {"j": "je"},
    ),
    _Language(
        ("non … piu",), "un uno una il lo la i gli le l io adesso ora ancora",
        "a ad in al nel con da dal come per presso", "e ed ma o", {},
    ),
    _Language(
        ("ja nao", "nao … mais"), "um uma o a os as eu agora ainda", "em no na com desde como para por", "e mas ou", {},
    ),
    _Language(
        ("niet meer", "geen … meer", "niet … meer"), "een de het nu nog", "in bij op met sinds als voor aan",
        "en maar of", {},
    ),
    _Language(
        ("juz nie", "nie … juz"), "ja teraz jeszcze nadal", "w we na z ze od jako dla przy u", "i a ale lub", {},
    ),
    _Language(
        ("больше не", "уже не", "не … больше"), "сейчас еще теперь", "в во на с со от как для у при", "и а но или", {},
    ),
    _Language(
        tuple(f"لم {verb}" for verb in ("يعد", "تعد", "اعد", "نعد", "يعودوا")), "انا الان", "في مع على منذ من",
        "و لكن او", {},
    ),
)  # fmt: skip
_CHINESE_OVER = (("不再", ""), ("已经不", ""), ("已經不", ""), ("没有", "有"), ("沒有", "有"), ("不", ""))
_CHINESE_IDLE = re.compile(r"现在|現在|目前|已经|已經|还|還|了")
_MOU = "もう"
_JAPANESE_NOT = (
    ("ていません", "ている"), ("ていない", "ている"), ("でいません", "でいる"), ("でいない", "でいる"),
    ("ではありません", "だ"), ("じゃありません", "だ"), ("ではない", "だ"), ("じゃない", "だ"),
    ("いません", "いる"), ("いない", "いる"), ("ません", "ます"), ("べない", "べる"),
)  # fmt: skip
_JAPANESE_SO = (("ています", "ている"), ("でいます", "でいる"), ("です", "だ"), ("います", "いる"), ("べます", "べる"))


def says_it_is_over(later: str, earlier: str) -> bool:
    """Whether the sentence *later* says that what the sentence *earlier* told is not so any more."""
    if max(len(later), len(earlier)) > _LONGEST:
        return False
    if any(map(is_dense, later)):
        return _chinese(later, earlier) or _japanese(later, earlier)
    words, before = _words(_clause(later)), _words(earlier)
    return any(_is_denied(words, before, earlier, language) for language in _LANGUAGES)


def _clause(text: str) -> str:
    """*text* up to the first comma: "I no longer work at Siemens, I'm at Bosch now"."""
    return _CLAUSE.split(text, maxsplit=1)[0]


def _words(text: str) -> tuple[str, ...]:
    """The words of *text*, as ``tokens`` has them; "n'habite" is two."""
    return tokens(re.sub(r"\b([cdjlmnst])['’](?=\w\w)", r"\1 ", text, flags=re.IGNORECASE))


def _is_denied(words: Sequence[str], before: Sequence[str], earlier: str, language: _Language) -> bool:
    words, before = _spelt(words, language), _spelt(before, language)
    if any(_without(before, over) is not None for over in language.over):
        return False
    left = next((rest for over in language.over if (rest := _without(words, over)) is not None), None)
    if not left:
        return False
    denied, told = _telling(left, language), _telling(before, language)
    more = told[len(denied) :]
    if len(denied) < 2 or told[: len(denied)] != denied:  # noqa: PLR2004 - somebody, and what they do
        return False
    if not more:
        return True
    is_more = more[0] in language.goes_on.split() and _CLAUSE.search(earlier) is None
    return is_more and set(more).isdisjoint(language.joins.split())


def _spelt(words: Iterable[str], language: _Language) -> tuple[str, ...]:
    return tuple(chain.from_iterable(language.spelt.get(word, word).split() for word in words))


def _without(words: Sequence[str], over: str) -> tuple[str, ...] | None:
    """*words* without the parts of *over*, which stand among them in this order; None where they do not."""
    rest, start = list(words), 0
    for part in (one.split() for one in over.split(" … ")):
        at = next((at for at in range(start, len(rest)) if rest[at : at + len(part)] == part), None)
        if at is None:
            return None
        del rest[at : at + len(part)]
        start = at
    return tuple(rest)


def _telling(words: Iterable[str], language: _Language) -> tuple[str, ...]:
    telling = (word for word in words if word not in language.idle.split())
    return tuple(stems(word, language="en")[0] for word in telling) if language.has_stems else tuple(telling)


def _bare(text: str) -> str:
    return "".join(filter(str.isalnum, text))


def _chinese(later: str, earlier: str) -> bool:
    denial, told = _bare(_clause(later)), _CHINESE_IDLE.sub("", _bare(earlier))
    if "不" in told or "没" in told or "沒" in told:
        return False
    is_over = "不再" in denial or denial.endswith("了")
    return is_over and any(
        _CHINESE_IDLE.sub("", denial.replace(word, so, 1)) == told for word, so in _CHINESE_OVER if word in denial
    )


def _japanese(later: str, earlier: str) -> bool:
    denial, told = _bare(_clause(later)), _bare(earlier)
    if _MOU not in denial:
        return False
    left = denial.replace(_MOU, "", 1).rstrip("よね")
    so = next((left.removesuffix(end) + plain for end, plain in _JAPANESE_NOT if left.endswith(end)), None)
    return so is not None and _plain(so) == _plain(told.rstrip("よね"))


def _plain(text: str) -> str:
    found = next((text.removesuffix(end) + plain for end, plain in _JAPANESE_SO if text.endswith(end)), text)
    return found.replace("には", "に")
