"""On which weekdays something is every week: a plural, or a word such as "every", and not one such day alone."""

import pytest

from service.retrieval.weekly_days import weekly_days

TOLD = [
    ("en", "Band practice on Wednesdays at 8", [2]),
    ("en", "I have therapy every Tuesday and Friday", [1, 4]),
    ("en", "I go to the gym mondays and thursdays", [0, 3]),
    ("en", "I have a dentist appointment on Wednesday", []),
    ("en", "Do you have anything on Wednesdays?", []),
    ("en", "I used to play chess on Sundays", []),
    ("en", "we no longer meet on Fridays", []),
    ("de", "Mittwochs habe ich Chor", [2]),
    ("de", "Ich hab jeden Dienstag Physio", [1]),
    ("de", "dienstags und donnerstags bin ich beim Training", [1, 3]),
    ("de", "Am Mittwoch habe ich Zahnarzt", []),
    ("de", "jeden Freitagabend Kino", [4]),
    ("es", "los miércoles tengo clase de guitarra", [2]),
    ("es", "voy a terapia todos los martes y jueves", [1, 3]),
    ("es", "el miércoles tengo dentista", []),
    ("fr", "Le mercredi, j’ai cours de piano", [2]),
    ("fr", "je vais à la piscine tous les mardis", [1]),
    ("fr", "le mercredi 5 mai j’ai rendez-vous", []),
    ("fr", "mercredi j’ai dentiste", []),
    ("it", "ogni mercoledì ho il coro", [2]),
    ("it", "il giovedì vado in piscina", [3]),
    ("it", "mercoledì ho il dentista", []),
    ("pt", "toda quarta tenho aula de forró", [2]),
    ("pt", "às terças e quintas vou à academia", [1, 3]),
    ("pt", "na quarta tenho dentista", []),
    ("nl", "elke woensdag heb ik koor", [2]),
    ("nl", "op woensdagen zwem ik", [2]),
    ("nl", "woensdag heb ik de tandarts", []),
    ("pl", "w każdą środę mam próbę chóru", [2]),
    ("pl", "we wtorki i czwartki chodzę na basen", [1, 3]),
    ("pl", "w środę mam dentystę", []),
    ("ru", "по средам у меня хор", [2]),
    ("ru", "каждую пятницу я хожу в бассейн", [4]),
    ("ru", "в среду у меня врач", []),
    ("zh", "我每周三有瑜伽课", [2]),
    ("zh", "我每周二和周四去健身", [1, 3]),
    ("zh", "周三我去看牙医", []),
    ("ja", "毎週水曜日にヨガがあります", [2]),
    ("ja", "毎週火曜と木曜はジムに行く", [1, 3]),
    ("ja", "水曜日に歯医者があります", []),
    ("ar", "كل أربعاء عندي درس بيانو", [2]),
    ("ar", "عندي تدريب كل يوم ثلاثاء", [1]),
    ("ar", "يوم الأربعاء عندي موعد", []),
    ("en", "every monday, wednesday and friday I run", [0, 2, 4]),
    ("en", "As Monday is a holiday, I am off.", []),
    ("es", "La segunda vez que fui a Roma llovía.", []),
    ("es", "Segundas partes nunca fueron buenas.", []),
    ("it", "È la quarta volta che provo.", []),
    ("pt", "Toda segunda-feira e quarta-feira tenho aula.", [0, 2]),
    ("pt", "Às quintas jogo bola, aos sábados durmo.", [3, 5]),
    ("en", "Fridays are for pizza. I hate Mondays.", [0, 4]),
]


@pytest.mark.parametrize(("language", "text", "days"), TOLD)
def test_the_days_of_every_week_are_read_in_each_language(language, text, days):
    assert sorted(weekly_days(text, language=language)) == days
