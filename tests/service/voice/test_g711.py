"""μ-law as the standard has it."""

import io
import wave

from service.voice.g711 import SAMPLES, as_wav, pcm


def test_the_table_is_that_of_the_standard():
    # ITU-T G.711, table 2a/b: the decoder's outputs at the ends of the segments, times four for 16 bits.
    assert (SAMPLES[0x00], SAMPLES[0x80], SAMPLES[0x7F], SAMPLES[0xFF]) == (-32124, 32124, 0, 0)
    assert (SAMPLES[0x0F], SAMPLES[0x8F], SAMPLES[0xEF], SAMPLES[0xFE]) == (-16764, 16764, 132, 8)


def test_positive_and_negative_halves_mirror_each_other():
    assert all(SAMPLES[byte] == -SAMPLES[byte | 0x80] for byte in range(0x80))
    assert list(SAMPLES[0x80:]) == sorted(SAMPLES[0x80:], reverse=True)


def test_a_wav_file_holds_every_sample():
    every = bytes(range(256))

    with wave.open(io.BytesIO(as_wav(every))) as wav:
        found = wav.readframes(300)

    assert (wav.getframerate(), wav.getnchannels(), wav.getsampwidth()) == (8_000, 1, 2)
    assert found == pcm(every)
    assert [int.from_bytes(found[at : at + 2], "little", signed=True) for at in range(0, 512, 2)] == list(SAMPLES)
