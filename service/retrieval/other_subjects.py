"""
Whether a memory is about another person or thing than the question asks for, though one that answers is much like it.

What is newer leads, since it tells what holds now. But "my brother lives in Bordeaux" says nothing of where "my mother"
lives, however alike both are, and whichever came last. It is about another where it has another word in the place of
one of the question, where it begins with another relative, pet or doctor than is asked for, or where it says of one
what the writer asks of themselves: who asks for their own name asks for no other. It may be where it has other names.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from itertools import islice
from typing import TYPE_CHECKING, Literal, NamedTuple

from consolidation.kernel.turns import Speaker
from consolidation.text.concepts import answered_by, concepts
from consolidation.text.first_person import speaks_of_oneself
from consolidation.text.introductions import asks_own_name, is_of_own_name
from consolidation.text.language import primary_subtag
from consolidation.text.names import names
from consolidation.text.relations import is_relation_word, relations_asked, relations_named
from consolidation.text.sentences import whole_sentences
from consolidation.text.speech_acts import is_request
from consolidation.text.subjectless import subjectless
from consolidation.text.words import content_stems, content_words, tokens, word_count

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from consolidation.kernel.turns import Message

_TEXTS = 512  # a call compares the same few turns
_SENTENCES = 12  # of a text that are read
_FIRST_WORDS = 3  # of a sentence, among which its subject stands: "my little brother"
_LETTERS = 4  # of the word before a place: what comes behind them is an ending, as in "mein" and "meine"
_BEGINS, _ENDS = "^", "$"
# A question with one of these asks for what it does not say; "do I work at Siemens?" says it, and may be out of date.
_ASKS_FOR = frozenset(
    """
    who whom whose what where when which how why wer wen wem wessen was wo woher wohin wann wie welche welcher welches
    welchen wogegen womit wofür worauf quién quien quiénes qué que dónde donde cuándo cuando cómo como cuál cual cuánto
    cuanto cuánta cuanta cuántos cuántas qui quoi où quand comment quel quelle quels quelles combien chi che cosa dove
    quale quali quanto quanta quanti quante quem onde qual quais quantos quantas wat waar wanneer hoe welk welke hoeveel
    kto kogo komu co gdzie kiedy jak jaki jaka jakie który która które ile кто кого кому что где куда когда как какой
    какая какое какие сколько чей من ماذا ما أين متى كيف كم
    """.split()
)
# The writer, and those who were spoken of before: a text with one tells more than of whom a sentence begins with.
_WRITER = {
    "en": "i im ive id ill me we us",
    "de": "ich mich mir wir uns",
    "es": "yo me nosotros nos",
    "fr": "je me moi nous on",
    "it": "io mi noi ci",
    "pt": "eu me nós nos",
    "nl": "ik me mij wij we ons",
    "pl": "ja mnie mi my nas nam",
    "ru": "я меня мне мы нас нам",
    "ar": "أنا لي نحن لنا",
}
_OTHERS = {
    "en": "he hes she shes it its they theyre them him",
    "de": "er sie es ihn ihm",
    "es": "él ella ellos ellas lo",
    "fr": "il elle ils elles lui",
    "it": "lui lei loro",
    "pt": "ele ela eles elas",
    "nl": "hij zij ze hem het",
    "pl": "on ona ono oni one",
    "ru": "он она оно они ему ей им",
    "ar": "هو هي هم",
}
_WITH_ARTICLE = {
    "al": "a", "del": "de", "du": "de", "des": "de", "au": "a", "aux": "a", "zum": "zu", "zur": "zu", "im": "in",
    "am": "an", "beim": "bei", "vom": "von", "do": "de", "da": "de", "ao": "a",
}  # fmt: skip


class _Place(NamedTuple):
    """Where a word stands: behind which word, and before which."""

    behind: str
    before: str


class _Said:
    """A text as it is compared; each part is made when it is asked for."""

    def __init__(self, text: str, language: str) -> None:
        self._text = text
        self._language = language
        self._sentences = tuple(islice(whole_sentences(text, language=language), _SENTENCES))
        self._words = tuple(map(tokens, self._sentences))
        self._stem_of = content_words(text, language=language)

    @cached_property
    def stems(self) -> frozenset[str]:
        """All stems of words that carry something."""
        return frozenset(self._stem_of.values())

    @cached_property
    def places(self) -> dict[_Place, frozenset[str]]:
        """The stems that stand in each place between two words; behind the last word stands what is told."""
        found: dict[_Place, set[str]] = {}
        for place, stem in self._placed():
            if place.before != _ENDS:
                found.setdefault(place, set()).add(stem)
        return {place: frozenset(some) for place, some in found.items()}

    @cached_property
    def concepts(self) -> frozenset[str]:
        """What its words mean."""
        return concepts(self._text, language=self._language)

    @cached_property
    def goes_on(self) -> frozenset[tuple[str, str]]:
        """Each stem with the word behind it."""
        return frozenset((stem, place.before) for place, stem in self._placed())

    @cached_property
    def relations(self) -> frozenset[str]:
        """The relations that it has words for."""
        return relations_named(self._text, language=self._language)

    @cached_property
    def begins_with(self) -> frozenset[str]:
        """The relations that one of its sentences begins with."""
        beginnings = "\n".join(map(_beginning, self._sentences))
        return relations_named(beginnings, language=self._language)

    @cached_property
    def names(self) -> frozenset[str]:
        """The stems of the names that stand before the first "he", "she" or "it"."""
        others = _listed("others", self._language)
        words = self._text.split()
        first = next((at for at, word in enumerate(words) if not others.isdisjoint(tokens(word))), len(words))
        return _stems_of_names(" ".join(words[:first]), self._language)

    def has(self, name: Literal["writer", "others"]) -> bool:
        """Whether it has a word for the writer, or for others who were spoken of before."""
        listed = _listed(name, self._language)
        return any(not listed.isdisjoint(words) for words in self._words)

    def _placed(self) -> Iterator[tuple[_Place, str]]:
        for words in self._words:
            for behind, word, before in zip((_BEGINS, *words), words, (*words[1:], _ENDS), strict=False):
                if (stem := self._stem_of.get(word)) is not None:
                    yield _Place(_WITH_ARTICLE.get(behind, behind)[:_LETTERS], _WITH_ARTICLE.get(before, before)), stem


@dataclass(frozen=True, slots=True)
class _Asked:
    """
    A question: the stems that carry a subject, those of names, and those of words for relatives and the like.

    ``concepts`` are what its words mean, ``relations`` those of its writer that it asks for; ``asks_for`` is whether it
    wants what it does not say.
    """

    stems: frozenset[str]
    concepts: frozenset[str]
    names: frozenset[str]
    relatives: frozenset[str]
    relations: frozenset[str]
    is_of_writer: bool
    asks_for: bool


def told_in(messages: Iterable[Message]) -> str:
    """What people say in *messages*, as it is compared here."""
    return "\n".join(one.content for one in messages if one.role is Speaker.USER)


def is_about_another(text: str, answer: str, *, questions: Sequence[str], language: str) -> bool:
    """
    Whether *text* speaks of another person or thing than *answer*, which tells of what is asked for.

    *questions* are one question in all its words: with "my sister", and with her name.
    """
    return _compared(_is_of_another, text, answer, questions, language)


def may_be_about_another(text: str, answer: str, *, questions: Sequence[str], language: str) -> bool:
    """Whether *text* is, or names somebody or something else than *questions* and *answer* do."""
    return _compared(_may_be_of_another, text, answer, questions, language)


def _compared(
    differ: Callable[[_Said, _Said, _Asked], bool], text: str, answer: str, questions: Sequence[str], language: str
) -> bool:
    if not questions:
        return False
    if asks_own_name(questions[0]) and is_of_own_name(answer) and not is_of_own_name(text):
        return True
    said, right = _said(text, language), _said(answer, language)
    first, *others = (_asked(one, language) for one in questions)
    in_other_words = frozenset[str]().union(*(one.stems - one.relatives for one in others)) - first.stems
    return in_other_words.isdisjoint(said.stems) and differ(said, right, first)


def _is_of_another(said: _Said, right: _Said, asked: _Asked) -> bool:
    if _is_of_another_person(said, right, asked):
        return True
    # Who moved says where they live, in another word.
    is_answer = not said.concepts.isdisjoint(answered_by(asked.concepts))
    return asked.asks_for and not is_answer and _has_another_word(said, right, asked)


def _may_be_of_another(said: _Said, right: _Said, asked: _Asked) -> bool:
    if _is_of_another(said, right, asked):
        return True
    return asked.asks_for and _names_another(said, right, asked)


def _names_another(said: _Said, right: _Said, asked: _Asked) -> bool:
    """Whether *said* names somebody or something, and not whom or what the question and *right* name."""
    named = asked.names & right.stems
    return bool(named) and named.isdisjoint(said.stems) and not said.names <= right.stems | asked.stems


def _is_of_another_person(said: _Said, right: _Said, asked: _Asked) -> bool:
    if not (asked.relations or asked.is_of_writer) or said.has("others"):
        return False
    if asked.relations:
        is_told = not asked.relations.isdisjoint(right.relations)
        return is_told and bool(said.begins_with) and asked.relations.isdisjoint(said.relations)
    if said.has("writer") or not said.begins_with or right.relations:
        return False
    return any(stem in asked.stems for stem, _ in said.goes_on & right.goes_on)


def _has_another_word(said: _Said, right: _Said, asked: _Asked) -> bool:
    """Whether *said* has another word in the place of one that *right* and the question share."""
    return any(
        not shared.isdisjoint(asked.stems)
        and (shared & asked.stems).isdisjoint(said.stems)
        and bool(said.places.get(place, frozenset()) - asked.stems)
        for place, shared in right.places.items()
    )


@lru_cache(maxsize=_TEXTS)
def _asked(question: str, language: str) -> _Asked:
    words = content_words(question, language=language)
    without_subject = subjectless(language)
    stems = frozenset(stem for word, stem in words.items() if word not in without_subject and not word.isdigit())
    return _Asked(
        stems,
        concepts(question, language=language),
        stems & _stems_of_names(question, language),
        frozenset(stem for word, stem in words.items() if is_relation_word(word)),
        relations_asked(question, language=language),
        is_of_writer=speaks_of_oneself(question, language=language),
        asks_for=not _asking_words().isdisjoint(tokens(question)) or is_request(question),
    )


@lru_cache(maxsize=_TEXTS)
def _said(text: str, language: str) -> _Said:
    return _Said(text, language)


def _stems_of_names(text: str, language: str) -> frozenset[str]:
    return content_stems(" ".join(names(text, language=language)), language=language)


def _beginning(sentence: str) -> str:
    words = sentence.split()
    parts_no_words = word_count(sentence) > len(words)
    return sentence[: 2 * _FIRST_WORDS] if parts_no_words else " ".join(words[:_FIRST_WORDS])


@cache
def _asking_words() -> frozenset[str]:
    return frozenset(one for word in _ASKS_FOR for one in tokens(word))


@cache
def _listed(name: Literal["writer", "others"], language: str) -> frozenset[str]:
    """The words for the writer or for others, in *language* and in English, as ``tokens`` has them."""
    tag = primary_subtag(language)
    lists = _WRITER if name == "writer" else _OTHERS
    return frozenset(one for own in (tag, "en") for one in tokens(lists.get(own, "")))
