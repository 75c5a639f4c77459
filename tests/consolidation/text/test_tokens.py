"""Tokens are counted as the model counts them, quickly, and without a network."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest
import tiktoken
from hypothesis import given, settings
from hypothesis import strategies as st

from consolidation.text.tokens import count_tokens, cut_to_tokens
from tests.support.growth import assert_linear, repeated
from tests.support.nasty_texts import NASTY
from tests.support.paths import ROOT

any_text = st.text(st.characters(exclude_categories=()))
sayable_text = st.text(st.characters(exclude_categories=["Cs"]))


SCRIPTS = (
    "The quick brown fox doesn't jump; they're lazy, I'VE heard. ",
    "Über das Straßenbahnfahren, 3. Oktober, sagte Prof. Weiß ",
    "L'été dernier, à Nîmes, j'ai mangé des œufs… ",
    "¿Cómo estás? Mañana iré al niño, ¡qué ilusión! ",
    "Привет, как дела? Вчера я была в Санкт-Петербурге. ",
    "Ζω στην Αθήνα. Τι κάνεις; ",
    "שלום עולם, מה שלומך היום? ",
    "مرحبا بالعالم، كيف حالك اليوم؟ ",
    "मैं कल दिल्ली गया था। तुम कैसे हो? ",
    "আমি বাংলায় গান গাই। ",
    "நான் சென்னையில் வசிக்கிறேன். ",
    "ฉันอยู่ที่กรุงเทพฯ วันนี้ร้อนมาก ",
    "나는 어제 서울에서 커피를 마셨어요. ",
    "昨日は東京でラーメンを食べました。とても美味しかった！",
    "我昨天在上海吃了小笼包，太好吃了！",
    "Tôi sống ở Hà Nội, còn bạn? ",
    "ქართული ენა ძალიან ლამაზია. ",
    "Հայերեն լեզուն գեղեցիկ է։ ",
    "ድመቷ በቤት ውስጥ ናት። ",
    "𝔘𝔫𝔦𝔠𝔬𝔡𝔢 𝓼𝓬𝓻𝓲𝓹𝓽 ｆｕｌｌ ｗｉｄｔｈ ",
    "👩\u200d🚀👨\u200d👩\u200d👧🏳️\u200d🌈🇩🇪👍🏽 ok ",
    "e\u0301\u0302\u0327 Z\u0351\u036b\u0343alg\u0321\u034eo\u0300 ",
)
CODE = (
    "for i in range(10):\n    print(f'{i:>4}', i ** 2)  # squares\n",
    "SELECT id, \"name\" FROM t WHERE a<>'it''s' AND b>=1e-9;\n\tGROUP BY 1\n",
    "fn main() -> Result<(), Box<dyn Error>> {\r\n\tlet x = &mut vec![0u8; 1_000];\r\n}\r\n",
    '{"key": [1, 2.5e10, null, true], "nested": {"a\\n": "\\u00e9"}}\n',
    "<div class='a b'>&nbsp;<!-- x --></div>\n\n\n",
    "https://example.org/a/b?q=%20x&y=1#frag  c3VwZXJzZWNyZXQ=  0xDEADBEEF\n",
    "| a | b |\n|---|---|\n| 1 | **2** |\n\n- [ ] todo\n",
)
RUNS = (
    "a",
    "A",
    "Ab",
    "1",
    "12",
    " ",
    "\t",
    "\n",
    "\r\n",
    " \n",
    "!",
    "?!",
    "-",
    "_",
    "=",
    "a b",
    "a1",
    "é",
    "好",
    "😀",
    "'s",
    "\u200b",
)
SPECIAL = "<|endoftext|>", "<|im_start|>user", "<|fim_prefix|>x<|endofprompt|>"
TEXTS = (
    "",
    *NASTY,
    *SPECIAL,
    *SCRIPTS,
    *CODE,
    *(one * 40 for one in (*SCRIPTS, *CODE)),
    *(one.strip() + other for one in SCRIPTS for other in (*SCRIPTS, *CODE)),
    *(run * length for run in RUNS for length in (2, 3, 5, 17, 64, 257, 2_000)),
)


@pytest.fixture(scope="session")
def reference() -> tiktoken.Encoding:
    """tiktoken's own, of the file that litellm brings along: without one it would ask the network."""
    litellm = importlib.util.find_spec("litellm")
    assert litellm is not None
    assert litellm.origin is not None
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TIKTOKEN_CACHE_DIR", str(Path(litellm.origin).parent / "litellm_core_utils/tokenizers"))
        return tiktoken.get_encoding("o200k_base")


def test_the_golden_counts_are_those_of_tiktoken(reference: tiktoken.Encoding) -> None:
    assert len(TEXTS) > 900
    assert max(map(len, TEXTS)) > 2_000

    other = {text: (count_tokens(text), len(reference.encode_ordinary(text))) for text in TEXTS}

    assert {text: both for text, both in other.items() if both[0] != both[1]} == {}


def test_golden_cuts_are_those_of_tiktoken(reference: tiktoken.Encoding) -> None:
    for text in (one for one in TEXTS if one == one.encode(errors="replace").decode()):
        numbers = reference.encode_ordinary(text)
        for limit in (0, 1, 7, len(numbers) - 1, len(numbers)):
            kept = reference.decode_bytes(numbers[: max(limit, 0)]).decode(errors="ignore")
            if len(reference.encode_ordinary(kept)) <= max(limit, 0):  # else one that is shorter fits
                assert cut_to_tokens(text, limit=limit) == kept


@given(sayable_text)
def test_any_text_counts_as_with_tiktoken(reference: tiktoken.Encoding, text: str) -> None:
    assert count_tokens(text) == len(reference.encode_ordinary(text))


@given(any_text)
def test_half_a_character_counts_as_a_question_mark(text: str) -> None:
    assert count_tokens(text) == count_tokens("".join("?" if 0xD800 <= ord(one) < 0xE000 else one for one in text))


def test_it_asks_nobody() -> None:
    program = (
        "import socket, sys\n"
        "sys.modules['litellm'] = sys.modules['tiktoken'] = None\n"
        "socket.socket = socket.create_connection = None\n"
        "from consolidation.text.tokens import count_tokens, cut_to_tokens\n"
        "assert count_tokens('hello world') == 2 and count_tokens('') == 0\n"
        "assert cut_to_tokens('hello world', limit=1) == 'hello'\n"
    )

    done = subprocess.run(
        [sys.executable, "-c", program],
        env={"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0, done.stderr


def test_litellm_is_not_imported() -> None:
    program = (
        "import sys; from consolidation.text.tokens import count_tokens as c; c('a'); print('litellm' in sys.modules)"
    )

    printed = subprocess.check_output([sys.executable, "-c", program], cwd=ROOT, text=True)

    assert printed.strip() == "False"


def test_special_tokens_are_plain_text() -> None:
    assert count_tokens("<|endoftext|>") > 1
    assert cut_to_tokens("<|endoftext|> and on", limit=100) == "<|endoftext|> and on"


@pytest.mark.parametrize("unit", ["a", " ", "\n", "好", "😀", "a b", "\ud800", "<|endoftext|>"])
def test_a_megabyte_is_cut_to_the_tokens_there_is_room_for(unit: str) -> None:
    text = repeated(unit)(1_000_000)

    assert count_tokens(text) > 1_000
    assert count_tokens(cut_to_tokens(text, limit=1_000)) <= 1_000


@pytest.mark.parametrize("unit", ["a", " ", "\n", "好", "😀", "a b", "\ud800", "<|endoftext|>"])
def test_the_cost_of_counting_and_cutting_grows_with_the_length(unit: str) -> None:
    count_tokens("warm")

    assert_linear(lambda text: (count_tokens(text), cut_to_tokens(text, limit=1_000)), repeated(unit))


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
