"""
Teaches the built-in embedder to bring a message near what it means, from the texts in ``e5_lessons``.

``python -m tests.benchmarks.e5_adaptation`` writes the file that the embedder reads, and says its hash. It takes an hour
of two cores, and needs ``jax`` and ``optax``, which nothing else here does. Only biases and norms of the upper six
layers are learnt, 30,000 numbers: what the model knows of words and languages stays as it is, and it runs as fast.

Pairs come first: each message is to be told from what answers others. Then come lives, where everything else that the
same person said is a rival, as it is in a memory.
"""

import argparse
import hashlib
import json
import random
import re
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

LESSONS = ROOT / "tests" / "benchmarks" / "e5_lessons"
LEARNT_FROM = LAYERS // 2  # layers below are left as they are, and computed once
TOGETHER = 48  # messages of a step
LIVES_TOGETHER, MOST_SAID = 3, 120  # of a step, and the texts in it
PASSES, LIFE_PASSES = 1.5, 3
PAIRS_AMONG_LIVES = 0.3  # of the steps, so that what the pairs taught is not forgotten
RATE, LIFE_RATE = 8e-4, 5e-4
TEMPERATURE = 0.06
MEANT = 0.42  # the cosine that parts what answers from what does not
STEEPNESS = 14.0
# Of what was learnt, so much is taken. Vectors alone, wanted among five: .7 of it .740 in the lives and .679 in LoCoMo, all of it .743 and .670.
TAKEN = 0.85
_LONGEST = {QUERY: 48, PASSAGE: 80}  # pieces
_NORM = 1e-12


class Pair(NamedTuple):
    """Indices of texts: a message, what answers it, and what does not."""

    language: str
    message: int
    answers: list[int]
    others: list[int]


class Life(NamedTuple):
    """Indices of texts: all that was said, and each later message with what of it answers."""

    language: str
    said: list[int]
    asked: list[tuple[int, list[int]]]


class Step(NamedTuple):
    """Messages, the texts among which each is to find its answers (None: none), and which these are, as 0 and 1."""

    messages: list[int]
    texts: list[int | None]
    answers: np.ndarray


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


def in_one_language(found, together, chance):
    """*found*, so many *together*: half of these in one language, whose texts are the harder to tell apart."""
    by_language = {}
    for one in chance.sample(found, len(found)):
        by_language.setdefault(re.split(r"[>+]", one.language)[0], []).append(one)
    parts, rest = [], []
    for same in by_language.values():
        whole = len(same) // 2 // together * together
        parts += batched(same[:whole], together)
        rest += same[whole:]
    chance.shuffle(rest)
    parts += (part for part in batched(rest, together) if len(part) == together)
    return chance.sample(parts, len(parts))


def step_of_pairs(pairs, chance):
    """Each message with one of its answers and one that is none, and with those of the others."""
    texts, answers = [], np.zeros((TOGETHER, 2 * TOGETHER), np.float32)
    for row, pair in enumerate(pairs):
        told = chance.choice(pair.answers or pair.others)
        others = [other for other in pair.others if other != told]
        texts += [told, chance.choice(others) if others else None]
        answers[row, 2 * row] = bool(pair.answers)
    return Step([pair.message for pair in pairs], texts, answers)


def step_of_lives(lives, chance):
    """Messages of a few lives, with all that was said in them."""
    texts = [one for life in lives for one in life.said][:MOST_SAID]
    asked = [one for life in lives for one in life.asked]
    chosen = chance.sample(asked, min(TOGETHER, len(asked)))
    chosen += chance.choices(asked, k=TOGETHER - len(chosen))
    places = {text: at for at, text in enumerate(texts)}
    answers = np.zeros((TOGETHER, MOST_SAID), np.float32)
    for row, (_, told) in enumerate(chosen):
        answers[row, [places[one] for one in told if one in places]] = 1
    return Step([message for message, _ in chosen], texts + [None] * (MOST_SAID - len(texts)), answers)


def steps_of_pairs(pairs, total, chance):
    found = []
    while len(found) < total:
        found += [step_of_pairs(part, chance) for part in in_one_language(pairs, TOGETHER, chance)]
    return found[:total]


def steps_of_lives(lives, pairs, chance):
    found = []
    for _ in range(LIFE_PASSES):
        found += [step_of_lives(part, chance) for part in in_one_language(lives, LIVES_TOGETHER, chance)]
    found += steps_of_pairs(pairs, int(len(found) * PAIRS_AMONG_LIVES), chance)
    return chance.sample(found, len(found))


def learn(found, texts, fixed, learnt, *, rate):
    """What is added to the tensors after the steps *found*, by their names; *learnt* was before."""
    embedded, total = partial(vectors, fixed, read_centring()), len(found)
    schedule = optax.warmup_cosine_decay_schedule(0, rate, max(10, total // 15), max(total, 11), rate / 20)
    optimiser = optax.adam(schedule)
    state = optimiser.init(learnt)

    @jax.jit
    def improved(learnt, state, *given):
        value, gradients = jax.value_and_grad(partial(loss, embedded))(learnt, *given)
        updates, state = optimiser.update(gradients, state)
        return optax.apply_updates(learnt, updates), state, value

    for done, one in enumerate(found, start=1):
        is_there = np.array([text is not None for text in one.texts])
        given = (texts.batch(one.messages), texts.batch(one.texts), one.answers, is_there)
        learnt, state, value = improved(learnt, state, *given)
        print(f"{done} of {total}: {value:.3f}", flush=True)
    return learnt


def lessons(name):
    """The lines of a kind of lessons."""
    for file in sorted((LESSONS / name).glob("*.jsonl")):
        yield from map(json.loads, file.read_text(encoding="utf-8").splitlines())


def read_pairs(texts):
    found = []
    for line in lessons("pairs"):
        told = ([texts.number(text, PASSAGE) for text in line[name]] for name in ("answers", "others"))
        found.append(Pair(line["language"], texts.number(line["message"], QUERY), *told))
    return found


def read_lives(texts):
    found = []
    for line in lessons("lives"):
        said = {one["number"]: texts.number(one["text"], PASSAGE) for one in line["said"]}
        asked = [
            (texts.number(one["message"], QUERY), [said[number] for number in one["answers"]]) for one in line["asked"]
        ]
        found.append(Life(line["language"], list(said.values()), asked))
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=10_000, help="no more than so many of each kind")
    parser.add_argument("--out", default=adaptation.ADAPTATION, help="the file that is written")
    asked = parser.parse_args()
    weights, chance = Weights(find_weights()), random.Random(0)
    texts = Texts(weights)
    pairs, lives = read_pairs(texts), read_lives(texts)
    fixed = tensors(weights)

    @jax.jit
    def lower(rows, mask):
        return layers(fixed, {}, _normed(fixed.__getitem__, "emb.ln", rows), mask, range(LEARNT_FROM))

    texts.prepare(lower)
    learnt = {name: jnp.zeros_like(fixed[name]) for name in learnt_names()}
    of_pairs = steps_of_pairs(pairs, int(len(pairs) * PASSES / TOGETHER), chance)
    learnt = learn(of_pairs[: asked.steps], texts, fixed, learnt, rate=RATE)
    learnt = learn(steps_of_lives(lives, pairs, chance)[: asked.steps], texts, fixed, learnt, rate=LIFE_RATE)
    np.savez_compressed(
        asked.out, **{name: (TAKEN * np.asarray(found)).astype(np.float16) for name, found in learnt.items()}
    )
    with open(asked.out, "rb") as file:
        print(f"{asked.out}: sha256 {hashlib.file_digest(file, 'sha256').hexdigest()}")


if __name__ == "__main__":
    main()
