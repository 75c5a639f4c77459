"""
A story without a model: dated chapters made of sentences that were really said, chosen for what mattered.

It never invents, because it only quotes: a chapter for each day that mattered, a few sentences each, in the language of
the conversation. A day with little to tell is joined to its neighbour.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from datetime import date
from itertools import groupby, pairwise
from typing import TYPE_CHECKING, NotRequired, TypedDict

from consolidation.kernel.turns import Speaker
from consolidation.story import quoted_words
from consolidation.story.quoted_leads import has_leads, leads_of
from consolidation.story.quoted_sayings import Saying, sayings
from consolidation.story.quoted_titles import Mentions, title
from consolidation.text.language import LANGUAGES, detect, primary_subtag
from consolidation.text.words import is_dense
from prompts.responses import StoryChapter, StoryChapters

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from consolidation.kernel.turns import Message

_A_FEW, _A_DAY, _MOST_READ = 3, 6, 2  # sentences: from here on only weighty ones; at most; at most of what was read
_SMALL_TALK, _LEAST, _SLIGHT, _WEIGHTY = 0.9, 1.8, 1.8, 3.0  # weights
_SHARE = 0.65  # of the heaviest sentence's weight: less is not told beside it
_SAME = 0.5  # of the words
_NEW = 5  # of so many words, one may be new in what was told before
_NO_CONTEXT = 1.5
_FIRST_NAMED, _FOLLOWED = 0.35, 0.4
_CANDIDATES = 100  # of the sentences of a day, the weightiest
_FEW_WORDS = 60  # of a day: up to here, more than the weightiest is told
_NEIGHBOURS = 3  # days between them
_MOST_RUNS = 3  # paragraphs, before each speaker's words are put together
_LEFT_OUT = " … "
_IMPORTANT = 0.7  # a memory that was saved with so much is told
_PLANNED = 2  # words that a later sentence shares with an earlier one: it tells what became of it


type _Told = Mapping[str, Sequence[Saying]]


class ToldTurn(TypedDict):
    """
    A turn as a narrator is shown it: ``when`` (YYYY-MM-DD HH:MM) it was, and what each speaker ``said``.

    ``dates`` are the days that relative words in it mean, as a prompt shows them. ``gap`` says how many days lie
    between the turn before and this one, where that is more than one; else "". ``importance`` is a saved memory's.
    """

    when: str
    weekday: str
    gap: str
    said: tuple[Message, ...]
    dates: str
    importance: NotRequired[float | None]


@dataclass(frozen=True, slots=True)
class _Day:
    """What is told of a day, or of two neighbours: *at* and *until* are the times they begin."""

    at: str
    until: str
    chosen: tuple[Saying, ...]
    mentions: Mentions

    @property
    def weight(self) -> float:
        return max(saying.weight for saying in self.chosen)

    @property
    def is_slight(self) -> bool:
        return len(self.chosen) == 1 and self.weight < _SLIGHT


def quote(batch: Sequence[ToldTurn], *, language: str, is_told_by_model: bool = False) -> StoryChapters:
    """
    The chapters of *batch*: one for each day that mattered, none where there was only small talk.

    In a story that *is_told_by_model*, which could not tell these turns, all is introduced in the story's *language*.
    Where no day mattered, what people said that they like or not is told ("I like figs.").
    """
    ordered = sorted(batch, key=lambda turn: turn["when"])
    days = [list(turns) for _, turns in groupby(ordered, key=lambda turn: turn["when"][:10])]
    heard = [_heard(turns, language) for turns in days]
    on_days = Counter(stem for said in heard for stem in frozenset().union(*(one.stems for one in said)))
    told: list[_Day] = []
    before: dict[str, list[Saying]] = {}  # what was told, by its stems
    named: set[str] = set()
    for turns, said in zip(days, heard, strict=True):
        weighed = [_weighed(one, named, before, on_days) for one in said]
        chosen = _chosen(weighed, before, on_days)
        named.update(name.casefold() for one in said for name in one.names)
        for one in chosen:
            for stem in one.stems:
                before.setdefault(stem, []).append(one)
        if chosen:
            today = Counter(stem for one in said for stem in one.stems)
            told.append(_Day(turns[0]["when"], turns[0]["when"], chosen, Mentions(today, on_days)))
    if not told:
        little = [
            (turns[0]["when"], tuple(filter(_is_of_taste, said))) for turns, said in zip(days, heard, strict=True)
        ]
        told = [_Day(at, at, said[:_A_DAY], Mentions(on_days, on_days)) for at, said in little if said]
    led_in = language if is_told_by_model and has_leads(language) else ""
    return StoryChapters(append=tuple(_chapters(_joined(told), language=language, led_in=led_in)))


def _heard(turns: Sequence[ToldTurn], language: str) -> tuple[Saying, ...]:
    """What can be quoted of a day, with what somebody saved as important."""
    important = [one.content for turn in turns if (turn.get("importance") or 0) >= _IMPORTANT for one in turn["said"]]
    found = sayings([one for turn in turns for one in turn["said"]], language=language)
    return tuple(
        replace(one, is_important=True) if any(one.text in text for text in important) else one for one in found
    )


def _is_of_taste(saying: Saying) -> bool:
    is_clear = saying.role is Speaker.USER and not saying.is_idle and not saying.is_dependent
    return is_clear and quoted_words.tells_taste(saying.text, saying.stems, language=saying.language)


def _weighed(saying: Saying, named: set[str], before: _Told, on_days: Mapping[str, int]) -> Saying:
    """*saying*, heavier where it names somebody for the first time, or tells what became of something told before."""
    more = _FIRST_NAMED * any(name.casefold() not in named for name in saying.names)
    rare = {stem for stem in saying.stems if 1 < on_days[stem] <= 1 + len(on_days) // 100}
    if len(rare) >= _PLANNED and saying.weight > _SMALL_TALK:
        shared = Counter((one.told, one.place, one.line) for stem in rare for one in before.get(stem, ()))
        more += _FOLLOWED * any(times >= _PLANNED for times in shared.values())
    return replace(saying, weight=saying.weight + more)


def _chosen(said: Sequence[Saying], before: _Told, on_days: Mapping[str, int]) -> tuple[Saying, ...]:
    """
    The weightiest of a day that differ from each other and from what was told *before*, in their order.

    What is important comes first, whatever it weighs.
    """
    spoken = [one for one in said if not one.is_read]
    is_silent = not any(one.weight > _SMALL_TALK for one in spoken)
    fit = [one for one in said if not one.is_read or is_silent or one.weight >= _WEIGHTY]
    important = [one for one in said if one.is_important and not _was_told(one, before, on_days)]
    chosen = {one.place: one for one in important[:_A_DAY]}
    weighty = (one for one in fit if one.weight > _SMALL_TALK and one.place not in chosen)
    left = sorted(weighty, key=lambda one: (-one.weight, one.place))
    del left[_CANDIDATES:]
    while left and len(chosen) < _A_DAY:
        best = max(left, key=lambda one: (_in_context(one, chosen), -one.place))
        heaviest = max((one.weight for one in chosen.values() if not one.is_important), default=0.0)
        least = max(_LEAST, _SHARE * heaviest * (len(chosen) >= _A_FEW)) if chosen else _SMALL_TALK - _NO_CONTEXT
        if _in_context(best, chosen) < least:
            break
        left.remove(best)
        if best.is_read and sum(one.is_read for one in chosen.values()) == _MOST_READ:
            continue
        if all(_overlap(best, one) < _SAME for one in chosen.values()) and not _was_told(best, before, on_days):
            chosen[best.place] = best
    return _filled(chosen, [one for one in fit if not _was_told(one, before, on_days)])


def _filled(chosen: dict[int, Saying], said: Sequence[Saying]) -> tuple[Saying, ...]:
    """*chosen* in its order; on a day of few words with what else people said, first what stands beside it."""
    left = [one for one in said if one.role is Speaker.USER and not one.is_idle and one.place not in chosen]
    room = _FEW_WORDS - sum(len(one.text.split()) for one in chosen.values())
    while chosen:
        lines = {one.told for one in chosen.values()}
        beside = [one for one in left if one.told in lines and one.weight >= 0]
        others = [one for one in left if one.weight > _SMALL_TALK and not one.is_dependent]
        fitting = [one for one in beside or others if len(one.text.split()) <= room]
        if not fitting:
            break
        best = max(fitting, key=lambda one: (one.weight, -one.place))
        left.remove(best)
        room -= len(best.text.split())
        chosen[best.place] = best
    return tuple(chosen[place] for place in sorted(chosen))


def _in_context(saying: Saying, chosen: Mapping[int, Saying]) -> float:
    """The weight of *saying*, less if it points at a sentence that is not told."""
    earlier = chosen.get(saying.place - 1)
    is_clear = not saying.is_dependent or (earlier is not None and earlier.told == saying.told)
    return saying.weight - (0.0 if is_clear else _NO_CONTEXT / 2 if saying.names else _NO_CONTEXT)


def _overlap(one: Saying, other: Saying) -> float:
    return len(one.stems & other.stems) / max(1, min(len(one.stems), len(other.stems)))


def _was_told(saying: Saying, before: _Told, on_days: Mapping[str, int]) -> bool:
    """Whether an earlier chapter tells it: the same words, and no number or name that is new."""
    most_new = len(saying.stems) // _NEW
    rarest = sorted(saying.stems, key=lambda stem: (on_days[stem], stem))[: most_new + 1]  # one of them was said there
    for one in (one for stem in rarest for one in before.get(stem, ())):
        new = saying.stems - one.stems
        is_same = len(new) <= most_new and _speaker(saying) == _speaker(one) and set(saying.names) <= set(one.names)
        if is_same and not any(any(map(str.isdigit, stem)) for stem in new):
            return True
    return False


def _joined(days: Sequence[_Day]) -> list[_Day]:
    """*days* with each slight one joined to the day before it, else to the one behind it, if that is near."""
    joined: list[_Day] = []
    for day in days:
        is_near = bool(joined) and _days_between(joined[-1], day) <= _NEIGHBOURS
        if is_near and (day.is_slight or joined[-1].is_slight):
            heavier = max(joined[-1], day, key=lambda one: one.weight)
            chosen = (*joined[-1].chosen, *day.chosen)
            joined[-1] = _Day(joined[-1].at, day.at, chosen, heavier.mentions)
        else:
            joined.append(day)
    return joined


def _days_between(one: _Day, other: _Day) -> int:
    return (date.fromisoformat(other.at[:10]) - date.fromisoformat(one.until[:10])).days


def _chapters(days: Iterable[_Day], *, language: str, led_in: str) -> Iterator[StoryChapter]:
    taken: set[str] = set()
    leads = leads_of(language)
    for day in days:
        titled = [one for one in day.chosen if not one.is_read] or day.chosen
        found = title(titled, day.mentions, taken=frozenset(taken), quoted=leads.quoted)
        taken.add(found)
        at = day.at if day.at == day.until else f"{day.at} – {day.until}"
        yield StoryChapter(at=at, title=found, text=_told(day.chosen, language, led_in))


def _told(chosen: Sequence[Saying], language: str, led_in: str) -> str:
    """
    The text of a chapter: what each said in a row; in a longer talk, all that each said under one introduction.

    What was said in another language than the talk's is introduced in its own, or else as everything in *led_in*.
    """
    voices = {one.place: (_speaker(one), led_in or _introduced_in(one, language)) for one in chosen}
    runs = [tuple(run) for _, run in groupby(chosen, key=lambda one: voices[one.place])]
    if len(runs) > _MOST_RUNS:
        every = dict.fromkeys(voices[one.place] for one in chosen)
        runs = [tuple(one for one in chosen if voices[one.place] == voice) for voice in every]
    paragraphs = []
    before: set[tuple[Speaker, str]] = set()
    for run in runs:
        (role, who), spoken = voices[run[0].place]
        paragraphs.append(leads_of(spoken).led(_said(run), who=who, role=role, is_more=(role, who) in before))
        before.add((role, who))
    return "\n\n".join(paragraphs)


def _introduced_in(saying: Saying, talk: str) -> str:
    """The language of *saying*, where its script or its words clearly say so; that of the *talk* otherwise."""
    text, known = saying.text, saying.language
    found = detect(text, fallback=known if any(map(is_dense, text)) else "en")
    if any({found, primary_subtag(known)} <= set(codes) for codes in LANGUAGES.values()):  # of one script
        found = known
    return found if has_leads(found) else talk


def _speaker(saying: Saying) -> tuple[Speaker, str]:
    return saying.role, saying.who


def _said(run: Sequence[Saying]) -> str:
    """Sentences as one text: neighbours as they stood, an ellipsis where something is left out."""
    text = run[0].text
    for before, one in pairwise(run):
        is_next = one.told == before.told and one.place == before.place + 1 and one.line.startswith(before.line)
        text += (one.line[before.end : one.start] if is_next else _LEFT_OUT) + one.text
    return text
