"""
Prints what each pattern, and each function that reads a person's words, costs at two lengths of the worst text for it.

Run it with ``python -m tests.pattern_times``. Ten times the text should cost about ten times as much; what costs more
than twenty times as much is marked, and the command ends with 1. What the service cuts is read in such pieces.
"""

from __future__ import annotations

import sys
from itertools import chain

from consolidation.secrets.redaction import redact
from consolidation.story.chapters import parse
from consolidation.text.injected_blocks import memories_in
from tests.support.growth import thread_seconds
from tests.test_large_texts import READERS, TEXTS
from tests.test_patterns import attacks, in_pieces, patterns, reading, worst

SHORT, LONG = 20_000, 200_000
_SEARCH = 2_000  # the length at which the worst texts are looked for
_MEASURABLE = 0.02  # seconds; what costs less than this at the greater length is not slow, whatever the ratio
_MOST = 2 * LONG / SHORT
CALLERS = {**READERS, "secrets": redact, "chapters": parse, "memories": memories_in}


def measured(read, texts):
    """The seconds at both lengths of the text whose ratio is the worst, each the best of three."""
    found = []
    for text_of in texts:
        short, long = (
            min(thread_seconds(read, text_of(length + more)) for more in range(3)) for length in (SHORT, LONG)
        )
        found.append((long, short))
    return max(found)[::-1]


def rows():
    """Name, seconds at both lengths, and whether it grows faster than the text."""
    for name, pattern, method, cut in sorted(chain(*patterns().values()), key=lambda one: one[0]):
        read = reading(pattern, method)
        read = read if cut is None else in_pieces(read, length=cut)
        yield name, *measured(read, worst(read, attacks(pattern), length=_SEARCH))
    for name, read in CALLERS.items():
        yield f"caller: {name}", *measured(read, worst(read, TEXTS.values(), length=_SEARCH))


def main():
    """Print the table; end with 1 where anything grows faster than the text."""
    slow = 0
    print(f"{'pattern or caller':<92} {SHORT:>9,} {LONG:>9,}   ratio")
    for name, short, long in rows():
        is_slow = long > _MEASURABLE and long > _MOST * short
        slow += is_slow
        ms = f"{short * 1000:7.2f}ms {long * 1000:7.2f}ms {long / max(short, 1e-9):7.1f}"
        print(f"{name.encode('unicode_escape').decode()[:90]:<92} {ms}{'  SLOW' if is_slow else ''}", flush=True)
    print(f"{slow} grow faster than the text")
    sys.exit(bool(slow))


if __name__ == "__main__":
    main()
