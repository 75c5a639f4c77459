"""
The sentences of a talk that can be quoted, each with its weight: how much a person would want it kept.

Machine text (JSON, code, logs, shells, addresses) is not among them. What cannot be understood alone, what mirrors,
thanks or cheers weighs little.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from consolidation.kernel.turns import READ, Speaker
from consolidation.story import quoted_words
from consolidation.text.code import CAPTION, without_code
from consolidation.text.concepts import concepts
from consolidation.text.language import detect, is_in_another_script
from consolidation.text.names import names
from consolidation.text.quotation import own_lines
from consolidation.text.retractions import concedes
from consolidation.text.sentences import sentences
from consolidation.text.speech_acts import is_question, is_request
from consolidation.text.words import content_stems, content_words, tokens

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from consolidation.kernel.turns import Message

LONGEST = 520  # characters that are quoted of a sentence
_SHORTEST_AT_ALL, _SHORTEST, _SHORT, _LONG = 8, 25, 30, 260
_OF_A_LIFE = 1.9  # the least weight of a short sentence that states something of a life
_WIDE = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")  # scripts that say more in a character
_BULLET = re.compile(r"\s{0,8}(?:[-*•–>]|\d{1,2}[.)])\s{1,4}")
_ADDRESS = re.compile(r"https?://|\bwww\.\w|`[^`\n]{0,200}[=(){};<>*|$][^`\n]{0,200}`", re.IGNORECASE)  # and code
_WORDS_OF_PROSE = 5
_END_OF_PROSE = tuple(".!。！।…”»\"'’)")
_HEARD_BEFORE = 0.5  # of an answer's words: it mirrors


@dataclass(frozen=True, slots=True)
class Saying:
    """
    A sentence as it stands in its *line*; *place* counts the sentences of a day, *told* the lines of a talk.

    ``is_dependent``: it can not be understood alone. ``is_idle``: it thanks, cheers, greets or asks for something.
    ``is_important``: somebody said so.
    """

    who: str
    role: Speaker
    line: str
    start: int
    end: int
    told: int
    place: int
    language: str
    stems: frozenset[str]
    names: tuple[str, ...]
    weight: float
    is_dependent: bool
    is_idle: bool = False
    is_important: bool = False

    @property
    def text(self) -> str:
        """The sentence."""
        return self.line[self.start : self.end]

    @property
    def is_read(self) -> bool:
        """Whether nobody said it."""
        return self.role in READ


def sayings(messages: Sequence[Message], *, language: str) -> tuple[Saying, ...]:
    """What can be quoted of one day's *messages*, in their order, in a talk that is mostly in *language*."""
    speakers = frozenset(word for message in messages for word in (message.who, *message.who.split()))
    heard: set[str] = set()
    found: list[Saying] = []
    seen: set[tuple[str, str]] = set()
    told = place = 0
    for message in messages:
        own = own_lines(message.content) if message.role is Speaker.USER else message.content
        for line in _prose(own, is_read=message.role in READ):
            told += 1
            for start, end in _cut(line, language):
                place += 1
                if (message.known_as, line[start:end]) in seen or _length(line[start:end]) < _SHORTEST_AT_ALL:
                    continue
                seen.add((message.known_as, line[start:end]))
                one = _saying(message, line[:end], start, (told, place), language, speakers)
                if one is not None and not (_mirrors(one, heard)):
                    found.append(one)
        if message.role is Speaker.USER:
            heard |= content_words(message.content[:4000], language=language).keys()
    return tuple(found)


def _cut(line: str, language: str) -> Iterator[tuple[int, int]]:
    """Where the sentences of *line* begin and end; a very long one ends at a word."""
    at = 0
    for sentence in sentences(line, language=language):
        start = line.find(sentence, at)
        at = start + len(sentence)
        end = at if len(sentence) <= LONGEST else start + (sentence.rfind(" ", 1, LONGEST) + 1 or LONGEST + 1) - 1
        yield start, end


def _saying(
    message: Message, line: str, start: int, order: tuple[int, int], language: str, speakers: frozenset[str]
) -> Saying | None:
    text = line[start:]
    if message.role is Speaker.ASSISTANT and text.lstrip(" '").startswith(tuple('"“„«‘')):
        return None  # what the bot wrote for somebody
    if is_question(text) or not any(map(str.isalnum, text)):
        return None
    likely = detect(text, fallback=language) if is_in_another_script(text, language=language) else language
    spoken = quoted_words.language_of_sentence(tokens(text), language=likely)
    content = content_stems(text, language=spoken)
    named = tuple(name for name in names(text, language=spoken) if name not in speakers)
    is_dependent = quoted_words.is_dependent(text, language=spoken)
    weight = _weight(message.role, text, spoken, content, len(named))
    common = quoted_words.platitudes(content, language=spoken)
    is_idle = quoted_words.is_phrase(text, language=spoken) or _is_order(text, spoken) or 2 * common > len(content)
    return Saying(
        message.known_as,
        message.role,
        line,
        start,
        len(line),
        *order,
        spoken,
        content,
        named,
        weight,
        is_dependent,
        is_idle or quoted_words.is_to_another(text, language=spoken),
    )


def _weight(role: Speaker, text: str, language: str, content: frozenset[str], named: int) -> float:
    """How much a sentence is worth keeping: events, people and places, numbers, plans; not phrases and cheers."""
    length = _length(text)
    is_own = role not in READ and quoted_words.is_of_the_speaker(text, language=language)
    events = quoted_words.events(content, text, language=language)
    meant = len(concepts(text, language=language))
    has_number, is_dated = any(map(str.isdigit, text)), quoted_words.is_dated(text, language=language)
    weight = 1.0 if _SHORTEST <= length <= _LONG else 0.6
    weight += 0.45 * min(named, 2) + 0.4 * has_number + 0.6 * min(events, 2) + 0.2 * min(meant, 3)
    weight += 0.5 * is_own + 0.3 * quoted_words.is_past(text, language=language) + 0.4 * is_dated
    if quoted_words.weighs(language):
        weight -= 0.6 * (not (named or has_number or events or is_dated or meant > 1))
    weight -= 0.4 * (not named and quoted_words.is_vague(text, language=language))
    weight += min(len(content), 9) / 12
    common = quoted_words.platitudes(content, language=language)
    weight -= 0.35 * min(common, 4)
    weight -= (0.3 if is_own else 0.7) * quoted_words.is_to_another(text, language=language)
    weight -= 0.6 * (2 * common > len(content))
    weight += 0.9 * quoted_words.is_rule(text, language=language)
    weight -= 1.2 * quoted_words.is_phrase(text, language=language) + 2.2 * _is_order(text, language)
    if role is Speaker.ASSISTANT:  # mostly repeats, or answers what is not a memory
        is_answer = not is_own or concedes(text) or quoted_words.is_to_another(text, language=language)
        weight -= 2.5 if is_answer else 0.2
    if role is Speaker.USER and weight < _OF_A_LIFE and length <= _SHORT and not 2 * common > len(content):
        weight = _OF_A_LIFE if quoted_words.states_life(text, language=language) else weight
    return weight - (0.8 if role in READ else 0.0)


def _is_order(text: str, language: str) -> bool:
    """Whether it wants something done now, and not from now on."""
    return is_request(text) and not quoted_words.is_rule(text, language=language)


def _length(text: str) -> int:
    """Characters, as many as a script of letters would need."""
    return len(text) + 2 * len(_WIDE.findall(text))


def _mirrors(saying: Saying, heard: set[str]) -> bool:
    """Whether an answer says mostly what was said to the bot."""
    if saying.role is not Speaker.ASSISTANT:
        return False
    words = content_words(saying.text, language=saying.language).keys()
    return len(words & heard) >= _HEARD_BEFORE * max(1, len(words))


def _prose(content: str, *, is_read: bool) -> Iterator[str]:
    """The lines of *content* that a person would have written, without what marks a list or describes a picture."""
    for raw in without_code(content):
        line = CAPTION.sub("", raw)
        if line.strip() and not _ADDRESS.search(line) and (not is_read or _is_sentence(line)):
            bullet = _BULLET.match(line)
            yield line[bullet.end() :] if bullet else line


def _is_sentence(line: str) -> bool:
    """Whether what a tool showed reads as a sentence."""
    has_words = len(line.split()) >= _WORDS_OF_PROSE or _WIDE.search(line) is not None
    return has_words and line.rstrip().endswith(_END_OF_PROSE)
