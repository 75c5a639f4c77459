"""
Concepts of a person's life, by which different words mean the same: pet, cat and "Haustier"; GP, doctor and huisarts.

The words are in ``concept_words``, a file a language: a line for each concept, its name and the words that mean it. In
``any.txt`` are names and things that are called so in several languages: losartan, Clio, Beagle.
A word may mean several concepts. One that stands in the file itself means what it stands for there; another form of it
means all that its stem does: "hermano" is a brother, and "hermanos" are brothers and sisters. What carries no subject
("mal", "nicht", "como", "mam") means nothing by its stem, which "malen", "Nichte", "comer" and "mama" share.
"""

from __future__ import annotations

import functools
import re
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from consolidation.text.introductions import is_of_own_name
from consolidation.text.language import primary_subtag
from consolidation.text.subjectless import subjectless
from consolidation.text.words import content_words, is_dense, tokens

if TYPE_CHECKING:
    from collections.abc import Iterator
    from collections.abc import Set as AbstractSet

_FOLDER = Path(__file__).with_name("concept_words")
LANGUAGES = ("en", "de", "es", "fr", "it", "pt", "nl", "pl", "ru", "ar", "zh", "ja")
_BEGINNING = 2  # characters of a run, by which it is looked up: the fewest that it has
# Runs that mean nothing here, though a part of them would mean something: 大丈夫 does not speak of a 夫.
_MEAN_NOTHING = (
    "大丈夫 丈夫 工夫 日本 メンバー サーバー ハンバーグ オーバー カバー ナンバー オンライン ガイドライン ドローン "
    "クローン "
    "専門家 作家 画家 政治家 家庭 新宿 原宿 宿題 駐車 バスタオル ラテン センチメンタル ファンド うつく うつし "
    "チャリティ "
    "教えて オーガスト"
)
# Phrases whose words mean something else apart, and what they mean: a brother-in-law is neither a brother nor the law.
_JOINED = (
    (
        re.compile(r"\b(?:mother|father|brother|sister|son|daughter|parent)s?[- ]in[- ]laws?\b", re.IGNORECASE),
        "inlaws",
    ),
    (
        re.compile(
            r"\bbeaux?(?:[- ](?:fr[èe]re|p[èe]re|parent)|-fils)s?\b"
            r"|\bbelles?(?:[- ](?:s(?:œ|oe)ur|m[èe]re)|-fille)s?\b",
            re.IGNORECASE,
        ),
        "gendre",
    ),
    (re.compile(r"\b(?:arri[èe]re-)?grands?-(?:p[èe]re|m[èe]re|parent|maman|papa)s?\b", re.IGNORECASE), "grandmother"),
    # Who is a doctor of the family is not family.
    (re.compile(r"\bfamily (?=(?:doctor|physician|gp)\b)", re.IGNORECASE), ""),
    (re.compile(r"(?<=\bm[ée]dico) (?:de|da|di) fam[íi](?:g)?lia\b|(?<=\bmédecin) de famille\b", re.IGNORECASE), ""),
    (re.compile(r"(?<=\blekarz) rodzinny\b|\bсемейн\w{1,4} (?=врач|доктор)", re.IGNORECASE), ""),
    (re.compile(r"\bb ?& ?b\b|\bguest[- ]houses?\b", re.IGNORECASE), "guesthouse"),
    # Who does something for a living does not live there. Who is "nach Linz gezogen" has moved.
    (re.compile(r"\b(?:for a|(?:earn|make)s? (?:a|my|your|his|her)) living\b", re.IGNORECASE), "occupation"),
    (
        re.compile(
            r"\b(?:nach|ins?|in (?:die|den|das|eine?n?)) (?!Betracht|Zweifel|(?:die )?Länge)(?:[\w-]+ ){1,3}gezogen\b"
        ),
        r"umgezogen \g<0>",
    ),
)
# Whoever asks for the first may be answered by who tells of the others: where somebody lives, by who moved.
_ANSWERED_BY = {
    "home": "moving_house rent", "rent": "home", "price": "rent", "travel": "flight hotel", "partner": "wedding",
    "wedding": "partner", "relatives": "siblings", "siblings": "sister brother", "parents": "mother father",
}  # fmt: skip


def answered_by(asked: AbstractSet[str]) -> frozenset[str]:
    """The concepts beside those *asked* for that may answer the same: a move says where somebody lives."""
    return frozenset(other for one in asked for other in _ANSWERED_BY.get(one, "").split()) - asked


def concepts(text: str, *, language: str) -> frozenset[str]:
    """The concepts that words of *text* mean, in *language* (a tag such as "en" or "pt-BR") and in English."""
    tag = primary_subtag(language)
    for pattern, word in _JOINED:
        text = pattern.sub(word, text)
    found: set[str] = set()
    telling = content_words(text, language=tag)  # "die" is an article in German, whatever it means in English
    for own in dict.fromkeys((tag, "en")):
        if own not in LANGUAGES:
            continue
        known = _words(own)
        for word, stem in content_words(text, language=own).items():
            if word not in telling:
                continue
            by_stem = frozenset[str]() if word in subjectless(own) else known.by_stem.get(stem, frozenset())
            found |= known.by_word.get(word, by_stem)
        found |= known.meant_by_runs(text)
    if is_of_own_name(text):
        found.add("own_name")
    return frozenset(found)


class _Words(NamedTuple):
    """What words mean as they stand in a file, what their stems do, and runs of a script that parts no words."""

    by_word: dict[str, frozenset[str]]
    by_stem: dict[str, frozenset[str]]
    by_run: dict[str, frozenset[str]]
    run_lengths: dict[str, tuple[int, ...]]

    def meant_by_runs(self, text: str) -> frozenset[str]:
        """What the runs of *text* mean, read from its start, the longest each time: 自転車 is of a bike, not a car."""
        found, at = frozenset[str](), 0
        while at < len(text):
            lengths = self.run_lengths.get(text[at : at + _BEGINNING], ())
            run = next((run for length in lengths if (run := text[at : at + length]) in self.by_run), "")
            found |= self.by_run.get(run, frozenset())
            at += len(run) or 1
        return found


def _lines(name: str) -> Iterator[tuple[str, list[str]]]:
    """Each concept of a file with its words."""
    for line in (_FOLDER / f"{name}.txt").read_text(encoding="utf-8").splitlines():
        concept, _, words = line.partition(": ")
        yield concept, words.split()


@functools.cache
def _words(language: str) -> _Words:
    by_word: dict[str, set[str]] = {}
    by_stem: dict[str, set[str]] = {}
    by_run: dict[str, set[str]] = {}
    for concept, words in _lines("any"):
        for written in words:
            where, keys = (by_run, [written]) if is_dense(written) else (by_word, tokens(written))
            for key in keys:
                where.setdefault(key, set()).add(concept)
    for concept, words in _lines(language):
        for written in words:
            if is_dense(written):
                by_run.setdefault(written, set()).add(concept)
            else:
                # The Arabic stemmer keeps the article of short words.
                forms = f"{written} ال{written}" if language == "ar" else written
                for word, stem in content_words(forms, language=language).items():
                    by_word.setdefault(word, set()).add(concept)
                    by_stem.setdefault(stem, set()).add(concept)
    for written in _MEAN_NOTHING.split():
        by_run.setdefault(written, set())
    lengths: dict[str, set[int]] = {}
    for run in by_run:
        lengths.setdefault(run[:_BEGINNING], set()).add(len(run))
    longest_first = {beginning: tuple(sorted(some, reverse=True)) for beginning, some in lengths.items()}
    meaning, by_stems, by_runs = (
        {key: frozenset(meant) for key, meant in by.items()} for by in (by_word, by_stem, by_run)
    )
    return _Words(meaning, by_stems, by_runs, longest_first)
