"""
The days to come that a question asks for: "what's on tomorrow", "was steht nächste Woche an?", "10 декабря".

A day is told of by its date, by words that count from the day on which they were said (see ``days_told``), or by what
is on its weekday every week (see ``weekly_days``).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from consolidation.text.language import detect
from service.retrieval.agenda import asks_what_is_on
from service.retrieval.counted_ahead import Span, ahead
from service.retrieval.days_told import days_told, tells_of_days
from service.retrieval.intent import intent_of
from service.retrieval.periods import date_to_come, days_of, is_of_what_was, names_date, tense_of_days
from service.retrieval.weekly_days import weekly_days

if TYPE_CHECKING:
    from datetime import date, tzinfo

    from consolidation.text.dates import DateHint

_QUERIES = 32  # each phase asks of the same few
_OTHER_TASKS = frozenset({"code", "language", "how to", "sum", "trivia"})


@dataclass(frozen=True, slots=True)
class DaysToCome:
    """
    The days that are asked for, and the date or month where one is named.

    ``is_searched``: they are asked for, not only mentioned. ``is_open``: whatever is on then is meant; else only what
    has something else to do with the question.
    """

    spans: tuple[Span, ...]
    today: date
    hint: DateHint | None = None
    is_searched: bool = True
    is_open: bool = True

    def told_in(self, text: str, *, said_on: date, language: str) -> float:
        """How well these are days that *text* tells of, 0…1."""
        told, weekly = days_told(text, said_on=said_on, language=language), weekly_days(text, language=language)
        return tells_of_days(told, self.spans, today=self.today, weekly=weekly)

    def are_named_in(self, text: str) -> bool:
        """Whether *text* names the date or month that is asked for."""
        return self.hint is not None and names_date(text, self.hint)


@lru_cache(maxsize=_QUERIES)
def days_to_come(text: str, *, today: date, language: str = "", timezone: tzinfo | None = None) -> DaysToCome | None:
    """The days to come, today among them, that *text* asks for; None where there are none."""
    spoken = language or detect(text, fallback="")
    intent = intent_of(text, language=spoken, names_known=False)
    is_agenda = asks_what_is_on(text, language=spoken)
    asks = intent.kind.endswith("question") or is_agenda
    is_own = intent.is_first_person and intent.tasks.isdisjoint(_OTHER_TASKS)
    hint = date_to_come(text, today=today, language=language, timezone=timezone)
    if hint is not None:
        spans = days_of(text, hint, today=today)
        return DaysToCome(spans, today, hint, asks, is_agenda or is_own)
    if not asks or is_of_what_was(text, today=today):
        return None
    found = ahead(text, today=today)
    is_ahead = is_agenda or tense_of_days(text, language=spoken) != "past"
    spans = found.spans if is_ahead else found.sure
    if not spans:
        return None
    is_only_today = all(one.last == today for one in spans)
    return DaysToCome(spans, today, is_open=is_agenda or (is_own and not is_only_today))
