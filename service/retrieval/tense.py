"""
The tense of a question: does it ask what was and is over, or what is yet to come?

Closed classes of words by language, since "was" is "what" in German. A name or a noun that ends as a verb of the past
does ("Павел", "szkoła", "geld") is not one.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal

from consolidation.text.language import primary_subtag
from consolidation.text.speech_acts import is_question
from consolidation.text.words import both_ends, words_of

_QUERIES = 32  # each phase asks of the same few

type Tense = Literal["past", "future", "unknown"]

# What is over, whatever verb stands beside it.
_OVER = {
    "en": r"did|was|were|had|used to|ago|yesterday|in the end|originally|at first|first",
    "de": r"gestern|damals|früher|ursprünglich",
    "es": r"ayer|antes|al principio",
    "fr": r"hier|avant",
    "it": r"ieri|prima|all'inizio",
    "pt": r"ontem|antes|no início",
    "nl": r"gisteren|vroeger",
    "pl": r"wczoraj|najpierw",
    "ru": r"вчера|сначала",
    "zh": r"之前|当时|昨天",
    "ja": r"前に|昨日",
    "ar": r"أمس|سابقا",
}
# Between "has" and its participle no noun stands: "est le nom du", "ho un gatto".
_FRENCH_BETWEEN = (
    r"(?: (?!(?:l[ea]s?|une?|d[eu]s?|au|aux|m(?:on|a|es)|t(?:on|a|es)|s(?:on|a|es)|notre|votre|leur|ce|cet|cette|ces"
    r"|à|en|dans|qui|que)\b)\w+){0,2}"
)
_ITALIAN_BETWEEN = (
    r"(?:(?!(?:il|lo|la|i|gli|le|un|uno|una|mi[ao]|miei|mie|tu[ao]|suo[i]?|sua|nostr[aoie]|quest[aoie]|quell[aoie]"
    r"|del|della|al|nel)\b)\w+ )?"
)
_POLISH_NOUNS = (
    r"je[śs]li|czyli|chwili|my[śs]li|niedzieli|soli|roli|woli|szko[łl][ay]|ma[łl][aoy]|bia[łl][aoy]|ca[łl][aoy]"
    r"|mi[łl][aoy]|ciep[łl][aoy]|sta[łl][aoy]|wspania[łl][aoy]|doskona[łl][aoy]|si[łl][ay]|ska[łl][ay]"
    r"|cia[łl][ao]|ko[łl][ao]|oko[łl]o|czo[łl]o|mas[łl]o|myd[łl]o|krzes[łl][ao]|has[łl][ao]|[śs]wiat[łl][ao]"
    r"|[źz]r[óo]d[łl][ao]|dzie[łl][ao]|gard[łl]o|tabeli|kolacji"
)
_RUSSIAN_NOUNS = (
    r"если|школ[аы]|стул[аы]?|стол[аы]?|отдел[аы]?|дел[ао]|тело|тела|зал[аы]?|угол|пол[аы]?|числ[ао]|мало|около|начала?"
    r"|начало|масл[ао]|мыло|одеял[ао]|зеркал[ао]|кресл[ао]|сел[ао]|весло|тепло|сил[аы]?|скала|журнал[аы]?|канал[аы]?"
    r"|материал[аы]?|персонал[а]?|футбол[а]?|капитал[а]?|сериал[аы]?|подвал[аы]?|вокзал[аы]?|родители|учители|недели"
    r"|цели|модели|мебели|автомобили|рубли|пароли|правил[ао]|пчела|металл[аы]?"
    # Medicines: "сколько рамиприла".
    r"|\w{2,12}прила?|\w{2,12}пролола?|\w{2,12}тамола?|\w{2,12}празола?|\w{2,12}сартана?"
    # Names, however they are written.
    r"|михаил[а]?|павел|кирилл[а]?|даниил[а]?|самуил[а]?|гавриил[а]?|карл[а]?|алла|камилл?а|стелла|белла|нелли|лейла"
)
_PORTUGUESE_NOUNS = (
    r"estou|este|neste|deste|nordeste|sudeste|noroeste|sudoeste|leste|oeste|teste|peste|celeste|haste|desgaste|contraste"
    r"|oitava|brava|sidnei|vanderlei|wanderlei|claudinei|valdinei|moscou"
)
_DUTCH_NOUNS = (
    r"gewicht|gezicht|gedicht|gerecht|geslacht|geluid|gebied|gezond|ge\w+heid|gebit|gevecht|gedrag|geheugen|gezinnen"
    r"|gebouwen|gedachten?|gevoelens|gesprekken"
)
_PAST_FORMS = {
    "de": (
        r"war(?:en|st|t)?|hatte\w*|wurden?|gab|ging\w*|kam(?:en|st)?|wollte\w*|sollte\w*"
        r"|(?:hab|habe|haben|habt|hat|hast|bin|bist|ist|sind|seid)\b.{0,80}\b(?:\w*ge\w{2,}(?:t|en)|\w+iert"
        r"|(?:be|ver|er|ent|zer)\w{2,}(?:t|en)|her)"
    ),
    "es": (
        r"fu[ei]\w*|era[ns]?|hubo|hab[ií]a\w*|ten[ií]a\w*|quer[ií]a\w*|dij\w+|hic\w+|hizo|di[oó]|diste|puso|pus\w+"
        r"|tuv\w+"
        r"|vin[oe]\w*|estuv\w+|(?!(?:existe|triste|consiste|insiste|asiste)(?!\w))\w{2,}(?:aron|ieron|aste|iste|aba[ns]?)"
        r"|(?!(?:(?:por)?qué|café|bebé|josé|rené|noé|puré|chalé)(?!\w))\w{2,}(?:ó|é)|acab\w+"
    ),
    "fr": (
        r"étai\w+|avai\w+|(?:ai|as|a|avons|avez|ont|suis|est|sommes|sont)(?:[- ](?:t[- ])?(?:je|tu|il"
        rf"|elle|on|nous|vous|ils|elles))?{_FRENCH_BETWEEN} "
        r"(?!(?:du|au|tu|lui|qui|ici|aussi|mais|avis|prix|amis?|café|plus|depuis|quelque|chaque|presque|rue|tous"
        r"|quoi|moi|toi|nous|vous|sous|midi|lundis?|mardis?|mercredis?|jeudis?|vendredis?|samedis?)\b)\w*(?:é|ée|és|ées|i|is|it|u|us|ue)"
    ),
    "it": (
        r"era(?:no)?|avev\w+|volev\w+|\w{3,}(?:ava|eva|iva)(?:no|mo)?"
        rf"|(?:ho|hai|ha|abbiamo|avete|hanno|sono|sei|è|siamo) {_ITALIAN_BETWEEN}"
        r"(?!(?:questo|adesso|spesso|tutto|stesso|gatto|piatto|biglietto|posto)\b)"
        r"\w*(?:ato|uto|ito|tto|so|sto|rto|ata|uta|ita|ati|uti|iti)"
    ),
    "pt": (
        r"foi|foram|fui|fomos|era[m]?|tinha\w*|tive\w*|disse\w*|fiz\w*|fez"
        rf"|(?!(?:{_PORTUGUESE_NOUNS})(?!\w))\w{{2,}}(?:aram|eram|ou|ava[m]?|aste|este|ei)"
        r"|saí|saiu|caí|caiu|vi|li"
        r"|(?:vend|com|beb|perd|receb|aprend|escrev|conhec|nasc|esquec|escolh|ped|decid|ouv|part|morr)"
        r"(?:i|eu|iu|emos)"
    ),
    "nl": (
        r"was|waren|had(?:den)?|werd(?:en)?"
        rf"|(?:heb|hebben|heeft|ben|is|zijn)\b.{{0,80}}\b(?!(?:{_DUTCH_NOUNS})(?!\w))ge(?:\w{{2,}}(?:d|t|en)|gaan|daan|zien)"
    ),
    "pl": (rf"(?!(?:{_POLISH_NOUNS})(?!\w))\w{{2,}}(?:łem|łam|łeś|łaś|liśmy|łyśmy|ła|ło|li|ły)|był|miał"),
    "ru": rf"(?!(?:{_RUSSIAN_NOUNS})(?!\w))\w{{2,}}л(?:ась|ись|ось|ся|а|и|о)?",
    # 了解, 为了, 过敏 and 通过 are words of their own.
    "zh": r"(?<![为除])了(?!解)|(?<![超通经难不])过(?![敏夜年节期户])",
    # あなた, わたし, また, 食べたい
    "ja": r"(?<![なわま])た(?![いくめぶりちし])(?:の|か|っけ)?|なった|だった|わった|まった",
    "ar": r"كان\w*|كن(?:ت|نا|ا)\w{0,2}|قلت|فعلت",
}
# What holds now, whatever else looks like the past: who lives somewhere, works, is called, costs.
_PRESENT = {
    "es": r"viven?|trabajan?|llaman?|cuestan?|estudian?",
    "fr": r"habitent?|travaillent?|vit|vivent|appellent?|coûtent?",
    "it": r"abitano?|lavorano?|vive|vivono|chiamano?|costano?|studiano?",
    "pt": r"moram?|trabalham?|vivem?|chamam?|custam?|estudam?",
    "nl": r"woont|wonen|werkt|werken|heet|heten|kost|kosten",
    "pl": r"mieszka(?:ją|ja)?|pracuj[eąa]|nazywa(?:ją|ja)?|kosztuj[eąa]|uczy|studiuj[eąa]",
    "ru": r"жив[её]т|живут|работа(?:ет|ют)|зовут|учится|стоит|стоят|называется",
}
# More of the past, of which less depends: whether the August of a question is the last one or the next.
_PAST_BESIDE_A_DATE = {
    "en": (
        r"(?!(?:hundred|indeed|married|engaged|excited|invited|supposed|scheduled|planned|booked|retired)\b)\w{3,}ed"
        r"|went|came|said|told|made|took|saw|bought|ate|met|gave|wrote|found|left|felt|began|became|brought|kept|lost"
        r"|paid|ran|sold|sent|slept|spent|spoke|thought|won|wore|broke|chose|drove|fell|flew|grew|knew|heard|held|been"
        r"|done|gone|seen|(?<!have i )(?<!have we )(?<!'ve )(?<!i )(?<!we )got"
    ),
    "de": (
        r"(?:passier|wohn|arbeitet|kauf|mach|sag|erzähl|besuch|lern|feier|reis|koch|spiel)te\w*|fuhr\w*|blieb\w*|traf\w*"
        r"|a(?:ß|ss)\w*|sah(?:en|st)?|schrieb\w*|zog(?:en|st)?|flog\w*|geschah|schlief\w*"
    ),
    "es": r"(?:he|has|ha|hemos|han|habéis) (?:\w+ )?\w+(?:ado|ido|cho|sto|rto)|\w{2,}í",
    "pt": r"estive\w*|houve|aconteceu",
    "nl": (
        r"gebeurde\w*|deed|deden|ging(?:en)?|kwam(?:en)?|zei(?:den)?|vertelde\w*|woonde\w*|werkte\w*|kocht\w*|zag(?:en)?"
        r"|kreeg|kregen|reisde\w*|vierde\w*|at|aten|dronk\w*|las|lazen|schreef|schreven"
        r"|bleef|bleven|sliep\w*|nam|namen|gaf|gaven"
    ),
    "ar": r"(?:ماذا|أين|كم|كيف|لماذا) (?!س)\w{2,}ت(?:ه|ها|م)?|حدث\w*|ذهبت|سافرت|اشتريت|زرت",
}
_LAST_ONE = (
    r"\b(?:last|letzte[nrms]?|vergangene[nrms]?|vorige[nrms]?|afgelopen) (?=jan|feb|m[aä]r|maa|apr|ma[iy]|mei|jun|jul"
    r"|aug|sep|o[ck]t|nov|de[cz])"
    r"|\b(?:pasad[oa]|passad[oa]|derni[eè]re?|passée?|scors[oa]|прошл\w+|zesz[łl]\w+|ubieg[łl]\w+|minion\w+)\b"
    r"|الماضي|去年|昨年|上个月|上個月|先月"
)
_TO_COME = {
    "en": (
        r"will|won't|\w+'ll|shall|going to|gonna|upcoming|coming|next|due|(?:am|are|is|\w+'s|\w+'re|i'm)"
        r" (?:(?:not|n't|i|we|you|he|she|they|there|anything|something|anyone|my \w+|our \w+|[\w-]+) )?\w{2,}ing"
        r"|(?:do|does|don't|doesn't) (?:i|we|you|he|she|they|my|our|the)"
    ),
    "de": r"werde[nt]?|wirst|wird|nächste[nrms]?|kommende[nrms]?|vorhaben|ansteht",
    "es": r"voy a|va a|van a|vamos a|próxim\w+|que viene|\w{2,}(?:ré|rás|rá|remos|rán)",
    "fr": r"va|vais|vas|vont|allons|allez|prochain\w*|(?:i|\w{2,})(?:rai|ras|ra|rons|rez|ront)",
    "it": r"prossim\w+|\w{2,}(?:rò|rai|rà|remo|ranno)",
    "pt": r"vou|vai|vão|vamos|próxim\w+|que vem|\w{2,}(?:rei|rá|remos|rão)",
    "nl": r"zal|zullen|gaan|ga|gaat|volgende?|komende?",
    "pl": r"będ\w+|bed[ęea]\w*|przysz[łl]\w+|nast[ęe]pn\w+|najbli[żz]sz\w+",
    "ru": r"буд\w+|следующ\w+|ближайш\w+|предсто\w+",
    "zh": r"会|將|将|打算|明年|要去|要做",
    "ja": r"予定|つもり|来年|今度",
    "ar": r"سوف|س[أنيت]\w{3,}|القادم\w*|المقبل\w*",
}
# What was planned then may be yet to come: "what did we book for August".
_PLANS = (
    r"\b(?:plan\w*|book|booked|schedul\w*|arrange\w*|reserv\w*|appointments?|termine?|gebucht|geplant|vereinbart"
    r"|eingeladen|eingeteilt|angemeldet|verabredet|invit\w*|convid\w+|uitgenodigd|zaprosz\w+|приглаш\w+"
    r"|citas?|rendez-vous|réserv\w*|prév[ou]\w*|prenotat\w*|appuntament\w*|marc(?:ad[oa]s?|amos|ou|ei)|afspra\w+"
    r"|geboekt|gepland|umówi\w*|umowi\w*|zaplanow\w*|zarezerwow\w*|wizyt\w*|заплан\w*|заброн\w*|записа\w*)\b"
    r"|预约|预订|计划|安排|予約|予定|حجز|موعد"
)


def is_about_past(text: str, *, language: str) -> bool:
    """Whether *text* asks what was and is over; names with a capital letter inside of it do not count."""
    tag, text = primary_subtag(language), both_ends(text)
    low = _low(text)
    if _found(_OVER.get(tag, _OVER["en"]), low):
        return True
    forms = _PAST_FORMS.get(tag)
    if forms is None or (tag in _PRESENT and _found(_PRESENT[tag], low) and is_question(text)):
        return False
    return _found(forms, _low(_without_capitals(text)))


@lru_cache(maxsize=_QUERIES)
def tense_beside_date(text: str, *, language: str) -> Tense:
    """The tense of a text that names a day or a month."""
    tag, low = primary_subtag(language), _low(both_ends(text))
    if re.search(_LAST_ONE, low) or is_about_past(text, language=language):
        return "past"
    if tag in _TO_COME and _found(_TO_COME[tag], low):
        return "future"
    return "past" if tag in _PAST_BESIDE_A_DATE and _found(_PAST_BESIDE_A_DATE[tag], low) else "unknown"


def is_about_plans(text: str) -> bool:
    """Whether *text* is about what was agreed for a time."""
    return re.search(_PLANS, both_ends(text), re.IGNORECASE) is not None


def _low(text: str) -> str:
    return text.casefold().replace("’", "'")


def _without_capitals(text: str) -> str:
    """*text* without the words inside of it that begin with a capital: names, and German nouns."""
    if text.isupper():
        return text
    words = text.split()
    return " ".join([*words[:1], *(word for word in words[1:] if not word.lstrip("\"'“„«([¿¡")[:1].isupper())])


def _found(pattern: str, low: str) -> bool:
    return words_of(pattern).search(low) is not None
