"""How rare a word is, without any corpus: from the vocabulary of the built-in embedder."""

from __future__ import annotations

import math
import re
import threading
from typing import TYPE_CHECKING

from service.adapters.minilm import find_weights, read_tokenizer

if TYPE_CHECKING:
    from tokenizers import Tokenizer

# Of a word in letters that this vocabulary knows one by one, Cyrillic or Chinese, it says nothing: such a word weighs
# what one in the questions of lives in eight languages with Latin letters does on average (from 1.9 to 2.6).
_OTHER_LETTERS = re.compile("[\u0370-\u1dff\u2e80-\uffdc]")
_AVERAGE = 2.2
_SPECIAL_PIECES, _COMMON_PIECES = 1_000, 500  # of the vocabulary: no words; very common words


class WordRarity:
    """
    How rare a word is, by its place in the model's vocabulary, which is sorted: "dog" is 2, "charades" 4.

    It needs no corpus, so that a mind of ten turns weighs words as one of ten thousand does. Without the weights,
    longer words count as rarer.
    """

    def __init__(self) -> None:
        self._folder = find_weights()
        self._loading = threading.Lock()
        self._tokenizer: Tokenizer | None = None

    def __call__(self, word: str) -> float:
        """Return the weight of a word, about 0 to 5."""
        if _OTHER_LETTERS.search(word):
            return _AVERAGE
        if self._folder is None:
            return math.log1p(len(word) / 2)
        with self._loading:
            if self._tokenizer is None:
                self._tokenizer = read_tokenizer(self._folder / "tokenizer.json")
        pieces = self._tokenizer.encode(word, add_special_tokens=False).ids
        if not pieces:
            return 1.0
        return math.log1p(max(pieces[0] - _SPECIAL_PIECES, 1) / _COMMON_PIECES) + (1.0 if len(pieces) > 1 else 0.0)
