"""Tokens are counted as the model counts them, quickly, and without a network."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
import time
from pathlib import Path

import pytest
import tiktoken
from hypothesis import given, settings
from hypothesis import strategies as st

from consolidation.kernel.tokens import CHUNK_CHARACTERS, count_tokens, cut_to_tokens

any_text = st.text(st.characters(exclude_categories=()))


@pytest.mark.parametrize(
    "text",
    ["", "hello world", "it's naïve, café 你好", "👨‍👩‍👧 привет", "  \n\n\t x", "for i in range(10):\n    print(i)"],
)
def test_the_count_is_that_of_o200k_base(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    litellm = importlib.util.find_spec("litellm")
    assert litellm is not None
    assert litellm.origin is not None
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(Path(litellm.origin).parent / "litellm_core_utils/tokenizers"))

    assert count_tokens(text) == len(tiktoken.get_encoding("o200k_base").encode_ordinary(text))


def test_without_the_bundled_file_it_estimates_and_asks_nobody() -> None:
    program = (
        "import socket, sys\n"
        "sys.modules['litellm'] = None\n"
        "socket.socket = socket.create_connection = None\n"
        "from consolidation.kernel.tokens import count_tokens, cut_to_tokens\n"
        "assert count_tokens('hello world') == 4 and count_tokens('') == 0\n"
        "assert cut_to_tokens('你好世界', limit=2) == '你好'\n"
        "assert cut_to_tokens('hello', limit=0) == ''\n"
    )

    done = subprocess.run(
        [sys.executable, "-c", program],
        env={"PYTHONPATH": str(Path(__file__).parents[3])},
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0, done.stderr


def test_litellm_is_not_imported() -> None:
    program = (
        "import sys; from consolidation.kernel.tokens import count_tokens as c; c('a'); print('litellm' in sys.modules)"
    )

    printed = subprocess.check_output([sys.executable, "-c", program], cwd=Path(__file__).parents[3], text=True)

    assert printed.strip() == "False"


def test_special_tokens_are_plain_text() -> None:
    assert count_tokens("<|endoftext|>") > 1
    assert cut_to_tokens("<|endoftext|> and on", limit=100) == "<|endoftext|> and on"


def test_chunks_leave_the_count_of_prose_as_it_is() -> None:
    sentence = "the quick brown fox jumps over the lazy dog and "

    assert count_tokens(sentence * 1_000) == pytest.approx(count_tokens(sentence) * 1_000, rel=0.11)
    assert count_tokens("word " * CHUNK_CHARACTERS) == pytest.approx(CHUNK_CHARACTERS, abs=2)


@pytest.mark.parametrize("unit", ["a", " ", "\n", "好", "😀", "a b", "\ud800", "<|endoftext|>"])
def test_a_megabyte_is_counted_and_cut_in_a_moment(unit: str) -> None:
    text = unit * (1_000_000 // len(unit))
    count_tokens("warm")
    started = time.perf_counter()

    cut = cut_to_tokens(text, limit=1_000)

    assert count_tokens(text) > 1_000
    assert count_tokens(cut) <= 1_000
    assert time.perf_counter() - started < 5


def test_a_cut_uses_the_room_it_has() -> None:
    text = "the quick brown fox jumps over the lazy dog " * 2_000

    assert 4_990 <= count_tokens(cut_to_tokens(text, limit=5_000)) <= 5_000


@settings(deadline=None)
@given(any_text, st.integers(min_value=-1, max_value=40))
def test_a_cut_is_a_beginning_that_fits(text: str, limit: int) -> None:
    cut = cut_to_tokens(text, limit=limit)

    assert text.startswith(cut)
    assert count_tokens(cut) <= max(limit, 0)


@settings(deadline=None)
@given(any_text)
def test_a_text_that_fits_is_left_whole(text: str) -> None:
    assert cut_to_tokens(text, limit=count_tokens(text)) == text
