"""
What an agent is handed when it wakes: one text and its parts, from its files alone.

The same files give the same bytes, so times are instants and never "3 hours ago". As long as the agent sleeps, it is
the pack of the waking to come.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime, time, timedelta
from itertools import islice
from typing import TYPE_CHECKING

from consolidation.dreams.dream_log import Dreams
from consolidation.dreams.observations import INFORMATIONAL_FOR, Level, read_observations
from consolidation.dreams.rules import read_rules
from consolidation.dreams.sleep_state import SleepState
from consolidation.dreams.writings import read_priorities
from consolidation.text.injected_blocks import WAKING_END, WAKING_HEADER, defused, one_line
from consolidation.text.tokens import count_tokens, cut_to_tokens
from prompts.library import render

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from collections.abc import Set as AbstractSet
    from datetime import tzinfo
    from pathlib import Path

    from consolidation.dreams.observations import Observation

MOST_TOKENS, LEAST_TOKENS, MOST_TOKENS_EVER = 2000, 200, 20_000
_IMPORTANT_FOR = timedelta(days=7)
_LONGEST_SESSION = 60  # characters of its id in the text
_LEAST_LINE = 4  # tokens; so many lines may fit and no more
_FEWEST_LETTERS = 20  # of a line that is shortened; fewer say nothing
_WEEKDAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_HALF, _EIGHTH = 0.5, 0.125
# Who finds room first, and how much of the budget it may take; at the end, what is left over.
_SHARES = (
    (Level.RED, _HALF),
    *((section, _EIGHTH) for section in ("priority", "reflection", "session", "intent", "reason")),
    *((section, _EIGHTH) for section in ("priorities", "rules", "messages", "briefing")),
    *((section, 1.0) for section in (Level.YLW, Level.GRN, "priorities", "rules", "messages", "briefing")),
)
_LEVELS = frozenset(Level)
_LISTS = ("priorities", "rules", "messages", "briefing")
_SINGLE = ("reason", "session", "intent", "reflection", "priority")

type _Lines = Mapping[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class UnreadMessage:
    """A message of a person that was stored since the last dream; ``text`` is cut."""

    at: datetime
    who: str
    session_id: str
    text: str


@dataclass(frozen=True, slots=True)
class UndreamtSession:
    """The newest session that no dream covers: when its last turn was stored, and its tool calls."""

    session_id: str
    ended_at: datetime
    actions: int


@dataclass(frozen=True, slots=True)
class LastSession:
    """The session before this one. It was interrupted if the agent acted in it and did not sleep afterwards."""

    session_id: str
    ended_at: datetime
    actions: int
    intent: str = ""
    was_interrupted: bool = False


@dataclass(frozen=True, slots=True)
class WakingFiles:
    """What is known of a mind, as its files have it; *messages* are the newest first, *own_zone* is the mind's own."""

    state: SleepState = field(default_factory=SleepState)
    dreams: Dreams = field(default_factory=Dreams)
    observations: str = ""
    priorities: str = ""
    rules: str = ""
    briefing: str = ""
    messages: tuple[UnreadMessage, ...] = ()
    undreamt: UndreamtSession | None = None
    own_zone: tzinfo = UTC

    @property
    def zone(self) -> tzinfo:
        """The agent's time zone."""
        return self.state.zone(otherwise=self.own_zone)


@dataclass(frozen=True, slots=True)
class WakingPack:
    """
    What an agent is handed when it wakes.

    ``woke_at`` is None before it ever slept. ``observations`` are those in ``text``, and ``left_out`` counts the
    others. ``text`` is ready to be put in front of a conversation; ``etag`` changes with any part.
    """

    woke_at: datetime | None
    slept_seconds: float
    cycle: int
    reason: str
    reflection: str
    priority: str
    priorities: tuple[str, ...]
    rules: tuple[str, ...]
    briefing: str
    observations: tuple[Observation, ...]
    left_out: int
    unread_messages: tuple[UnreadMessage, ...]
    last_session: LastSession | None
    text: str = ""
    etag: str = ""


@dataclass(frozen=True, slots=True)
class _Offered:
    """
    What may be shown of each level, the first to find room first; which lines are over; how many lines there are.

    ``reason`` is why the agent was woken before its time.
    """

    reason: str
    by_level: Mapping[Level, tuple[Observation, ...]]
    over: AbstractSet[Observation]
    total: int


def waking_pack(
    files: WakingFiles, *, max_tokens: int = MOST_TOKENS, zone: tzinfo | None = None, prompts: Path | None = None
) -> WakingPack:
    """
    The pack of a mind, whose text takes at most *max_tokens*, with its times in *zone*, or in the agent's own.

    *prompts* is the folder of the mind's own templates. Every RED finds room first, the newest before the others and
    superseded ones last, up to half of it. YLW of the last 7 days and GRN of the last 48 hours follow.
    """
    state, told = files.state, files.dreams.last_with_words
    zone = zone or files.zone
    woke_at = (state.woken_at or state.wake_at) if state.asleep_at is not None else None
    pack = WakingPack(
        woke_at=woke_at,
        slept_seconds=_seconds_between(state.asleep_at, woke_at),
        cycle=state.cycle_at(woke_at) if woke_at is not None else state.cycle,
        reason=state.reason,
        reflection=told.reflection if told else "",
        priority=files.dreams.priority,
        priorities=read_priorities(files.priorities),
        rules=tuple(rule.text for rule in read_rules(files.rules)),
        briefing=files.briefing.strip(),
        observations=(),
        left_out=0,
        unread_messages=files.messages,
        last_session=_last_session(files),
    )
    offered = _offered(files, woke_at=woke_at)
    pack = _written(pack, offered, max_tokens=max_tokens, zone=zone, prompts=prompts)
    whole = json.dumps(asdict(pack), default=str, sort_keys=True)
    return replace(pack, etag=f'"{hashlib.blake2b(whole.encode(errors="replace"), digest_size=12).hexdigest()}"')


def _seconds_between(start: datetime | None, end: datetime | None) -> float:
    return max((end - start).total_seconds(), 0.0) if start is not None and end is not None else 0.0


def _last_session(files: WakingFiles) -> LastSession | None:
    newest, slept = files.undreamt, files.state.asleep_at
    if newest is not None:
        was_interrupted = newest.actions > 0 and (slept is None or slept < newest.ended_at)
        return LastSession(newest.session_id, newest.ended_at, newest.actions, was_interrupted=was_interrupted)
    last = files.dreams.last
    if last is None or not last.session_id:
        return None
    actions = last.actions if last.session_actions is None else last.session_actions
    return LastSession(last.session_id, last.ended_at or last.t, actions, last.intent)


def _as_of(files: WakingFiles, known: tuple[Observation, ...], *, woke_at: datetime | None) -> datetime | None:
    """
    The moment from which ages of observations count, by the clock on the agent's wall, which their times are of.

    The clock itself is not asked.
    """
    last = files.dreams.last
    moments = [one for one in (woke_at, last.t if last else None) if one is not None]
    if moments:
        return _local(max(moments), files.zone).replace(tzinfo=None)
    return max((_moment(one) for one in known), default=None)


def _offered(files: WakingFiles, *, woke_at: datetime | None) -> _Offered:
    known = read_observations(files.observations)
    over = files.dreams.over(known)
    as_of = _as_of(files, known, woke_at=woke_at)
    newest = [one for _, one in sorted(enumerate(known), key=lambda pair: (_moment(pair[1]), pair[0]), reverse=True)]

    def recent(level: Level, kept: timedelta) -> tuple[Observation, ...]:
        current = (one for one in newest if one.level is level and one not in over)
        return tuple(one for one in current if as_of is not None and as_of - _moment(one) <= kept)

    reds = sorted((one for one in newest if one.level is Level.RED), key=lambda one: one in over)
    by_level = {
        Level.RED: tuple(reds),
        Level.YLW: recent(Level.YLW, _IMPORTANT_FOR),
        Level.GRN: recent(Level.GRN, INFORMATIONAL_FOR),
    }
    return _Offered(files.state.woken_because, by_level, over, total=len(known))


def _moment(one: Observation) -> datetime:
    """When it was by the clock on the wall, in the zone of the dream that wrote it."""
    hour, minute = map(int, one.at.split(":"))
    return datetime.combine(one.day, time(hour, minute))


def _written(pack: WakingPack, offered: _Offered, *, max_tokens: int, zone: tzinfo, prompts: Path | None) -> WakingPack:
    """*pack* with its text, and the observations in it."""
    lines = _lines(pack, offered, most=max_tokens // _LEAST_LINE, zone=zone)

    whole = _totals(pack)

    def text_of(shown: _Lines) -> str:
        left_out = offered.total - sum(len(shown[level]) for level in Level)
        more = [
            {"list": name, "count": total - len(shown[name])}
            for name, total in whole.items()
            if total > len(shown[name])
        ]
        words = _words(pack, shown, left_out=left_out, more=more, zone=zone)
        return render("waking", overrides=prompts, **words).strip()

    bare = dict.fromkeys(lines, ())
    least = count_tokens(_framed(text_of(bare)))
    headings = {one: count_tokens(_framed(text_of({**bare, one: ("-",)}))) - least for one in lines if lines[one]}
    chosen = _chosen(lines, headings, room=max_tokens - least, max_tokens=max_tokens)
    text = _framed(text_of(_in_order(lines, chosen)))
    while chosen and count_tokens(text) > max_tokens:
        chosen.pop()
        text = _framed(text_of(_in_order(lines, chosen)))
    shown = {(section, at) for section, at, _ in chosen}
    observations = tuple(
        one for level in Level for at, one in enumerate(offered.by_level[level]) if (level, at) in shown
    )
    text = _cut(text, max_tokens=max_tokens)
    return replace(pack, text=text, observations=observations, left_out=offered.total - len(observations))


def _lines(pack: WakingPack, offered: _Offered, *, most: int, zone: tzinfo) -> _Lines:
    """The lines that may be shown, at most so many of each section, the first to find room first."""
    session = pack.last_session
    messages = (f"{_when(one.at, zone)}, {one.who}: {one.text}" for one in pack.unread_messages)
    found: dict[str, Iterable[str]] = {
        **{level: (_observed(one, offered.over) for one in of_level) for level, of_level in offered.by_level.items()},
        "reason": (offered.reason,),
        "session": (session.session_id[:_LONGEST_SESSION],) if session is not None else (),
        "intent": (session.intent,) if session is not None else (),
        "reflection": (pack.reflection,),
        "priority": (pack.priority,),
        "priorities": pack.priorities,
        "rules": pack.rules,
        "messages": messages,
        "briefing": pack.briefing.splitlines(),
    }
    short = {section: map(one_line, islice(filter(str.strip, texts), most)) for section, texts in found.items()}
    return {section: tuple(filter(None, texts)) for section, texts in short.items()}


def _totals(pack: WakingPack) -> dict[str, int]:
    """How many lines each list has that is not of observations."""
    messages = (one.text for one in pack.unread_messages)
    texts = dict(zip(_LISTS, (pack.priorities, pack.rules, messages, pack.briefing.splitlines()), strict=True))
    return {name: sum(bool(one_line(text)) for text in of_list) for name, of_list in texts.items()}


def _chosen(lines: _Lines, headings: Mapping[str, int], *, room: int, max_tokens: int) -> list[tuple[str, int, str]]:
    """
    Section, place and words of each line that fits, the most important first. A first one may be shortened.

    Of observations, a shorter one may take the place of one that does not fit. Other sections end there: what comes
    first in them matters most, or the next makes no sense without it.

    *headings* are the tokens that the first line of a section takes besides.
    """
    chosen: dict[tuple[str, int], str] = {}
    spent = Counter[str]()
    for section, share in _SHARES:
        for at, line in enumerate(lines[section]):
            if (section, at) in chosen:
                continue
            heading = 0 if spent[section] else headings[section]
            most = min(room, int(share * max_tokens) - spent[section]) - heading
            words, cost = _fitting(line, most=most, is_first=not spent[section])
            if words:
                chosen[section, at] = words
                spent[section] += heading + cost
                room -= heading + cost
            elif section not in _LEVELS:
                break
    return [(section, at, words) for (section, at), words in chosen.items()]


def _fitting(line: str, *, most: int, is_first: bool) -> tuple[str, int]:
    """*line*, or the beginning of a first one, and its tokens; no words where it does not fit."""
    cost = count_tokens(f"- {line}\n")
    if cost <= most:
        return line, cost
    words = cut_to_tokens(line, limit=most - 4).rstrip() if is_first and most > 0 else ""
    return (f"{words} …", most) if len(words) >= _FEWEST_LETTERS else ("", 0)


def _in_order(lines: _Lines, chosen: Iterable[tuple[str, int, str]]) -> _Lines:
    """The lines that are shown, in the order in which they are read: messages as they came."""
    shown: dict[str, list[str]] = {section: [] for section in lines}
    for section, _, words in sorted(chosen, key=lambda one: -one[1] if one[0] == "messages" else one[1]):
        shown[section].append(words)
    return {section: tuple(words) for section, words in shown.items()}


def _words(
    pack: WakingPack, shown: _Lines, *, left_out: int, more: Sequence[Mapping[str, object]], zone: tzinfo
) -> dict[str, object]:
    """The words of the template; *more* is how many of each list found no room."""
    session = pack.last_session
    return {
        "woke": _when(pack.woke_at, zone) if pack.woke_at is not None else "",
        "slept_seconds": round(pack.slept_seconds),
        "cycle": pack.cycle,
        "ended": _when(session.ended_at, zone) if session is not None else "",
        "actions": session.actions if session is not None else 0,
        "was_interrupted": session is not None and session.was_interrupted,
        "observations": [line for level in Level for line in shown[level]],
        "left_out": left_out,
        "more": more,
        **{name: next(iter(shown[name]), "") for name in _SINGLE},
        **{name: shown[name] for name in _LISTS},
    }


def _observed(one: Observation, over: AbstractSet[Observation]) -> str:
    line = f"{one.level} {_WEEKDAYS[one.day.weekday()]} {one.day} {one.at} {one.text}"
    return f"{line} (superseded)" if one in over else line


def _when(at: datetime, zone: tzinfo) -> str:
    """The instant in a zone, to the minute, with its weekday: ``Thu 2026-02-12 18:30+01:00``."""
    local = _local(at, zone)
    return f"{_WEEKDAYS[local.weekday()]} {local.isoformat(sep=' ', timespec='minutes')}"


def _local(at: datetime, zone: tzinfo) -> datetime:
    try:
        return at.astimezone(zone)
    except (OverflowError, ValueError):  # the first or the last day that there is
        return at


def _framed(text: str) -> str:
    """*text* in a frame that nothing in it closes."""
    return f"{WAKING_HEADER}\n{defused(text)}\n{WAKING_END}"


def _cut(text: str, *, max_tokens: int) -> str:
    """*text* within its frame, cut where the words around its lines alone are too many."""
    if count_tokens(text) <= max_tokens:
        return text
    inside = text.removeprefix(f"{WAKING_HEADER}\n").removesuffix(f"\n{WAKING_END}")
    return _framed(cut_to_tokens(inside, limit=max_tokens - 2 * count_tokens(_framed(""))))
