"""
What the vectors of multilingual-e5-small share whatever a text says, from the same 20 sentences in 15 languages.

``python -m tests.benchmarks.e5_directions`` writes the file that the embedder reads, and says its hash.
"""

import hashlib

import numpy as np

from service.adapters.multilingual_e5 import centring
from service.adapters.multilingual_e5.embedder import PASSAGE
from service.adapters.multilingual_e5.network import Network, batches
from service.adapters.multilingual_e5.tokenizer import Tokenizer
from service.adapters.multilingual_e5.weights import Weights, find_weights
from tests.support.paths import ROOT

SENTENCES = ROOT / "tests" / "benchmarks" / "e5_sentences.txt"
QUESTIONS = (1, 4, 11, 17)  # of the 20 sentences of a language


def sentences():
    """Each language's sentences, in the same order."""
    found = {}
    for line in SENTENCES.read_text().splitlines():
        if line.startswith("# "):
            found[line.removeprefix("# ")] = lines = []
        else:
            lines.append(line)
    return found


def plain_vectors(texts):
    """Unit rows as the model makes them."""
    weights = Weights(find_weights())
    tokenizer, network = Tokenizer(weights.vocabulary, prefix=PASSAGE), Network(weights)
    pieces = [tokenizer(text) for text in texts]
    rows = np.zeros((len(pieces), 384), np.float32)
    for batch in batches(pieces):
        rows[batch] = network.run([pieces[index] for index in batch])
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def directions():
    """The mean; then what sets the languages apart, and at right angles to it what sets questions apart."""
    by_language = sentences()
    rows = plain_vectors([text for texts in by_language.values() for text in texts])
    rows = rows.reshape(len(by_language), -1, rows.shape[1])
    mean = rows.mean((0, 1))
    languages = np.linalg.svd(rows.mean(1) - mean, full_matrices=False)[2][:-1]  # their means sum up to nothing
    asks = np.isin(np.arange(rows.shape[1]), QUESTIONS)
    question = (rows[:, asks].mean(1) - rows[:, ~asks].mean(1)).mean(0)
    question -= (question @ languages.T) @ languages
    return mean, np.vstack([languages, question / np.linalg.norm(question)])


def main():
    text = centring.written(*directions())
    centring.DIRECTIONS.write_text(text)
    print(f"{centring.DIRECTIONS}: sha256 {hashlib.sha256(text.encode()).hexdigest()}")


if __name__ == "__main__":
    main()
