"""The season that a text names, by where it is said: in Brazil and Australia summer begins in December."""

from __future__ import annotations

import re
from datetime import date, timedelta
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from datetime import tzinfo

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
_SEASON_CUE = (
    r"(?:(?:in|this|last|im|letzten|diesen|en|este|el|la|cet|cette|au|l['’]|in|d['’]|questa|quest['’]|no|na|neste"
    r"|nesta"
    r"|deze|afgelopen|vorige|van|over|during|über|während|pendant|durante"
    r"|этим|этой|прошл\w+|zesz[łl]\w+|ubieg[łl]\w+|minion\w+|poprzedni\w+|t(?:ej|ego)|في|هذا)"
    r"\s*(?:the\s+|de\s+|het\s+|diesem\s+)?)"
)
_LENGTH = timedelta(91)
_HALF_A_YEAR = 6  # months
_SOUTHERN = re.compile(
    r"(?:Antarctica|Australia|Brazil|Chile)/|NZ|Atlantic/(?:Stanley|St_Helena)|America/(?:Argentina/|Araguaina"
    r"|Asuncion|Bahia$|Belem|Buenos_Aires|Campo_Grande|Catamarca|Cordoba|Coyhaique|Cuiaba|Eirunepe|Fortaleza|Jujuy"
    r"|La_Paz|Lima|Maceio|Manaus|Mendoza|Montevideo|Noronha|Porto_Acre|Porto_Velho|Punta_Arenas|Recife|Rio_Branco"
    r"|Rosario|Santarem|Santiago|Sao_Paulo)|Africa/(?:Blantyre|Bujumbura|Dar_es_Salaam|Gaborone|Harare|Johannesburg"
    r"|Kigali|Kinshasa|Luanda|Lubumbashi|Lusaka|Maputo|Maseru|Mbabane|Windhoek)|Indian/(?:Antananarivo|Comoro"
    r"|Mauritius|Mayotte|Reunion)|Asia/(?:Dili|Jakarta|Makassar|Jayapura)|Pacific/(?:Apia|Auckland|Chatham|Easter"
    r"|Efate|Fiji|Guadalcanal|Noumea|Pago_Pago|Port_Moresby|Rarotonga|Tahiti|Tongatapu)"
)


class Days(NamedTuple):
    """The first and the last day of a season, and the words that name it where they do so whole."""

    first: date
    last: date
    words: tuple[str, ...] = ()


def season_named(text: str, *, today: date, timezone: tzinfo | None = None, language: str = "") -> Days | None:
    """
    The latest such season that has begun; "last summer", said in summer, is the one before that.

    None where it is not known on which half of the earth it is said, and most who speak *language* live in the south.
    """
    for month, names in _SEASONS.items():
        pattern = rf"\b{_SEASON_CUE}?\b(?:{names}){_SEASON_BEHIND}|\b{_SEASON_CUE}(?:{names})\b|{_IN_SEASONS[month]}"
        if found := re.search(pattern, text, re.IGNORECASE):
            begins = _first_month(month, timezone, language)
            if begins is None:
                return None
            year = today.year if date(today.year, begins, 1) <= today else today.year - 1
            if _LAST_SEASON.search(found[0]) and today <= date(year, begins, 1) + _LENGTH:
                year -= 1
            first = date(year, begins, 1)
            return Days(first, first + _LENGTH)
    return None


def season_of_last_year(text: str, *, today: date, timezone: tzinfo | None = None) -> Days | None:
    """A season of the last year as Chinese and Japanese name it, 去年夏天; None where *text* names none so."""
    for month, names in _SEASONS.items():
        if found := re.search(rf"去年の?(?:{names})", text):
            first = date(today.year - 1, _first_month(month, timezone, "") or month, 1)
            return Days(first, first + _LENGTH, (found[0],))
    return None


def _first_month(northern: int, timezone: tzinfo | None, language: str) -> int | None:
    zone = str(timezone or "")
    if _SOUTHERN.match(zone):
        return (northern + _HALF_A_YEAR - 1) % 12 + 1
    is_known = "/" in zone and not zone.startswith("Etc/")
    return None if language.startswith("pt") and not is_known else northern
