"""
Words by which a narrator without a model finds a title: where a phrase begins, how it goes on, where it may end.

Closed classes, a table a language; a native reader edits this file and no other. Where a language has no articles, or
glues them to the noun, its titles are short quotations.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from consolidation.text.stopwords import STOP_WORDS
from consolidation.text.words import tokens

if TYPE_CHECKING:
    from collections.abc import Mapping

# What begins a noun phrase, in a form that can stand alone.
ARTICLES: Mapping[str, frozenset[str]] = {
    "en": frozenset("a an the".split()),
    "de": frozenset("ein eine das die".split()),
    "es": frozenset("el la los las un una".split()),
    "fr": frozenset("le la les un une l' l’".split()),
    "it": frozenset("il lo la i gli le un uno una l' l’".split()),
    "pt": frozenset("o a os as um uma".split()),
    "nl": frozenset("de het een".split()),
}
# Prepositions that join a noun to the phrase before it, with an article of their own or none.
LINKS: Mapping[str, frozenset[str]] = {
    "en": frozenset("of for in at from with to".split()),
    "de": frozenset("von vom für in im aus am bei mit".split()),
    "es": frozenset("de del en para con al".split()),
    "fr": frozenset("de du des d' d’ à au aux en pour".split()),
    "it": frozenset("di del della dei degli delle dell' in a al alla per con".split()),
    "pt": frozenset("de do da dos das em no na para com ao".split()),
    "nl": frozenset("van voor in uit aan bij met op naar te".split()),
}
# Words before a clause that say nothing of it.
CONJUNCTIONS: Mapping[str, frozenset[str]] = {
    "en": frozenset("and but so or because plus well oh yeah yes also then btw anyway actually that ok okay".split()),
    "de": frozenset("und aber oder also weil ja ach dann dass denn btw".split()),
    "es": frozenset("y pero o porque pues bueno sí que así q".split()),
    "fr": frozenset("et mais ou donc alors bon oui que bref".split()),
    "it": frozenset("e ma o perché quindi allora beh sì che".split()),
    "pt": frozenset("e mas ou porque então bom sim que".split()),
    "nl": frozenset("en maar of want dus omdat ja nou dan dat oh".split()),
    "pl": frozenset("i a ale albo bo więc no tak że oraz to".split()),
    "ru": frozenset("и а но или потому так ну да что ведь".split()),
    "ar": frozenset("و ثم لكن أو لأن إذن نعم أن".split()),
}
# What begins a clause that needs another.
SUBORDINATE: Mapping[str, frozenset[str]] = {
    "en": frozenset(
        "since after before when while if as by for from in at of to with like until till once although though where"
        " besides during without even just which who how what not especially on about into one some last next".split()
    ),
    "de": frozenset(
        "wenn als ob nachdem bevor seit mit bei in im am an auf von vom für aus nach zu zum ohne"
        " wie durch gegen um über unter hinter neben zwischen vor".split()
    ),
    "es": frozenset("si cuando aunque mientras desde con en de del para por sin como donde a al".split()),
    "fr": frozenset("si quand lorsque comme avec dans de du des pour par sans chez en à au depuis".split()),
    "it": frozenset("se quando mentre come con in di del per da senza dove a al".split()),
    "pt": frozenset("se quando enquanto como com em de do da para por sem onde no na".split()),
    "nl": frozenset(
        "als toen terwijl hoewel sinds met in van voor door zonder zoals waar naar om over uit bij aan op te"
        " tot na".split()
    ),
    "pl": frozenset(
        "jeśli gdy kiedy chociaż podczas od z ze w we na do dla przez po bez jak gdzie o u za pod nad przy"
        " przed".split()
    ),
    "ru": frozenset(
        "если когда хотя пока с со в во на из для по без как где к ко о об у за под над при до от через после".split()
    ),
    "ar": frozenset("إذا عندما رغم بينما منذ مع في من إلى على عن بدون مثل حيث بعد قبل حتى قرب".split()),
}
# What may follow a clause that is complete without it. In German that is not a preposition: its verb may come last.
ENDS: Mapping[str, frozenset[str]] = {
    "en": frozenset(
        "in at for with from as because while when and but so after before since last next yesterday today tonight"
        " tomorrow this during who which until till recently lately now where without through ago by if"
        " cause 'cause".split()
    ),
    "de": frozenset("und aber weil als wenn dass ob sondern denn oder wo".split()),
    "es": frozenset("en con por para desde hasta y pero porque cuando ayer hoy mañana si como sin donde q que".split()),
    "fr": frozenset("avec dans pour par depuis et mais parce quand hier aujourd'hui demain chez sur si sans".split()),
    "it": frozenset("con in nel nella per da e ma perché quando ieri oggi domani se senza dove".split()),
    "pt": frozenset("com em no na por para desde até e mas porque quando ontem hoje amanhã se sem onde".split()),
    "nl": frozenset("en maar omdat want toen als dat of waar die".split()),
    "pl": frozenset(
        "w we na z ze do od dla przez po i ale bo kiedy gdy że jeśli jak bez gdzie który która które wczoraj"
        " dziś jutro".split()
    ),
    "ru": frozenset(
        "в во на с со до для по из к у и но потому когда что если как без где который которая вчера сегодня"
        " завтра".split()
    ),
    "ar": frozenset("في من إلى على مع عن منذ و ثم لكن لأن عندما إذا حيث بعد قبل أمس اليوم غدا الذي التي".split()),
}
# Words besides function words at which a phrase ends.
_LIGHT = {
    "en": """just gonna while because through until till else others other own some any sure usually really finally
        already across around along now ago years year weeks week days day yesterday today tonight tomorrow last next
        these those most more much very too also only even still again back up down out off over away about after before
        into onto than then there here together soon later never always ever maybe not no nonstop morning afternoon
        evening night month months thing things something anything everything someone stuff lot lots bit way kind time
        one other every each such like few several two three four five six seven eight nine ten
        hundred thousand 'cause cause since during without under between against within upon as if i can could
        should may might must shall im ive dont didnt cant wont isnt wasnt gotta wanna recently lately currently yet
        instead anyway alone everyone people ones good great nice new big little actually""",
    "de": """gestern heute morgen wieder schon noch immer nie mal jetzt später bald sehr mehr viel nur nicht kein keine
        etwas nichts alles endlich gerade wirklich ganz zurück weg los hin her hier dort vorbei ins ans beim durch gegen
        ohne um seit während jahr jahre jahren tag tage woche wochen monat""",
    "es": """ayer hoy mañana ya más menos muy mucho mucha nunca siempre ahora luego también solo sólo no ni vez veces
        año años día días semana mes cosa cosas bien mal todo toda todos todas algo nada otra otro aquí allí""",
    "fr": """hier aujourd'hui demain déjà encore jamais toujours maintenant plus moins très trop bien pas ne rien tout
        toute tous toutes fois an ans jour jours semaine mois chose choses truc là ici aussi enfin juste autre""",
    "it": """ieri oggi domani già ancora mai sempre ora adesso più meno molto troppo bene non niente tutto tutti volta
        volte anno anni giorno giorni settimana mese cosa cose qui lì anche solo poi altro altra""",
    "pt": """ontem hoje amanhã já ainda nunca sempre agora mais menos muito bem não nada tudo todos vez vezes ano anos
        dia dias semana mês coisa coisas aqui ali só depois outro outra""",
    "nl": """gisteren vandaag morgen weer nog al altijd nooit nu later gauw erg heel meer veel alleen niet geen iets
        niets alles eindelijk net echt terug weg hier daar thuis zonder sinds tijdens jaar jaren dag dagen week
        weken maand mooi leuk fijn goed druk koud warm moeilijk jammer eens zelf beter""",
    "pl": """wczoraj dzisiaj dziś jutro znowu jeszcze już zawsze nigdy teraz potem bardzo więcej tylko nie nic coś
        wszystko wreszcie naprawdę tutaj rok roku lata lat dzień dni tydzień tygodni miesiąc rzecz rzeczy raz razy""",
    "ru": """вчера сегодня завтра снова ещё уже всегда никогда сейчас потом очень больше только не нет ничего всё
        наконец правда здесь год года лет день дня дней неделя недели месяц раз вещь вещи""",
    "ar": """أمس اليوم غدا أيضا دائما أبدا الآن جدا أكثر فقط لا لم لن ليس شيء كل أخيرا حقا هنا في من إلى على مع عن
        منذ سنة سنوات عام يوم أيام أسبوع أسابيع شهر أشهر مرة هذا هذه ذلك أنا نحن هو هي قد لقد كان كانت بعد قبل""",
}
_POSSESSIVES = {
    "en": "my our your his her their its",
    "de": "mein meine meinen meinem meiner unser unsere dein deine sein seine ihr ihre",
    "es": "mi mis nuestro nuestra tu tus su sus",
    "fr": "mon ma mes notre nos ton ta tes son sa ses leur leurs",
    "it": "mio mia miei mie nostro nostra tuo tua suo sua",
    "pt": "meu minha meus minhas nosso nossa teu tua seu sua",
    "nl": "mijn ons onze jouw je uw zijn haar hun",
    "pl": "mój moja moje mojego mojej moim moją nasz nasza nasze twój twoja twoje jego jej ich swój swoja swoje",
    "ru": "мой моя моё мое мои моего моей моему моим мою наш наша наше наши твой твоя твоё твои его её их свой"
    " своя своё",
}


def is_possessive(word: str, *, language: str) -> bool:
    """Whether *word* says whose something is: "my", "sus"."""
    return word.casefold() in _POSSESSIVES.get(language, "").split()


def hangs(word: str, *, language: str, is_clause: bool) -> bool:
    """Whether a phrase that ends with *word* is unfinished; a whole clause may end with a preposition."""
    tables = (ARTICLES, CONJUNCTIONS) if is_clause else (ARTICLES, CONJUNCTIONS, LINKS, SUBORDINATE)
    possessives = _POSSESSIVES.get(language, "").split()
    return word.casefold() in possessives or any(
        word.casefold() in table.get(language, frozenset()) for table in tables
    )


@cache
def function_words(language: str) -> frozenset[str]:
    """The words of *language* at which a phrase ends, folded."""
    whole = " ".join(table.get(language, "") for table in (STOP_WORDS, _LIGHT, _POSSESSIVES))
    return frozenset(tokens(whole))
