"""
Teaches the built-in embedder to bring a message near what it means, from the pairs in ``e5_pairs``.

``python -m tests.benchmarks.e5_adaptation`` writes the file that the embedder reads, and says its hash. It takes half an
hour of two cores, and needs ``jax`` and ``optax``, which nothing else here does. Only biases and norms of the upper six
layers are learnt, 30,000 numbers: what the model knows of words and languages stays as it is, and it runs as fast.
"""

import argparse
import hashlib
import json
import random
from functools import partial
from itertools import batched
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import optax

from service.adapters.multilingual_e5 import adaptation
from service.adapters.multilingual_e5.centring import read_centring
from service.adapters.multilingual_e5.embedder import PASSAGE, QUERY
from service.adapters.multilingual_e5.network import DIMENSION, HEADS, LAYERS, WIDTH
from service.adapters.multilingual_e5.tokenizer import LONGEST_TEXT_PIECES, Tokenizer
from service.adapters.multilingual_e5.weights import Weights, find_weights, rows_of
from tests.support.paths import ROOT

PAIRS = ROOT / "tests" / "benchmarks" / "e5_pairs"
LEARNT_FROM = LAYERS // 2  # layers below are left as they are, and computed once
TOGETHER = 48  # pairs of a step: each is told from what answers the others
PASSES = 1.5
RATE = 8e-4
TEMPERATURE = 0.06
MEANT = 0.42  # the cosine that parts what answers from what does not
STEEPNESS = 14.0
# Of what was learnt, so much is taken. More helps in the lives: .7 brings 887 points, .45 879, none 865; it costs in LoCoMo: .774@5, .780, .781.
TAKEN = 0.45
_LONGEST = {QUERY: 48, PASSAGE: 80}  # pieces
_NORM = 1e-12


class Pair(NamedTuple):
    """Indices of texts: a message, what answers it, and what does not."""

    language: str
    message: int
    answers: list[int]
    others: list[int]


class Texts:
    """Every text once, as pieces, and what the lower layers make of it."""

    def __init__(self, weights):
        self._tokenizers = {prefix: Tokenizer(weights.vocabulary, prefix=prefix) for prefix in (PASSAGE, QUERY)}
        self._words = weights.blocks("emb.word", width=DIMENSION)
        self._places = (
            weights.floats("emb.pos").reshape(LONGEST_TEXT_PIECES, DIMENSION) + weights.floats("emb.type")[:DIMENSION]
        )
        self._numbers, self.pieces, self.states = {}, [], []

    def number(self, text, prefix):
        """The number of *text*, which is added where it is new."""
        pieces = tuple(self._tokenizers[prefix](text)[: _LONGEST[prefix]])
        if pieces not in self._numbers:
            self._numbers[pieces] = len(self.pieces)
            self.pieces.append(pieces)
        return self._numbers[pieces]

    def prepare(self, lower):
        """Compute what *lower*, the layers that are left as they are, makes of every text."""
        self.states = [None] * len(self.pieces)
        for chosen in batched(sorted(range(len(self.pieces)), key=lambda at: len(self.pieces[at])), 64):
            length = _rounded(max(len(self.pieces[at]) for at in chosen))
            rows, mask = np.zeros((64, length, DIMENSION), np.float32), np.zeros((64, length), bool)
            mask[:, 0] = True
            for row, at in enumerate(chosen):
                pieces = self.pieces[at]
                rows[row, : len(pieces)] = rows_of(self._words[np.array(pieces)]) + self._places[: len(pieces)]
                mask[row, : len(pieces)] = True
            made = np.asarray(lower(rows, mask)).astype(np.float16)
            for row, at in enumerate(chosen):
                self.states[at] = made[row, : len(self.pieces[at])]

    def batch(self, chosen):
        """The states of the texts *chosen* (None: nothing), padded, and where they have a piece."""
        length = _rounded(max(len(self.pieces[at]) for at in chosen if at is not None))
        rows, mask = np.zeros((len(chosen), length, DIMENSION), np.float32), np.zeros((len(chosen), length), bool)
        mask[:, 0] = True
        for row, at in enumerate(chosen):
            if at is not None:
                rows[row, : len(self.states[at])] = self.states[at]
                mask[row, : len(self.states[at])] = True
        return rows, mask


def _rounded(length):
    """Few lengths, since each is compiled."""
    return -(-length // 16) * 16


def tensors(weights):
    """All tensors of the layers in full precision."""
    found = {f"emb.ln.{part}": weights.floats(f"emb.ln.{part}") for part in "wb"}
    for layer in (f"l{number}" for number in range(LAYERS)):
        for name, width in (*((part, DIMENSION) for part in ("q", "k", "v", "ao", "fi")), ("fo", WIDTH)):
            found[f"{layer}.{name}.w"] = rows_of(weights.blocks(f"{layer}.{name}.w", width=width))
            found[f"{layer}.{name}.b"] = weights.floats(f"{layer}.{name}.b")
        found |= {
            f"{layer}.{name}.{part}": weights.floats(f"{layer}.{name}.{part}")
            for name in ("aln", "oln")
            for part in "wb"
        }
    return {name: jnp.asarray(tensor) for name, tensor in found.items()}


def learnt_names():
    parts = ("q.b", "k.b", "v.b", "ao.b", "fi.b", "fo.b", "aln.w", "aln.b", "oln.w", "oln.b")
    return [f"l{number}.{part}" for number in range(LEARNT_FROM, LAYERS) for part in parts]


def _normed(known, name, rows):
    spread = rows - rows.mean(-1, keepdims=True)
    return spread * jax.lax.rsqrt((spread**2).mean(-1, keepdims=True) + _NORM) * known(f"{name}.w") + known(f"{name}.b")


def layers(fixed, learnt, rows, mask, numbers):
    """The layers *numbers*, with what was learnt added."""

    def known(name):
        return fixed[name] + learnt[name] if name in learnt else fixed[name]

    def dense(name, state):
        return state @ fixed[f"{name}.w"].T + known(f"{name}.b")

    texts, length, _ = rows.shape
    hidden = jnp.where(mask, 0.0, -1e9)[:, None, None, :]
    for layer in (f"l{number}" for number in numbers):
        query, key, value = (
            dense(f"{layer}.{part}", rows).reshape(texts, length, HEADS, -1).transpose(0, 2, 1, 3) for part in "qkv"
        )
        shares = jax.nn.softmax(query @ key.transpose(0, 1, 3, 2) / np.sqrt(DIMENSION // HEADS) + hidden, -1)
        mixed = (shares @ value).transpose(0, 2, 1, 3).reshape(texts, length, DIMENSION)
        rows = _normed(known, f"{layer}.aln", rows + dense(f"{layer}.ao", mixed))
        wide = jax.nn.gelu(dense(f"{layer}.fi", rows), approximate=False)
        rows = _normed(known, f"{layer}.oln", rows + dense(f"{layer}.fo", wide))
    return rows


def vectors(fixed, centring, learnt, rows, mask):
    """Unit rows as the embedder makes them."""
    rows = layers(fixed, learnt, rows, mask, range(LEARNT_FROM, LAYERS))
    means = (rows * mask[..., None]).sum(1) / mask.sum(1, keepdims=True)
    centred = means / jnp.linalg.norm(means, axis=1, keepdims=True) - centring._mean
    centred -= (centred @ centring._directions.T) @ centring._directions
    return centred / jnp.maximum(jnp.linalg.norm(centred, axis=1, keepdims=True), 1e-6)


def loss(embedded, learnt, messages, texts, answers, is_there):
    """
    How far messages are from what answers them: against all other texts of the step, and against a fixed cosine.

    What is learnt may not move a vector farther than that is worth.
    """
    asked, told = embedded(learnt, *messages), embedded(learnt, *texts)
    cosines = asked @ told.T
    has_answer = answers.sum(1) > 0
    odds = jnp.where(is_there[None], cosines / TEMPERATURE, -1e9)
    found = jax.nn.logsumexp(jnp.where(answers > 0, odds, -1e9), axis=1) - jax.nn.logsumexp(odds, axis=1)
    ranking = -jnp.where(has_answer, found, 0).sum() / has_answer.sum()
    above = STEEPNESS * (cosines - MEANT)
    missed = (jax.nn.softplus(-above) * answers).sum() / jnp.maximum(answers.sum(), 1)
    wrong = (jax.nn.softplus(above) * (1 - answers) * is_there[None]).sum() / len(cosines)
    moved = ((asked - embedded({}, *messages)) ** 2).sum(-1).mean()
    moved += (((told - embedded({}, *texts)) ** 2).sum(-1) * is_there).sum() / is_there.sum()
    return ranking + (missed + wrong) / 2 + moved


def steps(pairs, chance):
    """The pairs of each step: half of the steps in one language, whose texts are the harder to tell apart."""
    by_language = {}
    for pair in chance.sample(pairs, len(pairs)):
        by_language.setdefault(pair.language.partition(">")[0], []).append(pair)
    found, rest = [], []
    for same in by_language.values():
        whole = len(same) // 2 // TOGETHER * TOGETHER
        found += batched(same[:whole], TOGETHER)
        rest += same[whole:]
    chance.shuffle(rest)
    found += (step for step in batched(rest, TOGETHER) if len(step) == TOGETHER)
    return chance.sample(found, len(found))


def arranged(step, texts, chance):
    """The arguments of `loss` for the pairs of a step."""
    chosen, answers = [], np.zeros((TOGETHER, 2 * TOGETHER), np.float32)
    for row, pair in enumerate(step):
        told = chance.choice(pair.answers or pair.others)
        others = [other for other in pair.others if other != told]
        chosen += [told, chance.choice(others) if others else None]
        answers[row, 2 * row] = bool(pair.answers)
    is_there = np.array([at is not None for at in chosen])
    return texts.batch([pair.message for pair in step]), texts.batch(chosen), answers, is_there


def learn(pairs, texts, fixed, *, most_steps):
    """What is added to the tensors, by their names."""
    centring = read_centring()
    embedded = partial(vectors, fixed, centring)
    total = min(int(len(pairs) * PASSES / TOGETHER), most_steps)
    rate = optax.warmup_cosine_decay_schedule(0, RATE, max(10, total // 15), max(total, 11), RATE / 20)
    optimiser = optax.adam(rate)
    learnt = {name: jnp.zeros_like(fixed[name]) for name in learnt_names()}
    state, chance, done = optimiser.init(learnt), random.Random(0), 0

    @jax.jit
    def step(learnt, state, *given):
        value, gradients = jax.value_and_grad(partial(loss, embedded))(learnt, *given)
        updates, state = optimiser.update(gradients, state)
        return optax.apply_updates(learnt, updates), state, value

    while done < total:
        for chosen in steps(pairs, chance)[: total - done]:
            learnt, state, value = step(learnt, state, *arranged(chosen, texts, chance))
            done += 1
            print(f"{done} of {total}: {value:.3f}", flush=True)
    return {name: (TAKEN * np.asarray(found)).astype(np.float16) for name, found in learnt.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=10_000, help="no more than so many")
    parser.add_argument("--out", default=adaptation.ADAPTATION, help="the file that is written")
    asked = parser.parse_args()
    weights = Weights(find_weights())
    texts, pairs = Texts(weights), []
    for file in sorted(PAIRS.glob("*.jsonl")):
        for line in map(json.loads, file.read_text(encoding="utf-8").splitlines()):
            told = ([texts.number(text, PASSAGE) for text in line[name]] for name in ("answers", "others"))
            pairs.append(Pair(line["language"], texts.number(line["message"], QUERY), *told))
    fixed = tensors(weights)

    @jax.jit
    def lower(rows, mask):
        return layers(fixed, {}, _normed(fixed.__getitem__, "emb.ln", rows), mask, range(LEARNT_FROM))

    texts.prepare(lower)
    found = learn(pairs, texts, fixed, most_steps=asked.steps)
    np.savez_compressed(asked.out, **found)
    with open(asked.out, "rb") as file:
        print(f"{asked.out}: sha256 {hashlib.file_digest(file, 'sha256').hexdigest()}")


if __name__ == "__main__":
    main()
