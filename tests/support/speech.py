"""Speech-like sound for tests, made of tones: μ-law of 8 kHz, as telephones send it."""

from __future__ import annotations

import base64

import numpy as np

from service.voice.g711 import RATE, SAMPLES

FRAME = 160  # bytes of 20 ms
_SYLLABLE, _PAUSE = 0.18, 0.06  # seconds
_SORTED = np.argsort(np.array(SAMPLES), kind="stable").astype(np.uint8)
_LEVELS = np.array(SAMPLES)[_SORTED]


def encoded(samples):
    """16-bit samples as μ-law: the nearest of its 256 levels."""
    clipped = np.clip(np.asarray(samples), -32_000, 32_000)
    above = np.clip(np.searchsorted(_LEVELS, clipped), 1, 255)
    nearer = above - (clipped - _LEVELS[above - 1] < _LEVELS[above] - clipped)
    return _SORTED[nearer].tobytes()


def speech(seconds, *, pitch=140, level=6_000):
    """Syllables of a voice: harmonics of a pitch under an envelope, with short pauses."""
    at = np.arange(int(seconds * RATE)) / RATE
    voice = sum(np.sin(2 * np.pi * pitch * n * at) / n for n in range(1, 12))
    within = at % (_SYLLABLE + _PAUSE)
    envelope = np.where(within < _SYLLABLE, np.sin(np.pi * within / _SYLLABLE), 0)
    return encoded(level * voice * envelope)


def silence(seconds):
    """Nothing at all."""
    return b"\xff" * int(seconds * RATE)


def noise(seconds, *, level):
    """Steady noise of a line."""
    return encoded(np.random.default_rng(1).normal(0, level, int(seconds * RATE)))


def call(*utterances, pause=1.2):
    """A call: silence, then each utterance (bytes, or seconds of speech) and a pause."""
    said = [
        speech(one, pitch=110 + 30 * at) if isinstance(one, int | float) else one for at, one in enumerate(utterances)
    ]
    return silence(0.5) + b"".join(one + silence(pause) for one in said)


def frames(stream, *, size=FRAME):
    """The frames of a stream, the last of which may be short."""
    return [stream[at : at + size] for at in range(0, len(stream), size)]


def audio_part(data, *, kind="g711_ulaw"):
    """A part of a message, as OpenAI's API has it."""
    return {"type": "input_audio", "input_audio": {"data": base64.b64encode(data).decode(), "format": kind}}


def spoken(*parts, role="user", **more):
    """A message of parts: bytes are audio, texts are written."""
    content = [audio_part(one) if isinstance(one, bytes) else {"type": "text", "text": one} for one in parts]
    return {"role": role, "content": content, **more}
