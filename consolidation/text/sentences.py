"""
Cuts a text into its sentences. sentencex does it: it knows the abbreviations, ordinals and full stops of 300 languages.

A line break ends a sentence, too. Each sentence is an exact quote of the text. sentencex takes quadratic time over
unclosed quotation marks, so it is never given more than a window of the text.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import sentencex

from consolidation.text.language import detect, primary_subtag

if TYPE_CHECKING:
    from collections.abc import Iterator

_LONGEST_SENTENCE = 600
_BEFORE = 8  # characters before what may be the end of a sentence, that say whether it is
_WINDOW = 1_800  # characters: the worst text takes 1.2 ms a window
# What sentencex takes for the end of a sentence: "M. Dupont", and the days of some languages before a month.
_TITLES = {"fr": re.compile(r"(?<!\w)MM?\.\s$")}
_DAY = re.compile(r"(?<![\w.,])\d{1,2}\.\s{1,3}$")
_MONTHS = {
    "de": r"j[aä]n(?:uar|ner)?|feb(?:ruar|er)?|märz|april|mai|juni|juli|aug(?:ust)?|sept(?:ember)?"
    r"|oktober|november|dezember",
    "da": r"januar|februar|marts|april|maj|juni|juli|august|september|oktober|november|december",
    "no": r"januar|februar|mars|april|mai|juni|juli|august|september|oktober|november|desember",
    "fi": r"(?:tammi|helmi|maalis|huhti|touko|kesä|heinä|elo|syys|loka|marras|joulu)kuu\w{0,6}",
    "cs": r"led(?:en|na)|únor\w?|březen|března|duben|dubna|květ(?:en|na)|červen|června|červen(?:ec|ce)|července|srpen"
    r"|srpna|září|říjen|října|listopadu?|prosin(?:ec|ce)",
    "sk": r"január\w?|február\w?|marca|marec|apríla?|mája?|jún\w?|júl\w?|august\w?|september|septembra|október|októbra"
    r"|november|novembra|december|decembra",
    "sl": r"januar\w?|februar\w?|mar(?:ec|ca)|aprila?|maja?|juni\w?|juli\w?|avgusta?"
    r"|(?:septem|okto|novem|decem)(?:ber|bra)",
    "hr": r"siječ(?:anj|nja)|velja\w{2}|ožuj(?:ak|ka)|trav(?:anj|nja)|svib(?:anj|nja)|lip(?:anj|nja)|srp(?:anj|nja)"
    r"|kolovoza?|ruj(?:an|na)|listopada?|studen\w{1,3}|prosin(?:ac|ca)",
}
_BEFORE_A_MONTH = {tag: re.compile(rf"(?:{names})(?!\w)", re.IGNORECASE) for tag, names in _MONTHS.items()}


def sentences(text: str, *, language: str = "en") -> tuple[str, ...]:
    """
    *text* cut into sentences, none blank, very long ones cut short.

    *language*, a two-letter code, decides about abbreviations ("z. B.") and ordinals ("3. Oktober") alone.
    """
    return tuple(sentence[:_LONGEST_SENTENCE] for sentence in whole_sentences(text, language=language))


def whole_sentences(text: str, *, language: str = "en") -> Iterator[str]:
    """*text* cut into sentences, none blank and none cut short; *language* as for ``sentences``."""
    for line in text.splitlines():
        for sentence in _cut(line, language):
            if found := sentence.strip():
                yield found


def sentences_of(text: str) -> tuple[str, ...]:
    """The whole sentences of *text*, read in the language that it seems to be written in."""
    return tuple(whole_sentences(text, language=detect(text)))


def _cut(line: str, language: str) -> Iterator[str]:
    """All of *line*, window by window; what a window cuts off is read again at the beginning of the next one."""
    language = primary_subtag(language)
    readable = line if line.isascii() else line.encode(errors="replace").decode()  # lone surrogates are refused
    title, month = _TITLES.get(language), _BEFORE_A_MONTH.get(language)
    begun = start = 0
    while start < len(line):
        end = min(start + _WINDOW, len(line))
        parts = sentencex.segment(language, readable[start:end])
        at = start
        for part in parts[:-1]:
            at += len(part)
            before = line[max(at - _BEFORE, 0) : at]
            if title is not None and title.search(before):
                continue
            if month is not None and _DAY.search(before) and month.match(line, at):
                continue
            yield line[begun:at]
            begun = at
        # A sentence of more than half a window goes on in the next one, else the windows would hardly move.
        start = at if end < len(line) and end - at <= _WINDOW // 2 else end
    yield line[begun:]
