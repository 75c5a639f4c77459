"""How long ago, in a person's own words: "a few days ago — Jan 9".

Pure; the only importer of Babel. As the age grows the words only ever move towards the past, and none lacks them.
"""

from collections.abc import Mapping
from datetime import datetime, timedelta, tzinfo

from babel import Locale, UnknownLocaleError
from babel.dates import format_skeleton

from service.resonance.label_words import VOCABULARIES
from service.resonance.moment import Label

CLOCK_SKEW = timedelta(seconds=60)
YEAR = timedelta(days=365, hours=6)
SUBTAGS_READ = 4  # language, script, region, variant; the tag is the caller's, so its length is not to be trusted

# A stretch holds below its limit; what is older than all of them is counted in years.
STRETCHES: tuple[tuple[timedelta, str], ...] = (
    (timedelta(minutes=30), "moment"),
    (timedelta(hours=2), "little while"),
    (timedelta(hours=6), "few hours"),
    (timedelta(hours=18), "earlier today"),
    (timedelta(hours=30), "yesterday"),
    (timedelta(days=4), "few days"),
    (timedelta(days=10), "last week"),
    (timedelta(days=20), "couple of weeks"),
    (timedelta(days=45), "a month"),
    (timedelta(days=90), "couple of months"),
    (timedelta(days=182), "several months"),
    (timedelta(days=335), "almost a year"),
)

# The part of a year beyond N whole ones, below its limit → how the age stands to a round count, and what to add to N.
# So "about N" runs from a month before the Nth anniversary to three months after it, "over N" for the next six months,
# "almost N+1" for the two after those. The last band starts where "almost a year" ends, hence no gap at one year.
YEAR_BANDS: tuple[tuple[timedelta, str, int], ...] = (
    (timedelta(days=91), "about", 0),
    (timedelta(days=274), "over", 0),
    (timedelta(days=335), "almost", 1),
    (YEAR, "about", 1),
)


def label(then: datetime, *, now: datetime, timezone: tzinfo, language: str) -> Label:
    """Say how long before `now` was `then`, to someone who lives in `timezone` and reads `language`."""
    there, here = then.astimezone(timezone), now.astimezone(timezone)
    locale, vocabulary = _speech(language)
    words = _words(now - then, same_day=there.date() == here.date(), locale=locale, vocabulary=vocabulary)
    skeleton = "MMMd" if there.year == here.year else "yMMMd"
    return Label(words=words, date=format_skeleton(skeleton, there, tzinfo=timezone, locale=locale))


def undated(*, language: str) -> Label:
    """Say of a memory that has no date where it is from, to someone who reads `language`."""
    _, vocabulary = _speech(language)
    return Label(words=vocabulary["undated"], date="")


def _speech(language: str) -> tuple[Locale, Mapping[str, str]]:
    """Find the longest known form of the tag ("de-AT-1996" → "de-AT" → "de"); English where we have no words."""
    subtags = language.replace("_", "-").split("-", SUBTAGS_READ)[:SUBTAGS_READ]
    for length in range(len(subtags), 0, -1):
        try:
            locale = Locale.parse("-".join(subtags[:length]), sep="-")
        except (UnknownLocaleError, ValueError):
            continue
        for key in (f"{locale.language}-{locale.script}", locale.language):
            if key in VOCABULARIES:
                return locale, VOCABULARIES[key]
    return Locale("en"), VOCABULARIES["en"]


def _words(age: timedelta, *, same_day: bool, locale: Locale, vocabulary: Mapping[str, str]) -> str:
    if age < -CLOCK_SKEW:
        return ""
    for limit, stretch in STRETCHES:
        if age < limit:
            across_midnight = stretch == "earlier today" and not same_day
            return vocabulary["yesterday" if across_midnight else stretch]
    return _years(age, locale=locale, vocabulary=vocabulary)


def _years(age: timedelta, *, locale: Locale, vocabulary: Mapping[str, str]) -> str:
    whole, rest = divmod(age, YEAR)
    nearness, more = next((nearness, more) for limit, nearness, more in YEAR_BANDS if rest < limit)
    count = whole + more
    keys = (f"{nearness} ={count}", f"{nearness} {locale.plural_form(count)}", nearness)
    return next(vocabulary[key] for key in keys if key in vocabulary).format(n=count)
