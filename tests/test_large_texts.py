"""Long turns, made to hurt: everything that reads the words of a turn is done with it soon."""

import itertools
import string
import time

import pytest

from consolidation.kernel.injected import defused, without_injected
from consolidation.kernel.language import detect
from consolidation.kernel.names import keyphrases, names, opening_names, sentences
from consolidation.kernel.words import tokens
from consolidation.story.anchor import defanged
from consolidation.story.quoting import quote
from service.recall.dates import days_named
from service.resonance.injection import one_line
from service.resonance.queries import cleaned, sanitised

_SIZE = 60_000  # of the 400,000 that a message may have: enough to tell a square from a line
_SECONDS = 2.5  # what takes half of one; what grows with the square of a text takes five
_WORDS = [a.upper() + "".join(rest) for a, *rest in itertools.product(string.ascii_lowercase, repeat=4)][::7]
TEXTS = {
    "names": " ".join(f"{word}x said it." for word in _WORDS),
    "names inside": " ".join(f"so {word}x went, and {word.lower()} too." for word in _WORDS),
    "words": " ".join(word.lower() for word in _WORDS),
    "letters": "A" * _SIZE,
    "capitals": "Aa " * (_SIZE // 3),
    "spaces": "x" + " " * _SIZE + "x",
    "lines": "\n" * _SIZE,
    "short lines": "a: b\n" * (_SIZE // 5),
    "bullets": "[SUBCONSCIOUS RESONANCE]\n" + "- x\n" * (_SIZE // 4) + "x",
    "headers": "[MY STORY]\n" * (_SIZE // 11),
    "quotes": "“" * _SIZE,
    "fences": "```\n" * (_SIZE // 4),
    "comments": "<!-- LAST_PROCESSED: " * (_SIZE // 21),
    "headings": "### [2026-01-09 18:30] One\n\n" * (_SIZE // 29),
    "digits": "1" * _SIZE,
    "dates": "9 May 2026, " * (_SIZE // 12),
    "stops": "Mr. A. " * (_SIZE // 7),
    "characters": "好。" * (_SIZE // 2),
    "marks": "e" + "\u0301" * _SIZE,
    "at": "a@" * (_SIZE // 2),
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
    "comments": defanged,
    "a line": one_line,
    "a query": sanitised,
    "a message": cleaned,
    "a story": lambda text: quote(({"when": "2026-01-09 18:30", "text": f"user: {text}"},), language="en"),
}


@pytest.mark.parametrize("reader", READERS)
def test_nothing_that_reads_a_long_turn_takes_long(reader):
    for name, text in TEXTS.items():
        began = time.thread_time()
        READERS[reader](text[:_SIZE])

        assert time.thread_time() - began < _SECONDS, name
