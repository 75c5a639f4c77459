"""Audio as it is posted: read, or refused with the place of what is wrong."""

import base64

import pytest

from consolidation.kernel.errors import InvalidRequest
from service.voice.g711 import as_wav
from service.voice.recordings import recording_of
from tests.support.speech import speech


def posted(data):
    return base64.b64encode(data).decode()


def test_mu_law_becomes_a_wav_file_of_its_length():
    found = recording_of(posted(speech(1.5)), "g711_ulaw", pointer="#")

    assert (found.format, found.seconds, found.data) == ("wav", 1.5, as_wav(speech(1.5)))


def test_a_wav_file_is_passed_on_as_it_is():
    found = recording_of(posted(as_wav(speech(2.0))), "wav", pointer="#")

    assert (found.seconds, found.data) == (2.0, as_wav(speech(2.0)))


@pytest.mark.parametrize("end", [b"", b"LIST\x04\x00\x00\x00rest"])
def test_a_wav_file_that_was_piped_is_as_long_as_what_follows(end):
    """Whoever pipes it writes its head before its length is known."""
    data = bytearray(as_wav(speech(2.0)))
    at = data.index(b"data") + 4
    data[4:8] = data[at : at + 4] = b"\xff" * 4

    assert recording_of(posted(bytes(data) + end), "wav", pointer="#").seconds == pytest.approx(2.0, abs=0.01)


def test_a_wav_file_of_another_codec_is_the_models_to_read():
    found = recording_of(posted(b"RIFF\x24\x00\x00\x00WAVEfmt \x10\x00\x00\x00\x07\x00"), "wav", pointer="#")

    assert found.seconds is None


@pytest.mark.parametrize("data", [b"ID3\x04rest", b"\xff\xfb\x90\x64rest", b"\xff\xf3\x90\x64rest"])
def test_an_mp3_file_is_passed_on(data):
    assert recording_of(posted(data), "mp3", pointer="#").data == data


@pytest.mark.parametrize(
    ("text", "format_", "why"),
    [
        ("no base64!", "wav", "must be base64"),
        ("é", "wav", "must be base64"),
        ("", "g711_ulaw", "holds no audio"),
        (posted(b"hello"), "wav", "is not a WAV file"),
        (posted(b"RIFF1234AVI LIST"), "wav", "is not a WAV file"),
        (posted(b"hello"), "mp3", "is not an MP3 file"),
        (posted(b"\xff"), "mp3", "is not an MP3 file"),
    ],
)
def test_what_is_not_the_audio_that_it_says_is_refused(text, format_, why):
    with pytest.raises(InvalidRequest, match=why) as refused:
        recording_of(text, format_, pointer="#/messages/0/content/1/input_audio/data")

    assert refused.value.pointer == "#/messages/0/content/1/input_audio/data"
