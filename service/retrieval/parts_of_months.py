"""The part of a month that a text means, right beside its name: "the first week of November", "Ende Mai", "11月末"."""

from __future__ import annotations

import re
from functools import cache

from consolidation.text.dates import any_month

_FEWEST = 28  # days of a month
_OF = r"(?:(?:of|in|im|des|vom|de|di|del|du|van|w|mes de|m[êe]s de|mois de|месяца|من|شهر)\s|d['’])?"
_WEEK = r"(?:\s?(?:week|woche|semaine|settimana|semana|tydzie[ńn]|tygodni[aue]|недел[яюеи]))"
# By the days: 0 is the last one, -6 the seventh from the end.
_BEFORE = {
    (1, 7): (
        rf"(?:first|erste[nr]?|première|prima|primeira|eerste|pierwsz(?:y|ym|ego)|перв(?:ая|ую|ой)){_WEEK}"
        r"|primera semana|الأسبوع الأول"
    ),
    (8, 14): rf"(?:second|zweite[nr]?|deuxième|seconda|segunda|tweede|drug(?:i|im)|втор(?:ая|ую|ой)){_WEEK}",
    (15, 21): rf"(?:third|dritte[nr]?|troisième|terza|terceira|tercera|derde|trzeci(?:m)?|треть(?:я|ю|ей)){_WEEK}",
    (-6, 0): (
        rf"(?:last|letzte[nr]?|dernière|ultima|última|laatste|ostatni(?:m)?|последн(?:яя|юю|ей)){_WEEK}|الأسبوع الأخير"
    ),
    (1, 10): (
        r"early|start(?! in)|beginning|anfang|principios|comienzos|inicios|début|inizio|início|inicio|começo|begin"
        r"|pocz[ąa]tk[ui]|pocz[ąa]tek|начал[ео]|أوائل|بداية|مطلع"
    ),
    (11, 20): r"mid|middle|mitte|mediados|mi|milieu|met[àa]|meados|half|midden|po[łl]owie|середин[аеу]|منتصف|أواسط",
    (
        21,
        0,
    ): r"late|end(?! in)|ende|finales|fines|fin|fine|fim|final|eind|einde|koniec|ko[ńn]cu|кон(?:ец|це)|أواخر|نهاية",
}
_BEHIND = {
    (1, 7): r"第[一1][个個]?[周週]|最初の週",
    (8, 14): r"第[二2][个個]?[周週]",
    (15, 21): r"第[三3][个個]?[周週]",
    (-6, 0): r"最[后後]一?[个個]?[周週]|最[終後]の?週",
    (1, 10): r"初|上旬|初め|はじめ",
    (11, 20): r"中旬|半ば",
    (21, 0): r"底|末|下旬|終わり|おわり",
}


def part_of_month(text: str, *, days: int) -> tuple[int, int] | None:
    """The first and the last day of the part of a month of so many *days* that *text* means; None where it is whole."""
    if days < _FEWEST:
        return None
    found = next((part for pattern, part in _patterns() if pattern.search(text)), None)
    if found is None:
        return None
    first, last = (days + one if one <= 0 else one for one in found)
    return first, last


@cache
def _patterns() -> tuple[tuple[re.Pattern[str], tuple[int, int]], ...]:
    return tuple(
        (
            re.compile(
                rf"(?<!\w)(?:{before})[\s-]{{1,2}}{_OF}(?:{any_month()})(?!\w)|月(?:的|の)?(?:{_BEHIND[part]})",
                re.IGNORECASE,
            ),
            part,
        )
        for part, before in _BEFORE.items()
    )
