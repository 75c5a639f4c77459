"""
What kind of word answers a question: a number ("how much"), a name ("who", "what is … called") or a place ("where").

A turn that holds such a word answers it sooner than one that only speaks of the same. Question words are a closed class
in each language of ``consolidation.text.speech_acts``.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Literal

from consolidation.text.concepts import concepts
from consolidation.text.dates import days_named
from service.retrieval.queries import proper_nouns

type AnswerType = Literal["number", "name", "place"]

_ASKS_NUMBER = re.compile(
    r"\bhow (?:much|many|old|long|far|big|high|tall|often|heavy|late)\b"
    r"|\bwhat (?:time|number|score|percentage|size|age)\b"
    r"|\bwie ?(?:viele?n?|hoch|alt|lange?|weit|groß|oft|schwer|spät)\b|\bcuánt|\bqué (?:edad|hora|número|talla)\b"
    r"|\bcombien\b|\bquel(?:le)? (?:âge|heure|taille|numéro)\b|\bquant(?:[oa]s?|[ie])\b|\bche (?:ora|età|numero)\b"
    r"|\bque (?:horas|idade|número|tamanho)\b|\bhoe ?(?:veel|lang|oud|ver|groot|vaak|hoog|laat)\b|сколько|\bile\b|ilu\b"
    r"|多少|几[个岁点次]|幾|いくら|いくつ|何(?:歳|時|回|人|個|枚|本|円)|どのくらい|كم\b",
    re.IGNORECASE,
)
_ASKS_NAME = re.compile(
    r"\b(?:who|whose|whom)\b|\bnames?\b|\bcalled\b|\bwe(?:r|n|m|ssen)\b|\bhei(?:ß|ss)(?:t|en)\b|\bnamen?\b|\bquién"
    r"|\bllama|\bnombre\b|\bqui\b|\bappelle|\bnom\b|\bchi\b|\bchiama|\bnome\b|\bquem\b|\bwie\b(?= is\b| heeft\b| was\b)"
    r"|\bheet\b|\bnaam\b|\bкто\b|\bкого\b|зовут|\bkto\b|\bkogo\b|nazywa|谁|誰|叫什么|だれ|名前|\bمن هو\b|\bاسم",
    re.IGNORECASE,
)
_ASKS_PLACE = re.compile(
    r"\bwhere(?:abouts)?\b|\baddress\b|\b(?:which|what) (?:\w+ )?(?:city|town|village|country|street|place|area|part of"
    r"|company|firm|hospital|clinic|school|university|college|bank|airport|station|church|island|hotel|restaurant|bar"
    r"|cafe|café|shop|home)s?\b"
    r"|\bwo(?:her|hin)?\b|\bwelche[mnrs]? (?:stadt|ort|dorf|land|straße|strasse|gegend|stadtteil|firma|krankenhaus"
    r"|klinik|schule|uni|bank|flughafen|bahnhof|kirche|insel|hotel|restaurant|laden)(?:en?|s)?\b"
    r"|\b(?:a|de|por)?dónde\b|\bdirección\b|\b(?:en |a |de )?qué (?:ciudad|pueblo|país|calle|sitio|lugar|barrio|empresa"
    r"|hospital|clínica|colegio|escuela|universidad|banco|aeropuerto|estación|iglesia|isla|hotel|restaurante|tienda)s?\b"
    r"|\boù\b|\badresses?\b|\bquel(?:le)?s? (?:ville|village|pays|rue|endroit|lieu|quartier|entreprise|boîte|hôpital"
    r"|clinique|école|lycée|fac|banque|aéroport|gare|église|île|hôtel|restaurant|magasin)s?\b"
    r"|\bdove\b|\bindirizzo\b|\b(?:che|quale) (?:città|paese|via|posto|quartiere|ditta|azienda|ospedale|scuola|banca"
    r"|aeroporto|stazione|chiesa|isola|albergo|ristorante|negozio)\b"
    r"|\b(?:a|de)?onde\b|\bendereço\b|\bque (?:cidade|vila|país|rua|lugar|bairro|empresa|hospital|escola|banco"
    r"|aeroporto|estação|igreja|ilha|hotel|restaurante|loja)\b"
    r"|\bwaar(?:heen|vandaan)?\b|\bwelke? (?:stad|dorp|land|straat|plek|buurt|bedrijf|ziekenhuis|school|bank|vliegveld"
    r"|station|kerk|eiland|hotel|restaurant|winkel)\b"
    r"|\bgdzie\b|\bskąd\b|\bdokąd\b|\badres(?:em|u)?\b|\bjaki(?:m|ej|e)? (?:miasto|mieście|wsi|kraju|ulicy|firmie"
    r"|szpitalu|szkole|banku|lotnisku|hotelu|restauracji|sklepie)\b"
    r"|\bгде\b|\bкуда\b|\bоткуда\b|\bадрес|\bкако[йм]\w* (?:город|стран|улиц|фирм|компани|больниц|школ|банк|аэропорт)"
    r"|哪里|哪儿|哪裡|地址|哪[个個家所座条間]|どこ|住所|どの(?:町|街|駅|店|国)|أين|عنوان",
    re.IGNORECASE,
)
# What has a number for its value, however a question asks for it.
_HAVE_NUMBERS = frozenset("rent price salary".split())
# Words that stand right before the name of a place. Most German nouns have a capital, after an article all the more.
_BEFORE_PLACES = {
    "en": r"(?:in|at|from|near|to|into|around|outside|off)(?: the)?",
    "de": r"in|aus|nach|bei",
    "es": r"en|desde|hacia",
    "fr": r"à(?: la)?|au|aux|en|chez|vers|depuis",
    "it": r"a|in|da|dal|dalla|al|alla",
    "pt": r"em|n[oa]|para|desde",
    "nl": r"in|uit|naar|te|bij",
    "pl": r"we?|ze?|do|na",
    "ru": r"во?|на|из",
}
_STREETS = re.compile(
    r"\b(?:street|road|avenue|lane|rue|quai|calle|plaza|via|piazza|rua|avenida|ulica|ulicy|улиц[аеы])\b"
    r"|\w(?:straße|strasse|gasse|straat|gracht|laan|plein)\b|[市区區路街町駅县縣省村州]|في \w|住[在むん]",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"\d|[一二三四五六七八九十百千][万千百十个個歳岁円元度]")


def answer_types(question: str, *, language: str) -> frozenset[AnswerType]:
    """The kinds of words that may answer *question*; none where it may be anything."""
    found: set[AnswerType] = set()
    if _ASKS_NUMBER.search(question) or not _HAVE_NUMBERS.isdisjoint(concepts(question, language=language)):
        found.add("number")
    if _ASKS_NAME.search(question):
        found.add("name")
    if _ASKS_PLACE.search(question):
        found.add("place")
    return frozenset(found)


def held_types(text: str, *, language: str) -> frozenset[AnswerType]:
    """The kinds of such words that *text* holds. Names and places are seen where a capital inside means one."""
    found: set[AnswerType] = set()
    if _NUMBER.search(text):
        found.add("number")
    if proper_nouns(text, language=language):
        found.add("name")
    if _STREETS.search(text) or _names_place(text, language):
        found.add("place")
    return frozenset(found)


def _names_place(text: str, language: str) -> bool:
    """Whether a capital follows a word such as "in", and is not that of a month or a weekday."""
    tag = re.split(r"[-_]", language.casefold(), maxsplit=1)[0]
    named = _before_name(_BEFORE_PLACES.get(tag, _BEFORE_PLACES["en"])).finditer(text)
    return any(found[1].istitle() and not days_named(found[0]) for found in named)


@cache
def _before_name(words: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)(?i:{words}) ([^\W\d_]{{2,40}})")
