"""Everything that reads the words of a turn reads a long one in a time that grows with its length."""

import itertools
import string

import pytest

from consolidation.kernel.turns import Message, Speaker
from consolidation.story.anchor import without_lookalikes
from consolidation.story.quotes import quote
from consolidation.text.injected_blocks import defused, one_line, without_injected
from consolidation.text.language import detect
from consolidation.text.names import keyphrases, names, opening_names
from consolidation.text.sentences import sentences
from consolidation.text.words import tokens
from consolidation.text.dates import days_named
from service.retrieval.queries import cleaned, sanitised
from tests.support.growth import assert_linear, repeated

_LENGTHS = {"length": 15_000, "longest": 400_000}  # up to what a message may have
_WORDS = [a.upper() + "".join(rest) for a, *rest in itertools.product(string.ascii_lowercase, repeat=4)][::7]
TEXTS = {
    "names": lambda length: " ".join(f"{word}x said it." for word in _WORDS[: length // 15]),
    "names inside": lambda length: " ".join(
        f"so {word}x went, and {word.lower()} too." for word in _WORDS[: length // 28]
    ),
    "words": lambda length: " ".join(word.lower() for word in _WORDS[: length // 5]),
    "letters": repeated("A"),
    "capitals": repeated("Aa "),
    "spaces": repeated(" ", start="x", end="x"),
    "lines": repeated("\n"),
    "short lines": repeated("a: b\n"),
    "bullets": repeated("- x\n", start="[SUBCONSCIOUS RESONANCE]\n", end="x"),
    "headers": repeated("[MY STORY]\n"),
    "quotes": repeated("“"),
    "fences": repeated("```\n"),
    "comments": repeated("<!-- LAST_PROCESSED: "),
    "headings": repeated("### [2026-01-09 18:30] One\n\n"),
    "digits": repeated("1"),
    "dates": repeated("9 May 2026, "),
    "stops": repeated("Mr. A. "),
    "characters": repeated("好。"),
    "marks": repeated("\u0301", start="e"),
    "at": repeated("a@"),
}
READERS = {
    "names": names,
    "opening names": lambda text: opening_names(text, language="en"),
    "keyphrases": lambda text: keyphrases(text, language="en"),
    "sentences": sentences,
    "language": detect,
    "tokens": tokens,
    "days": days_named,
    "what was injected": without_injected,
    "marks": defused,
    "comments": without_lookalikes,
    "a line": one_line,
    "a query": sanitised,
    "a message": cleaned,
    "a story": lambda text: quote(
        ({"when": "2026-01-09 18:30", "said": (Message(Speaker.USER, text),)},), language="en"
    ),
}


@pytest.mark.parametrize("reader", READERS)
def test_the_cost_of_a_long_turn_grows_with_its_length(reader):
    for name, text_of in TEXTS.items():
        assert_linear(READERS[reader], text_of, name=name, **_LENGTHS)
