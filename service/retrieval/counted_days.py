"""Words that count from today, in the languages of the labels: "yesterday", "hace dos semanas", "半年前"."""

from __future__ import annotations

import re
from calendar import monthrange
from datetime import date, timedelta
from functools import cache, lru_cache
from typing import TYPE_CHECKING, NamedTuple

from consolidation.text.words import accents_optional

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

_QUERIES = 64  # each phase asks of the same few
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
NUMBER = (
    rf"(?<!\d)(?<!\d[.,])(?<![百千万萬零〇几幾数數何月{''.join(_DENSE_DIGITS)}十])(?P<number>{_A_NUMBER})"
    rf"(?:(?:\s?[、〜~–-]\s?|\s(?:or|oder|of|ou|oppure|или|lub|albo|أو)\s|(?<={_DENSE})(?={_DENSE}))"
    rf"(?P<more>{_A_NUMBER}))?"
)
# The weekday of 上周三; not the number of 上周三次, nor the 一 of 上周一共.
CHINESE_DAY = r"(?:[二三四五六](?![次个個])|一(?![共起直定般样樣些下个個次点點边邊])|日(?!常)|天)(?!到|至)"
UNITS: Mapping[str, str] = {
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
_SLACK = 8  # an eighth of the time that is said, either way
_DAYS = {"day": 1, "week": 7, "month": 30, "year": 365}
_SLACK_DAYS = {"day": 0, "week": 3, "month": 12, "year": 60}
_AND_A_HALF = r"(?! (?:y medi[oa]|et demie?|e mei[oa]|e mezz[oa]|ونصف))"
_BEFORE_WEEKDAY = r"(?!\s+ال[اأإ]?(?:ثنين|ثلاثاء|ربعاء|خميس|جمعة|سبت|حد))"  # "since the day of Monday"
# "{n}" stands for the number, "{u}" for the name of a unit.
_AGO = (
    r"(?<!half )(?<!and ){n}\s+(?:{u})\s+(?:ago|back|fa|atr[áa]s|geleden|(?:тому )?назад|temu)",
    rf"(?:vor|hace|il y a|há)\s+{_ABOUT}{{n}}\s*(?:{{u}})\b{_AND_A_HALF}",
    rf"(?:قبل|منذ)\s+{_ABOUT}(?:{{n}})?\s*(?:{{u}})\b{_BEFORE_WEEKDAY}{_AND_A_HALF}",
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
        r"|昨天|昨日|きのう|أمس|البارحة|[اإ]?مبارح|anoche|stanotte|昨晚|昨晩|昨夜|ゆうべ|夕べ"
    ),
    "week": (
        rf"(?:w )?{_POLISH_LAST} tygodniu|(?:w )?zesz[łl]y tydzie[ńn]"
        r"|last week|past week|the week before|(?:letzte|vorige|vergangene)[nr]? woche|la semana pasada"
        r"|(?:n?a )?[úu]ltima semana"
        r"|semana passada"
        r"|la semaine (?:dernière|passée)|la settimana scorsa|(?:la )?scorsa settimana|vorige week|afgelopen week"
        r"|(?:на )?прошлой неделе"
        rf"|(?<!上)上[个個]?(?:周|週|星期|礼拜|禮拜)(?!末)(?:{CHINESE_DAY})?"
        r"|先週(?!末)(?:の?[月火水木金土日]曜日?)?|ال[أا]سبوع (?:الماضي|الفائت|المنصرم|اللي (?:فات|راح|مضى))"
    ),
    "month": (
        rf"(?:w )?{_POLISH_LAST} miesi[ąa]cu"
        r"|last month|past month|(?:letzte|vorige|vergangene)[nr]? monat|(?:el )?mes pasado|m[êe]s passado"
        r"|(?:no |el )?[úu]ltimo m[êe]s"
        r"|le mois (?:dernier|passé)|(?:il )?mese scorso|scorso mese|vorige maand|afgelopen maand"
        r"|(?:в )?прошлом месяце"
        r"|(?<![上早晚以马馬])上[个個]?月(?![亮光球经餅饼])|先月|الشهر (?:الماضي|الفائت|المنصرم|اللي (?:فات|راح|مضى))"
    ),
    "year": (
        rf"(?:w )?{_POLISH_LAST} roku|(?:zesz[łl]|ubieg[łl])ego roku"
        r"|last year|(?:letzte|voriges|vergangene)[sn]? jahr|(?:letzt|vorig|vergangen)en jahres|d?el año pasado"
        r"|ano passado"
        r"|l['’]an(?:née)? (?:derni[eè]r|passé)e?"
        r"|anno scorso|vorig jaar|(?:в )?прошлом году|прошлого года|去年|(?<!一)昨年|السنة الماضية|العام الماضي"
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
THIS = {
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
    r"the day before yesterday|the night before last(?!\s+\w)|vorgestern|ante ?ayer|antier|antes de (?:ayer|anoche)"
    r"|ante(?:s de )?anoche|avant[- ]?hier|(?:l['’])?altro ?ieri|avantieri|ieri l['’]altro|anteontem|antes de ontem"
    r"|eergisteren|позавчера|przedwczoraj"
    r"|(?<![天大])前天|(?<!さき)おととい|一昨日|أول (?:من )?(?:أمس|امس|البارحة)|[أا]مس ال[أا]ول|قبل (?:أمس|امس)"
)
_THREE_DAYS_AGO = r"vorvorgestern|eereergisteren|позапозавчера|(?<!大)大前天|さきおととい|一昨々日"
# Parts of a month and of a year: by their days.
_FRACTIONS = {
    15: (
        r"half a month ago|vor einem halben monat|hace medio mes|halve maand geleden|p[óo][łl] miesi[ąa]ca temu"
        r"|полмесяца назад|(?<![个個月])半[个個]?月(?:之|以)?前|قبل نصف شهر"
    ),
    45: (
        r"(?:a month and a|one and a) half(?: months)? ago|vor (?:anderthalb|eineinhalb) monaten|hace un mes y medio"
        r"|il y a un mois et demi|un mese e mezzo fa|há um m[êe]s e meio|um m[êe]s e meio atr[áa]s"
        r"|anderhalve maand geleden|p[óo][łl]tora miesi[ąa]ca temu|полтора месяца назад|一[个個]半月(?:之|以)?前"
        r"|[1一][かヶカヵケ]月半前|قبل شهر ونصف"
    ),
    182: (
        r"half a year (?:ago|back)|vor (?:etwa |ungefähr |rund |gut )?einem halben jahr|hace (?:como )?medi[oa] año"
        r"|medio año atrás|il y a une demi-année|mezz(?:o |['’])anno fa|(?:há|faz) meio ano|meio ano atr[áa]s"
        r"|half ?jaar geleden|p[óo][łl] roku temu|полгода (?:тому )?назад|半年(?:ほど|くらい|ぐらい)?(?:之|以)?前"
        r"|(?:قبل|منذ) نصف (?:سنة|عام)|(?:قبل|منذ) ستة أشهر"
    ),
    547: (
        r"a year and a half ago|one and a half years ago|vor (?:anderthalb|eineinhalb) jahren|hace (?:un )?año y medio"
        r"|il y a un an et demi|un anno e mezzo fa|há um ano e meio|um ano e meio atr[áa]s|anderhalf jaar geleden"
        r"|p[óo][łl]tora roku temu|полтора года назад|一年半(?:之|以)?前|(?:قبل|منذ) (?:سنة|عام) ونصف"
    ),
}
_BEFORE_LAST = {
    "week": r"the week before last|vorletzten? woche|(?:на )?позапрошлой неделе"
    r"|先[々先]週(?!末)(?:の?[月火水木金土日]曜日?)?"
    rf"|上上[个個]?(?:周|週|星期|礼拜|禮拜)(?!末)(?:{CHINESE_DAY})?",
    "month": r"the month before last|vorletzten monat|(?:в )?позапрошлом месяце|先[々先]月|上上[个個]?月",
    "year": r"the year before last|vorletzte[ns] jahr|(?:в )?позапрошлом году|一昨年|おととし",
}


class Counted(NamedTuple):
    """The first and the last day that words count to, and the words."""

    first: date
    last: date
    words: tuple[str, ...]


@lru_cache(maxsize=_QUERIES)
def counted(text: str, *, today: date) -> Counted | None:
    """The days that *text* counts from *today*, None where it does not."""
    text = _without_here(text)
    if not _any().search(text):
        return None
    for pattern, days in _patterns():
        if (found := min(pattern.finditer(text), key=_place_of_unit, default=None)) is not None:
            return Counted(*days(today, found), (found[0],))
    return None


def without_counted(text: str) -> str:
    """*text* without the words that count from today."""
    bare = _without_here(text)
    if not _any().search(bare):
        return bare
    for pattern, _ in _patterns():
        bare = pattern.sub(" ", bare)
    return bare


def number(written: str) -> int:
    """What digits, a word or a Chinese or Japanese numeral stand for."""
    if written.isdecimal():
        return int(written)
    if written.casefold() in _NUMBERS:
        return _NUMBERS[written.casefold()]
    tens, ten, ones = written.rpartition("十")
    return (10 * _DENSE_DIGITS.get(tens, 1) if ten else 0) + _DENSE_DIGITS.get(ones, 0)


def numbers_in_words(text: str) -> frozenset[int]:
    """The numbers from two to ten that *text* spells out in any of these languages."""
    words = re.findall(r"\w+", text.casefold())
    return frozenset(found for word in words if (found := _NUMBERS.get(word, 0)) > 1)


def _without_here(text: str) -> str:
    """*text* without "hier" where that is German or Dutch, and not "yesterday" in French."""
    return _HERE.sub(" ", text) if _GERMANIC.search(text) else text


@cache
def _any() -> re.Pattern[str]:
    return whole_any(words for words, _ in _ways())


@cache
def _patterns() -> tuple[tuple[re.Pattern[str], Callable[[date, re.Match[str]], tuple[date, date]]], ...]:
    return tuple((whole(words), days) for words, days in _ways())


def _ways() -> list[tuple[str, Callable[[date, re.Match[str]], tuple[date, date]]]]:
    """Each way to count from today, the longest words first, and the days that it means."""
    found: list[tuple[str, Callable[[date, re.Match[str]], tuple[date, date]]]] = []
    found.append((_THREE_DAYS_AGO, lambda today, _: (today - timedelta(3), today - timedelta(3))))
    found.append((_BEFORE_YESTERDAY, lambda today, _: (today - timedelta(2), today - timedelta(2))))
    found.extend((words, _about(days)) for days, words in _FRACTIONS.items())
    found.append((f"(?P<number>)(?P<more>)(?:{named_units(_ONE_AGO)})", _ago))
    for unit in ("weekend", "day", "week", "month", "year"):
        if unit in _BEFORE_LAST:
            found.append((_BEFORE_LAST[unit], _before_last(unit)))
        found.append((_LAST[unit], _last(unit)))
        if unit in THIS:
            found.append((THIS[unit], _this(unit)))
    found = [(accents_optional(words), days) for words, days in found]
    # "Há 3 dias" keeps its accent: in Italian, who "ha 3 anni" is three years old.
    units = accents_optional(named_units(UNITS))
    return [*found, *((template.format(n=NUMBER, u=units), _ago) for template in _AGO)]


def whole(words: str) -> re.Pattern[str]:
    """A pattern of whole *words*. Chinese and Japanese part none, and Arabic writes "and" with the word behind it."""
    return re.compile(rf"(?<![a-zà-žа-яё])(?:{words})(?![a-zà-žа-яё\u0621-\u064a])", re.IGNORECASE)


def whole_any(ways: Iterable[str]) -> re.Pattern[str]:
    """A pattern that finds something where one of *ways*, each as whole words, does: most texts need no other."""
    return whole("|".join(f"(?:{re.sub(r'[(][?]P<[a-z]+>', '(?:', words)})" for words in ways))


def named_units(units: Mapping[str, str]) -> str:
    """A pattern of the names of some *units*, each in a group that has the unit's name."""
    return "|".join(f"(?P<{unit}>{names})" for unit, names in units.items())


def _place_of_unit(found: re.Match[str]) -> int:
    """How small the unit of a match is, days first: of several times in a text, the smallest unit is the most exact."""
    named = found.groupdict()
    return next((place for place, unit in enumerate(UNITS) if named.get(unit)), 0)


def _ago(today: date, found: re.Match[str]) -> tuple[date, date]:
    named = found.groupdict()
    unit = next(one for one in UNITS if named.get(one))
    fewest = number(named["number"] or "1")
    if named["number"] is None and found[0].endswith("ين"):
        fewest = 2  # the Arabic dual
    most = max(fewest, number(named["more"] or "0"))
    days, slack = _DAYS[unit], _SLACK_DAYS[unit]
    return today - timedelta(days * most + slack), today - timedelta(days * fewest - slack)


def _about(days: int) -> Callable[[date, re.Match[str]], tuple[date, date]]:
    slack = timedelta(days // _SLACK)
    return lambda today, _: (today - timedelta(days) - slack, today - timedelta(days) + slack)


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
