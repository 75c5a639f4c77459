"""
Finds words in a chapter that are not the bot's: what it only read, and what a person said of themselves.

A person's words are theirs where a chapter repeats them outside of quotation marks and they say "I" or "we". "I" and
"my" are somebody's own in any five words in a row. "We" may be the bot as well, a verb may say "I" by a form that a
noun has, too, and "me" stands in what anybody told: these count where nearly the whole sentence is repeated.
"""

from __future__ import annotations

import re
from collections import Counter
from difflib import SequenceMatcher
from functools import cache
from typing import TYPE_CHECKING

from consolidation.kernel.turns import READ, Speaker
from consolidation.story.quoted_words import is_of_the_speaker, is_past, is_to_another, language_of_sentence
from consolidation.text.first_person import is_in_first_person, says_we, speaks_of_oneself
from consolidation.text.language import detect, primary_subtag
from consolidation.text.quotation import without_quotations
from consolidation.text.sentences import sentences
from consolidation.text.speech_acts import is_question
from consolidation.text.subjectless import subjectless
from consolidation.text.words import content_words, is_dense, tokens, words_of, written

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from consolidation.kernel.turns import Message

    type Words = tuple[str, ...]

_READ_RUN, _PERSON_RUN = 6, 5  # words in a row that are somebody's own
_KEY = 3  # words in a row by which a sentence is found
_MOST_ALIKE = 20  # sentences that are compared
_RUN = 2  # words in a row at least that two sentences have in common
_FEWEST, _NEARLY = 4, 0.8  # words in common, and their share of the shorter sentence

_I_AND_MY = {
    "en": "i i'm i've i'd i'll my mine",
    "de": "ich mein meine meinem meinen meiner meines meins",
    "es": "yo mi mis mío mía míos mías",
    "fr": "je mon ma mes mien mienne miens miennes",
    "it": "io mio mia miei mie",
    "pt": "eu meu minha meus minhas",
    "nl": "ik mijn mijne m'n",
    "pl": "ja mój moja moje mojego mojej moją moim moich moi",
    "ru": "я мой моя моё мои моего моей моему мою моим моих",
    "ar": "أنا",
}
_DENSE_I = re.compile(r"[我私僕俺](?![们們達]|たち|ら)")
# With these verbs at its beginning, a sentence is its speaker's, although it leaves out who; those of the past besides.
_LEFT_OUT = {"de": "bin hab habe", "nl": "ben heb"}
_OPENING = re.compile(r"\W*(?:(?:just|also|finally|and|но|и|наконец)\s+)?", re.IGNORECASE)
_OF_THE_PAST = frozenset({"en", "ru"})
# What a person and the bot did together: they talked, and looked for something.
_TOGETHER = {
    "en": r"(?:talk|spoke|speak|chat|discuss|search|brows|jok|laugh)\w*|look\w* (?:for|at|up|into)"
    r"|(?:go\w*|went|read) (?:over|through)",
    "de": r"(?:ge)?(?:red|sproch|sprech|sprach|plauder|such|diskut|lach)\w*|bespr[aoe]ch\w*|nachge(?:sehen|schaut)",
    "es": r"(?:habl|convers|charl|coment|busc|discut|mir)\w+|vimos",
    "fr": r"(?:parl|discut|bavard|cherch|évoqu|regard)\w+",
    "it": r"(?:parl|discu|chiacchier|cerc|guard)\w+",
    "pt": r"(?:fal|convers|procur|discut|coment)\w+|vimos",
    "nl": r"(?:ge)?(?:praat|sprak|sproken|zocht|zoek|keken)\w*|bespr[aoe]\w+",
    "pl": r"(?:rozmawia|gada|mówi|omawia|omówi|szuka)\w+",
    "ru": r"(?:говор|обсужд|обсуд|болта|бесед|иска)\w+",
    "ar": r"(?:تحدث|تكلم|ناقش|بحث|تحادث)\w*",
    "zh": r"聊|谈|讨论|说过|找",
    "ja": r"話し|相談|探し|調べ",
}


class BorrowedWords:
    """The words of a batch's messages that a chapter made of it may not tell as the bot's own."""

    def __init__(self, said: Sequence[Message], *, language: str) -> None:
        """*language* is that of the chapters."""
        read = _all_runs((one.content for one in said if one.role in READ), _READ_RUN)
        spoken = _all_runs((one.content for one in said if one.role not in READ), _READ_RUN) if read else frozenset()
        self._read = read - spoken
        self._language = language
        self._bots = tuple(_line(tokens(one.content)) for one in said if one.role not in READ | {Speaker.USER})
        self._persons: dict[Words, str] = {}  # each sentence by its words
        self._keys: dict[Words, list[Words]] = {}
        self._languages: dict[Words, tuple[str, ...]] = {}
        for sentence in (one for message in said if message.role is Speaker.USER for one in sentences(message.content)):
            words = tokens(sentence)
            if words and words not in self._persons:
                self._persons[words] = sentence
                for key in _keys(words):
                    self._keys.setdefault(key, []).append(words)

    def fault_of(self, text: str) -> str:
        """Whether a sentence of *text* tells as its own what was only read, or what a person said of themselves."""
        if self._read and (read := _all_runs(sentences(text), _READ_RUN) & self._read):
            return f"it repeats what was only read (“{' '.join(min(read))}”); say in your own words that you read it"
        for sentence in sentences(without_quotations(text)):
            if taken := self._taken(tokens(sentence)):
                return f"it tells as your own what another said of themselves (“{' '.join(taken)}”)"
        return ""

    def _taken(self, told: Words) -> Words:
        """What a sentence of these words repeats of what a person said of themselves; empty where it does not."""
        alike = Counter(words for key in _keys(told) for words in self._keys.get(key, ()))
        for said, _ in alike.most_common(_MOST_ALIKE):
            blocks = _common(told, said)
            if found := self._run_of_oneself(said, blocks) or self._whole_sentence(told, said, blocks):
                return found
        return ()

    def _run_of_oneself(self, said: Words, blocks: Sequence[Words]) -> Words:
        """Five of the words in common that say "I" or "my", and that the bot did not say as well."""
        for run in (run for block in blocks for run in _each_run(block, _PERSON_RUN)):
            if any(_says_i(run, one) for one in self._languages_of(said)) and not self._did_bot_say(run):
                return run
        return ()

    def _whole_sentence(self, told: Words, said: Words, blocks: Sequence[Words]) -> Words:
        """The words in common, where they are nearly all of a sentence in which somebody speaks of themselves."""
        common = said if told == said else tuple(word for block in blocks for word in block)
        is_nearly = len(common) >= max(_FEWEST, _NEARLY * min(len(told), len(said)))
        if not (told == said or is_nearly) or self._did_bot_say(max(blocks, key=len)):
            return ()
        text = self._persons[said]
        for language in self._languages_of(said):
            if not content_words(text, language=language).keys() - subjectless(language):
                continue
            own = [one for one in _own_words(text, language) if not set(tokens(one)).isdisjoint(common)]
            is_own = bool(own) or (told == said and _leaves_out_itself(text, language))
            if is_own and not _is_of_both(text, own, language):
                return common
        return ()

    def _did_bot_say(self, words: Words) -> bool:
        return any(_line(words) in line for line in self._bots)

    def _languages_of(self, said: Words) -> tuple[str, ...]:
        """Those that a person's sentence may be in: so short, it does not always say."""
        if said not in self._languages:
            text, known = self._persons[said], self._language
            found = (detect(text, fallback=known), language_of_sentence(said, language=known), known)
            self._languages[said] = tuple(dict.fromkeys(map(primary_subtag, found)))
        return self._languages[said]


def runs(text: str, size: int) -> frozenset[Words]:
    """Each *size* words in a row of *text*."""
    return frozenset(_each_run(tokens(text), size))


def _all_runs(texts: Iterable[str], size: int) -> frozenset[Words]:
    return frozenset[tuple[str, ...]]().union(*(runs(text, size) for text in texts))


def _each_run(words: Words, size: int) -> Iterator[Words]:
    return (words[at : at + size] for at in range(len(words) - size + 1))


def _keys(words: Words) -> frozenset[Words]:
    return frozenset(_each_run(words, _KEY)) or frozenset({words})


def _line(words: Words) -> str:
    return f" {' '.join(words)} "


def _common(told: Words, said: Words) -> list[Words]:
    """The words that both have in the same order, in runs of two and more."""
    found = SequenceMatcher(None, told, said, autojunk=False).get_matching_blocks()
    return [told[one.a : one.a + one.size] for one in found if one.size >= _RUN] or [()]


def _own_words(text: str, language: str) -> tuple[str, ...]:
    """The words of *text* that say "I" or "we" by themselves."""
    words = (one for word in text.split() for one in (tokens(word) if is_dense(word) else (word,)))
    return tuple(word for word in words if _is_own(word, language))


def _is_own(word: str, language: str) -> bool:
    low = word.replace("’", "'").casefold()
    return is_in_first_person(low, language) or says_we(low, language) or is_of_the_speaker(word, language=language)


def _leaves_out_itself(text: str, language: str) -> bool:
    """Whether somebody speaks of themselves in more words than one, or leaves out that it is they."""
    top = _OPENING.sub("", text, count=1).partition(" ")[0]
    is_led = top.casefold() in _LEFT_OUT.get(language, "").split()
    return is_led or _is_own(text, language) or (language in _OF_THE_PAST and is_past(top, language=language))


def _is_of_both(text: str, own: Sequence[str], language: str) -> bool:
    """Whether the "we" of *text* are a person and the bot: asked or told to it, or of what they did together."""
    if any(speaks_of_oneself(one, language=language) for one in ([text] if is_dense(text) else own or [text])):
        return False
    is_together = language in _TOGETHER and words_of(_TOGETHER[language]).search(text.casefold()) is not None
    return is_together or is_question(text) or is_to_another(text, language=language)


def _says_i(run: Words, language: str) -> bool:
    if any(map(is_dense, run)):
        return _DENSE_I.search(written(" ".join(run))) is not None
    return not _i_and_my(language).isdisjoint(run)


@cache
def _i_and_my(language: str) -> frozenset[str]:
    return frozenset(tokens(_I_AND_MY.get(language, "")))
