"""
What a text is about, without a model: the names in it and its keyphrases. It only quotes.

Names are capitalised runs, code-like words, and short quotations. Scripts without capitals yield none: there,
the words themselves do the finding.
"""

from __future__ import annotations

import re
import unicodedata
from itertools import islice
from typing import TYPE_CHECKING

from consolidation.text.name_forms import LETTER, without_case_endings
from consolidation.text.sentences import sentences
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
_AFTER_A_WORD = re.compile(r"(?<=[\w,;])\s+(?=(\w\S{0,80}))")
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
    """.split()
)
_TITLES = frozenset(
    """
    dr dra mr mrs ms miss mx sir prof professor st herr frau hr fr don doña señor señora señorita sr sra srta monsieur
    madame mademoiselle mme mlle signor signora sig dott dona senhor senhora doctor
    """.split()
)  # part of a name, and none alone
_OPENING = re.compile(rf"[\"'“‘(¿¡]*(?P<name>{_WORD}?)(?:['’]s)?,?\s+(?P<doing>[^\W\d_]+)")
_DOING = re.compile(
    r"[a-z]+(?:ed|s)|and|came|went|told|gave|got|had|lent|made|took|wrote|sent|met|left|lost|won|began|brought|bought"
    r"|thought|knew|kept|let|ran|saw|sang|spoke|grew|fell|felt|found|taught|sold|chose|broke|drove|flew|said|can|will"
    r"|would|could|should|never|always|just|also"
)


def names(text: str, *, language: str = "en", limit: int = 12) -> tuple[str, ...]:
    """The names in *text*, most often named first, a name that is part of a longer one left out."""
    counts: dict[str, int] = {}
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
        if not language.startswith("en") or _DOING.fullmatch(doing):
            found.add(name)
    return frozenset(found)


def keyphrases(text: str, *, language: str, limit: int = 6) -> tuple[str, ...]:
    """The runs of content words in *text*, longest first: what a person would type into a search box."""
    phrases: list[list[str]] = [[]]
    for word in _TYPED.findall(text):
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
    return folded in _NO_NAMES or (folded in _REQUESTS and not is_alone)


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


def name_key(name: str) -> str:
    """The key by which a name is looked up: its words, in any spelling."""
    return " ".join(tokens(name))
