"""
A story without a model: dated chapters made of sentences that were really said, chosen for weight and variety.

It never invents, because it only quotes: one chapter for each day on which something was said, a few sentences each,
in the first person, in the language of the conversation.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, TypedDict

from consolidation.kernel.turns import READ, Speaker
from consolidation.text.names import keyphrases, names
from consolidation.text.quotation import quotable
from consolidation.text.sentences import sentences
from consolidation.text.words import content_words, stems
from prompts.responses import StoryChapter, StoryChapters

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from consolidation.kernel.turns import Message

_A_DAY = 5  # sentences, at most
_SHORTEST, _LONGEST = 25, 260
_SAME = 0.5
_LEAST, _SMALL_TALK = 1.8, 0.5
_WIDE = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")  # scripts that say more in a character
_CAPTION = re.compile(r"\s{0,8}\[[^\[\]\n]{1,300}\]\s{0,8}$")  # what a picture shows, put behind the words by an import
_LONGEST_PHRASE, _PHRASES, _CLOSE = 4, 2, 0.8
_SHORTENED = re.compile(r"['’](?!s\b)")
_LIGHT = frozenset(  # words that make no title
    """just gonna while because through until till else others other own some any sure usually really finally already
    across around along now ago years year weeks week days day yesterday today last next these those most more much
    thing things something anything everything stuff lot bit took take came go going get getting got say said love
    life's I I'd I'm i it's""".split()
)
_QUESTION = re.compile(r"[?？]\W{0,3}$")
# How a quotation is introduced: somebody told me, a user without a name told me, I said, I noted, I read.
_LEADS: Mapping[str, tuple[str, str, str, str, str]] = {
    "en": (
        "{who} told me: “{text}”",
        "They told me: “{text}”",
        "I said: “{text}”",
        "I noted: “{text}”",
        "I read: “{text}”",
    ),
    "es": (
        "{who} me contó: «{text}»",
        "Me contaron: «{text}»",
        "Yo dije: «{text}»",
        "Anoté: «{text}»",
        "Leí: «{text}»",
    ),
    "de": (
        "{who} erzählte mir: „{text}“",
        "Man erzählte mir: „{text}“",
        "Ich sagte: „{text}“",
        "Ich notierte: „{text}“",
        "Ich las: „{text}“",
    ),
    "fr": (
        "{who} m'a dit : « {text} »",
        "On m'a dit : « {text} »",
        "J'ai dit : « {text} »",
        "J'ai noté : « {text} »",
        "J'ai lu : « {text} »",
    ),
    "it": (
        "{who} mi ha detto: «{text}»",
        "Mi hanno detto: «{text}»",
        "Ho detto: «{text}»",
        "Ho annotato: «{text}»",
        "Ho letto: «{text}»",
    ),
    "pt": (
        "{who} me contou: “{text}”",
        "Me contaram: “{text}”",
        "Eu disse: “{text}”",
        "Anotei: “{text}”",
        "Li: “{text}”",
    ),
    "zh": ("{who}告诉我：“{text}”", "对方告诉我：“{text}”", "我说：“{text}”", "我记下：“{text}”", "我读到：“{text}”"),
    "ja": (
        "{who}は私に言った。「{text}」",
        "こう聞いた。「{text}」",
        "私は言った。「{text}」",
        "私は書き留めた。「{text}」",
        "私は読んだ。「{text}」",
    ),
}
# Words of sentences worth keeping: firsts, decisions, gains and losses, feelings.
_WEIGHTY_WORDS = {
    "en": """first never always finally decided decide promise promised moved move married marry wedding engaged born
        birth died death lost won hired fired quit graduated job school birthday cancer hospital loved afraid scared
        proud happy sad grateful excited dream adopt adopted baby mother father sister brother son daughter wife husband
        friend dog cat house allergic favorite remember started began bought sold""",
    "es": """primero nunca siempre decidí prometí casado boda nació murió perdí gané trabajo miedo feliz triste madre
        padre hermano hermana hijo hija alérgico""",
    "de": """erste nie immer endlich entschieden versprochen umgezogen heirat geboren gestorben verloren gewonnen angst
        stolz traurig mutter vater bruder schwester sohn tochter allergisch""",
    "fr": """première jamais toujours enfin décidé promis déménagé mariage né mort perdu gagné peur fier triste mère
        père sœur frère fils fille allergique""",
    "it": """primo mai sempre finalmente deciso promesso trasferito matrimonio nato morto perso vinto paura triste madre
        padre sorella fratello figlio figlia allergico""",
    "pt": """primeiro nunca sempre finalmente decidi prometi mudei casamento nasceu morreu perdi ganhei medo feliz
        triste mãe pai irmã irmão filho filha alérgico""",
}
_WEIGHTY = {code: frozenset(stems(words, language=code)) for code, words in _WEIGHTY_WORDS.items()}
_PHRASE = re.compile(
    r"^\W*(?:wow|thanks?|thank you|congrats|congratulations|hey|hi|yeah|cool|awesome|great|nice)\b", re.IGNORECASE
)
_TELLING = re.compile(r"\b(?:I|my|we|our|I'm|I've|I'll)\b")


class ToldTurn(TypedDict):
    """
    A turn as a narrator is shown it: ``when`` (YYYY-MM-DD HH:MM) it was, and what each speaker ``said``.

    ``dates`` are the days that relative words in it mean, as a prompt shows them. ``gap`` says how many days lie
    between the turn before and this one, where that is more than one; else "".
    """

    when: str
    weekday: str
    gap: str
    said: tuple[Message, ...]
    dates: str


@dataclass(frozen=True, slots=True)
class _Saying:
    who: str
    role: Speaker
    text: str
    weight: float
    stems: frozenset[str]
    place: int


def quote(batch: Sequence[ToldTurn], *, language: str) -> StoryChapters:
    """The chapters of *batch*, one a day."""
    ordered = sorted(batch, key=lambda turn: turn["when"])
    days = [list(turns) for _, turns in groupby(ordered, key=lambda turn: turn["when"][:10])]
    on_days = Counter(stem for turns in days for stem in _content("\n".join(_words(turns)), language))
    chapters = (_chapter(turns, language=language, on_days=on_days) for turns in days)
    return StoryChapters(append=tuple(chapter for chapter in chapters if chapter is not None))


def _words(turns: Sequence[ToldTurn]) -> Iterable[str]:
    return (message.content for turn in turns for message in turn["said"])


def _chapter(turns: Sequence[ToldTurn], *, language: str, on_days: Mapping[str, int]) -> StoryChapter | None:
    """The chapter of one day; None where only small talk was said. *on_days*: on how many days each stem was said."""
    sayings = list(_sayings(turns, language=language))
    chosen = sorted(_varied(sayings), key=lambda saying: saying.place)
    if not chosen:
        return None
    runs = groupby(chosen, key=lambda saying: (saying.role, saying.who))
    told = "\n\n".join(_led(list(run), language) for _, run in runs)
    titled = [saying for saying in chosen if saying.role not in READ] or chosen
    return StoryChapter(at=turns[0]["when"], title=_title(titled, language=language, on_days=on_days), text=told)


def _sayings(turns: Sequence[ToldTurn], *, language: str) -> Iterable[_Saying]:
    place = 0
    speakers = frozenset(message.who for turn in turns for message in turn["said"])
    for message in (message for turn in turns for message in turn["said"]):
        for line in message.content.splitlines():
            for sentence in sentences(_CAPTION.sub("", line), language=language):
                place += 1
                weight = _weight(message.role, sentence, language, speakers)
                yield _Saying(message.known_as, message.role, sentence, weight, _content(sentence, language), place)


def _weight(role: Speaker, sentence: str, language: str, others: frozenset[str]) -> float:
    """How much a sentence is worth keeping. Names, numbers, firsts and feelings add; questions and phrases do not."""
    if _QUESTION.search(sentence):
        return 0.0
    length = len(sentence) + 2 * len(_WIDE.findall(sentence))
    content = _content(sentence, language)
    weight = 1.0 if _SHORTEST <= length <= _LONGEST else 0.3
    weight += 0.6 * min(len([name for name in names(sentence) if name not in others]), 2)
    weight += 0.7 * min(len(content & _WEIGHTY.get(language, frozenset())), 3)
    weight += 0.5 * bool(re.search(r"\d", sentence)) + 0.8 * bool(role not in READ and _TELLING.search(sentence))
    weight += min(len(content), 10) / 10
    weight -= 1.2 * bool(_PHRASE.match(sentence))
    return weight - (1.0 if role is Speaker.ASSISTANT or role in READ else 0.0)  # an answer mostly repeats


def _varied(sayings: Sequence[_Saying]) -> list[_Saying]:
    """The weightiest sayings that differ from each other; at least one unless all is small talk."""
    chosen: list[_Saying] = []
    for saying in sorted(sayings, key=lambda one: (-one.weight, one.place)):
        if len(chosen) == _A_DAY or saying.weight <= (_LEAST if chosen else _SMALL_TALK):
            break
        if all(_overlap(saying.stems, other.stems) < _SAME for other in chosen):
            chosen.append(saying)
    return chosen


def _led(run: Sequence[_Saying], language: str) -> str:
    """What one speaker said in a row, with one introduction."""
    role, who = run[0].role, run[0].who
    other, nameless, own, noted, read = _LEADS.get(language.partition("-")[0], _LEADS["en"])
    told = other if who else nameless
    lead = {Speaker.ASSISTANT: own, Speaker.THOUGHT: noted, Speaker.USER: told}.get(role, read)
    return lead.format(who=who, text=" … ".join(quotable(saying.text[: _LONGEST * 2]) for saying in run))


def _title(chosen: Sequence[_Saying], *, language: str, on_days: Mapping[str, int]) -> str:
    """What only this day was about: at most two phrases, of words that other days do not have."""
    speakers = {saying.who for saying in chosen if saying.who}
    ranked: dict[str, float] = {}
    for saying in chosen:
        plain = " ".join(word for word in saying.text.split() if word not in speakers)
        for phrase in (*names(plain, limit=4), *_phrases(plain, language)):
            stems_of = _content(phrase, language)
            is_light = not _LIGHT.isdisjoint(phrase.casefold().split()) or _SHORTENED.search(phrase)
            if stems_of and not is_light and phrase not in speakers and len(phrase.split()) <= _LONGEST_PHRASE:
                rarity = sum(1 / on_days.get(stem, 1) for stem in stems_of) / len(stems_of)
                is_named = phrase[0].isupper()
                ranked[phrase] = rarity + 0.15 * len(stems_of) + 0.25 * is_named + 0.1 * saying.weight
    best: list[str] = []
    for phrase in sorted(ranked, key=lambda one: (-ranked[one], one)):
        if best and ranked[phrase] < _CLOSE * ranked[best[0]]:
            break
        if len(best) < _PHRASES and not any(_content(phrase, language) & _content(one, language) for one in best):
            best.append(phrase)
    title = ", ".join(best or sorted(speakers) or (str(saying.role) for saying in chosen[:1]))
    return title[:1].upper() + title[1:80]


def _phrases(text: str, language: str) -> tuple[str, ...]:
    """Runs of two and three content words."""
    return tuple(
        " ".join(words[at : at + size])
        for words in (phrase.split() for phrase in keyphrases(text, language=language, limit=20))
        for size in (2, 3)
        for at in range(len(words) - size + 1)
    )


def _content(sentence: str, language: str) -> frozenset[str]:
    return frozenset(content_words(sentence, language=language).values())


def _overlap(one: frozenset[str], other: frozenset[str]) -> float:
    return len(one & other) / max(1, min(len(one), len(other)))
