"""
What a text is about, without a model: the names in it and its keyphrases. It only quotes.

Names are capitalised runs, code-like words, and short quotations. Scripts without capitals yield none: there,
the words themselves do the finding.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache, lru_cache
from itertools import islice
from typing import TYPE_CHECKING

from consolidation.text.language import primary_subtag
from consolidation.text.name_forms import LETTER, without_case_endings
from consolidation.text.redaction_marks import without_marks
from consolidation.text.relations import words_of_relations
from consolidation.text.sentences import sentences, whole_sentences
from consolidation.text.stopwords import STOP_WORDS
from consolidation.text.words import content_words, tokens

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_CAPITALS = "".join(letter for letter in map(chr, range(0x2000)) if letter.isupper() or letter.istitle())
_MARKS = "".join(one for one in map(chr, range(0x300, 0x2000)) if unicodedata.category(one)[0] == "M")
_WORD = rf"(?<!{LETTER})[{_CAPITALS}](?:(?:{LETTER}|[{_MARKS}'’&-])*{LETTER})?"
_CAPITALISED = re.compile(rf"{_WORD}(?:(?<!['’]s)\s+(?:(?:of|the|de|del|la|van|von|der|da|do|&)\s+)?{_WORD})*")
_CODE = re.compile(
    rf"(?<!{LETTER})(?:[a-z]+[A-Z]{LETTER}+|{LETTER}+_{LETTER}+|[A-Za-z]+\d(?:{LETTER}|[.-])*{LETTER})(?!{LETTER})"
)
_QUOTED = re.compile(r"[`“\"«]([^`”\"»\n]{2,50})[`”\"»]")
_AFTER_A_WORD = re.compile(r"(?<=[\w,;])[^\S\n\r]+(?=(\w\S{0,80}))")
_CAPITAL = re.compile(r"(?<!\w)[^\W\d_a-zà-öø-ÿа-я][a-zà-öø-ÿа-я]+(?!\w)")
_BEHIND_A_MARK = re.compile(r"[!?\"“(¿¡]\s*$")  # inside of a sentence; a full stop in there ends an abbreviation
_TYPED = re.compile(rf"[\w{_MARKS}\u200c\u200d'’-]+|[^\w\s]")
_POSSESSIVE = re.compile(r"['’]s?$")

# Capitalised at the beginning of a sentence or by convention; they name nobody and nothing.
_NO_NAMES = frozenset(
    """
    i i'm i'll i've i'd im you he she it we they the a an and or but so if then this that these those my your his her
    our their its is are was were be been do does did have has had will would can could should may might must shall
    not no yes yeah yep nope nah hi hello hey hiya thanks thank thx please sorry congrats congratulations sure ok okay
    great good nice cool wow oh ah aw aww haha hahaha lol hmm hm um uh well also just let let's use keep for from in
    on at to of with by as about into over after before what what's which who who's whom whose when where why how here
    there there's it's that's he's she's they're we're you're don't doesn't didn't can't won't isn't aren't wasn't
    absolutely definitely exactly really actually maybe perhaps anyway btw omg glad happy wish hope hopefully sounds
    looks seems got gotta gonna take check try make see look wait stay keep up down out all any some more most every
    each both few many much such same other another one two three four five six seven eight nine ten first last next
    new old now today tomorrow yesterday tonight morning afternoon evening night day week month year monday tuesday
    wednesday thursday friday saturday sunday mon tue wed thu fri sat sun january february march april june july
    august september october november december jan feb mar apr jun jul aug sep sept oct nov dec
    user assistant system tool human bot ai mom dad
    el la los las un una y o pero si yo tú él ella es hola gracias der die das ein eine und oder aber ich du er sie wir
    ist hallo danke le les une et ou mais je tu il elle nous vous est bonjour merci lo gli e ma io lui lei ciao grazie
    os as um uma mas eu ele ela olá obrigado obrigada
    ben sen biz siz onlar bu şu bir ve ama evet hayır merhaba selam dün bugün yarın geçen ocak şubat mart nisan mayıs
    haziran temmuz ağustos eylül ekim kasım aralık pazartesi salı çarşamba perşembe cuma cumartesi pazar
    """.split()
)
# Before a name they ask for something; within one they belong to it ("Green Book", "Daily Show").
_REQUESTS = frozenset(
    """
    ask tell call remind meet visit give send help buy write invite thank bring pick remember forget say add cancel
    schedule tried told asked went saw met frag ruf erinnere erinner schreib hilf gib zeig llama recuerda dile pregunta
    escribe busca appelle demande rappelle dis chiedi chiama ricorda scrivi lembra pergunta
    позвони напомни спроси скажи напиши передай поздравь пригласи
    """.split()
)
_TITLES = frozenset(
    """
    dr dra mr mrs ms miss mx sir prof professor st herr frau hr fr don doña señor señora señorita sr sra srta monsieur
    madame mademoiselle mme mlle signor signora sig dott dona senhor senhora doctor
    """.split()
)  # part of a name, and none alone
_OPENING = re.compile(rf"[\"'“‘(¿¡]*(?P<name>{_WORD}?)(?:['’]s)?,?\s+(?P<doing>[^\W\d_]+)")
DOING = re.compile(
    r"[a-z]+(?:ed|s)|and|came|went|told|gave|got|had|lent|made|took|wrote|sent|met|left|lost|won|began|brought|bought"
    r"|thought|knew|kept|let|ran|saw|sang|spoke|grew|fell|felt|found|taught|sold|chose|broke|drove|flew|said|can|will"
    r"|would|could|should|must|may|might|never|always|just|also"
)
# Open a sentence, and are neither names nor in the lists of function words.
_OPENERS = frozenset(
    tokens(
        """
        according again ago already although always because before besides both despite during earlier everybody
        everyone everything finally formerly further given however instead later likely maybe meanwhile neither never
        nobody none nothing now often once only otherwise people perhaps possibly rather regarding several since
        somebody someone something sometimes soon still then therefore though together too unfortunately until usually
        very while without yet
        aktuell deiner deines eure euer eurem euren eurer alle allerdings anschließend außerdem beide bereits bisher
        bislang daher danach davor derzeit deshalb dort einige einmal etwa früher gemeinsam gestern heute hier immer
        inzwischen insgesamt jeden jeder jemand jetzt kein keine laut leider letzte letzten letztes manchmal mehrere
        meist meistens mittlerweile momentan morgen nachdem nein nichts nie niemand nur oft schließlich schon seit
        seitdem sobald sonst später trotz trotzdem ungefähr ursprünglich viele vielleicht vorher wahrscheinlich wegen
        während zuerst zuletzt zunächst zurzeit zusammen zuvor zwei
        ahora además allí ambos antes aquí aunque ayer cada después durante entonces hoy luego mañana mientras nada
        nadie ninguno nunca primero quizás según siempre solo sólo también todavía todo todos tras
        alors après aucun aucune auparavant aussi avant beaucoup chaque depuis deux durant ensuite hier maintenant
        malgré non oui parfois personne plusieurs puis récemment rien selon souvent tous toujours tout toutes
        adesso allora anche ancora attualmente dopo durante entrambi già ieri inoltre mentre nessuno niente oggi ogni
        ora poi prima qualcuno secondo sempre solo tutti tutto
        agora ainda além antes após atualmente cada depois durante então hoje nada ninguém nunca ontem segundo sempre
        todos tudo
        allebei alles altijd beide daarna daarvoor eerder eerst gisteren iedereen iemand later momenteel nee niemand
        niets nooit nu sinds soms tegenwoordig tijdens vandaag volgens vroeger
        czasem dwa dziś nie niestety nigdy nikt obecnie oboje od później potem razem również teraz tylko wczoraj
        wcześniej według wszyscy wtedy zawsze
        всегда вчера два завтра затем здесь иногда никогда никто ничего нет однако потом после раньше с сегодня сейчас
        сначала согласно также теперь тогда уже твой твоя твоё твои ваша ваше ваши его её их
        """
    )
)
# Russian words before a name, beside its function words and what opens a sentence.
_RUSSIAN_BEFORE = frozenset("во до за из ко над обо перед при про против ради со среди через пока хотя даже".split())
_OF_MANNER = re.compile(r".{5,}(?:mente?|weise)|.{3,}(?:ally|ntly|rtly|usly|ctly|vely|rely)")
_OPENS = re.compile(rf"[\"'“„‘«(¿¡\s]*({_WORD})(?!['’-]?{LETTER})")
_NOUN = re.compile(rf"(?<=\S\s)({_WORD})")
_WITH_ARTICLE = re.compile(
    r"(?<!\w)(?:(?i:d(?:er|ie|as|en|em|es)|(?:k?ein|[mds]ein|ihr|unser|euer)(?:e[mnrs]?)?|eure[mnrs]?"
    r"|(?:dies|jen|jed|welch|manch|solch|all|beid|viel|wenig|mehrer|einig|ander|letzt|nächst|erst|zweit)(?:e[mnrs]?)?"
    r"|zum|zur|im|am|beim|vom|ins|ans|aufs|fürs|als|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|elf|zwölf|paar)"
    r"|\d+(?:[.,]\d+)*\.?)\s+(?:[a-zäöüß]+e[mnrs]?\s+|\d+\.?\s+){0,2}"
    rf"({_WORD})"
)


def names(text: str, *, language: str = "en", limit: int = 12) -> tuple[str, ...]:
    """The names in *text*, most often named first, a name that is part of a longer one left out."""
    counts: dict[str, int] = {}
    text = without_marks(text)
    inside = _inside(text)
    for sentence in sentences(text, language=language):
        for name in _named(sentence, inside=inside):
            counts[name] = counts.get(name, 0) + 1
    ranked = sorted(counts, key=lambda name: (-counts[name] * (1 + len(name.split())), text.find(name)))
    return tuple(islice(_longest(ranked), limit))


def opening_names(text: str, *, language: str) -> frozenset[str]:
    """
    Words that open a sentence and may well be names: never written small, and followed by what a person does.

    A capital at the start proves nothing; where nobody may be forgotten, one too many is better than one too few.
    """
    text = without_marks(text)
    small = set(re.findall(r"\b[^\W\d_A-Z]\w*", text))
    found = set[str]()
    for sentence in sentences(text, language=language):
        opening = _OPENING.match(sentence)
        if opening is None:
            continue
        name, doing = opening["name"], opening["doing"]
        is_common = name.casefold() in small or name.casefold() in _NO_NAMES or name.casefold().endswith("ing")
        if is_common or not content_words(name, language=language):
            continue
        if not language.startswith("en") or DOING.fullmatch(doing):
            found.add(name)
    return frozenset(found)


def possible_names(text: str, *, language: str) -> tuple[str, ...]:
    """
    Words of *text* whose capital may be a name's, though it proves nothing, in their order.

    Those that open a sentence; in German, where every noun has a capital, also those inside of one that no article,
    numeral or such comes before. None in a language whose function words are not known.
    """
    if language not in STOP_WORDS:
        return ()
    found = dict[str, None]()
    for sentence in sentences(without_marks(text), language=language):
        opening = _OPENS.match(sentence)
        if opening is not None:
            found[_POSSESSIVE.sub("", opening[1])] = None
        if language.startswith("de"):
            nouns = set(_WITH_ARTICLE.findall(sentence))
            found |= dict.fromkeys(one for one in _NOUN.findall(sentence) if one not in nouns)
    return tuple(one for one in found if _names_something(one, language))


def _names_something(word: str, language: str) -> bool:
    folded = word.casefold()
    if folded in _NO_NAMES or folded in _TITLES or _OF_MANNER.fullmatch(folded):
        return False
    return not content_words(word, language=language).keys() <= _OPENERS


def proper_nouns(text: str, *, language: str) -> tuple[str, ...]:
    """Capitalised words inside sentences; none where a capital means nothing, as in German or all-capitals text."""
    if primary_subtag(language) == "de" or text.isupper():
        return ()
    return tuple(
        found[0]
        for sentence in whole_sentences(without_marks(text), language=language)
        for found in _CAPITAL.finditer(sentence)
        if found.start() and not _BEHIND_A_MARK.search(sentence[: found.start()])
    )


def keyphrases(text: str, *, language: str, limit: int = 6) -> tuple[str, ...]:
    """The runs of content words in *text*, longest first: what a person would type into a search box."""
    phrases: list[list[str]] = [[]]
    for word in _TYPED.findall(without_marks(text)):
        if not content_words(word, language=language):
            phrases.append([])
        else:
            phrases[-1].append(word)
    found = dict.fromkeys(" ".join(phrase) for phrase in phrases if phrase)
    return tuple(sorted(found, key=lambda phrase: -len(phrase.split())))[:limit]


def _named(sentence: str, *, inside: frozenset[str]) -> Iterator[str]:
    for pattern in (_CAPITALISED, _CODE, _QUOTED):
        parted = without_case_endings(sentence, instead=",") if pattern is _CAPITALISED else sentence
        for match in pattern.finditer(parted):
            name = _trimmed(match[1] if pattern is _QUOTED else match[0])
            if not name or (pattern is _CAPITALISED and _is_mere_opening(name, match.start(), inside)):
                continue
            yield name


def _trimmed(run: str) -> str:
    words = [_POSSESSIVE.sub("", word) for word in run.strip(" .,;:!?()").split()]
    while words and _is_before_a_name(words[0], is_alone=len(words) == 1):
        words = words[1:]
    while words and words[-1].casefold().replace("’", "'") in _NO_NAMES:
        words = words[:-1]
    name = " ".join(words)
    return name if len(name) > 1 and not name.isdigit() and name.casefold() not in _TITLES else ""


def _is_before_a_name(word: str, *, is_alone: bool) -> bool:
    folded = word.casefold().replace("’", "'")
    if folded in _NO_NAMES or folded in _before_russian_names():
        return True
    return not is_alone and (folded in _REQUESTS or folded in words_of_relations("ru"))


@cache
def _before_russian_names() -> frozenset[str]:
    """The words that Russian puts before a name without naming anybody: "У Игоря", "Сегодня Оля"."""
    spoken = {*STOP_WORDS["ru"].split(), *_RUSSIAN_BEFORE, *_OPENERS}
    return frozenset(word for word in spoken if word[0] > "\u0400")


def _is_mere_opening(name: str, start: int, inside: frozenset[str]) -> bool:
    """Whether a single capitalised word may owe its capital to opening the sentence."""
    return start <= 1 and " " not in name and name not in inside


def _inside(text: str) -> frozenset[str]:
    """The words inside of sentences, whole and up to each of their inner ends: "Ann's" is also "Ann"."""
    words = {found[1] for found in _AFTER_A_WORD.finditer(text)}
    return frozenset(word[: end.start()] for word in words for end in re.finditer(r"\b", word))


def _longest(ranked: Sequence[str]) -> Iterator[str]:
    seen: set[str] = set()
    for name in ranked:
        folded = name.casefold()
        if folded not in seen:
            seen.update((folded, *folded.split()))
            yield name


def given_name(name: str) -> str:
    """The first word of a full name, as others call its bearer: "Ann" of "Ann Miller"; "" where there is none such."""
    first, *more = name.split()[:2] or [""]
    is_title = first.casefold().rstrip(".") in _TITLES
    return first if more and first[0].isalpha() and first[-1].isalnum() and len(first) > 1 and not is_title else ""


def name_key(name: str) -> str:
    """The key by which a name is looked up: its words, in any spelling."""
    return " ".join(tokens(name))


@lru_cache(maxsize=4096)
def key_of(name: str) -> str:
    """The key of a speaker's name; a name of signs alone is its own, "" stays so."""
    return name_key(name) or name
