"""
The weekdays on which something is every week, as a text tells: "band practice on Wednesdays", "jeden Dienstag Chor".

A weekday alone ("on Wednesday") is one day; a plural, or a word such as "every", makes it all of them.
"""

from __future__ import annotations

import re
from functools import lru_cache

from consolidation.text.sentences import sentences
from consolidation.text.speech_acts import is_question
from service.retrieval.tense import tense_beside_date

_LONGEST = 4_000  # characters that are read
_READ = 256  # texts of which the weekdays are kept in memory
# From Monday on, in the languages of the labels that part words by spaces: as one such day is called, then as all are.
_NAMES = (
    ("monday|montag|lunes|lundi|luned[iì]|maandag|poniedzia[łl]ek|понедельник", "lundis|понедельникам"),
    ("tuesday|dienstag|martes|mardi|marted[iì]|dinsdag|wtorek|вторник", "mardis|вторникам"),
    ("wednesday|mittwoch|mi[ée]rcoles|mercredi|mercoled[iì]|woensdag|[śs]rod[aęey]|среду", "mercredis|средам"),
    ("thursday|donnerstag|jueves|jeudi|gioved[iì]|donderdag|czwartek|четверг", "jeudis|четвергам"),
    ("friday|freitag|viernes|vendredi|venerd[iì]|vrijdag|pi[ąa]tek|пятницу", "vendredis|пятницам"),
    (
        "saturday|samstag|sonnabend|s[áa]bado|samedi|sabato|zaterdag|sobot[aęey]|субботу",
        "s[áa]bados|samedis|sabati|субботам",
    ),
    (
        "sunday|sonntag|domingo|dimanche|domenica|zondag|niedziel[aęei]|воскресенье",
        "domingos|dimanches|domeniche|воскресеньям",
    ),
)
_ENGLISH = ("mon", "tues", "wednes", "thurs", "fri", "satur", "sun")
_GERMAN = ("montag", "dienstag", "mittwoch", "donnerstag", "freitag", "samstag|sonnabend", "sonntag")
_DUTCH = ("maandag", "dinsdag", "woensdag", "donderdag", "vrijdag", "zaterdag", "zondag")
# In Portuguese these are ordinals, too, and in Spanish and Italian nothing else: "la segunda vez", "la quarta volta".
_PORTUGUESE = ("segundas?", "ter[çc]as?", "quartas?", "quintas?", "sextas?")
_POLISH = ("poniedzia[łl]ki", "wtorki", "[śs]rody", "czwartki", "pi[ąa]tki", "soboty", "niedziele")
_CHINESE, _JAPANESE = "一二三四五六日", "月火水木金土日"
_ARABIC = (
    "[إا]ثنين",
    "ثلاثاء?",
    "[أا]ربعاء?",
    "خميس",
    "جمع[ةه]",
    "سبت",
    "[أا]حد",
)
# What makes one such day all of them. Behind "le" and "il" stands no date: "le mercredi 5 mai" is one day.
_EVERY = (
    r"every(?: single)?|each|jede[nrsm]?|immer|cada|los|todos los|tous les|les|chaque|ogni|tutt[ie] (?:i|le)"
    r"|tod[ao]s?(?: [ao]s)?|aos|nos|elke|iedere|co|we?(?= \w+(?:ki|dy|ty|le)\b)|ka[żz]d\w{1,2}|кажд\w{2}|по"
)
_EVERY_PORTUGUESE = r"tod[ao]s?(?: [ao]s)?|[àa]s|nas|cada"
_THE = r"le|il|la|di"
_AND = r"(?:,|and|&|und|y|e|et|en|i|oraz|и|ou|o|or|oder)"
_NO_LONGER = re.compile(
    r"\b(?:no longer|not .{0,30}(?:any ?more|any longer)|stopped|quit|gave up|nicht mehr|aufgehört|ya no|dej[ée] de"
    r"|n['’ e].{0,40}\bplus|arr[êe]t[ée]|non .{0,30}pi[ùu]|smesso|n[ãa]o .{0,30}mais|parei|niet meer|gestopt|ju[żz] nie"
    r"|przesta\w+|больше не|перестал\w*|бросил\w*)\b|不再|没再|やめ|もう.{0,12}ない|لم يعد|توقف",
    re.IGNORECASE,
)


@lru_cache(maxsize=_READ)
def weekly_days(text: str, *, language: str) -> frozenset[int]:
    """The weekdays, from 0 for Monday, of what *text* says to be every week; not of what it asks, or what is over."""
    found: set[int] = set()
    for sentence in sentences(text[:_LONGEST], language=language):
        days = _named_in(sentence)
        if not days or is_question(sentence) or _NO_LONGER.search(sentence):
            continue
        if tense_beside_date(sentence, language=language) != "past":
            found |= days
    return frozenset(found)


def _named_in(sentence: str) -> set[int]:
    """The days that a word makes weekly, and those in one row with them: "every Monday and Thursday"."""
    found: set[int] = set()
    for row in _ROW.finditer(sentence):
        found |= {number for number, day in enumerate(_DAYS) if day.search(row[0])}
    for dense in _DENSE.finditer(sentence):
        found |= {_CHINESE.index(one.replace("天", "日")) for one in dense["chinese"] or "" if one in f"{_CHINESE}天"}
        found |= {_JAPANESE.index(one) for one in re.sub("曜日?", "", dense["japanese"] or "") if one in _JAPANESE}
    return found


def _rows() -> re.Pattern[str]:
    """A weekly day with the days beside it."""
    parts = r"(?:abend|morgen|mittag|nachmittag)"
    one = "|".join((*(names for names, _ in _NAMES), *(f"(?:{name}){parts}" for name in _GERMAN)))
    many = "|".join(
        (
            *(names for _, names in _NAMES),
            *(f"{name}days" for name in _ENGLISH),
            *(f"(?:{name}){parts}?s" for name in _GERMAN),
            *(f"(?:{name})(?:s|en)" for name in _DUTCH),
            *_POLISH,
        )
    )
    every = rf"(?:{_EVERY}) (?:(?:second|other|zweiten?|2\.) )?"
    arabic = "|".join(_ARABIC)
    weekly = rf"{every}(?:{one}|{many})|(?:{_THE}) (?:{one})(?! ?\d)|(?:{many})|كل (?:يوم )?(?:ال)?(?:{arabic})"
    portuguese = rf"(?:{'|'.join(_PORTUGUESE)})(?:[- ]feiras?)?(?! (?:vez|vezes|partes?|séries?|semanas?))"
    weekly += rf"|(?:{_EVERY_PORTUGUESE}) {portuguese}"
    beside = (
        rf"(?:(?:{_EVERY}|{_THE}|on|am|op|w|в|во|و|[àa]s|nas) )?(?:{one}|{many}|و?(?:ال)?(?:{arabic})|{portuguese})"
    )
    more = rf"(?:\W{{1,3}}(?:{_AND}\W{{1,2}})?{beside}){{0,6}}"
    return re.compile(rf"(?<!\w)(?:{weekly}){more}(?!\w)", re.IGNORECASE)


def _day_patterns() -> tuple[re.Pattern[str], ...]:
    """Every name of each day, to find those of a row."""
    found = []
    for number, (one, many) in enumerate(_NAMES):
        every = rf"{one}|{many}|{_ENGLISH[number]}days|{_POLISH[number]}"
        inflected = rf"(?:{_GERMAN[number]})(?:abend|morgen|mittag|nachmittag)?s?|(?:{_DUTCH[number]})(?:s|en)"
        ordinal = _PORTUGUESE[number] if number < len(_PORTUGUESE) else "(?!)"
        arabic = rf"و?(?:ال)?(?:{_ARABIC[number]})"
        found.append(re.compile(rf"(?<!\w)(?:{every}|{inflected}|{ordinal}|{arabic})(?!\w)", re.IGNORECASE))
    return tuple(found)


_ROW, _DAYS = _rows(), _day_patterns()
_DENSE = re.compile(
    r"[每逢毎][个個]?(?:周|週|星期|礼拜|禮拜)(?P<chinese>[一二三四五六日天](?:[、和跟與与,，]?(?:周|週|星期|礼拜|禮拜)?[一二三四五六日天]){0,6})"
    r"|毎週の?(?P<japanese>[月火水木金土日](?:曜日?)?(?:[、と・,]?[月火水木金土日]曜日?){0,6})"
)
