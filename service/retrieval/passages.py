"""A text in stretches short enough for an embedder to read whole: sentences together, as many as fit."""

from __future__ import annotations

from consolidation.text.sentences import whole_sentences

_LONGEST = 900  # characters, about 200 words: what fits into 256 word pieces
_MOST = 40


def passages(text: str) -> list[str]:
    """*text* in order, cut between sentences; at least one, and at most forty of them."""
    found = [""]
    for sentence in whole_sentences(text):
        for start in range(0, len(sentence), _LONGEST):
            piece = sentence[start : start + _LONGEST]
            if found[-1] and len(found[-1]) + len(piece) > _LONGEST:
                found.append("")
            found[-1] = f"{found[-1]} {piece}".strip()
    return found[:_MOST]
