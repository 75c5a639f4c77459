"""
Whether a question asks what is on, whatever that is: "what's on tomorrow", "hab ich am 10. was vor?", "来週の予定は？".

"Weather tomorrow?" asks for something else that day. Closed classes of words, in the languages of the labels.
"""

from __future__ import annotations

import re
from functools import lru_cache

from consolidation.text.dates import without_dates
from consolidation.text.subjectless import subjectless
from consolidation.text.words import UNPARTED, both_ends, content_words, words_of
from service.retrieval.counted_ahead import without_ahead
from service.retrieval.tense import is_about_plans, tense_beside_date

_QUERIES = 32  # each phase asks of the same few
_ASKS_WHAT_IS_ON = (
    r"what(?:'?s| is| have| do| am| are| about)|whats|how about|anything|something|any plans?|plans|(?:do"
    r"|have) (?:i|we)"
    r"|(?:is|are) there|(?:am|are) (?:i|we) (?:busy|free)|appointments?|(?:my|our) (?:calendar|diary|agenda|schedule)"
    r"|was (?:steht|ist|hab\w*|machen? (?:ich|wir)|gibt es|liegt)|irgend(?:et)?was"
    r"|wie sieht|steht|gibt es|hab\w* (?:ich|wir)"
    r"|termine?|vor"
    r"|qué (?:tengo|tenemos|hay|toca|hago|hacemos)|que (?:tengo|tenemos|hay|toca|hago|hacemos)|(?:tengo|tenemos"
    r"|hay) algo"
    r"|planes|citas?|qu'est-ce qu\w*|qu'(?:ai|a|avons)-(?:je|on|nous)|quoi|j'ai|on a|(?:y a-t-il|il y a) quelque chose"
    r"|quelque chose|rendez-vous|cosa (?:ho|abbiamo|c'è|faccio|facciamo)|che (?:impegni|cosa|programmi)|c'è qualcosa"
    r"|(?:ho|abbiamo) qualcosa|impegni|o que (?:tenho|temos|há|tem|vou|eu tenho)|(?:tenho|temos|tem) algo|alguma coisa"
    r"|compromissos?|planos|wat (?:heb|hebben|staat|is|doen?|ga|gaan)|(?:heb|hebben) (?:ik|we|wij)|staat|afspraken?"
    r"|iets"
    r"|co (?:mam|mamy|jest|robi[ęe]|robimy|b[ęe]dzie|tam)|(?:mam|mamy) co[śs]|czy (?:mam|mamy|jest)|plany|spotkani\w+"
    r"|что (?:у (?:меня|нас)|на|в|будет|запланировано|намечено|делаем|мне)|(?:у меня|у нас|есть ли) (?:что|есть"
    r"|какие)\S*|планы"
    r"|есть что|ماذا (?:عندي|عندنا|لدي|لدينا|يوجد|سأفعل)|(?:هل )?(?:عندي|عندنا|لدي|لدينا) (?:شيء|أي|موعد)|مواعيد\w*"
    r"|خطط\w*"
)
# What is asked of the one who answers, or out of politeness.
_GREETS = (
    r"how (?:are|is|was|'?s)|how's|what'?s up|wie (?:geht|läuft|war)|qué tal|que tal|cómo (?:estás|va|fue)|ça va"
    r"|comment"
    r"|come (?:va|stai|è)|como (?:vai|está|foi)|hoe (?:gaat|is|was)|jak (?:się|leci|tam)|как (?:дела|ты|прош)\S*"
    r"|كيف"
)
_PLAN_WORDS = frozenset(
    """
    on up about again plan plans planned planning scheduled schedule calendar calendars diary agenda appointment
    appointments meeting meetings commitments due happening coming doing busy free got next day date
    steht stehen ansteht anstehen anliegt liegt los vor geplant vorhaben termin termine kalender plan plane programm
    sieht nachste nachsten nachster kommende kommenden mach mache machen verabredet verabredung verabredungen
    planes plan citas cita agenda compromiso compromisos calendario programado previsto toca viene proxima proximo
    prevu prevue programme rendez vous rdv calendrier planning demain semaine chose prochaine weekend
    impegni impegno programmi programma previsto appuntamenti appuntamento calendario domani prossima prossimo
    planos compromisso compromissos agenda marcado calendario programado amanha proxima proximo consulta consultas
    plannen gepland staat staan afspraak afspraken agenda kalender volgende komende morgen doen programma
    plany planach planuje zaplanowane kalendarzu spotkania spotkanie wizyty jutro przyszlym nastepnym robie robimy
    планы планах запланировано намечено расписание расписании календаре встречи встреча дела делаем завтра выходные
    خططي خطط خططنا موعد مواعيد مواعيدي جدول جدولي غدا القادم
    """.split()
)
_DENSE_PLANS = re.compile(
    r"(?:请问|我们|咱们|我|有没有|有|什么|什麼|哪些|安排|计划|計劃|行程|活动|下个?|这个?|本|事情|事|吗|嗎|呢|的|要|得|做|干|会|是|啥|在|那|呀"
    r"|私たち|うちら|私|僕|俺|何か|何|なにか|なに|予定|スケジュール|用事|ありますか|ありましたっけ|ある|あったっけ|だっけ|入ってる|入っている"
    r"|ですか|です|ます|する|しますか|か|の|は|が|に|を|も|って|教えて|と|ね)"
)
_ASKS_DENSELY = re.compile(
    r"有没有|有.{0,4}(?:什么|什麼|啥|吗|嗎|安排|事)|什么|什麼|安排|计划|予定|スケジュール|用事|何か?(?:が|は)?(?:あ[るり]|入って)"
)
_WEEKDAYS = frozenset(
    """
    monday tuesday wednesday thursday friday saturday sunday mon tue tues wed thu thur thurs fri sat sun
    montag dienstag mittwoch donnerstag freitag samstag sonntag sonnabend lunes martes miercoles jueves viernes sabado
    domingo lundi mardi mercredi jeudi vendredi samedi dimanche lunedi martedi mercoledi giovedi venerdi sabato domenica
    segunda terca quarta quinta sexta feira maandag dinsdag woensdag donderdag vrijdag zaterdag zondag poniedzialek
    wtorek srode sroda czwartek piatek sobote sobota niedziele niedziela понедельник вторник среду среда четверг пятницу
    пятница субботу суббота воскресенье يوم الاثنين الثلاثاء الاربعاء الخميس الجمعه السبت الاحد
    """.split()
)
_LETTERS = re.compile(r"[^\W\d_]")


@lru_cache(maxsize=_QUERIES)
def asks_what_is_on(text: str, *, language: str) -> bool:
    """Whether *text* asks what is on at a time, and for nothing in particular."""
    if tense_beside_date(text, language=language) == "past" and not is_about_plans(text):
        return False
    bare = without_ahead(without_dates(both_ends(text)))
    low = bare.casefold().replace("’", "'")
    if UNPARTED.search(low):
        return _ASKS_DENSELY.search(low) is not None and _LETTERS.search(_DENSE_PLANS.sub("", low)) is None
    if words_of(_GREETS).search(low) or not words_of(_ASKS_WHAT_IS_ON).search(low):
        return False
    left = content_words(bare, language=language).keys() - subjectless(language) - _PLAN_WORDS
    return all(word.isdigit() or len(word) == 1 or word in _WEEKDAYS for word in left)
