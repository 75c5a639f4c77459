"""
The telling words of a sentence, and which of them given turns hold.

Hard ones are names, numbers, months and weekdays: another one in their place changes what is told. Soft ones are the
other content words, by their stems. A soft one that may be a name, by its capital or since its script has no capitals,
is a suspect.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from consolidation.story.turn_index import MONTHS, numbers_in, times_of_heading
from consolidation.text.dates import days_named
from consolidation.text.names import names
from consolidation.text.words import content_words, tokens

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from consolidation.story.turn_index import IndexedTurn, TurnIndex

_RUN = re.compile(r"[\w'’]+")
# Words by which a narrator tells, and words of time, which a turn says in its own way.
_LIGHT_WORDS = {
    "en": """told tell tells telling said say says saying shared share shares mentioned mention mentions asked ask asks
        talked talk talks talking spoke explained explain explains described describe admitted wrote learned learn heard
        hear know knew felt feel feels feeling thought think remember remembered conversation chat discussed discuss
        replied reply answered answer added noted expressed express expresses also then still both each other really
        very much lot today yesterday tomorrow now day days week weeks month months year years last next ago recently
        later earlier new thing things something make made making get got getting go going went one can could would
        should will after before while since during more most many some any am been being had here back just even only
        too well again about him himself herself themselves once than out off into over around through""",
    "de": """erzählte erzählt erzählen sagte sagt gesagt fragte fragt meinte erwähnte berichtete beschrieb erklärte
        heute gestern morgen tag tage woche wochen monat jahr jahre letzte letzten nächste nächsten gerade sehr mehr
        wurde wurden hatte gab ging""",
    "es": """contó dijo dice preguntó mencionó explicó compartió habló hoy ayer mañana día días semana mes año años
        pasado pasada próximo próxima más muy""",
    "fr": """dit raconté demandé expliqué mentionné parlé partagé hier aujourd'hui demain jour jours semaine mois année
        ans dernier dernière prochain prochaine plus très""",
    "it": """detto raccontato chiesto spiegato parlato ieri oggi domani giorno giorni settimana mese anno anni scorso
        scorsa prossimo prossima più molto""",
    "pt": """contou disse perguntou mencionou explicou falou hoje ontem amanhã dia dias semana mês ano anos passado
        passada próximo próxima mais muito""",
}
_LIGHT = {
    code: frozenset(one for pair in content_words(words, language=code).items() for one in pair)
    for code, words in _LIGHT_WORDS.items()
}
_CAPITALS_MEAN_NAMES = re.compile(r"^(?!de\b|de-)")  # German writes every noun with a capital
_MOST_NAMES = 20
_LONGEST_YEAR, _MOST_DAY = 4, 31


@dataclass(frozen=True, slots=True)
class Terms:
    """
    Every term with how it is written, marked by its kind: ``name:``, ``number:``, ``day:`` or none for a stem.

    ``dated`` are numbers that may be part of a date, ``granted`` terms that the chapter's heading has.
    """

    all: Mapping[str, str]
    hard: frozenset[str]
    suspects: frozenset[str]
    dated: frozenset[str]
    granted: frozenset[str]

    def held_by(self, turns: Iterable[IndexedTurn]) -> frozenset[str]:
        """Which terms *turns* hold together."""
        held = set(self.granted)
        left = set(self.all) - held
        for turn in turns:
            found = {one for one in left if self._is_in(turn, one)}
            held |= found
            left -= found
            if not left:
                break
        return frozenset(held)

    def is_in_any(self, term: str, index: TurnIndex) -> bool:
        """Whether any turn of *index* holds a term."""
        kind, _, value = term.rpartition(":")
        match kind:
            case "number":
                return value in index.numbers or (term in self.dated and value in index.times)
            case "day":
                return value in index.times
            case _:
                return value in index.words or value in index.by_stem

    def _is_in(self, turn: IndexedTurn, term: str) -> bool:
        kind, _, value = term.rpartition(":")
        match kind:
            case "name":
                return value in turn.words or value in turn.stems
            case "number":
                return value in turn.numbers or (term in self.dated and value in turn.times)
            case "day":
                return value in turn.times
            case _:
                return value in turn.stems or value in turn.words


def terms_of(text: str, *, language: str, heading: tuple[str, str]) -> Terms:
    """The terms of one sentence; *heading* are the times of its chapter."""
    written = _written(text)
    named_days = _days(text)
    numbers = numbers_in(text, language=language)
    taken = {token for day in named_days.values() for token in tokens(day)} | set(tokens(" ".join(numbers.values())))
    light = _LIGHT.get(language.partition("-")[0], frozenset())
    opening = tokens(text)[:1]
    found_names = {
        token
        for name in (names(text, language=language, limit=_MOST_NAMES) if _CAPITALS_MEAN_NAMES.match(language) else ())
        for token in content_words(name, language=language)
        if token not in taken and token not in light and (token,) != opening
    }
    stems = {
        word: stem
        for word, stem in content_words(text, language=language).items()
        if word not in taken and word not in found_names and word not in light and stem not in light
    }
    hard = {f"name:{one}": written.get(one, one) for one in sorted(found_names)}
    hard |= {f"number:{digits}": surface for digits, surface in numbers.items()}
    hard |= {f"day:{day}": surface for day, surface in named_days.items()}
    soft = {stem: written.get(word, word) for word, stem in stems.items()}
    is_dated = any(day in MONTHS for day in named_days) or re.search(r"\d\d:\d\d|\d{4}-\d\d|\d{1,2}[./]\d{1,2}", text)
    dated = {
        f"number:{one}" for one in numbers if (is_dated and int(one[:6]) <= _MOST_DAY * 2) or len(one) == _LONGEST_YEAR
    }
    of_heading = times_of_heading(*heading)
    granted = {one for one in dated if one.partition(":")[2] in of_heading}
    granted |= {f"day:{day}" for day in named_days if day in of_heading}
    suspects = frozenset(stem for stem, surface in soft.items() if not surface[:1].islower())
    return Terms(hard | soft, frozenset(hard), suspects, frozenset(dated), frozenset(granted))


def _written(text: str) -> dict[str, str]:
    """Each folded word with how it is written in *text*."""
    found: dict[str, str] = {}
    for run in _RUN.findall(text):
        for token in tokens(run):
            found.setdefault(token, run if len(tokens(run)) == 1 else token)
    return found


def _days(text: str) -> dict[str, str]:
    """The months and weekdays in *text* by their English names, each with how it is written."""
    named = days_named(text)
    if not named:
        return {}
    found: dict[str, str] = {}
    for run in _RUN.findall(text):
        for day in (days_named(run) | days_named(f"3 {run} 2001")) & named:
            found.setdefault(day, run)
    return found | {day: day for day in named - found.keys()}
