"""
What kind of word answers a question: a number ("how much", "what dose") or a name ("who", "what is … called").

A turn that holds such a word answers it sooner than one that only speaks of the same. Question words are a closed class
in each language of ``consolidation.text.speech_acts``.
"""

from __future__ import annotations

import re
from typing import Literal

from consolidation.text.concepts import concepts
from service.retrieval.queries import proper_nouns

type AnswerType = Literal["number", "name"]

_ASKS_NUMBER = re.compile(
    r"\bhow (?:much|many|old|long|far|big|high|tall|often|heavy|late)\b"
    r"|\bwhat (?:time|number|score|percentage|size|age)\b"
    r"|\bwie ?(?:viele?n?|hoch|alt|lange?|weit|groß|oft|schwer|spät)\b|\bcuánt|\bqué (?:edad|hora|número|talla)\b"
    r"|\bcombien\b|\bquel(?:le)? (?:âge|heure|taille|numéro)\b|\bquant(?:[oa]s?|[ie])\b|\bche (?:ora|età|numero)\b"
    r"|\bque (?:horas|idade|número|tamanho)\b|\bhoe ?(?:veel|lang|oud|ver|groot|vaak|hoog|laat)\b|сколько|\bile\b|ilu\b"
    r"|多少|几[个岁点次]|幾|いくら|いくつ|何(?:歳|時|回|人|個|枚|本|円)|どのくらい|كم\b",
    re.IGNORECASE,
)
_ASKS_NAME = re.compile(
    r"\b(?:who|whose|whom)\b|\bnames?\b|\bcalled\b|\bwe(?:r|n|m|ssen)\b|\bhei(?:ß|ss)(?:t|en)\b|\bnamen?\b|\bquién"
    r"|\bllama|\bnombre\b|\bqui\b|\bappelle|\bnom\b|\bchi\b|\bchiama|\bnome\b|\bquem\b|\bwie\b(?= is\b| heeft\b| was\b)"
    r"|\bheet\b|\bnaam\b|\bкто\b|\bкого\b|зовут|\bkto\b|\bkogo\b|nazywa|谁|誰|叫什么|だれ|名前|\bمن هو\b|\bاسم",
    re.IGNORECASE,
)
# What has a number for its value, however a question asks for it.
_HAVE_NUMBERS = frozenset("rent price salary".split())
_NUMBER = re.compile(r"\d|[一二三四五六七八九十百千][万千百十个個歳岁円元度]")


def answer_types(question: str, *, language: str) -> frozenset[AnswerType]:
    """The kinds of words that may answer *question*; none where it may be anything."""
    found: set[AnswerType] = set()
    if _ASKS_NUMBER.search(question) or not _HAVE_NUMBERS.isdisjoint(concepts(question, language=language)):
        found.add("number")
    if _ASKS_NAME.search(question):
        found.add("name")
    return frozenset(found)


def held_types(text: str, *, language: str) -> frozenset[AnswerType]:
    """The kinds of such words that *text* holds. Names are seen where a capital inside a sentence means one."""
    found: set[AnswerType] = set()
    if _NUMBER.search(text):
        found.add("number")
    if proper_nouns(text, language=language):
        found.add("name")
    return frozenset(found)
