"""
A dream without a model: what failed, how each tool ended, what people asked for, each quoted from the log.

It never invents, since it only quotes. The reflection is what the agent told itself last.
"""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING

from consolidation.text.filler import says_nothing
from consolidation.text.sentences import sentences
from prompts.responses import DeepSleep, Dream, DreamtObservation

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import Any

    from consolidation.dreams.evidence import EvidenceItem

_MOST_CRITICAL, _MOST_TOOLS, _MOST_FAILURES = 20, 6, 6
_LONGEST = 240
_REFLECTION, _PRIORITY = 700, 240
_REFLECTED_SENTENCES = 4
_MOST_PRIORITIES, _MOST_DIARY = 5, 3_500
_NOTHING = "…"
_NUMBER = re.compile(r"\d+")


def quote_dream(words: Mapping[str, Any]) -> Dream:
    """The dream of the evidence that would fill the prompt."""
    items: Sequence[EvidenceItem] = words["items"]
    asked = tuple(seen for _, seen in requests(items))[-_MOST_CRITICAL:]
    found = [*asked, *_failures(items), *_endings(items)]
    language: str = words["language"]
    last = _last_sentences(words["narration"], language=language)
    request = next((one.text for one in reversed(found) if one.level == "RED"), "")
    return Dream(
        observations=tuple(sorted(found, key=lambda one: one.at)),
        reflection=_cut(" ".join(last), _REFLECTION)
        or _cut("; ".join(tuple(dict.fromkeys(one.text for one in found))[-2:]), _REFLECTION)
        or _NOTHING,
        priority=_cut(request or (last[-1] if last else "") or words["priority"], _PRIORITY) or _NOTHING,
    )


def requests(items: Iterable[EvidenceItem]) -> Iterator[tuple[EvidenceItem, DreamtObservation]]:
    """
    What people told the agent, oldest first, each with the observation that quotes it.

    The newest are critical, those before them important. A mere "ok" is left out.
    """
    said = [one for one in items if one.is_persons and not says_nothing(one.text)]
    for number, one in enumerate(said, start=1):
        level = "RED" if number > len(said) - _MOST_CRITICAL else "YLW"
        yield one, _observed(level, one, f"{one.who}: “{_cut(one.text, _LONGEST)}”")


def quote_deep_sleep(words: Mapping[str, Any]) -> DeepSleep:
    """Priorities and diary of what the dreams said themselves, the newest priorities first."""
    dreams: Sequence[Mapping[str, str]] = words["dreams"]
    wanted = dict.fromkeys(one["priority"].strip() for one in reversed(dreams) if worded(one["priority"]))
    critical = (
        one["line"][len("RED 00:00 ") :] for one in reversed(words["observations"]) if one["line"].startswith("RED")
    )
    priorities = tuple(islice(dict.fromkeys((*wanted, *critical, *words["priorities"])), _MOST_PRIORITIES))
    diary = "\n\n".join(_diary(dreams, language=words["language"]))
    return DeepSleep(priorities=priorities or (_NOTHING,), diary=_cut(diary, _MOST_DIARY) or _NOTHING)


def _diary(dreams: Iterable[Mapping[str, str]], *, language: str) -> Iterator[str]:
    """What each dream reflected; a sentence of an earlier one is not said again."""
    told = set[str]()
    for one in dreams:
        new = tuple(
            dict.fromkeys(part for part in sentences(worded(one["reflection"]), language=language) if part not in told)
        )
        told.update(new)
        if new:
            yield f"{one['when']}: {' '.join(new)}"


def worded(text: str) -> str:
    """*text*, or "" where it is nothing but the mark that there was nothing to quote."""
    plain = text.strip()
    return plain if plain.strip(f"{_NOTHING} ") else ""


def _failures(items: Iterable[EvidenceItem]) -> Iterator[DreamtObservation]:
    """The newest call that failed for each reason, unless the same call has worked since; and the newest errors."""
    failing: dict[tuple[str, str], EvidenceItem] = {}
    for one in items:
        if one.action is None or one.is_persons:
            continue
        call = (one.action.tool, one.action.arguments or one.action.text)
        failing.pop(call, None)  # so that the last is the newest
        if one.action.has_failed:
            failing[call] = one
    by_reason: dict[str, EvidenceItem] = {}
    for one in failing.values():
        reason = _reason(one)
        by_reason.pop(reason, None)
        by_reason[reason] = one
    for one in list(by_reason.values())[-_MOST_FAILURES:]:
        yield _observed("YLW", one, one.text)


def _reason(item: EvidenceItem) -> str:
    """Why a call failed, whichever number it was about: its last line. An error is told in its words."""
    if item.action is None or item.action.kind == "error" or not item.action.outcome:
        return item.text
    return _NUMBER.sub("#", item.action.outcome[-1])


def _endings(items: Iterable[EvidenceItem]) -> Iterator[DreamtObservation]:
    """The first and the last success of each tool; one where both have the same words."""
    by_tool: dict[str, list[EvidenceItem]] = {}
    for one in items:
        if one.action is not None and one.action.kind == "tool_call" and one.action.is_ok and one.action.outcome:
            by_tool.setdefault(_tool(one), []).append(one)
    for ones in islice(by_tool.values(), _MOST_TOOLS):
        for one in {one.text: one for one in (ones[0], ones[-1])}.values():
            yield _observed("GRN", one, one.text)


def _tool(item: EvidenceItem) -> str:
    return item.action.tool if item.action is not None else ""


def _observed(level: str, item: EvidenceItem, text: str) -> DreamtObservation:
    return DreamtObservation.model_validate({"level": level, "at": f"{item.at:%H:%M}", "text": text})


def _last_sentences(narration: Sequence[str], *, language: str) -> tuple[str, ...]:
    """The newest that the agent told itself, in order; what it said again stands once, where it was said last."""
    said = sentences(narration[-1], language=language) if narration else ()
    return tuple(reversed(tuple(dict.fromkeys(reversed(said)))[:_REFLECTED_SENTENCES]))


def _cut(text: str, most: int) -> str:
    text = " ".join(text.split()) if "\n\n" not in text else text.strip()
    return text if len(text) <= most else text[: most - 1].rstrip() + _NOTHING
