"""Audio as it is posted, in base64, read as a recording. What is not the audio that it says is refused here."""

from __future__ import annotations

import base64
import binascii
import io
import wave
from typing import Literal, TypeGuard, get_args

from consolidation.kernel.errors import InvalidRequest
from service.ports.transcriber import Recording
from service.voice.g711 import RATE, as_wav

type AudioFormat = Literal["wav", "mp3", "g711_ulaw"]

_FRAME_SYNC = b"\xff\xe0"  # an MPEG frame begins with eleven bits of 1


def is_format(value: object) -> TypeGuard[AudioFormat]:
    """Whether audio may be posted in this format."""
    return isinstance(value, str) and value in get_args(AudioFormat.__value__)


def recording_of(text: str, format_: AudioFormat, *, pointer: str) -> Recording:
    """The recording in base64 *text*. Raises InvalidRequest with *pointer*."""
    try:
        data = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError) as error:
        raise InvalidRequest("must be base64", pointer=pointer) from error
    if not data:
        raise InvalidRequest("holds no audio", pointer=pointer)
    if format_ == "g711_ulaw":
        return Recording(as_wav(data), "wav", len(data) / RATE, is_ours=True)
    if format_ == "wav":
        if data[:4] != b"RIFF" or data[8:12] != b"WAVE":
            raise InvalidRequest("is not a WAV file", pointer=pointer)
        return Recording(data, "wav", _wav_seconds(data))
    if not (data.startswith(b"ID3") or data[:2] >= _FRAME_SYNC):
        raise InvalidRequest("is not an MP3 file", pointer=pointer)
    return Recording(data, "mp3")


def _wav_seconds(data: bytes) -> float | None:
    """Its length, if it is PCM; other codecs are the model's to read. A file that was piped says more than there is."""
    try:
        with wave.open(io.BytesIO(data)) as wav:
            frames = min(wav.getnframes(), len(data) // (wav.getnchannels() * wav.getsampwidth()))
            return frames / wav.getframerate() if wav.getframerate() else None
    except (wave.Error, EOFError):
        return None
