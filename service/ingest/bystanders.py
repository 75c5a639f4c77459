"""
Whether a "no" in a group is about the speaker alone, so that it denies nothing that was said of others.

"No, I drink my coffee black" says nothing of what Ann drinks. A speaker without a name may be the one who was meant.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from consolidation.kernel.turns import Speaker
from consolidation.text.denials import denies, objection
from consolidation.text.language import detect
from consolidation.text.words import tokens
from service.ingest.denials import speaks_of_others, telling
from service.retrieval.intent import intent_of

if TYPE_CHECKING:
    from collections.abc import Iterable
    from collections.abc import Set as AbstractSet

    from consolidation.kernel.turns import Message, Turn

_PEOPLE = frozenset({Speaker.USER, Speaker.THOUGHT})
_CLAUSES = re.compile(r"[,.;:!?…–—\n،؛。，、！？]|\s-\s")
# "We" may be the others, too.
_TOGETHER = {
    "en": r"we|we['’]\w+|us|ours?",
    "de": r"wir|uns|unser\w*",
    "es": r"nosotr[oa]s|nos|nuestr[oa]s?|\w{2,20}[aei]mos",
    "fr": r"nous|notre|nos|on",
    "it": r"noi|ci|nostr[oaie]|\w{2,20}iamo",
    "pt": r"nós|nos|noss[oa]s?|a gente|\w{2,20}[aei]mos",
    "nl": r"wij|we|ons|onze",
    "pl": r"my|nas|nam|nami|nasz\w*|\w{2,20}(?:emy|imy|ymy|amy|śmy)",
    "ru": r"мы|нас|нам|нами|наш\w*",
    "zh": r"我们|我們|咱",
    "ja": r"私たち|僕たち|俺たち|うちら|我々",
    "ar": r"نحن|لنا|عندنا|معنا|لدينا",
}
# Behind these, somebody says what they hold of something else: "I think it's on Saturday".
_HOLDS = {
    "en": r"think|thought|believe|guess|bet|doubt|suppose|hear|heard|know|knew|read|saw|seen|said|say|told|tell|mean"
    r"|meant|asked|remember|swear|sure|certain|afraid",
    "de": r"glaub\w*|denk\w*|dachte|mein(?:e|te)(?= (?:es|das|er|sie|dass)\b)|weiß|weiss|wusste|hör\w*|gehört|gelesen"
    r"|gesehen|sah|gesagt|sage|gefragt|erinner\w*|vermut\w*|schwör\w*|sicher|fürchte",
    "es": r"creo|creía|pienso|sé|sabía|oí|oído|leí|leído|vi|visto|dije|dicho|digo|pregunté|recuerdo|supongo|segur[oa]"
    r"|juro",
    "fr": r"crois|croyais|pense|pensais|sais|savais|entendu|lu|vu|dit|dis|demandé|souviens|suppose|sûre?|jure|parie",
    "it": r"credo|credevo|penso|pensavo|so|sapevo|sentito|letto|visto|detto|dico|chiesto|ricordo|suppongo|sicur[oa]"
    r"|giuro",
    "pt": r"acho|achava|creio|penso|pensava|sei|sabia|ouvi|li|vi|disse|digo|perguntei|lembro|suponho|cert[oa]|juro",
    "nl": r"denk|dacht|geloof|gok|weet|wist|hoorde|gehoord|las|gelezen|zag|gezien|zei|gezegd|bedoel\w*|vroeg|herinner"
    r"|zeker|zweer",
    "pl": r"myśl\w*|sądz\w*|wiem|wiedzia\w*|słysza\w*|czyta\w*|widzia\w*|mówi\w*|powiedzia\w*|pyta\w*|pamiętam"
    r"|przypuszczam|pewn\w*",
    "ru": r"думаю|думал\w*|считаю|знаю|знал\w*|слышал\w*|читал\w*|видел\w*|сказал\w*|говорил\w*|спрашивал\w*|помню"
    r"|уверен\w*",
    "zh": r"我(?:想|觉得|覺得|认为|認為|知道|听说|聽說|看到|说|說|记得|記得|猜)",
    "ja": r"思[うっい]|知って|聞[いき]|読[んみ]|見[たま]|言[っい]|覚えて",
    "ar": r"أظن|أعتقد|أعرف|أعلم|سمعت|قرأت|رأيت|قلت|سألت|أتذكر|متأكد\w?",
}


def of_themselves(turn: Turn, *, language: str) -> frozenset[str]:
    """The names of the people who speak in *turn*, if each has one and they speak only of themselves; else none."""
    people = _people(turn)
    own = "\n".join(one.content for one in people)
    languages = {language, detect(own, fallback=language)}  # of so few words, either may be wrong
    if not all(one.known_as for one in people) or not any(_is_of_oneself(own, one) for one in languages):
        return frozenset()
    return frozenset(one.known_as for one in people)


def are_bystanders(names: AbstractSet[str], turns: Iterable[Turn]) -> bool:
    """Whether only other people than *names* spoke in *turns*, all of them by name, and nobody named *names* there."""
    every = tuple(turns)
    speakers = {one.known_as.casefold() for turn in every for one in _people(turn)}
    said = {word for turn in every for one in turn.messages for word in tokens(one.content)}
    is_known = bool(names and speakers) and "" not in speakers
    return is_known and not any(name.casefold() in speakers or said.issuperset(tokens(name)) for name in names)


def _people(turn: Turn) -> tuple[Message, ...]:
    return tuple(one for one in turn.messages if one.role in _PEOPLE)


def _is_of_oneself(own: str, language: str) -> bool:
    """Whether the first clause behind a "no" that says anything is of the speaker alone."""
    for clause in map(str.strip, _CLAUSES.split(objection(own) or own)):
        if speaks_of_others(clause) or _found(_TOGETHER, clause, language) or _found(_HOLDS, clause, language):
            return False
        if intent_of(clause, language=language, names_known=False).is_first_person:
            return True
        if denies(clause) or telling(clause, language):
            return False
    return False


def _found(words: dict[str, str], text: str, language: str) -> bool:
    pattern = words.get(language.partition("-")[0])
    return pattern is not None and _compiled(pattern, language in {"zh", "ja"}).search(text) is not None


@cache
def _compiled(pattern: str, is_unbroken: bool) -> re.Pattern[str]:  # noqa: FBT001 - of a cache
    return re.compile(pattern if is_unbroken else rf"(?<!\w)(?:{pattern})(?!\w)", re.IGNORECASE)
