"""
Stretches of time that a question names: "in June", "last week", "hace dos semanas", "am 5. Mai", "去年".

Months, days and weekdays come from ``dates``; here are the words that count from today, in the languages of the labels.
"""

from __future__ import annotations

import re
from calendar import monthrange
from dataclasses import dataclass, replace
from datetime import date, timedelta
from functools import cache, lru_cache
from typing import TYPE_CHECKING

from consolidation.text.dates import DateHint, date_hint, weekdays_named, without_dates

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_QUERIES = 32  # each phase asks of the same few
_BEFORE, _AFTER = timedelta(days=2), timedelta(days=10)  # things are told a little before or after they happen
_NUMBER_WORDS = {  # "a couple of" is two
    1: "a an one ein einem einer un una uno une um uma een один одну jeden",
    2: "two zwei dos deux due dois duas twee два две двух пару dwa dwie dwóch dwoch parę pare",
    3: "three drei tres trois tre três drie три трёх трех trzy trzech ثلاثة ثلاث",
    4: "four vier cuatro quatre quattro quatro четыре четырёх четырех cztery czterech أربعة أربع اربعة اربع",
    5: "five fünf cinco cinq cinque vijf пять пяти pięć piec pięciu pieciu خمسة خمس",
    6: "six sechs seis sei zes шесть шести sześć szesc sześciu szesciu ستة ست",
    7: "seven sieben siete sept sette sete zeven семь семи siedem siedmiu سبعة سبع",
    8: "eight acht ocho huit otto oito восемь восьми osiem ośmiu osmiu ثمانية ثماني",
    9: "nine neun nueve neuf nove negen девять девяти dziewięć dziewiec dziewięciu dziewieciu تسعة تسع",
    10: "ten zehn diez dix dieci dez tien десять десяти dziesięć dziesiec dziesięciu dziesieciu عشرة عشر",
}
_NUMBERS = {
    **{word: number for number, words in _NUMBER_WORDS.items() for word in words.split()},
    **dict.fromkeys(("couple of", "a couple of", "ein paar", "un par de", "un paio di", "een paar"), 2),
}
_DENSE_DIGITS = {digit: number for number, digit in enumerate("一二三四五六七八九", start=1)} | {"两": 2, "兩": 2}
_DENSE = f"[{''.join(_DENSE_DIGITS)}]"
_DENSE_NUMBER = f"{_DENSE}?十{_DENSE}?|{_DENSE}"  # up to 99
_A_NUMBER = rf"\d{{1,3}}|{_DENSE_NUMBER}|{'|'.join(sorted(map(re.escape, _NUMBERS), key=len, reverse=True))}"
# Not the end of a greater number, of a fraction or of a date; and "two or three", "2-3", 两三.
_NUMBER = (
    rf"(?<!\d)(?<!\d[.,])(?<![百千万萬零〇几幾数數何月{''.join(_DENSE_DIGITS)}十])(?P<number>{_A_NUMBER})"
    rf"(?:(?:\s?[、〜~–-]\s?|\s(?:or|oder|of|ou|oppure|или|lub|albo|أو)\s|(?<={_DENSE})(?={_DENSE}))"
    rf"(?P<more>{_A_NUMBER}))?"
)
_UNITS: Mapping[str, str] = {
    "day": r"days?|tage?n?|días?|jours?|giorn[oi]|dias?|dag(?:en)?|д(?:ень|ня|ней)|dni|dzie[ńn]|天|日"
    r"|[أا]يام|يوم(?:ين|ًا|ا)?",
    "week": (
        r"weeks?|wochen?|semanas?|semaines?|settiman[ae]|we(?:ek|ken)|недел[юьи]|tydzie[ńn]|tygodni[ea]?"
        r"|[个個]?(?:星期|周|礼拜|禮拜)|週間?|[أا]سابيع|[أا]سبوع(?:ين|ًا|ا)?"
    ),
    "month": r"months?|monate?n?|mes(?:es)?|mois|mes[ei]|mês|maand(?:en)?"
    r"|месяц(?:а|ев)?|miesi[ąa]c[ea]?|miesi[ęe]cy|[个個]月|か月|ヶ月|カ月|ヵ月|ケ月|[أا]?شهر(?:ين|ًا|ا)?",
    "year": r"years?|jahre?n?|años?|ans?|ann[oi]|anos?|ja(?:ar|ren)|год(?:а)?|лет|rok|lata?"
    r"|年|سنوات|سن(?:ة|تين)|[أا]عوام|عام(?:ين|ًا|ا)?",
}
_ABOUT = (
    r"(?:(?:etwa|ungefähr|circa|ca\.|unos|unas|alrededor de|environ|à peu près|cerca de|uns|umas"
    r"|نحو|حوالي|تقريبا)\s+)?"
)
# "{n}" stands for the number, "{u}" for the name of a unit.
_AGO = (
    r"{n}\s+(?:{u})\s+(?:ago|back|fa|atr[áa]s|geleden|назад|temu)",
    rf"(?:vor|hace|il y a|há)\s+{_ABOUT}{{n}}\s*(?:{{u}})\b",
    rf"(?:قبل|منذ)\s+{_ABOUT}(?:{{n}})?\s*(?:{{u}})\b",
    r"{n}\s*(?:{u})\s*(?:ほど|くらい|ぐらい)?(?:之?前|以前)",
)
_ONE_AGO = {  # Russian and Polish say no "one"
    "week": r"неделю назад|tydzie[ńn] temu",
    "month": r"месяц назад|miesi[ąa]c temu",
    "year": "год назад|rok temu",
}
# "last", and "in the last", as Polish says it of a week, a month and a year.
_POLISH_LAST = r"(?:zesz[łl]ym|ubieg[łl]ym|poprzednim|minionym|ostatnim)"
_LAST = {
    "day": (
        r"wczoraj(?: wiecz[oó]r(?:em)?)?"
        r"|last night|hier soir|gestern abend|ieri sera|yesterday|gestern|ayer|hier|ieri|ontem|gisteren|вчера"
        r"|昨天|昨日|きのう|أمس|البارحة|anoche|stanotte|昨晚|昨晩|昨夜|ゆうべ|夕べ"
    ),
    "week": (
        rf"(?:w )?{_POLISH_LAST} tygodniu|(?:w )?zesz[łl]y tydzie[ńn]"
        r"|last week|past week|the week before|(?:letzte|vorige|vergangene)[nr]? woche|la semana pasada"
        r"|(?:n?a )?[úu]ltima semana"
        r"|semana passada"
        r"|la semaine (?:dernière|passée)|la settimana scorsa|(?:la )?scorsa settimana|vorige week|afgelopen week"
        r"|(?:на )?прошлой неделе|(?<!上)上[个個]?(?:周|週|星期|礼拜|禮拜)(?!末)|先週(?!末)|الأسبوع الماضي"
    ),
    "month": (
        rf"(?:w )?{_POLISH_LAST} miesi[ąa]cu"
        r"|last month|past month|(?:letzte|vorige|vergangene)[nr]? monat|(?:el )?mes pasado|m[êe]s passado"
        r"|(?:no |el )?[úu]ltimo m[êe]s"
        r"|le mois (?:dernier|passé)|(?:il )?mese scorso|scorso mese|vorige maand|afgelopen maand"
        r"|(?:в )?прошлом месяце"
        r"|(?<!上)上[个個]月|先月|الشهر الماضي"
    ),
    "year": (
        rf"(?:w )?{_POLISH_LAST} roku"
        r"|last year|(?:letzte|voriges|vergangene)[sn]? jahr|el año pasado|ano passado"
        r"|l['’]an(?:née)? (?:derni[eè]r|passé)e?"
        r"|l['’]anno scorso|vorig jaar|(?:в )?прошлом году|去年|(?<!一)昨年|السنة الماضية|العام الماضي"
    ),
    "weekend": (
        rf"(?:w )?{_POLISH_LAST} weekendzie|(?:w )?(?:zesz[łl]y|ubieg[łl]y|poprzedni|ostatni) weekend"
        r"|(?:عطلة )?نهاية الأسبوع الماضية?"
        r"|(?:last|past) weekend|(?:letzte[ns]?|vorige[ns]?|vergangene[ns]?) wochenende"
        r"|(?:el )?fin(?:de)?(?: de semana)? pasado"
        r"|le week-?end (?:dernier|passé)|lo scorso weekend|weekend scorso|(?:fim de semana|fds) passado"
        r"|[úu]ltimo (?:fim|fin) de semana|vorig weekend"
        r"|(?:(?:в|на) )?прошлы[ех] выходны[ех]|上[周週]末|先週末"
    ),
}
_THIS = {
    "day": r"today|tonight|this morning|heute|hoy|aujourd['’]hui|oggi|hoje|hj|vandaag"
    r"|vanavond|vanmorgen|vanochtend|dzi[śs](?:iaj)?|сегодня|今天|اليوم"
    # 今日子さん is somebody, and 今日子供と is today.
    r"|今日(?![子香](?:さん|ちゃん|様|[はがのともをにへや、。？?！!\s]|$))",
    "week": (
        r"(?:w )?tym tygodniu"
        r"|this week|diese[r]? woche|n?es[st]a semana|cette semaine|questa settimana|deze week|(?:на )?этой неделе"
        r"|[这這][个個]?(?:周|週|星期|礼拜|禮拜)(?!末)|今週(?!末)|هذا الأسبوع"
    ),
    "month": (
        r"(?:w )?tym miesi[ąa]cu"
        r"|this month|diese[nm]? monat|n?es[st]e m[êe]s|ce mois(?:-ci)?|questo mese|deze maand|(?:в )?этом месяце"
        r"|[这這][个個]月|本月|今月|هذا الشهر"
    ),
    "weekend": (
        r"w ten weekend|(?:w )?tym weekendzie"
        r"|this weekend|dieses wochenende|este fin(?:de)?(?: de semana)?|n?es[st]e (?:fim de semana|fds)|ce week-?end"
        r"|questo weekend"
        r"|dit weekend|(?:на )?этих? выходны[ех]|[这這][周週]末|今週末"
    ),
}
_GERMANIC = re.compile(
    r"\b(?:ich|wir|ihr|er|das|der|den|dem|ist|sind|bin|war|was|wo|wer|wie|gibt|und|nicht|mein\w*|ik|wij|het|een"
    r"|wat|waar"
    r"|mijn|niet|van)\b",
    re.IGNORECASE,
)
_HERE = re.compile(r"\bhier\b", re.IGNORECASE)
_BEFORE_YESTERDAY = (
    r"the day before yesterday|vorgestern|anteayer|antier|avant-hier|l['’]altro ieri|anteontem|eergisteren"
    r"|позавчера|przedwczoraj"
    r"|(?<!天)前天|一昨日|おととい|أول أمس"
)
_BEFORE_LAST = {
    "week": r"the week before last|vorletzten? woche|(?:на )?позапрошлой неделе"
    r"|先[々先]週(?!末)|上上[个個]?(?:周|週|星期|礼拜|禮拜)(?!末)",
    "month": r"the month before last|vorletzten monat|(?:в )?позапрошлом месяце|先[々先]月|上上[个個]月",
    "year": r"the year before last|vorletzte[ns] jahr|(?:в )?позапрошлом году|一昨年|おととし",
}
_SEASONS = {  # by the first month in the north
    3: r"spring|frühling|frühjahr|primavera|printemps|(?<!la )lente|voorjaar|весн(?:ой|у|е)|wiosn[ąaęy]|春天|春|الربيع",
    6: r"summer|sommer|verano|été|estate|verão|zomer|лет(?:ом|о)|lat(?:em|o|a)|lecie|夏天|夏|الصيف",
    9: r"autumn|fall|herbst|otoño|automne|autunno|outono|herfst|najaar|осень(?:ю)?|осени"
    r"|jesie(?:ni[ąa]|ni|ń|n)|秋天|秋|الخريف",
    12: r"winter|invierno|hiver|inverno|зим(?:ой|у|ы)|zim[ąaęy]|zimie|冬天|冬|الشتاء",
}
# "In summer" in one word, or where words are not parted.
_IN_SEASONS = {
    3: r"\b(?:весной|wiosną|na wiosn[ęe])\b|春天|春に",
    6: r"\b(?:летом|latem|w lecie)\b|夏天|夏に",
    9: r"\b(?:осенью|jesienią|na jesieni)\b|秋天|秋に",
    12: r"\b(?:зимой|zimą|w zimie)\b|冬天|冬に",
}
_SEASON_BEHIND = r"\s+(?:pasad[oa]|passad[oa]|derni[eè]re?|passé|scors[oa]|الماضي)\b"
_LAST_SEASON = re.compile(
    r"^(?:last|letzten|afgelopen|vorige|прошл|(?:w )?(?:zesz[łl]|ubieg[łl]|minion|poprzedn))"
    r"|(?:pasad[oa]|passad[oa]|derni[eè]re?|passé|scors[oa]|الماضي)$",
    re.IGNORECASE,
)
_YEAR = re.compile(
    r"(?:\b(?:in|during|since|im jahr|seit|en|desde|depuis|em|nel|w|od|в|на|с|في|عام|سنة)\s+|(?<!\d)(?=\d{4}\s?年))"
    r"((?:19|20)\d\d)(?!\d)",
    re.IGNORECASE,
)
_DENSE_DATE = re.compile(
    r"(?:(?P<year>(?:19|20)\d\d)\s?年\s?)?(?<![\d一二三四五六七八九十])"
    r"(?P<month>1[0-2]|0?[1-9]|十[一二]?|[一二三四五六七八九])\s?月(?!間)"
    r"(?:\s?(?P<day>[12]\d|3[01]|0?[1-9]|三十一?|二?十[一二三四五六七八九]?|[一二三四五六七八九])\s?[日号號])?"
)
_SINCE = re.compile(
    # Russian "с" is also "with", and から also "because".
    r"\b(?:since|seit|desde|depuis|a partire da|sinds)\b"
    r"|(?<!\w)со? (?=прошл|вчера|позавчера|понедельника|вторника|среды|четверга|пятницы|субботы|воскресенья"
    r"|январ|феврал|март|апрел|ма[яю]|июн|июл|август|сентябр|октябр|ноябр|декабр)"
    r"|\bda(?: (?=gennaio|febbraio|marzo|aprile|maggio|giugno|luglio|agosto|settembre|ottobre|novembre|dicembre|ieri)"
    r"|l(?:la)? (?=\d|mese|settimana|scors))"
    r"|\bod\b|以来|(?<=[昨今先一二三四五六七八九十\d][日週月年])から|(?<=きのう)から|منذ",
    re.IGNORECASE,
)
_SEASON_CUE = (
    r"(?:(?:in|this|last|im|letzten|diesen|en|este|el|la|cet|cette|au|l['’]|in|d['’]|questa|quest['’]|no|na|neste"
    r"|nesta"
    r"|deze|afgelopen|vorige|van|over|during|über|während|pendant|durante"
    r"|этим|этой|прошл\w+|zesz[łl]\w+|ubieg[łl]\w+|minion\w+|poprzedni\w+|t(?:ej|ego)|في|هذا)"
    r"\s*(?:the\s+|de\s+|het\s+|diesem\s+)?)"
)


@dataclass(frozen=True, slots=True)
class Period:
    """The days that a text names, both ends among them; ``words`` are those that name them."""

    first: date
    last: date
    words: tuple[str, ...] = ()

    def fits(self, day: date) -> bool:
        """Whether *day* lies within."""
        return self.first <= day <= self.last

    def nearly_fits(self, day: date) -> bool:
        """Whether *day* lies within, or so close that what happened then was told on it."""
        return self.first - _BEFORE <= day <= self.last + _AFTER


@lru_cache(maxsize=_QUERIES)
def period(text: str, *, today: date) -> Period | None:
    """The period that *text* names, as somebody says it on *today*; None where it names none, or one yet to come."""
    kinds = (_season_of_last_year, _counted, _dated, _weekday, _season)
    found = next((named for kind in kinds if (named := kind(text, today))), None)
    if found is None or found.first > today:
        return None
    return replace(found, last=today) if _SINCE.search(text) else found


@lru_cache(maxsize=_QUERIES)
def without_period(text: str) -> str:
    """*text* without the words that name a time: they say when, not what."""
    bare = _without_here(text)
    for pattern, _ in _patterns():
        bare = pattern.sub(" ", bare)
    return without_dates(_DENSE_DATE.sub(" ", bare))


def _counted(text: str, today: date) -> Period | None:
    text = _without_here(text)
    for pattern, days in _patterns():
        if found := pattern.search(text):
            first, last = days(today, found)
            return Period(first, last, (found[0],))
    return None


def _without_here(text: str) -> str:
    """*text* without "hier" where that is German or Dutch, and not "yesterday" in French."""
    return _HERE.sub(" ", text) if _GERMANIC.search(text) else text


def _dated(text: str, today: date) -> Period | None:
    """A month or a day, without a year the latest one that has begun; or a year."""
    hint = date_hint(text) or _dense_date(text)
    if hint is None:
        whole = _YEAR.search(text)
        return Period(date(int(whole[1]), 1, 1), date(int(whole[1]), 12, 31)) if whole else None
    years = (hint.year,) if hint.year is not None else (today.year, today.year - 1)
    for year in years:
        try:
            first = date(year, hint.month, hint.day or 1)
        except ValueError:
            continue
        if first <= today:
            last = first if hint.day else first.replace(day=monthrange(year, hint.month)[1])
            return Period(first, last)
    return None


def _dense_date(text: str) -> DateHint | None:
    """A month or a day as Chinese and Japanese write it."""
    found = _DENSE_DATE.search(text)
    if found is None:
        return None
    month, day = (_number(found[part] or "0") for part in ("month", "day"))
    return DateHint(month, day or None, int(found["year"]) if found["year"] else None)


def _weekday(text: str, today: date) -> Period | None:
    """The last such day for "on Monday". A text that names several, or a weekday as a habit, names no period."""
    named = weekdays_named(text)
    if short := _PORTUGUESE_WEEKDAY.search(text):
        named |= {_PORTUGUESE_DAYS.index(short[1][:3].casefold())}
    if len(named) != 1 or not (short or re.search(_WEEKDAY_CUE, text, re.IGNORECASE)):
        return None
    back = (today.weekday() - next(iter(named))) % 7 or 7
    return Period(today - timedelta(back), today - timedelta(back))


# "Na quinta" is on Thursday; "na quinta vez" is not.
_PORTUGUESE_WEEKDAY = re.compile(
    r"\b(?:na|nesta|nessa|[úu]ltima) (segunda|ter[çc]a|quarta|quinta|sexta)(?:-feira)?"
    r"(?=\s{0,4}(?:$|[,.;:!?])| (?:passada|retrasada|agora|de (?:manhã|noite|tarde)|à (?:noite|tarde))(?!\w))",
    re.IGNORECASE,
)
_PORTUGUESE_DAYS = ("seg", "ter", "qua", "qui", "sex")
_WEEKDAY_CUE = (
    r"\b(?:on|last|letzten|vergangenen|am|el|pasado|passado|dernier|passé|scorso|op|afgelopen|vorige|в|во|прошл\w+"
    r"|we? (?:(?:zesz[łl]|ubieg[łl]|ostatni)\w* )?"
    r"(?=poniedzia[łl]ek|wtorek|[śs]rod[ęe]|czwartek|pi[ąa]tek|sobot[ęe]|niedziel[ęe])"
    r"|n[ao] (?=(?:segunda|terça|quarta|quinta|sexta)-feira|sábado|domingo)|يوم)\b|上|先"
)


def _season(text: str, today: date) -> Period | None:
    """The latest one that has begun; "last summer", said in summer, is the one before."""
    for month, names in _SEASONS.items():
        pattern = rf"\b{_SEASON_CUE}?\b(?:{names}){_SEASON_BEHIND}|\b{_SEASON_CUE}(?:{names})\b|{_IN_SEASONS[month]}"
        if found := re.search(pattern, text, re.IGNORECASE):
            year = today.year if date(today.year, month, 1) <= today else today.year - 1
            if _LAST_SEASON.search(found[0]) and today < date(year, month, 1) + timedelta(92):
                year -= 1
            first = date(year, month, 1)
            return Period(first, first + timedelta(91))
    return None


def _season_of_last_year(text: str, today: date) -> Period | None:
    """As Chinese and Japanese say it: 去年夏天."""
    for month, names in _SEASONS.items():
        if found := re.search(rf"去年の?(?:{names})", text):
            first = date(today.year - 1, month, 1)
            return Period(first, first + timedelta(91), (found[0],))
    return None


@cache
def _patterns() -> tuple[tuple[re.Pattern[str], Callable[[date, re.Match[str]], tuple[date, date]]], ...]:
    """Each way to count from today, the longest words first, and the days that it means."""
    found: list[tuple[str, Callable[[date, re.Match[str]], tuple[date, date]]]] = []
    found.append((_BEFORE_YESTERDAY, lambda today, _: (today - timedelta(2), today - timedelta(2))))
    for unit, names in _UNITS.items():
        found.extend((template.format(n=_NUMBER, u=names), _ago(unit)) for template in _AGO)
    found.extend((f"(?P<number>)(?P<more>)(?:{words})", _ago(unit)) for unit, words in _ONE_AGO.items())
    for unit in ("weekend", "day", "week", "month", "year"):
        if unit in _BEFORE_LAST:
            found.append((_BEFORE_LAST[unit], _before_last(unit)))
        found.append((_LAST[unit], _last(unit)))
        if unit in _THIS:
            found.append((_THIS[unit], _this(unit)))
    # Not \b: Chinese and Japanese part no words, and Arabic writes "and" with the word behind it.
    bounded = r"(?<![a-zà-žа-яё])(?:{})(?![a-zà-žа-яё\u0621-\u064a])"
    return tuple((re.compile(bounded.format(words), re.IGNORECASE), days) for words, days in found)


def _ago(unit: str) -> Callable[[date, re.Match[str]], tuple[date, date]]:
    days = {"day": 1, "week": 7, "month": 30, "year": 365}[unit]
    slack = {"day": 0, "week": 3, "month": 12, "year": 60}[unit]

    def of(today: date, found: re.Match[str]) -> tuple[date, date]:
        fewest = _number(found["number"] or "1")
        if found["number"] is None and found[0].endswith("ين"):
            fewest = 2  # the Arabic dual
        most = max(fewest, _number(found["more"] or "0"))
        return today - timedelta(days * most + slack), today - timedelta(days * fewest - slack)

    return of


def _number(written: str) -> int:
    """What digits, a word or a Chinese or Japanese numeral stand for."""
    if written.isdecimal():
        return int(written)
    if written.casefold() in _NUMBERS:
        return _NUMBERS[written.casefold()]
    tens, ten, ones = written.rpartition("十")
    return (10 * _DENSE_DIGITS.get(tens, 1) if ten else 0) + _DENSE_DIGITS.get(ones, 0)


def _before_last(unit: str) -> Callable[[date, re.Match[str]], tuple[date, date]]:
    last = _last(unit)

    def of(today: date, found: re.Match[str]) -> tuple[date, date]:
        return last(last(today, found)[0], found)

    return of


def _last(unit: str) -> Callable[[date, re.Match[str]], tuple[date, date]]:
    def of(today: date, _: re.Match[str]) -> tuple[date, date]:
        monday = today - timedelta(today.weekday())
        month = today.replace(day=1)
        match unit:
            case "day":
                return today - timedelta(1), today - timedelta(1)
            case "week":
                return monday - timedelta(7), monday - timedelta(1)
            case "weekend":
                return monday - timedelta(3), monday - timedelta(1)
            case "month":
                before = month - timedelta(1)
                return before.replace(day=1), before
            case _:
                return date(today.year - 1, 1, 1), date(today.year - 1, 12, 31)

    return of


def _this(unit: str) -> Callable[[date, re.Match[str]], tuple[date, date]]:
    def of(today: date, _: re.Match[str]) -> tuple[date, date]:
        monday = today - timedelta(today.weekday())
        match unit:
            case "day":
                return today, today
            case "week":
                return monday, monday + timedelta(6)
            case "weekend":
                return monday + timedelta(4), monday + timedelta(6)
            case _:
                first = today.replace(day=1)
                return first, first.replace(day=monthrange(first.year, first.month)[1])

    return of
