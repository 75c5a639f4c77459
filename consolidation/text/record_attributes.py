"""
What stands in a person's papers: a blood group, a shoe size, a birthday, a birthplace, a surname, a school.

A question for one is answered only by a sentence that names it or holds its value, not by whatever else is near to
"blood group". So where none was told, there is nothing to remember. Each attribute has one pattern for
its names in the languages of ``consolidation.text.concepts``, and one for values that stand without the name.
"""

from __future__ import annotations

import re
from functools import cache

from consolidation.text.words import accents_optional

# How old somebody gets: in numbers, or in the words of a child's age.
_YEARS = (
    r"\d{1,3}|ein|eins|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|elf|zwölf|\w{3,6}(?:zehn|zig)|un|deux|trois"
    r"|quatre"
    r"|cinq|six|sept|huit|neuf|dix|onze|douze|uno|due|tre|quattro|cinque|sei|sette|otto|nove|dieci|dois|três|quatro"
    r"|cinco"
    r"|seis|sete|oito|dez|een|één|twee|drie|vijf|zes|zeven|negen|tien|elf|twaalf|\w{3,6}(?:tien|tig)"
)
_NAMES = {
    "blood_group": (
        r"\bblood ?(?:group|type)|\bblutgruppe|\b(?:grupo|tipo) (?:sangu[ií]neo|de sangre)|\bgroupe sanguin"
        r"|\bgruppo sanguigno|\bbloedgroep|\bgrup\w+ krwi|групп\w+ крови|血型|血液型|(?:فصيلة|زمرة) ?(?:ال)?دم"
    ),
    "shoe_size": (
        r"\bshoe[- ]?size|\bsize (?:of )?(?:my |of )?shoes?\b|\bsize shoes?\b|\bnumber of shoes?\b|\bschuhgr(?:ö"
        r"|oe)(?:ß|ss)e"
        r"|\b(?:número|numero) (?:de )?(?:pie|zapatos?|calzado|scarpe|sapatos?)\b|\bcalz[oa]s?\b|\bcalç[oa]\b"
        r"|\bpointure"
        r"|\bschoenmaat|\brozmiar\w* but|размер\w* (?:обуви|ног)|鞋码|鞋子?[几多]|靴のサイズ|مقاس (?:ال)?حذا"
    ),
    "star_sign": (
        r"\bstar ?sign|\bzodiac|\bhoroscope|\bsternzeichen|\bhoroskop|\bsigno (?:del zod|zodiacal|del hor)"
        r"|\bhor[oó]scopo"
        r"|\bsigne (?:astro|du zod)|\bsegno zodiacale|\boroscopo|\bsterrenbeeld|\bznak\w* zodiaku"
        r"|знак\w* зодиака|星座|برج"
    ),
    "birthday": (
        r"\b(?:birth-?|b-?)days?\b|\bbirthdates?\b|\bdate of birth|\b(?:when|what (?:day|date|year)) (?:was|were"
        r"|am) (?:\w+ ){1,4}born\b|\bgeburtstag"
        r"|\bgeburtsdatum|\bwann (?:\w+ ){1,4}geboren\b|\bcumple(?:años)?\b|\bfecha de nacimiento"
        r"|\bcuándo nac[ií]|\banniversaires?\b"
        r"|\bdate de naissance|\bcompleann|\bdata di nascita|\baniversário\b"
        r"|\baniversario d[ao]s?\b|\bmeu aniversario\b|\bniver\b"
        r"|\bquando (?:eu )?nasci\b|\bdata de nascimento|\bverjaardag"
        r"|\bjarig\b|\burodzin|\bdat\w+ urodzenia|день рожд|дня рожд|дне рожд|когда (?:\w+ ){0,3}родил|生日|誕生日"
        r"|(?:عيد|تاريخ) ?ميلاد"
    ),
    "surname": (
        r"\bsurname|\blast name|\bfamily name|\bmaiden name|\bsecond name|\bnachname|\bfamilienname"
        r"|\bmädchenname|\bapellidos?\b"
        r"|\bnom de (?:famille|jeune fille)|\bcognome|\bsobrenome|\bapelido\b|\bachternaam|\bnazwisk|фамили|姓什么"
        r"|贵姓|苗字|名字は"
        r"|(?:اسم|لقب) ?(?:ال)?عائلة"
    ),
    "password": (
        r"\bpasswor[dt]|\bpasscode|\bpass ?phrase|\bpin (?:code|number)|\bkennwort|\bwlan[- ]?(?:schlüssel|code)"
        r"|\bwi-?fi (?:code|key)"
        r"|\bcontraseña|\bclave (?:del|de la) (?:wi-?fi|red)|\bmot de passe|\bcode (?:wi-?fi|pin)"
        r"|\bpalavra[- ]passe|\bsenha\b"
        r"|\bwachtwoord|\bhasło|парол|密码|パスワード|暗証番号|كلمة ?(?:ال)?(?:سر|مرور)"
    ),
    "id_number": (
        r"\b(?:phone|mobile|telephone|insurance|passport|licen[cs]e|student|account|social security|id|customer"
        r"|tax|member(?:ship)?"
        r"|order|booking|registration|bank|national insurance|nhs|policy|serial) (?:number|no\b|plate)"
        r"|\bnumber ?plate|\bplate number"
        r"|\b(?:telefon|handy|versicherungs|ausweis|pass|matrikel|konto|kunden|steuer|mitglieds"
        r"|sozialversicherungs)nummer|\biban\b"
        r"|\bkennzeichen\b|\bn[uú]mero (?:de (?:mi |tu |su |la )?|del |do meu |da minha )?(?:tel[eé]fono"
        r"|m[oó]vil|pasaporte|cuenta|seguro"
        r"|socio|cliente|dni|telefone"
        r"|telemóvel|celular|passaporte|conta|identifica\w+|alumn\w+|estudiante)|\bcpf\b|\bmeu rg\b"
        r"|\bmatrícula\b|\bmatricule\b|\bplaque d'immatriculation"
        r"|\bnuméro (?:de )?(?:téléphone|portable|passeport|compte|sécu\w*|client|carte|série|étudiant)"
        r"|\bnumero di (?:telefono"
        r"|cellulare|passaporto|conto|matricola|documento)|\btarga\b|\bcodice fiscale|\b(?:telefoon|paspoort"
        r"|rekening|burgerservice"
        r"|klant|kenteken)\w*(?:nummer|plaat)|\bkenteken\b|\bnumer\w* (?:telefonu|paszportu|konta|dowodu|pesel)"
        r"|номер\w* (?:телефон"
        r"|паспорт|сч[её]т|полис)|(?:电话|手机|护照|身份证|账)号|(?:電話|口座|会員)番号"
        r"|رقم (?:ال)?(?:هاتف|جواز|حساب|هوية)"
    ),
    "birthplace": (
        r"\bbirth ?place|\bplace of birth|\b(?:where|(?:which|what) (?:town|city|country|village|hospital"
        r"|place)) (?:was|were"
        r"|am) (?:\w+ ){1,4}born\b|\bgeburts(?:ort|stadt)|\b(?:wo|in welche[mrn] \w+) (?:bin|wurde|ist"
        r"|war) (?:\w+ ){1,4}geboren\b"
        r"|\blugar de nacimiento|\b(?:dónde|donde|en qu[eé] \w+) (?:yo )?nac(?:í|ió)|\blieu de naissance"
        r"|\b(?:où|dans quel(?:le)? \w+) (?:est-ce que )?"
        r"(?:suis-je|je suis|est(?:-elle|-il| \w+)?|elle est|il est) (?:\w+ )?née?\b"
        r"|\bluogo di nascita|\b(?:dove|in che \w+|in quale \w+) (?:sono|è) nat[oa]\b|\blocal de nascimento"
        r"|\b(?:onde|em que \w+) (?:\w+ ){0,3}nasc(?:i|eu)\b|\bgeboorteplaats|\bwaar (?:ben|is"
        r"|werd) (?:\w+ ){1,4}geboren\b"
        r"|\bmiejsce urodzenia|\bgdzie (?:się )?(?:\w+ ){0,2}urodzi|место рождения"
        r"|\bгде (?:\w+ ){0,3}родил|出生地|在哪里?出生"
        r"|どこで生まれ|(?:مكان|محل) (?:ال)?ولاد|أين (?:ولد|وُلد)"
    ),
    "anniversary": (
        r"\b(?:wedding )?anniversar(?:y|ies)\b|\bdate (?:of|did) (?:my|our|i|we) (?:wedding|marriage|get married"
        r"|marry)"
        r"|\bhochzeitstag|\bjahrestag|\baniversario de (?:bodas?|casad)|\banniversaire de mariage"
        r"|\banniversario di (?:matrimonio|nozze)"
        r"|\baniversário de casamento|\btrouwdag|\brocznic\w+ ślubu|годовщин|结婚纪念日|結婚記念日|ذكرى (?:ال)?زواج"
    ),
    "school": (
        r"\b(?:primary|elementary|grade|infant) school|\b(?:which|what) (?:school|college|kindergarten|nursery) did"
        r"|(?<!which )(?<!what )\b(?:high|secondary|middle|grammar) school\b|\bgrundschule|\b(?:welche[rn]?"
        r"|was für eine) schule (?:war|bin|hab|ging)"
        r"|\b(?:colegio|escuela|instituto|cole) (?:fui|fue|fuiste|iba|estudié)|\bescuela primaria|\bécole primaire"
        r"|\bquelle école (?:j'ai|ai-je|je suis|suis-je)|\bscuol[ae] elementar|\bche scuola ho|\bescola primária"
        r"|\bque (?:escola|colégio) (?:eu )?(?:andei|fui|estudei)|\bensino (?:fundamental|médio)\b"
        r"|\bbasisschool|\b(?:lagere|middelbare) school|\bpodstawówk|\bszkoł\w+ podstawow|\bначальн\w+ школ|小学|中学"
    ),
}
_VALUES = {
    "blood_group": (
        r"\b(?:ab|a|b|o|0)[ -]?(?:rh(?:esus)?[ -]?)?(?:positive?|negative?|positiv\w*|negativ\w*|pos\b|neg\b)"
        r"|\brhesus"
    ),
    "shoe_size": (
        r"\b(?:size|gr(?:ö|oe)(?:ß|ss)e|talla|taille|taglia|maat|numero|número|un) ?(?:3[4-9]|4[0-9]|[4-9]"
        r"|1[0-3])(?:[.,]5| ?½)?\b"
        r"|\b(?:shoes?|boots|trainers|sneakers)\b.{0,20}\b(?:\d{1,2}|six|seven|eight|nine|ten|eleven|twelve)\b"
        r"|\b\d{2}(?:[.,]5)?码|码半"
        r"|\b(?:eu|uk|us) ?(?:3[4-9]|4[0-9]|[4-9]|1[0-3])\b"
    ),
    "surname": (
        r"\b(?:dr|mr|mrs|ms|miss|prof|herr|frau|señora?|sra?|dott(?:oressa)?|pani?|mme|monsieur|madame|mevrouw|meneer"
        r"|dona|seu)\.? (?!who|is|was|and|und|y|et|e|der|die|das|de|la)\w{3,}"
        r"|姓(?![什啥名])[\u4e00-\u9fff]|[\u4e00-\u9fff](?:大夫|老师|老師|医生|醫生|师傅|師傅)"
        r"|[\u4e00-\u9fff]{1,3}(?:先生|さん)"
    ),
    "star_sign": (
        r"\b(?:aries|taurus|gemini|virgo|libra|scorpio|sagittarius|capricorn|aquarius|pisces|widder|stier"
        r"|zwillinge?|krebs|löwe"
        r"|jungfrau|skorpion|schütze|steinbock|wassermann|tauro|géminis|escorpio|sagitario|capricornio|acuario"
        r"|piscis|bélier|taureau"
        r"|gémeaux|verseau|ariete|acquario|gemelli|áries|gêmeos|aquário|waterman|baran|bliźnięta|wodnik)\b"
    ),
    "birthday": (
        r"\bgeboren\b|\bnac(?:í|ió)\b|\bnée?\b|родил[ас]|\bturn(?:s|ed|ing)? (?:\d|one|two|three|four|five|six"
        r"|seven|eight|nine|ten|eleven|twelve|thir|for|fif|six|twen)|\b\d{1,3} "
        r"(?:on|this|next|in|come|the day) (?:mon|tue|wed|thu|fri|sat|sun|jan|feb|mar|apr|may|jun|jul|aug|sep"
        r"|oct|nov|dec|week|the)"
        r"|\bborn\b|\b(?:is|'s|am|i'm|are) \d{1,3} (?:today|tomorrow|the day|th[ie] morra)"
        r"|\bwird (?:\w+ ){0,3}\d{1,3}\b|\bwerde (?:\w+ )"
        r"{0,3}\d{1,3}\b|\bcumpl(?:e|o|ió|í|irá|imos|en)\b|\bha nacido\b|\bfête (?:ses|mes)\b|\bcompie\b"
        r"|\bcompio\b|\bè nat[oa]\b|\bfa (?:\d{1,3}|\w+ant['’a]) ?anni\b"
        r"|\bf[ae]z \d{1,3}\b|\bnasceu\b|\bwordt \d{1,3}\b|\bskończ\w+ (?:\w+ )?\d|\bисполн\w+"
        rf"|\b(?:{_YEARS}) geworden\b|\b(?:a(?:vait|ura)? eu|va avoir|aura|fête(?:ra)?) (?:ses )?(?:{_YEARS}) ans\b"
        rf"|\b(?:ha )?compiut\w (?:{_YEARS})|\bcompir[àa]\b|\bcompletou (?:{_YEARS})|(?:\d{{1,3}}"
        rf"|[一二三四五六七八九十两]{{1,3}})(?:周?[岁歲]|歳)"
        r"(?:了|になった|になる|の?生日|になりまし)|满[一二三四五六七八九十两\d]{1,3}周?[岁歲]|生まれ|出生"
        r"|صار(?:ت)? عمر|أتم(?:ت)?|بلغ(?:ت)? عمر|ولد(?:ت)?"
    ),
    "birthplace": (
        r"\bborn\b|\bgrew up\b|\b(?:am|'m|is|are|comes?|came) from\b|\bhometown|\bgebürtig|\bgeboren\b|\bkomm\w* aus\b"
        r"|\bstamm\w* aus\b|\bnac(?:í|ió)\b|\bcrec(?:í|ió)\b|\b(?:soy|es|vengo|viene) de\b|\bnée?\b|\bgrandi\b"
        r"|\b(?:viens|vient) (?:de|du)\b|\boriginaire|\bnat[oa]\b|\bcresciut|\b(?:vengo|viene) da|\bsono di\b"
        r"|\bnasc(?:i|eu)\b"
        r"|\bcresc(?:i|eu)\b|\b(?:sou|é|venho) d[eao]\b|\bopgegroeid|\bkom\w* uit\b|\burodzi|\bpochodz|родил|вырос"
        r"|родом|出生|老家"
        r"|生まれ|出身|ولد|من مواليد"
    ),
    "password": r"\bpin (?:is|'s|ist|es)\b",
    "id_number": r"\d{5,}|\b(?:\d{2,4}[ -]){2,}\d{2,4}\b",
    "anniversary": (
        r"\bmarried\b|\bwedding\b|\bwed\b|\bgeheiratet\b|\bhochzeit\b|\bverheiratet\b|\bcasad[oa]s?\b"
        r"|\bcasamos\b|\bboda\b|\bmariage\b"
        r"|\bmariés?\b|\bsposat[ioa]?\b|\bmatrimonio\b|\bnozze\b|\bcasament|\bgetrouwd\b|\bbruiloft\b|\bślub"
    ),
}
# The word of a question without which an attribute only places something: "who sang at her birthday", "in high school".
_WHEN = (
    r"\bwhen|\b(?:what|which)(?:'s| is| was)? (?:the )?(?:day|date|month|year)|\bwann\b|\bwelche[nmrs]? (?:tag"
    r"|datum|monat)"
    r"|\bcu[aá]ndo\b|\b(?:qué|que|q) (?:d[ií]a|fecha|mes)\b|\bquand\b|\bquel(?:le)? (?:jour|date|mois)\b|\bquando\b"
    r"|\bche (?:giorno|data|mese)\b|\bque (?:dia|data|mês)\b|\bwanneer\b|\bkiedy\b|\bкогда\b"
    r"|几号|哪天|什么时候|いつ|何日|متى"
    r"|^\W*(?:my|mein|mi|mon|il mio|o meu|mijn) \w+\W*$"
)
_WHICH = (
    r"\b(?:which|what(?:'s| was| is)?|where|name)\b|\bwelche|\bwas für|\bwo\b|\bname\b|\b(?:qué|que|q|cu[aá]l"
    r"|d[oó]nde)\b|\bquel|\boù\b"
    r"|\bche\b|\bquale\b|\bdove\b|\bqual\b|\bonde\b|\bwelke|\bwaar\b|\bjak|\bgdzie\b|\bкак|\bгде\b|哪|什么|どの|どこ|أي"
)
_ASKED_WITH = {"birthday": _WHEN, "anniversary": _WHEN, "school": rf"^(?!\W*how\b)(?=.*(?:{_WHICH}))"}
_FULL_NAME = re.compile(r"\b[^\W\d_a-zß-öø-ÿ][\w'’-]{1,30} [^\W\d_a-zß-öø-ÿ][\w'’-]{1,30}")


def attributes_asked(question: str) -> frozenset[str]:
    """The attributes that *question* wants; a birthday that only says at which party something was is none."""
    low = question.casefold()
    return frozenset(
        name for name in _named(low) if name not in _ASKED_WITH or _compiled(_ASKED_WITH[name]).search(low)
    )


def attributes_told(statement: str) -> frozenset[str]:
    """The attributes that *statement* names, or holds a value of."""
    low = statement.casefold()
    found = {name for name, pattern in _VALUES.items() if _compiled(pattern).search(low)}
    if _FULL_NAME.search(statement):
        found.add("surname")
    return _named(low) | found


def _named(low: str) -> frozenset[str]:
    return frozenset(name for name, pattern in _NAMES.items() if _compiled(pattern).search(low))


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(accents_optional(pattern))
