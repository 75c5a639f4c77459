"""
Words that count forward from a day, in the languages of the labels: "tomorrow", "next week", "am Dienstag", "3日後".

Those that are surely ahead stand apart from those of which the tense decides: "on Tuesday", "the 10th", "this week".
"""

from __future__ import annotations

import re
from calendar import monthrange
from datetime import date, timedelta
from functools import cache, lru_cache
from typing import TYPE_CHECKING, NamedTuple

from consolidation.text.dates import named_days, weekdays_named
from service.retrieval.counted_days import CHINESE_DAY, NUMBER, THIS, UNITS, named_units, number, whole, whole_any

if TYPE_CHECKING:
    from collections.abc import Callable

    type Reckoning = Callable[[date, re.Match[str]], tuple[Span, ...]]


class Span(NamedTuple):
    """The first and the last of some days."""

    first: date
    last: date

    @property
    def days(self) -> int:
        """How many days there are."""
        return (self.last - self.first).days + 1

    def meets(self, other: Span) -> bool:
        """Whether they have a day in common."""
        return self.first <= other.last and other.first <= self.last


class Ahead(NamedTuple):
    """The days that words count forward to: those that surely are ahead, and those that are by the tense alone."""

    sure: tuple[Span, ...] = ()
    by_tense: tuple[Span, ...] = ()

    @property
    def spans(self) -> tuple[Span, ...]:
        """All of them."""
        return (*self.sure, *self.by_tense)


_QUERIES = 64  # each phase asks of the same few
_FIRST_YEAR, _LAST_YEAR = date.min.year, date.max.year - 2  # beyond them the calendar may end
_SATURDAY = 5
_SLACK = {"day": 0, "week": 1, "month": 3}  # "in two weeks" is seldom meant to the day
_DAYS = {"day": 1, "week": 7, "month": 30}
_LONGEST_AHEAD = 400  # days that somebody counts
_THREE_DAYS = r"überübermorgen|大[后後]天|しあさって|明々後日"
_DAY_AFTER = (
    r"(?:the )?day after tomorrow|über ?morgen|uebermorgen|pasado ma[ñn]ana|apr[èe]s[- ]demain|dopo ?domani"
    r"|depois de amanh[ãa]|overmorgen|pojutrze|послезавтра|(?<!大)[后後]天|明後日|(?<!し)あさって"
    r"|بعد (?:غد[اًا]*|بكر[ةه])"
)
# "Morgen" and "mañana" are the morning as well.
_TOMORROW = (
    r"tomorrow(?:['’]?s)?|tmrw|tomoz"
    r"|(?<!heute )(?<!gestern )(?<!gut[esn]{2} )(?<!guten )(?<!am )(?<!den )(?<!der )(?<!jeden )(?<!diesen )(?<!einen )"
    r"(?<!eines )(?<!tag )(?<!woch )(?<!dag )(?<!goede )(?<!goeie )(?<!de )(?<!elke )(?<!iedere )(?<!ganzen )morgen"
    r"|(?<!la )(?<!esta )(?<!una )(?<!cada )(?<!media )(?<!pasado )ma[ñn]ana"
    r"|demain|domani|amanh[ãa]|jutro|jutra|jutrzejsz\w{1,4}|завтра|明天|明日|あした|الغد|غد[اًا]{1,2}|بكر[ةه]"
)
_NEXT = {
    "week": (
        r"(?:next|coming) week(?! ?ends?\b)|(?:nächste|naechste|kommende)[nr]? woche|(?:la )?pr[óo]xima semana"
        r"|semana (?:que viene|que entra|que vem|pr[óo]xima)|(?:la )?semaine (?:prochaine|qui vient)"
        r"|(?:la )?(?:prossima settimana|settimana (?:prossima|che viene|entrante))|(?:volgende|komende"
        r"|aankomende) week"
        r"|(?:w )?(?:przysz[łl]|nast[ęe]pn|nadchodz[ąa]c|kolejn)ym tygodniu|(?:przysz[łl]y|nast[ęe]pny|nadchodz[ąa]cy)"
        r" tydzie[ńn]|(?:на )?(?:следующ|будущ)(?:ей|ую|ая) недел[еюя]|(?<!下)下[个個]?(?:周|週|星期|礼拜|禮拜)"
        r"(?![末一二三四五六日天])|来週(?!末)"
        r"|الأسبوع (?:القادم|المقبل|الجاي)"
    ),
    "month": (
        r"(?:next|coming) month|(?:nächste|naechste|kommende)[nrm]? monat|(?:el )?pr[óo]ximo mes|mes que viene"
        r"|m[êe]s que vem|pr[óo]ximo m[êe]s|(?:le )?mois (?:prochain|qui vient)|(?:il )?(?:prossimo mese|mese prossimo"
        r"|mese che viene)|(?:volgende|komende) maand|(?:w )?(?:przysz[łl]|nast[ęe]pn|nadchodz[ąa]c)ym miesi[ąa]cu"
        r"|(?:в )?(?:следующем|будущем) месяце|(?<![下地以])下[个個]?月(?![亮光])|来月|الشهر (?:القادم|المقبل|الجاي)"
    ),
    "weekend": (
        r"next week ?end|(?:nächste[sn]?|naechste[sn]?) wochenende|(?:el )?pr[óo]ximo fin de semana"
        r"|fin de semana que viene"
        r"|(?:le )?week-?end prochain|(?:il )?(?:prossimo|weekend prossimo|fine settimana prossimo)"
        r"(?: (?:weekend|fine settimana))?|pr[óo]ximo (?:fim de semana|fds)|fim de semana que vem|volgend weekend"
        r"|(?:w )?(?:przysz[łl]y|nast[ęe]pny) weekend|(?:на )?следующ(?:их|ие) выходн(?:ых|ые)|下[个個]?[周週]末|来週末"
    ),
}
_WEEKEND = (
    r"(?:(?:at|on|over|for) the|coming|for) week ?end|(?:am|übers?|kommende[sn]?|am kommenden) wochenende"
    r"|(?:el|para el|este) (?:fin de semana|finde)|(?:ce|le) week-?end|(?:nel|il|per il|questo) (?:weekend"
    r"|fine settimana)"
    r"|(?:no|para o|pro|neste|nesse|este) (?:fim de semana|fds|final de semana)|(?:in het|dit|komend|het) weekend"
    r"|w (?:ten )?weekend|na weekend|(?:на|в) (?:эти )?выходн(?:ых|ые)"
    r"|[这這本]?[个個]?(?<![上下])[周週]末|(?<![先来])週末"
    r"|(?:في )?(?:عطلة )?نهاية (?:هذا )?الأسبوع(?! الماضي)"
)
# "{n}" stands for the number, "{u}" for the name of a unit.
_IN = (
    (
        r"(?:in|dentro de|dans|tra|fra|daqui a|over(?= \w+ (?:dag|week\b|weken|maand))|za|через)"
        r" (?:about |etwa |ca\. |unos |unas |environ |circa |ongeveer )?{n} (?:{u})(?:['’]s? time|['’] time)?"
    ),
    r"(?:en|em) {n} (?:{u})",
    r"{n} (?:{u}) (?:from (?:now|today)|a partir de (?:ahora|hoy))",
    r"(?:بعد|خلال) (?:{n} )?(?:{u})",
    r"{n}\s?(?:{u})(?:之?[后後]|以[后後])",
)
_ONE_AHEAD = {"week": r"za tydzie[ńn]|через неделю", "month": r"za miesi[ąa]c|через месяц"}
# The same day of the week that comes, or of the one behind it.
_NEXT_BESIDE_DAY = (
    r"next|nächste[nrms]?|naechste[nrms]?|pr[óo]xim[oa]|que viene|que vem|prochaine?|prossim[oa]|volgende"
    r"|przysz[łl]\w{1,3}|nast[ęe]pn\w{1,3}|следующ\w{2,3}"
)
_OF_NEXT_WEEK = r"下[个個]?(?:周|週|星期|礼拜|禮拜)(?=[一二三四五六日天])|来週の?(?=[月火水木金土日]曜)"
DENSE_DAYS = ("一二三四五六日", "月火水木金土日")  # weekdays from Monday on, in Chinese and in Japanese
_DENSE_WEEKDAY = re.compile(
    rf"(?:周|週|星期|礼拜|禮拜)(?P<chinese>{CHINESE_DAY})|(?P<japanese>[月火水木金土日])曜(?:日)?(?!から)"
)
_SHORT_DAYS = ("mo|mon", "di|tue|tues", "mi|wed", "do|thu|thur|thurs", "fr|fri", "sa|sat", "so|sun")
_SHORT_WEEKDAY = re.compile(
    r"\b(?:on|next|this)\s(mon|tues?|wed|thu(?:rs?)?|fri|sat|sun)\b"
    r"|(?<!\bi )\bam\s(mo|di|mi|do|fr|sa|so)(?=[\s?!,.]|$)",
    re.IGNORECASE,
)
_PORTUGUESE_WEEKDAY = re.compile(
    r"\b(?:na|nesta|nessa|esta|essa|pr[óo]xima|da|para|pra|at[ée]) (segunda|ter[çc]a|quarta|quinta|sexta)\b"
    r"(?! (?:vez|parte|s[ée]rie))",
    re.IGNORECASE,
)
PORTUGUESE_DAYS = ("seg", "ter", "qua", "qui", "sex")
# "On Mondays", "los lunes": a habit.
_HABIT = r"(?:every|each|jede[nrsm]?|los|todos los|tous les|ogni|tod[ao]s? [ao]s?|elke|iedere|ka[żz]d\w{1,2}|кажд\w{2})"
_HABITUAL = re.compile(rf"\b{_HABIT}\b|[每毎]|كل (?=يوم)", re.IGNORECASE)
# The last such day, or since it.
_GONE = re.compile(
    r"\b(?:last|past|previous|since|seit|desde|depuis|sinds|letzte[nrms]?|vergangene[nrms]?|vorige[nrms]?|afgelopen"
    r"|vorig"
    r"|zesz[łl]\w{1,3}|ubieg[łl]\w{1,3}|minion\w{1,3}|ostatni\w{0,3}|od|прошл\w{2,3}|pasad[oa]|passad[oa]"
    r"|derni[eè]re?|passée?"
    r"|scors[oa]|ago|temu|назад|geleden)\b|(?<!\w)со? (?=понедел|вторник|сред|четверг|пятниц|суббот|воскрес)"
    r"|上[个個]?(?:周|週|星期|礼拜|禮拜)|(?<![早晚以马馬])上[个個]?月(?![亮光球经餅饼])|先[週月]|以来|から(?!\S{0,6}まで)|[从從]|الماضي|منذ",
    re.IGNORECASE,
)
# A day of the month without its month, and with no noun behind it: not "the 3rd floor", "am 3. Tag".
_ENDS = r"(?=\s{0,2}(?:$|[?!.,;:)–-]))"
_DAY_OF_MONTH = re.compile(
    r"\b(?:(?:on|by|until|till|from|for|about|before|after|around) (?:the )?|the )(?P<en>\d{1,2})(?:st|nd|rd|th)\b"
    rf"(?:{_ENDS}|(?= (?:at|in the|and|or|we|i|is|are|from|with|to|of (?:this|next) month"
    rf"|\d{{1,2}}(?:[:.]\d\d)? ?[ap]m)\b))"
    r"|\b(?:am|zum|vom|bis(?: zum)?|ab(?: dem)?|den|dem|für den) (?P<de>\d{1,2})(?:\.(?!\d)|ten\b)"
    rf"(?:{_ENDS}|(?= (?-i:[a-zäöü]|\d)))"
    rf"|\b(?:(?:el|del|al|para el) (?:d[íi]a )?|d[íi]a )(?P<es>\d{{1,2}})(?:{_ENDS}|(?= (?:a las?|por la|tengo|hay"
    rf"|con|es)\b))"
    rf"|\b(?:le|du|au) (?P<fr>\d{{1,2}})(?:er)?(?:{_ENDS}|(?= (?:à|au|j['’]|on|il|avec)))"
    rf"|\b(?:(?:il|del|al|per il) (?:giorno )?|(?:dall|all|dell|l)['’])(?P<it>\d{{1,2}})"
    rf"(?:{_ENDS}|(?= (?:alle|ho|abbiamo|c['’]è|con)\b))"
    r"|\b(?:op )?de (?P<nl>\d{1,2})(?:e|de|ste)\b"
    rf"{_ENDS}|\b(?P<pl>\d{{1,2}})(?:-?(?:go|ego|tego))\b|\b(?P<ru>\d{{1,2}})(?:-?го(?: числа)?| числа)\b"
    r"|(?<![月\d到至〜～–-])(?<!から)"
    r"(?P<dense>\d{1,2})(?:[号號](?![线線楼樓])|日(?![間前後后目本]))|يوم (?P<ar>\d{1,2})(?!\d| \w)",
    re.IGNORECASE,
)


@lru_cache(maxsize=_QUERIES)
def ahead(text: str, *, today: date) -> Ahead:
    """The days that the words of *text* count forward to, said on *today*; whether the tense agrees is not asked."""
    is_silent = not (_any().search(text) or _DAY_OF_MONTH.search(text) or weekdays_in(text))
    if is_silent or not _FIRST_YEAR < today.year < _LAST_YEAR:
        return Ahead()
    sure: list[Span] = []
    by_tense: list[Span] = []
    rest = text
    for pattern, reckon, is_sure in _patterns():
        if pattern.search(rest):
            spans = [span for found in pattern.finditer(rest) for span in _reckoned(reckon, today, found)]
            (sure if is_sure else by_tense).extend(spans)
            rest = pattern.sub(" ", rest)
    is_gone = _GONE.search(rest) is not None
    is_dated = any(one.month for one in named_days(rest))
    weekdays = frozenset[int]() if is_gone or is_dated or _HABITUAL.search(rest) else weekdays_in(text)
    if weekdays:
        next_week = [span for span in sure if span.days == _DAYS["week"]]
        days = [day for weekday in sorted(weekdays) for day in _of_weekday(text, weekday, today, bool(next_week))]
        is_next = bool(next_week) or _next_beside_day().search(text) is not None
        sure = [span for span in sure if span not in next_week]
        (sure if is_next else by_tense).extend(Span(day, day) for day in days)
    if not is_gone:
        for pattern, reckon in _present():
            by_tense.extend(span for found in pattern.finditer(rest) for span in _reckoned(reckon, today, found))
        if not is_dated:
            by_tense.extend(_of_month(found, today) for found in _DAY_OF_MONTH.finditer(rest) if _is_day(found))
    return Ahead(*(tuple(dict.fromkeys(one for one in found if one.last >= today)) for found in (sure, by_tense)))


def without_ahead(text: str) -> str:
    """*text* without the words that count forward, and without weekdays where no words are parted."""
    for pattern in (*(one[0] for one in _patterns()), *(one[0] for one in _present())):
        text = pattern.sub(" ", text)
    return _DENSE_WEEKDAY.sub(" ", _DAY_OF_MONTH.sub(lambda one: " " if _is_day(one) else one[0], text))


def month_span(year: int, month: int) -> Span:
    """The days of a month; months above 12 are of the years behind."""
    years, month = divmod(month - 1, 12)
    first = date(year + years, month + 1, 1)
    return Span(first, first.replace(day=monthrange(first.year, first.month)[1]))


def weekdays_in(text: str) -> frozenset[int]:
    """The weekdays that *text* names, from 0 for Monday, also by short names and where words are not parted."""
    named = set(weekdays_named(text))
    for found in _PORTUGUESE_WEEKDAY.finditer(text):
        named.add(PORTUGUESE_DAYS.index(found[1][:3].casefold()))
    for found in _SHORT_WEEKDAY.finditer(text):
        short = (found[1] or found[2]).casefold()
        named.add(next(number for number, names in enumerate(_SHORT_DAYS) if short in names.split("|")))
    for found in _DENSE_WEEKDAY.finditer(text):
        day = (found["chinese"] or "").replace("天", "日")
        named.add(DENSE_DAYS[0].index(day) if day else DENSE_DAYS[1].index(found["japanese"]))
    return frozenset(named)


def _of_weekday(text: str, weekday: int, today: date, is_next_week: bool) -> tuple[date, ...]:  # noqa: FBT001
    """The next such day; for "next Tuesday" the one of the week that comes as well, where that is another one."""
    soon = today + timedelta((weekday - today.weekday()) % 7 or 7)
    of_next_week = _monday(today) + timedelta(7 + weekday)
    if is_next_week or re.search(_OF_NEXT_WEEK, text):
        return (of_next_week,)
    is_next = _next_beside_day().search(text) is not None
    return tuple(dict.fromkeys((soon, of_next_week))) if is_next else (soon,)


def _of_month(found: re.Match[str], today: date) -> Span:
    """The next such day of a month, today or later."""
    wanted = _day(found)
    months = (month_span(today.year, today.month + more) for more in range(3))
    day = next(one for span in months if span.last.day >= wanted and (one := span.first.replace(day=wanted)) >= today)
    return Span(day, day)


def _is_day(found: re.Match[str]) -> bool:
    return 1 <= _day(found) <= monthrange(2000, 1)[1]


def _day(found: re.Match[str]) -> int:
    return next(int(one) for one in found.groups() if one)


def _reckoned(reckon: Reckoning, today: date, found: re.Match[str]) -> tuple[Span, ...]:
    try:
        return reckon(today, found)
    except (OverflowError, ValueError):  # beyond the calendar
        return ()


@cache
def _next_beside_day() -> re.Pattern[str]:
    return whole(rf"{_NEXT_BESIDE_DAY}|{_OF_NEXT_WEEK}|次の|القادم|المقبل")


@cache
def _any() -> re.Pattern[str]:
    return whole_any((*(one[0] for one in _counting()), *(one[0] for one in _present_words())))


@cache
def _patterns() -> tuple[tuple[re.Pattern[str], Reckoning, bool], ...]:
    return tuple((whole(words), reckon, is_sure) for words, reckon, is_sure in _counting())


def _counting() -> list[tuple[str, Reckoning, bool]]:
    """Words that count forward, the longest first, and whether they surely do: "in three days" is a duration, too."""
    found: list[tuple[str, Reckoning, bool]] = [
        (_THREE_DAYS, _days_away(3), True),
        (_DAY_AFTER, _days_away(2), True),
        (_TOMORROW, _days_away(1), True),
    ]
    units = named_units({unit: UNITS[unit] for unit in _DAYS})
    found.extend((template.format(n=NUMBER, u=units), _in, False) for template in _IN)
    ones = named_units({unit: _ONE_AHEAD.get(unit, "(?!)") for unit in _DAYS})
    found.append((f"(?P<number>)(?P<more>)(?:{ones})", _in, False))
    found += [
        (_NEXT["weekend"], _next_weekend, True),
        (_NEXT["week"], _weeks_away(1), True),
        (_NEXT["month"], _months_away(1), True),
    ]
    return found


@cache
def _present() -> tuple[tuple[re.Pattern[str], Reckoning], ...]:
    return tuple((whole(words), reckon) for words, reckon in _present_words())


def _present_words() -> tuple[tuple[str, Reckoning], ...]:
    """Words for what goes on, part of which may be ahead."""
    return (
        (f"{THIS['weekend']}|{_WEEKEND}", lambda today, _: (_weekend(today),)),
        (THIS["week"], _weeks_away(0)),
        (THIS["month"], _months_away(0)),
        (THIS["day"], _days_away(0)),
    )


def _days_away(days: int) -> Reckoning:
    return lambda today, _: (Span(today + timedelta(days), today + timedelta(days)),)


def _weeks_away(weeks: int) -> Reckoning:
    return lambda today, _: (Span(_monday(today) + timedelta(7 * weeks), _monday(today) + timedelta(7 * weeks + 6)),)


def _months_away(months: int) -> Reckoning:
    return lambda today, _: (month_span(today.year, today.month + months),)


def _in(today: date, found: re.Match[str]) -> tuple[Span, ...]:
    unit = next(one for one in _DAYS if found[one])
    slack = timedelta(_SLACK[unit])
    fewest = number(found["number"] or "1")
    if found["number"] is None and found[0].endswith("ين"):
        fewest = 2  # the Arabic dual
    most = max(fewest, number(found["more"] or "0"))
    if not 0 < _DAYS[unit] * most <= _LONGEST_AHEAD:
        return ()
    first, last = (today + timedelta(_DAYS[unit] * count) for count in (fewest, most))
    return (Span(first - slack, last + slack),)


def _next_weekend(today: date, _: re.Match[str]) -> tuple[Span, ...]:
    """The weekend of the next week; before this week's has begun, that one may be meant as well."""
    this = _weekend(today)
    later = Span(this.first + timedelta(7), this.last + timedelta(7))
    return (later,) if this.first <= today else (this, later)


def _weekend(today: date) -> Span:
    saturday = _monday(today) + timedelta(_SATURDAY)
    return Span(saturday, saturday + timedelta(1))


def _monday(day: date) -> date:
    return day - timedelta(day.weekday())
