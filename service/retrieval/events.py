"""Questions about something that happens once and is meant as known: "where is the wedding?", "когда экзамен?"."""

from __future__ import annotations

from consolidation.text.words import word_count, words_of

_EVENTS = (
    r"the (?:\w+ )?(?:wedding|party|exam|test|appointment|interview|flight|trip|move|funeral|surgery|operation|concert"
    r"|meeting|ceremony|christening|reunion|viewing|deadline|delivery)"
    r"|(?:die|der|das) (?:\w+ )?(?:hochzeit|feier|party|prüfung|termin|(?:vorstellungs)?gespräch|flug|reise|umzug"
    r"|beerdigung|op"
    r"|operation|konzert|besprechung|taufe|klassentreffen|besichtigung|abgabe|lieferung)"
    r"|(?:la|el) (?:boda|fiesta|examen|cita|entrevista|vuelo|viaje|mudanza|funeral|entierro|operación|concierto"
    r"|reunión|bautizo"
    r"|entrega)"
    r"|(?:le|la) (?:mariage|fête|rendez-vous|rdv|vol|voyage|déménagement|concert|réunion|baptême|livraison)"
    r"|l['’] ?(?:examen|entretien|enterrement|opération)"
    r"|(?:il|la|l['’] ?) ?(?:matrimonio|festa|esame|appuntamento|colloquio|volo|viaggio|trasloco|funerale|operazione"
    r"|concerto"
    r"|riunione|battesimo|consegna)"
    r"|(?:o|a) (?:casamento|festa|prova|exame|consulta|entrevista|voo|viagem|mudança|funeral|enterro|operação"
    r"|cirurgia|concerto"
    r"|reunião|batizado|entrega)"
    r"|(?:de|het) (?:bruiloft|trouwerij|feest|examen|afspraak|gesprek|sollicitatiegesprek|vlucht|reis|verhuizing"
    r"|begrafenis"
    r"|operatie|concert|vergadering|doop|reünie|bezichtiging|levering)"
)
# … in languages without an article, and in Arabic, which writes it with the word
_BARE_EVENTS = (
    r"ślub|wesele|impreza|egzamin|wizyta|rozmowa kwalifikacyjna|wyjazd|przeprowadzka|pogrzeb|operacja|koncert"
    r"|zebranie|chrzciny"
    r"|свадьба|праздник|вечеринка|экзамен|собеседование|рейс|поездка|переезд|похороны|операция|концерт|собрание"
    r"|крестины|встреча"
    r"|婚礼|婚禮|聚会|考试|面试|航班|葬礼|手术|音乐会|会议|演唱会|结婚式|結婚式|披露宴|試験|面接|飛行機|引っ越し|葬式"
    r"|手術|コンサート|会議|同窓会"
    r"|飲み会|発表会|(?:ال)(?:عرس|زفاف|حفلة|امتحان|مقابلة|رحلة|جنازة|عملية|اجتماع|موعد)"
)
_ASKS_PLACE_OR_TIME = (
    r"where|when|what time|what day|wo|wann|um wie viel uhr|an welchem tag|d[oó]nde|cu[aá]ndo|a qu[eé] hora"
    r"|qu[eé] d[ií]a|où|quand"
    r"|à quelle heure|quel jour|dove|dov['’]è|quando|quand['’]è|a che ora|che giorno|onde|a que horas|que dia|waar"
    r"|wanneer|hoe laat"
    r"|welke dag|gdzie|kiedy|o której|где|когда|во сколько|哪里|哪儿|哪|什么时候|几点|どこ|いつ|何時|أين|وين|فين|متى"
    r"|[اإ]يمتى"
)
_MOST_WORDS = 6


def asks_of_event(text: str) -> bool:
    """Whether *text*, in lower case, is short and asks where or when such a thing is: not any wedding, but the one."""
    is_short = word_count(text) <= _MOST_WORDS
    return (
        is_short
        and words_of(_ASKS_PLACE_OR_TIME).search(text) is not None
        and words_of(f"{_EVENTS}|{_BARE_EVENTS}").search(text) is not None
    )
