"""
What kind of word answers a question: a number ("how much"), a name ("who", "what is … called"), that of who asks ("what
is my name"), a place ("where"), a day of the week or an hour ("which evening"), or an occupation ("what does she do for
a living").

A turn that holds such a word answers it sooner than one that only speaks of the same. Question words are a closed class
in each language of ``consolidation.text.speech_acts``.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import Literal

from consolidation.text.concepts import concepts
from consolidation.text.dates import asks_when, days_named, names_weekday
from consolidation.text.introductions import asks_own_name, is_of_own_name
from consolidation.text.language import primary_subtag
from consolidation.text.names import proper_nouns
from consolidation.text.occupations import names_occupation
from consolidation.text.speech_acts import known, told
from consolidation.text.words import content_stems

_QUERIES = 32  # each phase asks of the same few

type AnswerType = Literal["number", "name", "own_name", "place", "day", "occupation"]

_ASKS_NUMBER = re.compile(
    r"\bhow (?:much|many|old|long|far|big|high|tall|often|heavy|late|strong)\b|\b(?:dos(?:e|age|is|ierung)|strength)\b"
    r"|\bstärke\b|\bdosi\b|\bdosagem\b|\bdawk[aęi]\b|\bдоз[аыу]\b|剂量|用量|جرعة"
    r"|\bwhat (?:time|number|score|percentage|size|age)\b"
    r"|\bwie ?(?:viele?n?|hoch|alt|lange?|weit|groß|oft|schwer|spät)\b|\bcu[aá]nt[oa]s?\b"
    r"|\bq(?:u[eé])? (?:edad|hora|número|numero|talla|nota)\b"
    r"|\bcombien\b|\bquel(?:le)? (?:âge|heure|taille|numéro|note)\b|\bquant(?:[oa]s?|[ie])\b|\bche (?:ora|età"
    r"|numero)\b"
    r"|\bque (?:horas|idade|número|tamanho)\b|\bhoe ?(?:veel|lang|oud|ver|groot|vaak|hoog|laat)\b|сколько"
    r"|\bile\b|ilu\b"
    r"|多少|几[个岁点次]|幾|いくら|いくつ|何(?:歳|時|回|人|個|枚|本|円)|どのくらい|كم\b",
    re.IGNORECASE,
)
_ASKS_NAME = re.compile(
    r"\b(?:who|whose|whom)\b|\bnames?\b|\bcalled\b|\bwe(?:r|n|m|ssen)\b|\bhei(?:ß|ss)(?:t|en)\b|\bnamen?\b"
    r"|\bqui[eé]n(?:es)?\b"
    r"|\bllama|\bnombre\b|\b(?:se|me|te|como) chama\b|\bqui\b|\bappelle|\bnom\b|\bchi\b|\bchiama|\bnome\b|\bquem\b"
    r"|\bwie\b(?= is\b| heeft\b| was\b)"
    r"|\bheet\b|\bnaam\b|\bкто\b|\bкого\b|зовут|\bkto\b|\bkogo\b|nazywa|谁|誰|叫什么|だれ|名前|\bمن هو\b|\bاسم",
    re.IGNORECASE,
)
_ASKS_PLACE = re.compile(
    r"\bwhere(?:abouts)?\b|\baddress\b|\b(?:which|what) (?:\w+ )?(?:city|town|village|country|street|place|area"
    r"|part of"
    r"|company|firm|hospital|clinic|school|university|college|bank|airport|station|church|island|hotel|restaurant|bar"
    r"|cafe|café|shop|home)s?\b"
    r"|\bwo(?:her|hin)?\b|\bwelche[mnrs]? (?:stadt|ort|dorf|land|straße|strasse|gegend|stadtteil|firma|krankenhaus"
    r"|klinik|schule|uni|bank|flughafen|bahnhof|kirche|insel|hotel|restaurant|laden)(?:en?|s)?\b"
    r"|\b(?:a|de|por)?dónde\b|^\W*(?:(?:y|pero|oye|a|de|por|en) ?)?donde\b|\bdirecci[óo]n\b|\b(?:en |a "
    r"|de )?qué (?:ciudad|pueblo|país|calle|sitio|lugar|barrio|empresa"
    r"|hospital|clínica|colegio|escuela|universidad|banco|aeropuerto|estación|iglesia|isla|hotel|restaurante"
    r"|tienda)s?\b"
    r"|\boù\b|\badresses?\b|\bquel(?:le)?s? (?:ville|village|pays|rue|endroit|lieu|quartier|entreprise|boîte|hôpital"
    r"|clinique|école|lycée|fac|banque|aéroport|gare|église|île|hôtel|restaurant|magasin)s?\b"
    r"|\bdove\b|\bindirizzo\b|\b(?:che|quale) (?:città|paese|via|posto|quartiere|ditta|azienda|ospedale|scuola|banca"
    r"|aeroporto|stazione|chiesa|isola|albergo|ristorante|negozio)\b"
    r"|\b(?:a|de)?onde\b|\bcad[êe]\b|\bendere[çc]o\b|\bque (?:cidade|vila|país|rua|lugar|bairro|empresa|hospital|escola"
    r"|banco|aeroporto|estação|igreja|ilha|hotel|restaurante|loja)\b"
    r"|\bwaar(?:heen|vandaan)?\b|\bwelke? (?:stad|dorp|land|straat|plek|buurt|bedrijf|ziekenhuis|school|bank|vliegveld"
    r"|station|kerk|eiland|hotel|restaurant|winkel)\b"
    r"|\bgdzie\b|\bskąd\b|\bdokąd\b|\badres(?:em|u)?\b|\bjaki(?:m|ej|e)? (?:miasto|mieście|wsi|kraju|ulicy|firmie"
    r"|szpitalu|szkole|banku|lotnisku|hotelu|restauracji|sklepie)\b"
    r"|\bгде\b|\bкуда\b|\bоткуда\b|\bадрес|\bкако[йм]\w* (?:город|стран|улиц|фирм|компани|больниц|школ|банк|аэропорт)"
    r"|哪里|哪儿|哪裡|地址|哪[个個家所座条間]|どこ|住所|どの(?:町|街|駅|店|国)|أين|عنوان",
    re.IGNORECASE,
)
_ASKS_DAY = re.compile(
    r"\b(?:what|which|wh[iao]t) (?:days?|evenings?|nights?|mornings?|afternoons?|weekdays?|hours?|time)\b"
    r"|\bwelche[mnrs]? (?:tag|abend|wochentag|morgen|vormittag|nachmittag|nacht|uhrzeit)(?:e|en)?\b|\bwann\b"
    r"|\bq(?:u[eé])? (?:d[ií]as?|tardes?|noches?|hora)\b|\bque dias?\b|\bquel(?:le)?s? (?:jours?|soirs?|heures?)\b"
    r"|\b(?:che|quale|quali) (?:giorn[oi]|ser[ae]|ora)\b|\bque (?:dias?|noites?|tardes?|horas?)\b"
    r"|\b(?:welke|wat voor) (?:dag(?:en)?|avond|ochtend)\b|\bhoe laat\b|\b(?:jaki|który|które|jakie) (?:dzień|dni)\b"
    r"|\bo której\b|\b(?:какой|какие|каким|какие) д(?:ень|ни|ням)\b"
    r"|во сколько|星期几|周几|礼拜几|几点|何曜日|何時|أي يوم",
    re.IGNORECASE,
)
_ASKS_OCCUPATION = re.compile(
    r"\bwhat (?:do|does|did|is|was) .{1,40}\b(?:do for (?:a living|work|a job)|work (?:as|at)|working as)\b"
    r"|\b(?:job|profession|occupation|trade|line of work)\b|\bberuf(?:lich)?\b"
    r"|\barbeite[nt]? .{0,30}\bals was\b|\bals was\b"
    r"|\b(?:wovon|wom?it) (?:lebt|verdient)\b|\bse dedica[nb]?|\ben q(?:u[eé])? trabaj[ao]|\bprofesi[oó]n\b|\boficio\b"
    r"|\b(?:fait|fais|font|faisait) .{0,30}\b(?:dans la vie|comme (?:métier|travail|boulot))\b|\bmétier\b"
    r"|\bche (?:lavoro|mestiere)\b|\bsi occupa\b|\bprofessione\b|\b[nd]a vida\b|\bprofiss(?:ão|ionalmente)\b"
    r"|\btrabalh[ao] (?:em|com|de) (?:o )?qu[eê]\b"
    r"|\b(?:em|com|de) (?:o )?qu[eê] (?:é que )?(?:\w{1,20} ){0,3}trabalh[ao]\b"
    r"|\bwat voor werk\b|\bberoep\b|\bzajmuje\b|\bzawód\b|\bz zawodu\b|\bкем (?:\w{1,20} ){0,3}работа(?:ет|ю)\b"
    r"|\bпрофесси[яи]\b"
    r"|чем занимается"
    r"|什么工作|职业|做什么的|何の仕事|職業|お仕事|仕事は何|ماذا [يتأ]عمل|مهن[ةت]|وظيف[ةت]|\bما (?:هو )?عملي\b",
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
    "pt": r"em|n[oa]|para|pr[ao]|desde",
    "nl": r"in|uit|naar|te|bij",
    "pl": r"we?|ze?|do|na",
    "ru": r"во?|на|из",
}
_STREETS = re.compile(
    r"\b(?:street|road|avenue|lane|highway|hwy|boulevard|blvd|rue|quai|chemin|impasse|calle|avda|carrer|plaza|via|viale"
    r"|vicolo|piazza|rua|avenida|travessa|ulic[aęy]|alej[aęi]|plac(?= [^\W\d_])|улиц[аеы]|проспект|переул\w+|шоссе"
    r"|площад[ьи])\b"
    r"|\w(?:straße|strasse|gasse|straat|gracht|laan|plein)\b|(?:\b|\w)str\.? \d|\w(?:weg|allee|platz|ufer|damm|kade"
    r"|singel|dijk"
    r"|steeg) \d"
    r"|\b(?:ul|str|av|bd|ул)\. ?[^\W\d_]|\bc/ ?\w|شارع|[市区區路街町駅县縣省村州]|في \w|住[在むん]",
    re.IGNORECASE,
)
# A number and names before a word that means a street there alone: "12 Mill Close", "4 Elm Rd".
_HOUSE = re.compile(
    r"\b\d{1,4}[A-Za-z]? (?:[A-Z][\w'’]{1,20} ){1,3}"
    r"(?:[Ss]t|[Rr]d|[Aa]ve|Dr|Ct|Close|Court|Crescent|Drive|Gardens|Grove|Place|Square|Terrace|Way)\b"
    # … and in small letters
    r"|\b\d{1,4}[a-z]? (?!(?:of|in|on|at|the|a|my|by|from|to)\b)[a-z]{3,20} "
    r"(?:(?!(?:of|in|on|at|the|a|my|by|from|to)\b)[a-z]{3,20} )?(?:rd|ave|crescent|gardens|grove|terrace)\b"
)
_HOUR = re.compile(
    r"(?<![\d.,])\d{1,2}(?:[:.]\d\d)?\s?(?:[ap]\.?m\b|uhr\b|h\b|ч\b|[点點時])|(?<![\d.,])\d{1,2}:\d\d\b", re.IGNORECASE
)
_NUMBER = re.compile(r"\d|[一二三四五六七八九十百千][万千百十个個歳岁円元度]")


@lru_cache(maxsize=_QUERIES)
def answer_types(question: str, *, language: str) -> frozenset[AnswerType]:
    """The kinds of words that may answer *question*; none where it may be anything."""
    found: set[AnswerType] = set()
    if _ASKS_NUMBER.search(question) or not _HAVE_NUMBERS.isdisjoint(concepts(question, language=language)):
        found.add("number")
    if asks_own_name(question):
        found.add("own_name")
    elif _ASKS_NAME.search(question):
        found.add("name")
    if _ASKS_PLACE.search(question):
        found.add("place")
    if _ASKS_DAY.search(question):
        found.add("day")
    if _ASKS_OCCUPATION.search(question):
        found.add("occupation")
    return frozenset(found)


def held_types(text: str, *, language: str) -> frozenset[AnswerType]:
    """The kinds of such words that *text* holds. Names and places are seen where a capital inside means one."""
    found: set[AnswerType] = set()
    if _NUMBER.search(text):
        found.add("number")
    if proper_nouns(text, language=language):
        found.add("name")
    if is_of_own_name(text):
        found.add("own_name")
    if _STREETS.search(text) or _HOUSE.search(text) or _names_place(text, language):
        found.add("place")
    if names_weekday(text) or _HOUR.search(text):
        found.add("day")
    if names_occupation(text, language=language):
        found.add("occupation")
    return frozenset(found)


def answers(answer: str, *, question: str, language: str) -> bool:
    """
    Whether *answer* tells something, even beside what its speaker does not know: "Penicillin. I know of no other."

    What is told comes first, and holds what the *question* asks for, or says something new of what it speaks of.
    """
    before = known(answer)
    if before is None:
        return True
    asked, wanted = content_stems(question, language=language), answer_types(question, language=language)
    if asks_when(question):
        wanted |= {"number", "day"}
    for sentence in told(before, language=language):
        said = content_stems(sentence, language=language)
        holds = held_types(sentence, language=language) & wanted if wanted else said & asked and said - asked
        if holds:
            return True
    return False


def _names_place(text: str, language: str) -> bool:
    """Whether a capital follows a word such as "in", and is not that of a month or a weekday."""
    tag = primary_subtag(language)
    named = _before_name(_BEFORE_PLACES.get(tag, _BEFORE_PLACES["en"])).finditer(text)
    return any(found[1].istitle() and not days_named(found[0]) for found in named)


@cache
def _before_name(words: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)(?i:{words}) ([^\W\d_]{{2,40}})")
