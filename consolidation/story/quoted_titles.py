"""
Titles that are words of the talk: a noun phrase with its article, else a few words of the weightiest sentence, quoted.

Lists of function words and of verb endings stand in for a parser: a phrase ends at a function word, and a phrase that
may contain a verb is not used.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from consolidation.kernel.turns import Speaker
from consolidation.story import quoted_title_words, quoted_words
from consolidation.text.subjectless import subjectless
from consolidation.text.words import content_stems, content_words, is_dense, tokens

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from consolidation.story.quoted_sayings import Saying

_LONGEST_TITLE = 80
_MOST_QUOTED, _FEWEST_QUOTED, _MOST_AT_ALL = 6, 3, 8  # words; more only where fewer can not be read
_MOST_DENSE = 16  # characters of a script without spaces
_MOST_INNER, _MOST_WHOLE, _MOST_NAME = 3, 6, 2  # words of a phrase, of a name
_GOOD_PHRASE, _FAIR_PHRASE, _READABLE = 0.9, 0.6, 1.0
_NEAR_HEAVIEST = 0.8  # by how much less weight a sentence may have, and still give its phrase
_TOKEN = re.compile(r"[^\W_]{1,3}['’](?=[^\W\d_]{3})|[\w&$€£%]+(?:[-'’.][\w]+){0,6}|[^\w\s]")
_OPENING_MARKS = '"“„«('
_NUMBERED = re.compile(r"\s\d+\s|^\w+(?:\s[A-ZÀ-Þ]\S*){2,}$(?<=[a-zß-ÿ])")  # "the Brahms 14 times", "a Priya Raman"
_CLAUSE_END = re.compile(
    r"[,;:!?.…()\"“”„«»、。，！？；：،؛؟–—]|\s-+\s|(?<=\w)-\s|[\u2600-\u27bf\U0001f000-\U0001faff]"
)
# At the end of a phrase these are verbs, or may be.
_VERB = {
    "en": re.compile(
        r"\w{1,40}(?:ed|ing|ly)|went|got|came|made|took|wrote|sent|met|lost|won|began|brought|bought|thought|told|gave|ran"
        r"|saw|sang|grew|fell|found|taught|sold|chose|broke|drove|flew|said|heard|had|did|kept|held|ate|rang|wore|let"
        r"|feels?|makes?|gives?|put|set|get|go|see|think|want|say|tell|find|keep|come|take|need|have|has"
        r"|helps?|means?|shows?|gets?|goes|says?|comes?|keeps?|takes?|needs?|wants?|lives?|loves?"
        r"|knows?|brings?|become|becomes|became|seems?|looks?|starts?|happens?|\w{1,40}['’](?!s$)\w+|\w{1,40}['’]s"
    ),
    "de": re.compile(r"[a-zäöüß]\w*"),  # the last word of a German noun phrase has a capital
    "es": re.compile(r"\w{1,40}(?:ando|iendo|aron|ieron|é|ó|aba|ía|amos|mente)"),
    "fr": re.compile(r"\w{1,40}(?:ait|aient|ant|ons|ez|ment)"),
    "it": re.compile(r"\w{1,40}(?:ando|endo|iamo|arono|mente|ò|è)"),
    "nl": re.compile(
        r"\w{0,12}ge\w{2,20}(?:d|t|en)|(?:be|ver|ont|her)\w{2,20}(?:d|t|en)|\w{2,20}(?:kte|pte|fte|ste|chte|lde|nde|rde)n?"
        r"|is|was|heeft|had|gaat|ging|kwam|komt|woont|werkt|zegt|zei|wil|moet|kan|kreeg|krijgt|kocht|nam|vond|vindt|doet"
        r"|staat|zit|ligt|heet"
    ),
    "pt": re.compile(r"\w{1,40}(?:ando|endo|indo|aram|eram|ou|eu|mente)"),
}


@dataclass(frozen=True, slots=True)
class Mentions:
    """In how many sentences of its day, and on how many days of the talk, each stem was said."""

    today: Mapping[str, int]
    days: Mapping[str, int]


def title(chosen: Sequence[Saying], mentions: Mentions, *, taken: frozenset[str], quoted: Callable[[str], str]) -> str:
    """
    The title of a day of which *chosen* is told; none of *taken*, if another is found. *quoted* puts words between
    quotation marks.
    """
    speakers = frozenset(word for saying in chosen for word in tokens(saying.who))
    heaviest = max(chosen, key=_fitness)
    fitting = [saying for saying in chosen if _fitness(saying) >= _fitness(heaviest) - _NEAR_HEAVIEST]
    phrases = sorted(_phrases(fitting, mentions, speakers), key=lambda pair: -pair[0])
    runs = sorted((pair for saying in chosen for pair in _quotable(saying)), key=lambda pair: -pair[0])
    whole = [phrase[:1].upper() + phrase[1:] for score, phrase in phrases if score >= _GOOD_PHRASE]
    good = [quoted(run) for score, run in runs if score >= _READABLE]
    fair = [phrase[:1].upper() + phrase[1:] for score, phrase in phrases if score >= _FAIR_PHRASE]
    found = (*whole, *good, *fair, *(quoted(run) for _, run in runs), quoted(_begun(heaviest.text)))
    return next((one for one in found if one not in taken), found[0])[:_LONGEST_TITLE]


def _fitness(saying: Saying) -> float:
    """How well a sentence stands for its day."""
    return saying.weight - 1.2 * saying.is_dependent - {Speaker.USER: 0.0, Speaker.THOUGHT: 0.0}.get(saying.role, 0.8)


def _phrases(chosen: Sequence[Saying], mentions: Mentions, speakers: frozenset[str]) -> Iterator[tuple[float, str]]:
    """The noun phrases of *chosen*, each with how well it would do."""
    for saying in chosen:
        for phrase in _noun_phrases(saying.text, saying.language):
            found = content_words(phrase, language=saying.language)
            inner = frozenset(found.values())
            is_common = quoted_words.platitudes(inner, language=saying.language) == len(inner)
            if not inner or is_common or not speakers.isdisjoint(found) or _NUMBERED.search(phrase):
                continue
            rarity = sum(1 / mentions.days.get(stem, 1) for stem in inner) / len(inner)
            echoed = sum(mentions.today.get(stem, 1) - 1 for stem in inner) / len(inner)
            is_named = len(inner) > 1 and any(word[:1].isupper() for word in phrase.split()[1:])
            score = 0.4 * rarity + 0.25 * min(len(inner), 2) + 0.15 * min(echoed, 3)
            score += 0.3 * (is_named and saying.language != "de")
            score -= 0.35 * (len(inner) == 1 and not is_named)
            yield score + 0.15 * (_fitness(saying) - 3.0), phrase


def _noun_phrases(text: str, language: str) -> Iterator[str]:
    """The phrases of *text* that begin with an article and are an object: behind a preposition or a verb."""
    articles = quoted_title_words.ARTICLES.get(language)
    if articles is None:
        return
    parts = list(_TOKEN.finditer(text))
    kinds = [_kind(part[0], language) for part in parts]
    for at in range(len(parts)):
        is_own = quoted_title_words.is_possessive(parts[at][0], language=language)  # "my" would be the bot's
        if not (kinds[at] == "article" or is_own) or not _may_begin(parts, kinds, at, language):
            continue
        start = at + 1 if is_own else at
        end = _end_of_phrase(parts, kinds, at + 1, language, may_join=not is_own)
        if end > start + 1:
            yield text[parts[start].start() : parts[end - 1].end()]


def _may_begin(parts: Sequence[re.Match[str]], kinds: Sequence[str], at: int, language: str) -> bool:
    """Whether the word at *at* begins an object, which no verb follows; in German, a phrase in its plain case."""
    before = parts[at - 1][0].casefold() if at else ""
    if language == "de":
        is_plain = kinds[at] == "article" and (not at or kinds[at - 1] != "link")
        return is_plain and before not in quoted_title_words.SUBORDINATE["de"]
    is_inner = at > 1 and kinds[at - 1] == "link" and parts[at - 2][0][:1].isupper()  # "The Lord of the Rings"
    return at > 0 and kinds[at - 1] in {"word", "link"} and not (is_inner and at > 2)  # noqa: PLR2004


def _kind(part: str, language: str) -> str:
    """What a word is: ``word`` (of content), ``article``, ``link``, ``function`` or ``mark``."""
    folded = part.casefold()
    if folded in quoted_title_words.ARTICLES[language]:
        return "article"
    if folded in quoted_title_words.LINKS[language]:
        return "link"
    if not part[0].isalnum() and part[0] not in "$€£":
        return "mark"
    is_function = set(tokens(part)) <= quoted_title_words.function_words(language)
    return "function" if is_function else "word"


def _end_of_phrase(
    parts: Sequence[re.Match[str]], kinds: Sequence[str], start: int, language: str, *, may_join: bool
) -> int:
    """Behind the last word of the phrase whose article is before *start*; *start* itself where it is not certain."""
    end = _end_of_words(kinds, start)
    is_certain = start < end <= start + _MOST_INNER and not _is_verb(parts[end - 1][0], language)
    if not is_certain or (end < len(kinds) and kinds[end] == "article"):
        return start  # an article follows: the last word is a verb
    behind = end + 1
    if may_join and end < len(kinds) and kinds[end] == "link":
        while behind < len(kinds) and kinds[behind] == "article":
            behind += 1
        further = _end_of_words(kinds, behind)
        is_joined = behind < further <= behind + 2 and not _is_verb(parts[further - 1][0], language)
        is_ended = further == len(kinds) or kinds[further] in {"mark", "function", "link"}
        if is_joined and is_ended and further - start < _MOST_WHOLE and _may_join(parts, end, behind):
            return further
    return end


def _may_join(parts: Sequence[re.Match[str]], at: int, behind: int) -> bool:
    """Whether the preposition at *at* belongs to the noun before it: always "of", others with a name."""
    is_of = parts[at][0].casefold() in {
        "of",
        "de",
        "du",
        "d'",
        "d’",
        "di",
        "del",
        "da",
        "do",
        "von",
        "vom",
        "van",
        "dell'",
    }
    return is_of or parts[behind][0][:1].isupper()


def _end_of_words(kinds: Sequence[str], start: int) -> int:
    end = start
    while end < len(kinds) and kinds[end] == "word":
        end += 1
    return end


def _is_verb(word: str, language: str) -> bool:
    pattern = _VERB.get(language)
    return pattern is not None and pattern.fullmatch(word) is not None


def _quotable(saying: Saying) -> Iterator[tuple[float, str]]:
    """Runs of a few words of a sentence that can be read alone, each with how well it reads."""
    for clause, is_closed in _clauses(saying.text):
        runs = _dense_runs(clause) if is_dense(clause) else _runs(clause, saying.language, is_closed=is_closed)
        for score, run in runs:
            yield score + 0.4 * _fitness(saying), run


def _clauses(text: str) -> Iterator[tuple[str, bool]]:
    """
    The parts of a sentence between its marks, and whether each is closed by one; none that is itself quoted, or stands
    behind what looks like the name of who said it.

    A mark inside of a word, of a number or of a date parts nothing.
    """
    start, is_quoted = 0, False
    for found in _CLAUSE_END.finditer(text):
        mark, behind = found[0], text[found.end() : found.end() + 1]
        is_ordinal = mark == "." and text[: found.start()][-1:].isdigit() and found.end() < len(text)
        if is_ordinal or (mark in ".:," and behind.isalnum()):
            continue
        if not is_quoted:
            yield text[start : found.start()].strip(), mark not in _OPENING_MARKS
        is_led = mark in ":：" and len(text[: found.start()].split()) <= _MOST_NAME
        is_left = mark in '"”»)'
        is_quoted = (mark == '"' and not is_quoted) if is_left else (is_quoted or is_led or mark in _OPENING_MARKS)
        start = found.end()
    if not is_quoted:
        yield text[start:].strip(), True


def _dense_runs(clause: str) -> Iterator[tuple[float, str]]:
    if 1 < len(clause) <= _MOST_DENSE:
        yield len(clause) / _MOST_DENSE, clause


def _runs(clause: str, language: str, *, is_closed: bool) -> Iterator[tuple[float, str]]:
    """*clause* from its first telling word, whole if it is short, else up to where it may be ended."""
    words = clause.split()
    while words and words[0].casefold() in quoted_title_words.CONJUNCTIONS.get(language, frozenset()):
        words = words[1:]
    if words and words[0][0] in "'‘‹":
        return  # somebody else's words
    functions = quoted_title_words.function_words(language)
    content = [not set(tokens(word)) <= functions for word in words]
    for end in range(_FEWEST_QUOTED, min(len(words), _MOST_AT_ALL) + 1):
        is_whole = end == len(words)
        if is_closed if is_whole else _may_end(words, content, end, language):
            run = " ".join(words[:end])
            is_telling = content_words(run, language=language).keys() - subjectless(language)
            if is_telling and not quoted_title_words.hangs(words[end - 1], language=language, is_clause=is_whole):
                yield _readability(run, language) + 0.4 * is_whole - 1.0 * (end > _MOST_QUOTED), run


def _may_end(words: Sequence[str], content: Sequence[bool], end: int, language: str) -> bool:
    """Whether the words up to *end* can be read without those behind: an object is not cut off its verb."""
    is_ended = words[end].casefold() in quoted_title_words.ENDS.get(language, frozenset())
    return is_ended and content[end - 1] and not _is_verb(words[end - 1], language)


def _readability(run: str, language: str) -> float:
    stems = content_stems(run, language=language)
    first = run.split(" ", 1)[0].casefold()
    telling = content_words(run, language=language).keys() - subjectless(language)
    score = 0.5 * min(quoted_words.events(stems, run, language=language), 2) + 0.2 * len(telling)
    score += 0.5 * quoted_words.is_of_the_speaker(run, language=language)
    score += 0.3 * any(word[:1].isupper() for word in run.split()[1:])
    score += 0.4 * quoted_words.is_past(run, language=language)
    score -= 0.5 * quoted_words.platitudes(stems, language=language) + 0.5 * quoted_words.is_phrase(
        run, language=language
    )
    score -= 0.6 * quoted_words.is_to_another(run, language=language)
    score -= 0.7 * quoted_words.is_dependent(run, language=language)
    score -= 0.5 * quoted_words.is_vague(run, language=language)
    return score - 1.0 * (first in quoted_title_words.SUBORDINATE.get(language, frozenset()))


def _begun(text: str) -> str:
    """The first words of *text*; an ellipsis says that it goes on."""
    if is_dense(text):
        return text if len(text) <= _MOST_DENSE else f"{text[: _MOST_DENSE - 1]}…"
    words = text.split()
    whole = " ".join(words[:_MOST_QUOTED])
    return whole.rstrip(".!,;:") if len(words) <= _MOST_QUOTED else f"{whole[:60].rstrip('.!,;:')} …"
