"""
Splits text into the pieces the model knows: each word in the most probable way, as SentencePiece's unigram model does.

Plain Python, because it is cheap beside the network: a word has few letters, and no piece has more than 16. Texts are
cut to a length before and after their letters are replaced, since one letter may become eighteen.
"""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from service.adapters.multilingual_e5.weights import Vocabulary

LONGEST_TEXT_PIECES = 512  # what the model was trained on
LONGEST_TEXT_CHARACTERS = 8_192  # no text has more in 512 pieces
_START, _END, _UNKNOWN = 0, 2, 3
_SPACE = "▁"


class Tokenizer:
    """Numbers of pieces, with *prefix* before each text, and the start and end that the model expects."""

    def __init__(self, vocabulary: Vocabulary, *, prefix: str) -> None:
        self._pieces, self._scores = vocabulary.pieces, vocabulary.scores
        self._letters = vocabulary.letters
        self._longest, self._unknown = vocabulary.longest, vocabulary.unknown
        self._opening = (_START, *(piece for word in self._words(prefix) for piece in self._cut(word)))

    def __call__(self, text: str) -> list[int]:
        """The pieces of *text*, cut to what the model was trained on."""
        found = list(self._opening)
        for word in self._words(text):
            if len(found) >= LONGEST_TEXT_PIECES:
                break
            found += self._cut(word)
        return [*found[: LONGEST_TEXT_PIECES - 1], _END]

    def _words(self, text: str) -> Iterator[str]:
        """Words with the space before them, in the letters of the vocabulary; one letter may become many."""
        composed = unicodedata.normalize("NFC", text[:LONGEST_TEXT_CHARACTERS])
        usual = composed.translate(self._letters)[:LONGEST_TEXT_CHARACTERS]
        return (_SPACE + word for word in usual.split())

    def _cut(self, word: str) -> list[int]:
        """The pieces with the best sum of scores; letters in a row that nobody knows are one unknown piece."""
        best = [0.0] + [float("-inf")] * len(word)  # by how much of the word is cut
        last = [(0, _UNKNOWN)] * (len(word) + 1)  # where its last piece starts, and which it is
        for start in range(len(word)):
            so_far = best[start]
            if so_far + self._unknown > best[start + 1]:
                best[start + 1], last[start + 1] = so_far + self._unknown, (start, _UNKNOWN)
            for end in range(start + 1, min(start + self._longest, len(word)) + 1):
                piece = self._pieces.get(word[start:end])
                if piece is not None and so_far + self._scores[piece] > best[end]:
                    best[end], last[end] = so_far + self._scores[piece], (start, piece)
        return list(_from_the_end(last))[::-1]


def _from_the_end(last: list[tuple[int, int]]) -> Iterator[int]:
    end, after = len(last) - 1, -1
    while end:
        end, piece = last[end]
        if piece != _UNKNOWN or after != _UNKNOWN:
            yield piece
        after = piece
