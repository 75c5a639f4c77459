"""
The names that the words of a text may be forms of: "Sandras Hund", "pies Sandry" and "собака Сандры" name Sandra.

Endings of cases are known in German, Dutch, the Scandinavian languages, Polish and Russian, those behind an apostrophe
in Turkish, particles in Korean, and what Arabic writes in front. A form of one name may be another one: "Jana" is Jan's
in Polish. In a few words whose language nobody can tell, such forms do not count.
"""

from __future__ import annotations

import functools
import re

from consolidation.text.language import detect
from consolidation.text.words import is_dense, tokens

_REMEMBERED, _LONGEST_REMEMBERED = 8_192, 4_000  # texts, and the characters of one
_SHORTEST, _SHORTEST_OF_SYLLABLES = 3, 2  # letters of a name and of its forms: "als" is not Al's, "mi" not Mia's
UNKNOWN = ""  # the language of a few Latin words that could be of several

_OF_CONSONANTS = ("a", "owi", "em", "iem", "u", "ie", "e", "om")
_GENITIVE = ("", ("s",))
_SOFT = tuple((f"{one}ia", (f"{one}i", f"{one}iu")) for one in "bcmnpswz")
# What names end with, and what stands in its place in other cases; folded as words are: "Sandrę" is "sandre".
_ENDINGS: dict[str, tuple[tuple[str, tuple[str, ...]], ...]] = {
    **dict.fromkeys(("de", "nl", "sv", "da", "no"), (_GENITIVE,)),
    "pl": (
        ("a", ("y", "i", "e", "ie", "o")),
        *_SOFT,
        *(("ka", ("ce", "kiej")), ("ga", ("dze",)), ("ra", ("rze",)), ("ta", ("cie",)), ("da", ("dzie",))),
        ("ek", tuple(f"k{one}" for one in _OF_CONSONANTS)),
        ("el", ("la", "lowi", "lem", "le")),
        ("i", ("iego", "iemu", "im")),
        ("y", ("ego", "emu", "ym")),
        *((one, (f"{one}ia", f"{one}iowi", f"{one}iu")) for one in "ns"),
        *(("r", ("rze",)), ("t", ("cie",)), ("d", ("dzie",))),
        ("", _OF_CONSONANTS),
    ),
    "ru": (
        ("а", ("ы", "и", "е", "у", "ой", "ою")),
        *((f"{one}а", (f"{one}ей", f"{one}ею")) for one in "жчшщц"),
        ("ая", ("ой", "ую")),
        ("я", ("и", "е", "ю", "ей", "ею")),
        ("ий", ("ого", "ому", "им", "ом")),
        ("ой", ("ого", "ому", "ым", "ом")),
        ("й", ("я", "ю", "ем", "е", "и")),
        ("ь", ("я", "ю", "ем", "е", "и", "ью")),
        ("ел", ("ла", "лу", "лом", "ле")),
        ("ек", ("ька", "ьку", "ьком", "ьке")),
        ("ец", ("ца", "цу", "цем", "цом", "це")),
        ("лев", ("льва", "льву", "львом", "льве")),
        ("", ("а", "у", "ом", "ем", "е", "ым")),
    ),
    UNKNOWN: (
        _GENITIVE,
        ("a", ("y",)),
        *_SOFT,
        *(("ka", ("ki", "ce")), ("ga", ("gi",)), ("la", ("li",)), ("ia", ("ii",)), ("ra", ("rze",))),
        ("ek", ("kowi", "kiem")),
        ("el", ("lowi", "lem")),
        ("", ("owi", "em", "iem")),
    ),
}
# Words of these forms that are other people's names.
_OF_OTHERS: dict[str, frozenset[str]] = {
    UNKNOWN: frozenset(
        """
        agnes ali andreas anny carlos dany elias eli emmy hannes isaias jenny johannes jonas jules lili lily lucas lukas
        marcos mathias matias matthias nicolas niklas romy thomas tobias tomas uli vicky
        """.split()
    ),
    "ar": frozenset("بسام بسمه بسمة فادي كامل كريم كريمه كريمة وسام وسيم وهبه وهبة".split()),
}
_IN_FRONT = {"ar": ("و", "ف", "ب", "ل", "ك", "ول", "وب", "فل")}

# Behind a vowel, behind a consonant, behind either; "이" joins a name that ends in a consonant to the rest.
_OPEN, _CLOSED = ("는", "가", "를", "랑", "야", "와"), ("은", "이", "을", "이랑", "아", "과")
_EITHER = tuple("도 의 에게 에게서 한테 한테서 께 께서 만 까지 부터 보다 처럼 하고 네".split())
_BEHIND_A_VOWEL = (*_OPEN, *_EITHER)
_BEHIND_A_CONSONANT = (*_CLOSED, *_EITHER, *(f"이{one}" for one in _BEHIND_A_VOWEL))
_ADDRESSED = ("씨", *(f"씨{one}" for one in _BEHIND_A_VOWEL), "님", *(f"님{one}" for one in (*_CLOSED, *_EITHER)))
_KOREAN = {
    False: frozenset((*_BEHIND_A_VOWEL, *_ADDRESSED)),
    True: frozenset((*_BEHIND_A_CONSONANT, *_ADDRESSED)),
}

_VOWELS = "aeıioöuüâîû"
_CASES = (*"iuae", "in", "un", "yi", "yu", "ya", "ye", "nin", "nun", "la", "le", "yla", "yle", "da", "de", "ta", "te")
# "Işıl'ın", "Kaan'la", "Ankara'da": bare behind a consonant, with y or n behind a vowel ("Hawai'i" has none).
_APOSTROPHE = re.compile(
    rf"(?<=[^\W\d_])['’‘ʼ´](?:(?<=[^{_VOWELS}]['’‘ʼ´])(?:[ıiuüae]|[ıiuü]n|l[ae])|(?<=[{_VOWELS}]['’‘ʼ´])"
    r"(?:y[ıiuüae]|n[ıiuü]n|yl[ae])|[dt][ae]n?|[dt][ae]ki(?:ler)?|l[ae]r(?:[ıiae]|[ıi]n|l[ae]|d[ae]n?)?)(?!\w)",
    re.IGNORECASE,
)
_APOSTROPHES = dict.fromkeys(map(ord, "'’‘ʼ´"))
_POLISH_LETTERS = re.compile("[ąćęłńśźżĄĆĘŁŃŚŹŻ]")

_HAN = "々〇㐀-䶿一-鿿豈-龎𠀀-𪛟"
_DENSE = f"{_HAN}぀-ヿ฀-໿က-႟ក-៿"
LETTER = rf"[^\W{_DENSE}가-힣]"  # of no script that goes on where Latin ends: "Kのモモ", "Twitter에서"
# A name of one character, where what is written around it says that it is a name: 王老师, 彩と, 姓王.
_BEFORE = "姓叫老小跟和给給对對找问問见見"
_BEHIND = (
    "さん ちゃん くん 君 様 さま 先生 氏 先輩 老师 老師 女士 小姐 太太 总 總 经理 医生 教授 阿姨 叔叔 哥 姐 "
    "は が を に の と も へ や って から より まで だ です 说 說 和 跟 来 來 的 在 也 一起"
).split()
_LONE = re.compile(rf"(?:(?<![{_HAN}])|(?<=[{_BEFORE}]))[{_HAN}](?={'|'.join(_BEHIND)}|[^{_DENSE}ー]|$)")


@functools.lru_cache(maxsize=_REMEMBERED)
def names_of_form(word: str, language: str) -> frozenset[str]:
    """The names that *word* of a text in *language* may stand for, itself among them; folded as ``tokens`` are."""
    if language == "ko":
        beginnings = (word[:end] for end in range(_SHORTEST_OF_SYLLABLES, len(word)))
        return frozenset({word, *(name for name in beginnings if word in forms_of_name(name, "ko"))})
    if len(word) < _SHORTEST or word in _OF_OTHERS.get(language, ()):
        return frozenset({word})
    found = {
        word.removesuffix(form) + ending
        for ending, forms in _ENDINGS.get(language, ())
        for form in forms
        if word.endswith(form)
    }
    found |= {word.removeprefix(one) for one in _IN_FRONT.get(language, ())}
    return frozenset({word, *(one for one in found if len(one) >= _SHORTEST)})


@functools.lru_cache(maxsize=_REMEMBERED)
def forms_of_name(name: str, language: str) -> frozenset[str]:
    """The words that may stand for a *name* of one word in a text in *language*, itself among them."""
    if language == "ko":
        if len(name) < _SHORTEST_OF_SYLLABLES or not _is_korean(name):
            return frozenset({name})
        return frozenset({name, *(name + one for one in _KOREAN[_ends_in_a_consonant(name)])})
    if len(name) < _SHORTEST:
        return frozenset({name})
    found = {
        name.removesuffix(ending) + form
        for ending, forms in _ENDINGS.get(language, ())
        for form in forms
        if name.endswith(ending)
    }
    found |= {one + name for one in _IN_FRONT.get(language, ())}
    known = _OF_OTHERS.get(language, frozenset())
    return frozenset({name, *(one for one in found if len(one) >= _SHORTEST and one not in known)})


def meant_in(text: str) -> tuple[frozenset[str], ...]:
    """For each word of *text*, the names that it may stand for; of a text that was asked for lately, at once."""
    return _remembered_meant_in(text) if len(text) <= _LONGEST_REMEMBERED else _meant_in(text)


def lone_names(text: str) -> frozenset[str]:
    """The single Chinese characters in *text* that may be a name, by what is written around them."""
    return frozenset(_LONE.findall(text))


def with_lone_name(text: str, name: str, other: str) -> str:
    """*text* with *other* where a *name* of one character stands by itself."""
    return _LONE.sub(lambda found: other if found[0] == name else found[0], text)


def pairs_of_lone_name(name: str) -> tuple[str, ...]:
    """The pairs of characters that a text in which a *name* of one character stands may have: ``tokens`` makes them."""
    if not is_dense(name):
        return (name,)
    behind = dict.fromkeys(one[0] for one in _BEHIND)
    return (name, *(f"{name}{one}" for one in behind), *(f"{one}{name}" for one in _BEFORE))


def with_case_endings(name: str) -> tuple[str, ...]:
    """*name* and its words with the endings of ``without_case_endings``, which ``tokens`` joins to it."""
    return (name, *(f"{name}{one}" for one in _CASES), *(f"{name}{one}n" for one in ("da", "de", "ta", "te")))


def without_case_endings(text: str, *, instead: str = "") -> str:
    """*text* without the endings that stand behind an apostrophe, as Turkish writes them: "Işıl'ın" is "Işıl"."""
    return _APOSTROPHE.sub(instead, text) if len(text) != len(text.translate(_APOSTROPHES)) else text


def forget_names() -> None:
    """Drop every text that is remembered here: one of them is to be erased."""
    for known in (_remembered_meant_in, names_of_form, forms_of_name):
        known.cache_clear()


@functools.lru_cache(maxsize=_REMEMBERED)
def _remembered_meant_in(text: str) -> tuple[frozenset[str], ...]:
    return _meant_in(text)


def _meant_in(text: str) -> tuple[frozenset[str], ...]:
    language = _language(text)
    return tuple(
        names_of_form(word, "ko" if _is_korean(word) else language) for word in tokens(without_case_endings(text))
    )


def _language(text: str) -> str:
    language = detect(text, fallback=UNKNOWN)
    return "pl" if language == UNKNOWN and _POLISH_LETTERS.search(text) else language


def _ends_in_a_consonant(name: str) -> bool:
    return (ord(name[-1]) - ord("가")) % 28 > 0  # Unicode orders syllables by their 28 endings


def _is_korean(word: str) -> bool:
    return "가" <= word[-1] <= "힣"
