"""Phase 4: how long ago each fragment feels, in a person's own words: "a few days ago — Jan 9".

As the age grows, the words only ever move towards the past, and every age has words.
"""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from babel import Locale, UnknownLocaleError
from babel.dates import format_skeleton

from service.mind.trace_document import LabelsTrace
from service.resonance.label_words import COMMAS, VOCABULARIES
from service.retrieval.moment import Label, LabelledFragment, Shortlist

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime, tzinfo

    from service.resonance.call import PreTurnCall
    from service.retrieval.moment import Fragment, Moment

CLOCK_SKEW = timedelta(seconds=60)
YEAR = timedelta(days=365, hours=6)
SUBTAGS_READ = 4  # language, script, region, variant; the tag is the caller's, so its length is not to be trusted

# Of one day, and into the night before: a stretch holds below its limit.
HOURS: tuple[tuple[timedelta, str], ...] = (
    (timedelta(minutes=30), "moment"),
    (timedelta(hours=2), "little while"),
    (timedelta(hours=6), "few hours"),
)

# Before yesterday, by calendar days: a stretch holds below its limit; what is older than all of them is in years.
DAYS: tuple[tuple[int, str], ...] = (
    (4, "few days"),
    (14, "last week"),  # that is, by the calendar
    (20, "couple of weeks"),
    (45, "a month"),
    (90, "couple of months"),
    (182, "several months"),
    (335, "months"),
    (350, "almost a year"),
)
MONTH_DAYS = 30.44

# The part of a year beyond N whole ones, below its limit → how the age stands to a round count, and what to add to N.
# So "about N" runs from a month before the Nth anniversary to three months after it, "over N" for the next six months,
# "almost N+1" for the two after those. What is younger than any band has words of its own, hence no gap at one year.
YEAR_BANDS: tuple[tuple[timedelta, str, int], ...] = (
    (timedelta(days=91), "about", 0),
    (timedelta(days=274), "over", 0),
    (timedelta(days=335), "almost", 1),
    (YEAR, "about", 1),
)


def label_all(call: PreTurnCall, shortlist: Shortlist[Fragment]) -> Shortlist[LabelledFragment]:
    """Each fragment of *shortlist* with its label, in their order."""
    first, more = (
        tuple(LabelledFragment(fragment, label_of(fragment, call.moment)) for fragment in fragments)
        for fragments in (shortlist.first, shortlist.more)
    )
    call.trace.note(LabelsTrace({fragment.id: found.text for fragment, found in (*first, *more)}))
    return Shortlist(first, more, shortlist.limit)


def label_of(fragment: Fragment, moment: Moment) -> Label:
    """The label of a fragment, in the language and the time zone of the moment."""
    if not fragment.is_dated:
        return undated(language=moment.told_in)
    return label(fragment.occurred_at, now=moment.now, timezone=moment.timezone, language=moment.told_in)


def label(then: datetime, *, now: datetime, timezone: tzinfo, language: str) -> Label:
    """How long before *now* was *then*, for someone who lives in *timezone* and reads *language*."""
    there, here = then.astimezone(timezone), now.astimezone(timezone)
    locale, spoken = _speech(language)
    words = _words(now - then, there, here, locale=locale, vocabulary=VOCABULARIES[spoken])
    skeleton = "MMMd" if there.year == here.year else "yMMMd"
    date = format_skeleton(skeleton, there, tzinfo=timezone, locale=locale)
    return Label(words, date, COMMAS.get(spoken, ", "))


def undated(*, language: str) -> Label:
    """Where a memory without a date is from, for someone who reads *language*."""
    _, spoken = _speech(language)
    return Label(VOCABULARIES[spoken]["undated"], "", COMMAS.get(spoken, ", "))


def _speech(language: str) -> tuple[Locale, str]:
    """Find the longest known form of the tag ("de-AT-1996" → "de-AT" → "de"); English where we have no words."""
    subtags = language.replace("_", "-").split("-", SUBTAGS_READ)[:SUBTAGS_READ]
    for length in range(len(subtags), 0, -1):
        try:
            locale = Locale.parse("-".join(subtags[:length]), sep="-")
        except (UnknownLocaleError, ValueError):
            continue
        for key in (f"{locale.language}-{locale.script}", locale.language):
            if key in VOCABULARIES:
                return locale, key
    return Locale("en"), "en"


def _words(age: timedelta, there: datetime, here: datetime, *, locale: Locale, vocabulary: Mapping[str, str]) -> str:
    """The days of a calendar decide: 22 hours ago may be today, and 7 hours ago yesterday."""
    days = (here.date() - there.date()).days
    if age < -CLOCK_SKEW:
        return ""
    hours = next((stretch for limit, stretch in HOURS if age < limit), None)
    if hours is not None:
        return vocabulary[hours]
    if days <= 1:
        return vocabulary["yesterday" if days else "earlier today"]
    stretch = next((stretch for limit, stretch in DAYS if days < limit), None)
    if stretch is None:
        return _years(age, locale=locale, vocabulary=vocabulary)
    if stretch == "months":
        count = round(days / MONTH_DAYS)
        return vocabulary.get(f"months ={count}", vocabulary["months"]).format(n=count)
    return vocabulary[_week(days, here) if stretch == "last week" else stretch]


def _week(days: int, here: datetime) -> str:
    """What somebody calls a day of this week, of the one before, and of the one before that."""
    weeks = (days + 6 - here.weekday()) // 7
    return ("few days", "last week", "couple of weeks")[min(weeks, 2)]


def _years(age: timedelta, *, locale: Locale, vocabulary: Mapping[str, str]) -> str:
    whole, rest = divmod(age, YEAR)
    nearness, more = next((nearness, more) for limit, nearness, more in YEAR_BANDS if rest < limit)
    count = whole + more
    keys = (f"{nearness} ={count}", f"{nearness} {locale.plural_form(count)}", nearness)
    return next(vocabulary[key] for key in keys if key in vocabulary).format(n=count)
