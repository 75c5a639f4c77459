"""
A turn as a memory: who said it, and the words that matter to a query, as a person would retell it.

A short turn is told whole. Of a long one, the sentences that fit best are told, and what stands right behind them,
where the answer often is. What the bot said is told only where the person asked for something, where it puts right what
it said before, and where it is nothing but a text that it made: its small talk is not a memory.
"""

from __future__ import annotations

import re
from dataclasses import replace
from functools import lru_cache, partial
from textwrap import wrap
from typing import TYPE_CHECKING

from consolidation.kernel.turns import READ, Speaker
from consolidation.text.code import FENCE
from consolidation.text.content import is_mark
from consolidation.text.denials import denies, objection
from consolidation.text.quotation import own_lines, with_marks
from consolidation.text.retractions import acknowledges, concedes, corrects
from consolidation.text.sentences import sentences, whole_sentences
from consolidation.text.speech_acts import asks_for, contrasts, tells
from consolidation.text.words import content_stems, content_words, tokens, word_count
from service.index.remembered_messages import MOST_CHARACTERS
from service.retrieval.answer_types import answers
from service.retrieval.lead_words import told_by

if TYPE_CHECKING:
    from collections.abc import Sequence

    from consolidation.kernel.turns import Message, StoredTurn

_SHORT = 400  # characters
_LONGEST_TURN = 3 * _SHORT  # of a turn of many messages
_LONGEST_READ = max(MOST_CHARACTERS.values())  # of a message; a document of a megabyte would take all the time
_PIECE = _SHORT // 2  # of a sentence that is too long to be told whole
_LONGEST_QUESTION = 160
_FEW_WORDS = 6  # an answer of so few words says nothing without its question
_FEWEST_RIGHT_WORDS = 3  # "Sorry, noted." says nothing
_MADE = re.compile(r"^\s{0,4}[\"“„«「『‘].{12,}[\"”“»」』’][.!]?\s{0,4}$", re.DOTALL)  # nothing but a text to be used
_NEXT_SHARE = 0.6  # how much a sentence counts of what the one before it shares with the query
_BEGINS_LINE = re.compile(r"^\s{0,8}(?:#{1,6}|[-*+>]|\d{1,2}\.)\s+")
_CODE = re.compile(r"(`{1,3})([^`]+)\1")
# Marks of a pair around words. "3**4", "__init__" and "dist/**/*.js" are none.
_BOLD = re.compile(r"(?<![a-zA-Z0-9_*/])\*{2,3}(?=[^\s*])([^*]{1,400})(?<=[^\s*])\*{2,3}(?![a-zA-Z0-9_*/])")
_UNDERLINED = re.compile(r"(?<![a-zA-Z0-9_/])__(?=[^\s_])(?=\S{0,60}\s)([^_]{1,400})(?<=[^\s_])__(?![a-zA-Z0-9_/])")
_STRUCK = re.compile(r"(?<![a-zA-Z0-9_~])~~(?=[^\s~])([^~]{1,400})(?<=[^\s~])~~(?![a-zA-Z0-9_~])")
_PAIRS = (_BOLD, _UNDERLINED, _STRUCK)
_STANDS_FOR_CODE = "\ue000"
_ITEM = re.compile(r"\s{0,8}(?:[-*+]|\d{1,2}\.)\s")
BETWEEN, LEFT_OUT = " / ", "…"  # what several said in a turn; where something is missing
_REMEMBERED = 4_000  # turns of all minds that were told whole lately
_BOTS_ROLES = (Speaker.ASSISTANT, Speaker.THOUGHT)
_LINK = re.compile(r"!?\[([^\[\]\n]{0,200})\]\([^()\s]{0,1000}\)")


def query_words(queries: Sequence[str]) -> frozenset[str]:
    """The words of all queries, by which the sentences of a turn are chosen."""
    return frozenset(word for query in queries for word in tokens(query))


def excerpt(
    stored: StoredTurn,
    *,
    wanted: frozenset[str],
    language: str,
    before: StoredTurn | None = None,
    is_denied: bool = False,
    recalls_answer: bool = False,
) -> str:
    """
    What was told in a turn, at most about 400 characters, in the words of *language*; "…" marks what was left out.

    *before* is the turn before it in its session, whose question a short answer needs. Where the turn *is_denied*, what
    the bot said in it is left out; it is told where somebody *recalls_answer*: "what did you work out". Tool output and
    system messages are told only where there is nothing else, or where they hold words that are *wanted* and nobody
    said: "429" in what a command printed. A message that is only the mark of a recording or an image says nothing.
    """
    every = tuple(map(_as_told, stored.turn.messages))
    messages = tuple(one for one in every if not is_mark(one.content)) or every
    is_brief = sum(word_count(one.content) for one in messages if one.role is Speaker.USER) <= _FEW_WORDS
    asked = tuple(map(_as_told, before.turn.messages[-1:])) if before is not None and is_brief else ()
    if any(len(one.content) > _SHORT or one.role is Speaker.TOOL for one in (*messages, *asked)):
        return _excerpt(messages, asked, language, is_denied=is_denied, recalls_answer=recalls_answer, wanted=wanted)
    # told whole, whatever is wanted
    return _remembered_excerpt(messages, asked, language, is_denied=is_denied, recalls_answer=recalls_answer)


def _as_told(message: Message) -> Message:
    """
    *message* as ``_voiced``, up to where the longest is remembered.

    Less is remembered of tool output and of thoughts, but they are read to the same length: a command's error stands
    at its end.
    """
    is_whole = len(message.content) <= _LONGEST_READ
    return _voiced(message if is_whole else replace(message, content=message.content[:_LONGEST_READ]))


def _voiced(message: Message) -> Message:
    """
    A person's *message* without what they quote; where nothing else is left, that is between quotation marks.

    So it is where they have no name: then nobody else has told it.
    """
    if message.role is not Speaker.USER or ">" not in message.content:
        return message
    own = own_lines(message.content)
    return replace(message, content=own if own and message.known_as else with_marks(message.content))


def _excerpt(
    messages: tuple[Message, ...],
    asked: tuple[Message, ...],
    language: str,
    *,
    is_denied: bool,
    recalls_answer: bool,
    wanted: frozenset[str] = frozenset(),
) -> str:
    own = [one for one in messages if one.role is Speaker.USER]
    said = [] if is_denied and own else [one for one in messages if one.role in _BOTS_ROLES]
    is_told = tells("\n".join(one.content for one in own), language=language)
    retold = partial(_retold, wanted=wanted, language=language, kind="told" if is_told else "asked")
    parts = [retold(one) for one in own]
    is_asked = not is_told or recalls_answer or asks_for("\n".join(one.content for one in own), language=language)
    parts += [retold(one) for one in said if not own or _is_memory(one.content, own, language, is_asked=is_asked)]
    if is_told and asked:
        parts = [*_question(asked[0], language), *parts]
    if not parts:
        parts = [retold(one) for one in messages]
    else:
        parts += [retold(one) for one in _shown_alone(messages, wanted, language)]
    return _in_order([part for part in parts if part], wanted=wanted, language=language)


def _is_memory(answer: str, own: Sequence[Message], language: str, *, is_asked: bool) -> bool:
    """Whether what the bot said to the persons *own* words is worth telling beside them; it may be asked for."""
    words = "\n".join(one.content for one in own)
    if is_asked:
        return answers(answer, question=words, language=language)
    is_put_right = acknowledges(answer) or (corrects(answer) and ":" in answer)
    is_denial = denies(words) or objection(words) is not None or contrasts(words)
    is_put_right = is_put_right or (concedes(answer) and is_denial)
    return (is_put_right and word_count(answer) >= _FEWEST_RIGHT_WORDS) or _MADE.match(answer) is not None


@lru_cache(maxsize=_REMEMBERED)
def _remembered_excerpt(
    messages: tuple[Message, ...], asked: tuple[Message, ...], language: str, *, is_denied: bool, recalls_answer: bool
) -> str:
    return _excerpt(messages, asked, language, is_denied=is_denied, recalls_answer=recalls_answer)


def forget_excerpts() -> None:
    """Drop every excerpt that is remembered here: a turn is to be erased."""
    _remembered_excerpt.cache_clear()


def plain(text: str) -> str:
    """*text* in one line, without the marks of Markdown; the items of a list are parted by semicolons."""
    return " ".join(_lines(text))


def _lines(text: str) -> list[str]:
    """The lines of *text* without the marks of Markdown, none blank. Code is left as it is."""
    lines: list[str] = []
    was_item = is_code = False
    for line in text.splitlines():
        if FENCE.match(line) and "`" not in line.strip().lstrip("`"):
            is_code = not is_code
            continue
        told = " ".join((line if is_code else _without_marks(line)).split())
        if not told:
            continue
        is_item = _ITEM.match(line) is not None
        if was_item and is_item and lines[-1][-1].isalnum():
            lines[-1] += ";"
        lines.append(told)
        was_item = is_item
    return lines


def _without_marks(line: str) -> str:
    """One line without what makes it a heading, an item, a link or bold; what stands in backticks is left as it is."""
    code = [] if _STANDS_FOR_CODE in line else [found[2] for found in _CODE.finditer(line)]
    line = _BEGINS_LINE.sub("", _CODE.sub(_STANDS_FOR_CODE, line) if code else line)
    line = _LINK.sub(r"\1", line)
    for pair in _PAIRS:
        line = pair.sub(r"\1", line)
    for words in code:
        line = line.replace(_STANDS_FOR_CODE, words, 1)
    return line


def _retold(message: Message, *, wanted: frozenset[str], language: str, kind: str) -> str:
    text = _one_part(message.content)
    if not text:
        return ""
    shown = text if len(text) <= _SHORT else _fitting(message.content, wanted=wanted, language=language)
    return told_by(message, shown, language=language, kind=kind)


def _shown_alone(messages: Sequence[Message], wanted: frozenset[str], language: str) -> list[Message]:
    """What tools showed, where it has telling words that are wanted and that nobody else says in the turn."""
    shown = [one for one in messages if one.role is Speaker.TOOL]
    if not shown:
        return []
    said = {word for one in messages if one.role is not Speaker.TOOL for word in tokens(one.content)}
    missing = (wanted & content_words(" ".join(wanted), language=language).keys()) - said
    return [one for one in shown if missing.intersection(tokens(one.content))][:1] if missing else []


def _question(last: Message, language: str) -> list[str]:
    """What the bot, or somebody else, asked with the *last* message of the turn before."""
    text = _one_part(last.content)
    is_asked = last.role not in READ and text.rstrip().endswith(("?", "？", "؟"))
    asked = sentences(text, language=language)[-1:] if is_asked else ()
    return [told_by(last, one[-_LONGEST_QUESTION:], language=language, kind="asked") for one in asked]


def _one_part(text: str) -> str:
    """*text* in one line, which does not look like the words of several speakers."""
    return plain(text).replace(BETWEEN, "/")


def _in_order(parts: Sequence[str], *, wanted: frozenset[str], language: str) -> str:
    """What several said in a turn; of a long one, what shares most words with the query."""
    if len(whole := BETWEEN.join(parts)) <= _LONGEST_TURN:
        return whole
    shared = _shared(parts, wanted=wanted, language=language)
    chosen: list[int] = []
    room = _LONGEST_TURN
    for at in sorted(range(len(parts)), key=lambda at: (-shared[at], at)):
        if len(parts[at]) <= room:
            chosen.append(at)
            room -= len(parts[at]) + len(BETWEEN)
    return _joined(parts, sorted(chosen), between=BETWEEN)


def _shared(pieces: Sequence[str], *, wanted: frozenset[str], language: str) -> list[float]:
    """How many telling words of the query each piece has; where the query has none, how many of its words."""
    telling = content_stems(" ".join(wanted), language=language)
    if not telling:
        return [float(len(wanted.intersection(tokens(piece)))) for piece in pieces]
    return [float(len(telling & content_stems(piece, language=language))) for piece in pieces]


def _pieces(text: str, language: str) -> list[str]:
    """The sentences of *text*; one that is too long, as dictated text may be, in pieces of some words."""
    every = [one for line in _lines(text) for one in whole_sentences(line.replace(BETWEEN, "/"), language=language)]
    return [piece for one in every for piece in ([one] if len(one) <= _SHORT else wrap(one, _PIECE))]


def _fitting(text: str, *, wanted: frozenset[str], language: str) -> str:
    """The sentences that share most words with the query, and those right behind them, in their order."""
    pieces = _pieces(text, language)
    shared = _shared(pieces, wanted=wanted, language=language)
    worth = [own + _NEXT_SHARE * (shared[at - 1] if at else 0.0) for at, own in enumerate(shared)]
    chosen: list[int] = []
    room = _SHORT
    for at in sorted(range(len(pieces)), key=lambda at: (-worth[at], at)):
        if chosen and len(pieces[at]) > room:
            continue
        chosen.append(at)
        room -= len(pieces[at])
    return _joined(pieces, sorted(chosen))


def _joined(pieces: Sequence[str], chosen: Sequence[int], *, between: str = " ") -> str:
    """The chosen pieces in a row, an ellipsis where something is left out."""
    parts: list[str] = []
    last = -1
    for at in chosen:
        if at != last + 1:
            parts.append(LEFT_OUT)
        parts.append(pieces[at])
        last = at
    return between.join(parts if last == len(pieces) - 1 else [*parts, LEFT_OUT])
