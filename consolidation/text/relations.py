"""
Whom a person means by "my sister" or "our dog": the names of relatives, friends and pets, as they were told.

People tell them as "my sister Ines", "Ines, my sister" or "meine Katze heißt Mimi". The words are in
``relation_words``, a file a language: a line for each relation with its words, and up to four of grammar, with what
stands for "my", "called" and "is", and with names that people have, where a sentence does not show what is one. A word
may mean several relations: a child is a son or a daughter.

Not all are sure: "Mein Vater ist Rentner" looks like "Mein Vater ist Peter". What is likely never takes the place of
what somebody is called, and "my boss isn't called Paul" takes the name away.
"""

from __future__ import annotations

import functools
import re
import unicodedata
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple

from babel import Locale

from consolidation.text.concepts import concepts
from consolidation.text.language import primary_subtag
from consolidation.text.occupations import names_occupation
from consolidation.text.subjectless import subjectless
from consolidation.text.words import content_words

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

_FOLDER = Path(__file__).with_name("relation_words")
LANGUAGES = ("en", "de", "es", "fr", "it", "pt", "nl", "pl", "ru", "ar", "zh", "ja")
_DENSE = frozenset({"zh", "ja"})  # whose words stand without spaces
_GENITIVE_S = frozenset({"en", "de", "nl"})  # "when is mums surgery", "Mamas Geburtstag"
_GRAMMAR = ("my", "called", "is", "names")
_PETS = frozenset({"dog", "cat", "animal"})
# Of these a person may have several; of all others, the one told last is meant.
SEVERAL = frozenset(
    """
    sister brother daughter son grandmother grandfather granddaughter grandson aunt uncle cousin niece nephew
    sister_in_law brother_in_law son_in_law daughter_in_law godchild friend colleague neighbour animal
    """.split()
)
# Of these a person may have another one next year.
REPLACED = frozenset(
    """
    partner ex boss flatmate landlord teacher coach doctor dentist therapist physiotherapist vet hairdresser
    """.split()
)
# Whom a family calls so among themselves: "where is Dad", "what did the dog eat".
_NAMELESS = frozenset({"mother", "father", "grandmother", "grandfather", *_PETS})
_LONGEST = 8_000  # characters of a text that are read
_CAPITALS = "".join(letter for letter in map(chr, range(0x500)) if letter.isupper())
_TITLES = (
    r"(?P<title>(?:(?:Dra?|Mrs?|Ms|Miss|Sir|Herrn?|Frau|Se[ñn]ora?|Sra?|Mme|Madame|M|Monsieur|Signora?|Pani?|Don|Doña"
    r"|Dona|Dott)\.? )*)"
)
_WORD = rf"[{_CAPITALS}](?:[\w’'-]*\w)?"
_NAME = rf"{_TITLES}(?P<name>{_WORD}(?: {_WORD})?)"
_ANY_NAME = rf"{_TITLES}(?P<name>[^\W\d_][\w-]*\w(?: {_WORD})?)"
_BETWEEN = r"(?:[^\W\d_]+ ){0,2}"  # "my two little sisters"
_AFTER = (
    r"(?: (?:mayor|menor|peque[ñn][ao]|maggiore|minore|a[îi]n[ée]e?|cadette?|mais (?:velh|nov)[ao]|ca[çc]ula"
    r"|starsz[aey]|młodsz[aey]))?"
)
_A_PET = r"an?|un[aoe]?|uma?|eine?n?|een"
_ENDED = re.compile(
    r"(?i)\b(?:old|former|previous|ex|alte[rn]?|ehemalige[rn]?|frühere[rn]?|antigu[ao]|anterior|anciene?|ancienne"
    r"|vecchi[ao]|antig[ao]|vorige|stary|stara|poprzedni\w*|бывш\w+|прежн\w+)\b"
)
# "My boss is Karin now", "my new boss is Karin": then she is.
_NEW = re.compile(
    r"(?i)(?<!\w)(?:new|now|neue[rn]?|jetzt|nun|nuev[oa]|ahora|nouve(?:au|lle)|maintenant|nuov[oa]|adesso|ora|nov[oa]"
    r"|agora|nieuwe|nu|now[ya]|teraz|новый|новая|теперь|сейчас)(?!\w)"
)
_NOT = re.compile(
    r"(?i)(?<!\w)(?:not|never|no|nicht|nie|nunca|pas|jamais|ne|non|n[ãa]o|niet|nooit|geen|не|ليس\w?)(?!\w)|n['’]t\b"
    r"|[不没]"
)
# … directly before the name, or before the verb that gives it: "no se llama Ana", and not "no banco se chama Ana".
_IS_NOT = re.compile(
    rf"(?i)(?:{_NOT.pattern.removeprefix('(?i)')})"
    r"(?:\s*(?<!\w)(?:s[ei]|s['’]?appel\w*|się|called|named|is|was|llam\w+|cham\w+|chiam\w+|nazyw\w+|зовут|звали)(?!\w))*"
    r"[叫是\s:,]*$"
)
_WISHED = re.compile(r"(?i)(?:\b(?:wish|want|dreamt?|no|not|never)|n['’]t)\b[^.!?\n]{0,30}$")
_NAME_OF = re.compile(r"(?i)\b(?:name|nombre|nom|nome|naam|imi[ęe]) \w{2,3} $")
# What somebody is, and not called: "My mother is Catholic".
_PREDICATES = frozenset({"religion", "diet", "illness", "leaving_job", "origin"})
# Behind a subject that begins a German sentence stands its name; behind another word, it may be a thing.
_BEGINS_A_SENTENCE = re.compile(
    r"(?i)(?:^|[.!?…:\n])[^\S\n]*(?:(?:und|aber|also|ach|ja|hey|hallo|hi|oh|naja)(?:[^\S\n]|,)+)*$"
)
_NOMINATIVE = re.compile(r"(?i)(?:mein|unser)e?\b")
_ENDS_A_NAME = r"(?=\s*(?:[,.;:!?)…\n]|$|[-–—] |(?:now|and|who|und|y|que|et|qui|e|che|i|и|en|die|der)\b))"
# Where every noun has a capital, a verb's end behind one makes it a thing: "hat meine Schwester Kuchen gebacken".
_IS_A_THING = re.compile(r"^\s+(?:\w*ge\w+(?:en|t)|\w+en)\b")
_OF_ANOTHER = re.compile(
    r"(?i)(?<!\w)(?!(?:what|who|where|when|how|it|that|there|here|let)['’]s)"
    r"(?:his|her|their|your|whose|seine[rmns]?|ihre[rmns]?|deine[rmns]?|tus?|sus?|ta|ton|tes|sa|son|ses|leurs?|su[oae]"
    r"|suoi|tuo|tua|loro|teu|seu|zijn|haar|jouw|jego|jej|twój|twoj[aey]|его|её|их|твой|твоя|\w+['’]s) (?:\w+ )?$"
)
# Russian leaves "my" out at the beginning of a sentence: "Мужа зовут Стас", "Вчера брат Антон приходил".
_OPENS_RUSSIAN = (
    r"(?:^|[.!?…\n])\s?(?i:(?:и|а|но|да|ну|кстати|вчера|сегодня|завтра|утром|вечером|у меня|у нас),? )?(?<![\w-])"
)
_RUSSIAN_OBLIQUE = re.compile(r"(?i).+(?:[уюыие]|[оеё][йюм]|[ая]м)")
_RUSSIAN_GENITIVES = {"отца", "пса", "свёкра"}
# Chinese names behind a relative: 小明, and a surname with what says that a sentence goes on.
_CHINESE_SMALL = "小[明红丽强华芳军刚杰伟敏静燕玲娟霞亮东鹏涛波龙琳琪雯婷慧莉倩颖佳凯超磊]"
_GOES_ON = "[是在说要会也和跟今昨明最刚已去来给住，。！？,.!?]|结婚|生日|生病|$"
_HAN = r"\u3400-\u9fff"


type How = Literal["called", "likely", "denied"]


class Told(NamedTuple):
    """That the writer calls somebody of theirs by a *name*, is likely to, or denies it (*how*)."""

    relation: str
    name: str
    how: How


def relations_told(text: str, *, language: str) -> tuple[Told, ...]:
    """
    What the writer of *text* calls somebody of theirs, and does not, each relation and name once.

    *language* is a tag such as "en" or "pt-BR"; English is read beside it. A relation that is over ("my old boss") is
    left out.
    """
    found: dict[tuple[str, str], How] = {}
    text = text[:_LONGEST]
    for own in _languages(language):
        for match in (match for pattern in _told_patterns(own) for match in pattern.finditer(text)):
            name, is_denied = _named(match)
            if not _is_name(match, name, language=own):
                continue
            for relation in sorted(_by_word(own).get(_plain(match["relation"]), frozenset())):
                how: How = "denied" if is_denied else _how(match, name, relation, language=own)
                if found.get((relation, name), "likely") == "likely":
                    found[relation, name] = how
    return tuple(Told(*pair, how) for pair, how in found.items())


class ToldOf(NamedTuple):
    """That somebody, as a text calls them (*whose*, casefolded, maybe with an ending), has a relative with a *name*."""

    whose: str
    relation: str
    name: str


def relations_told_of(text: str, *, language: str) -> tuple[ToldOf, ...]:
    """
    What *text* calls relatives of people whom it names: "Bob's sister Clara", "la hermana de Bob se llama Clara".

    *language* is a tag as of `relations_told`. In Arabic and Russian no such names are found.
    """
    found: dict[ToldOf, None] = {}
    for own in _languages(language):
        for match in (match for pattern in _told_of_patterns(own) for match in pattern.finditer(text[:_LONGEST])):
            name, is_denied = _named(match)
            whose = re.sub(r"['’]s?$", "", match["whose"]).casefold()
            is_nobody = is_relation_word(whose) or whose in words_of_relations(own) | subjectless(own)
            if is_denied or is_nobody or not content_words(whose, language=own):
                continue
            for relation in sorted(_by_word(own).get(_plain(match["relation"]), frozenset())):
                if _is_name(match, name, language=own):
                    found[ToldOf(whose, relation, name)] = None
    return tuple(found)


def relations_asked(query: str, *, language: str) -> frozenset[str]:
    """The relations of its writer that *query* speaks of: "my sister", "the dog", "Dad"."""
    return frozenset(relation for _, meant in _asked(query, language) for relation in meant)


def relations_named(text: str, *, language: str) -> frozenset[str]:
    """The relations that *text* has words for, whosever they are."""
    words = (match["relation"] for own in _languages(language) for match in _asked_pattern(own).finditer(text))
    return frozenset[str]().union(
        *(_by_word(own).get(_plain(word), frozenset()) for word in words for own in _languages(language))
    )


def with_names(query: str, names: Mapping[str, str], *, language: str) -> str:
    """*query* with the names of those whom it means instead of "my sister"; *names* are by relation."""
    found = [
        (span, next((names[one] for one in sorted(meant) if one in names), ""))
        for span, meant in _asked(query, language)
    ]
    for (start, end), name in sorted(found, reverse=True):
        if name and name.casefold() not in query.casefold():
            query = f"{query[:start]}{name}{query[end:]}"
    return query


def relation_word(relation: str, *, language: str) -> str:
    """A word for a relation, in *language* or in English."""
    own, *_ = _languages(language)
    words = _relation_words(own).get(relation) or _relation_words("en").get(relation) or [relation]
    return words[0]


@functools.cache
def words_of_relations(language: str) -> frozenset[str]:
    """The words of *language* for relatives and the like, and for "my", casefolded."""
    return frozenset(
        word.casefold() for name in ("my", *_relation_words(language)) for word in _rows(language)[name].split()
    )


def is_relation_word(word: str) -> bool:
    """Whether *word* is one for a relation in any language: "sister", "Chef"."""
    return any(_plain(word) in _by_word(one) for one in LANGUAGES)


def _asked(query: str, language: str) -> Iterator[tuple[tuple[int, int], frozenset[str]]]:
    """Where *query* speaks of whom, each place once; whoever is somebody else's is left out."""
    taken: list[tuple[int, int]] = []
    for own in _languages(language):
        for match in _asked_pattern(own).finditer(query):
            start, end = match.span()
            is_free = not any(start < other and first < end for first, other in taken)
            meant = _by_word(own).get(_plain(match["relation"]), frozenset())
            is_own = match["my"] is not None or not meant.isdisjoint(_NAMELESS)
            if is_free and is_own and not _OF_ANOTHER.search(query[:start]):
                taken.append((start, end))
                yield (start, end), meant


def _languages(language: str) -> Iterable[str]:
    tag = primary_subtag(language)
    return [one for one in dict.fromkeys((tag, "en")) if one in LANGUAGES]


def _named(match: re.Match[str]) -> tuple[str, bool]:
    """The name that was matched, and whether it is denied: "heißt nicht Anna"."""
    name = re.sub(r"['’]s$", "", match["name"])
    first, _, rest = name.partition(" ")
    if rest and _NOT.fullmatch(first):
        return rest, True
    between = match.string[match.end("relation") : match.start("name")]
    return name, _IS_NOT.search(between) is not None


def _how(match: re.Match[str], name: str, relation: str, *, language: str) -> How:
    """How sure it is that who was matched is called so."""
    told_by = match.re.groupindex
    means = concepts(name, language=language) if "be" in told_by or "bare" in told_by else frozenset()
    is_likely = False
    if "be" in told_by:
        is_sure = relation in REPLACED and language != "de" and means.isdisjoint(_PREDICATES)
        around = match.string[match.start() : match.start("name")] + match.string[match.end() : match.end() + 20]
        is_told = _NAME_OF.search(match.string[max(match.start() - 20, 0) : match.start()]) or _NEW.search(around)
        is_likely = not is_sure and is_told is None
    elif "bare" in told_by and match["bare"]:
        is_likely = not means.isdisjoint(_PREDICATES)
    elif "opening" in told_by:
        is_likely = name[-1] in "ая"  # Никита, or of somebody whose name is not known: "Сестра Анвара"
    elif "bare" in told_by and language == "de":
        is_likely = not _begins_with_its_subject(match) and match["title"] == ""
    return "likely" if is_likely else "called"


def _begins_with_its_subject(match: re.Match[str]) -> bool:
    """Whether a German sentence begins where *match* does, and is about whom it names."""
    begins = _BEGINS_A_SENTENCE.search(match.string[max(match.start() - 40, 0) : match.start()])
    return begins is not None and _NOMINATIVE.match(match[0]) is not None


def _is_name(match: re.Match[str], name: str, *, language: str) -> bool:
    """Whether what was matched names somebody, whose relation holds."""
    folded = name.casefold()
    if "pet" in match.re.groupindex and _WISHED.search(match.string[max(match.start() - 40, 0) : match.start()]):
        return False
    before = match.string[match.start() : match.start("relation")]
    if "opening" in match.re.groupindex and not _is_nominative(match):
        return False
    is_over = bool(_ENDED.search(before)) and _by_word(language).get(_plain(match["relation"]), frozenset()).isdisjoint(
        SEVERAL | _PETS  # an old friend is one still, and so is an old dog
    )
    if is_over:
        return False
    if (
        folded in subjectless(language)
        or not content_words(name, language=language)
        or folded in _nationalities(language)
    ):
        return False
    return language != "de" or not _is_german_thing(match, name)


def _is_nominative(match: re.Match[str]) -> bool:
    """Whether a Russian relative and the name behind are its subject: not "Брат Марины", "Мама Антона", "Сына Пети"."""
    known = {_plain(name) for name in _rows("ru")["names"].split()}
    ends = {name.removesuffix("й").removesuffix("ь") for name in known} | {"павл", "петр"}
    words = [_plain(word) for word in match["name"].split()]
    if any(_RUSSIAN_OBLIQUE.fullmatch(word) or (word[-1] in "ая" and word[:-1] in ends) for word in words):
        return False
    relative, meant = match["relation"].casefold(), _by_word("ru")
    genitive = relative in _RUSSIAN_GENITIVES or (
        relative[-1] in "ая" and any(relative[:-1] + end in meant for end in ("", "ь"))
    )
    return not genitive and _RUSSIAN_OBLIQUE.fullmatch(relative) is None


def _is_german_thing(match: re.Match[str], name: str) -> bool:
    """Whether a German noun, which has a capital as names have, is a thing or an occupation."""
    told_by = match.re.groupindex
    if "be" in told_by:
        return names_occupation(name, language="de")
    if "bare" not in told_by or match["bare"]:
        return False
    if _IS_A_THING.match(match.string[match.end() :]):
        return True
    is_sure = match["title"] != "" or _begins_with_its_subject(match)
    return not is_sure and bool(concepts(name, language="de"))


@functools.cache
def _rows(language: str) -> Mapping[str, str]:
    """The lines of a language's file: what stands for each relation, and for "my", "called" and "is"."""
    lines = (_FOLDER / f"{language}.txt").read_text(encoding="utf-8").splitlines()
    return {name: words.strip() for name, _, words in (line.partition(":") for line in lines)}


def _relation_words(language: str) -> Mapping[str, Sequence[str]]:
    return {name: words.split() for name, words in _rows(language).items() if name not in _GRAMMAR}


@functools.cache
def _by_word(language: str) -> Mapping[str, frozenset[str]]:
    """The relations that each word means, by the word without case and accents."""
    found: dict[str, frozenset[str]] = {}
    for relation, words in _relation_words(language).items():
        for word in words:
            found[_plain(word)] = found.get(_plain(word), frozenset()) | {relation}
    return found


@functools.cache
def _asked_pattern(language: str) -> re.Pattern[str]:
    """Where somebody is spoken of, behind "my" or not."""
    any_one, my = _any_relation(language), _any(_rows(language)["my"].split())
    if language in _DENSE:
        return re.compile(rf"(?P<my>{my})?(?P<relation>{any_one})")
    # Arabic has "my" in its words, and "and" or "to" before them.
    own = rf"(?P<my>(?:{my}) {_BETWEEN})?" if my else "(?P<my>[ولبفك]?)"
    of_another = rf"(?! (?:(?:di|de|del|do|da|von|of|van)|{my}) )" if my else ""
    ends = "s?" if language in _GENITIVE_S else ""
    return re.compile(rf"(?i)(?<![\w-]){own}(?P<relation>{any_one}){ends}(?![\w-]){of_another}")


@functools.cache
def _told_patterns(language: str) -> tuple[re.Pattern[str], ...]:
    """Where a name is told with its relation."""
    told = _told_without_spaces(language) if language in _DENSE else _told_with_spaces(language)
    return tuple(map(re.compile, told))


def _told_with_spaces(language: str) -> Iterator[str]:
    rows, words = _rows(language), _relation_words(language)
    my, be = _any(rows["my"].split()), _any(rows.get("is", "").split("|"))
    # "'s" stands at the word before it
    called = "|".join(f"{'' if one.startswith("'") else ' '}{_loosely(one)}" for one in rows["called"].split("|"))
    whom = rf"(?i:(?P<relation>{_any_relation(language)}))(?![\w-])"
    mine = rf"(?<!\w)(?i:{my}) (?i:{_BETWEEN}){whom}{_AFTER}" if my else rf"(?<!\w){whom}"
    pets = _any(word for relation in _PETS for word in words.get(relation, ()))
    # "my sister, who is called Ines"; "we have a dog named Rex"
    yield rf"{mine}(?i:,?(?: \w+){{0,3}}?(?:{called})) {_ANY_NAME}"
    pet = rf"(?<!\w)(?P<pet>(?i:{my}|{_A_PET})) (?i:{_BETWEEN}(?P<relation>{pets}))(?![\w-])"
    yield rf"{pet}(?i:,?(?: \w+){{0,2}}?(?:{called}| called)) {_ANY_NAME}"
    if language == "ru":
        yield rf"{_OPENS_RUSSIAN}{whom}(?i:(?: теперь| сейчас)?(?: не)? (?:зовут|звали)) {_NAME}"
        yield rf"{_OPENS_RUSSIAN}(?P<opening>){whom} {_NAME}"
    if language == "ar":
        yield rf"(?<!\w)[وف]?{whom}(?<=[يا]) (?P<name>{_any(rows['names'].split())})(?!\w)"
    if my:
        yield rf"{mine}(?P<bare>,?) {_NAME}"
        yield rf"{mine} (?P<be>(?i:{be})) {_NAME}{_ENDS_A_NAME}"
        mine = rf"(?i:{my}) (?i:{_BETWEEN}){whom}"
        yield rf"(?<![\w'’]){_NAME}(?:['’]s| (?i:{be})) {mine}(?!['’]s)"
        yield rf"(?<![\w'’]){_NAME}(?:,| \(| [-–—]) ?{mine}{_ENDS_A_NAME}"
        # "Jonno came off his bike. my brother."
        yield rf"(?:^|[.!?\n] ?){_NAME}(?:['’]s)? [^.!?\n]{{1,60}}[.!?]+ {mine}(?=\s*(?:[.!,)]|$))"


def _told_without_spaces(language: str) -> Iterator[str]:
    """In scripts that part no words, a name needs a word before it."""
    rows = _rows(language)
    my, called = _any(rows["my"].split()), _any(rows["called"].split())
    whom = rf"(?P<relation>{_any_relation(language)})"
    name = rf"(?P<name>[{_HAN}]{{1,3}}?|[ァ-ヶー]{{2,8}}|[ぁ-ん]{{2,6}}?|[A-Z][a-z]+)"
    ends = r"(?=[，。、！？,.!?\s]|です|だ|さん|ちゃん|くん|君|という|って|$)"
    yield rf"(?:{my}){whom}的?[不没]?(?:{called}) ?(?![我你他她大]){name}{ends}"
    if "names" in rows:
        surnames = "".join(rows["names"].split())
        yield rf"(?:{my}){whom}(?P<name>{_CHINESE_SMALL}|[{surnames}][{_HAN}]{{1,2}}?(?={_GOES_ON}))"
    yield rf"{whom}の名前は ?{name}{ends}"
    yield rf"{whom}の(?P<name>[ァ-ヶー]{{2,8}}|[{_HAN}]{{1,3}}|[ぁ-ん]{{2,6}}?)(?=さん|ちゃん|くん|君)"


@functools.cache
def _told_of_patterns(language: str) -> tuple[re.Pattern[str], ...]:
    """Where a name is told with its relation to somebody who is named, too."""
    rows = _rows(language)
    whom = rf"(?i:(?P<relation>{_any_relation(language)}))"
    if language in _DENSE:
        whose, called = rf"(?P<whose>[A-Z][a-z]+|[ァ-ヶー]{{2,8}}|[{_HAN}]{{2,3}})", _any(rows["called"].split())
        name = rf"(?P<name>[A-Z][a-z]+|[ァ-ヶー]{{2,8}}|[{_HAN}]{{2,3}}?)(?=[，。、！？,.!?\s]|です|だ|さん|という|$)"
        return (
            re.compile(rf"(?<![{_HAN}]){whose}的{whom}(?:{called}){name}"),
            re.compile(rf"{whose}の{whom}(?:の名前は ?|の|は){name}"),
        )
    if language in {"ar", "ru"}:
        return ()
    called = "|".join(f"{'' if one.startswith("'") else ' '}{_loosely(one)}" for one in rows["called"].split("|"))
    be = _any(rows.get("is", "").split("|"))
    whose = rf"(?<![\w'’])(?P<whose>{_WORD}?)"
    ends = r"(?![\w-])"
    by_genitive = rf"{whose}(?:['’]s?|s)? (?i:{_BETWEEN}){whom}{ends}"
    behind = rf"{whom}{ends} (?:(?:de|di|do|da|du|del|della|von|van|of) |d['’])?(?P<whose>{_WORD})"
    article = r"(?:(?i:la|le|el|il|lo|a|o|the|die|der|de|het) |l['’])?"
    ways = []
    if language in _GENITIVE_S:
        ways += [
            rf"{by_genitive}(?:(?i:{called}))? {_NAME}",
            rf"(?<![\w'’]){_NAME}(?:,| (?i:{be})) {by_genitive}(?!['’]s)",
        ]
    ways += [
        rf"{behind}(?:,|(?i:{called})) {_NAME}",
        rf"(?<![\w'’]){_NAME}(?:,| (?i:{be})) {article}{behind}",
    ]
    return tuple(map(re.compile, ways))


def _any_relation(language: str) -> str:
    return _any(word for words in _relation_words(language).values() for word in words)


def _any(words: Iterable[str]) -> str:
    """A pattern of any of *words*, the longest first; a hyphen in them may be a space."""
    return "|".join(_loosely(word) for word in sorted(dict.fromkeys(words), key=lambda word: (-len(word), word)))


def _loosely(word: str) -> str:
    """*word* as a pattern, with or without its accents."""
    return "".join(_loose_letter(letter) for letter in word)


def _loose_letter(letter: str) -> str:
    plain = _plain(letter)
    if letter == "-":
        return "[- ]"
    if letter in "'’":
        return "['’]"
    return re.escape(letter) if plain == letter.casefold() or len(plain) != 1 else f"[{letter}{plain}]"


def _plain(word: str) -> str:
    """*word* without case, accents and hyphens, by which words are compared."""
    letters = unicodedata.normalize("NFKD", word.casefold().replace("-", " ").replace("’", "'"))
    return "".join(letter for letter in letters if not unicodedata.combining(letter))


@functools.cache
def _nationalities(language: str) -> frozenset[str]:
    """What languages, and most peoples with them, are called: "my dentist is Spanish" names nobody."""
    return frozenset(name.casefold() for name in Locale(language).languages.values())
