"""
G.711 μ-law, as telephones send it: 8,000 samples a second, one byte each.

Two tables turn a whole stream into 16-bit samples by ``bytes.translate``. Python's own module for it was removed.
"""

from __future__ import annotations

import io
import wave

RATE = 8_000  # samples, and bytes, of a second

_BIAS = 0x84


def _sample(byte: int) -> int:
    """The 16-bit sample of a byte (ITU-T G.711, table 2a): sign, exponent and mantissa, all bits inverted."""
    inverted = ~byte & 0xFF
    magnitude = (((inverted & 0x0F) << 3) + _BIAS << (inverted >> 4 & 0x07)) - _BIAS
    return -magnitude if inverted & 0x80 else magnitude


SAMPLES = tuple(map(_sample, range(256)))
_LOW = bytes(sample & 0xFF for sample in SAMPLES)
_HIGH = bytes(sample >> 8 & 0xFF for sample in SAMPLES)


def pcm(ulaw: bytes) -> bytes:
    """*ulaw* as 16-bit samples, little endian."""
    samples = bytearray(2 * len(ulaw))
    samples[0::2] = ulaw.translate(_LOW)
    samples[1::2] = ulaw.translate(_HIGH)
    return bytes(samples)


def as_wav(ulaw: bytes) -> bytes:
    """*ulaw* as a WAV file, which every transcription model reads."""
    file = io.BytesIO()
    with wave.open(file, "wb") as wav:
        wav.setnchannels(1)
        wav.setsampwidth(2)
        wav.setframerate(RATE)
        wav.writeframes(pcm(ulaw))
    return file.getvalue()
