"""Words survive anything people, keyboards and search engines can do to them."""

from __future__ import annotations

import re
import unicodedata
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from consolidation.text.stopwords import STOP_WORDS
from consolidation.text.words import (
    ALGORITHMS,
    LONGEST_WORD,
    accents_optional,
    content_words,
    stems,
    tokens,
    written,
)
from tests.support.growth import assert_linear, repeated
from tests.support.nasty_texts import NASTY

OPERATORS = frozenset(" \t\n\r\0\"'`|()[]{}<>@:*%~-+^$&!?,.;=/\\#’“”«»\u00a0\u2028\ufeff")
any_text = st.text(st.characters(exclude_categories=()), max_size=80)
written_text = st.text(st.characters(codec="utf-8", categories=("L", "N", "P", "Z", "S")), max_size=80)


def full_width(text: str) -> str:
    return "".join(chr(ord(letter) + 0xFEE0) if "!" <= letter <= "~" else letter for letter in text)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Caroline's dog doesn't bark", ("caroline", "dog", "doesnt", "bark")),
        ("O’Brien’s rock'n'roll", ("obrien", "rocknroll")),
        ("The dogs' bowl, 5'10 tall", ("the", "dogs", "bowl", "5", "10", "tall")),
        ("milk\nbuy\u00a0“eggs”…now", ("milk", "buy", "eggs", "now")),
        ("Jean-Luc 2024-01-15 TICKET-12", ("jean", "luc", "2024", "01", "15", "ticket", "12")),
        ("_ __ snake_case __init__", ("snake_case", "init")),
        ("José Łódź Straße", ("jose", "lodz", "strasse")),
        ("ёлка й Київ", ("елка", "й", "київ")),
        ("أَحْمَدُ שָׁלוֹם ٢٠٢٤", ("احمد", "שלום", "2024")),
        ("नमस्ते", ("नमस्ते",)),
        ("我喜欢喝咖啡", ("我喜", "喜欢", "欢喝", "喝咖", "咖啡")),
        ("好 iPhone15が好き", ("好", "iphone15", "が好", "好き")),
        ("น้ำดี", ("น้ํา", "าดี")),
        ("❤️ 1️⃣ 👍", ("1",)),
        ("\ud800 nul\0byte", ("nul", "byte")),
    ],
)
def test_a_text_is_split_into_folded_words(text: str, words: tuple[str, ...]) -> None:
    assert tokens(text) == words


@pytest.mark.parametrize("query", ["Jose", "JOSÉ", "Jose\u0301", "ｊｏｓé"])
def test_a_name_is_found_however_it_is_typed(query: str) -> None:
    assert tokens(query) == tokens("José")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("फ़िल्म", "फिल्म"),
        ("ख़रीदी", "खरीदी"),
        ("ऩ", "न"),
        ("माँ", "मां"),
        ("हिन्दी", "हिंदी"),
        ("मुम्बई", "मुंबई"),
        ("अण्डा", "अंडा"),
    ],
)
def test_two_spellings_of_a_hindi_word_are_one_word(one: str, other: str) -> None:
    assert tokens(one) == tokens(other) == tokens(unicodedata.normalize("NFD", one))
    assert stems(one, language="hi") == stems(other, language="hi")


def test_other_hindi_words_stay_apart() -> None:
    assert len({tokens(word) for word in ("मा", "मां", "जन्म", "जनम", "कल", "काल")}) == 6


def test_there_are_enough_nasty_inputs() -> None:
    assert len(set(NASTY)) >= 150


@pytest.mark.parametrize("text", NASTY, ids=ascii)
def test_a_nasty_input_with_a_letter_or_digit_has_words(text: str) -> None:
    assert bool(tokens(text)) == any(map(str.isalnum, text))


@pytest.mark.parametrize("text", NASTY, ids=ascii)
def test_a_nasty_input_has_the_same_words_in_any_case_and_width(text: str) -> None:
    words = tokens(text)

    assert tokens(text.upper()) == words
    assert tokens(text.lower()) == words
    assert tokens(full_width(text)) == words
    assert tokens(unicodedata.normalize("NFD", text)) == words


@pytest.mark.parametrize("text", NASTY, ids=ascii)
def test_a_nasty_input_has_no_operators_in_its_words(text: str) -> None:
    for word in tokens(text) + stems(text, language="en"):
        assert not OPERATORS & set(word)
        assert 0 < len(word) <= LONGEST_WORD
        assert word.strip("_")


@settings(max_examples=200, deadline=None)
@given(any_text)
def test_words_hold_only_letters_marks_digits_and_underscores(text: str) -> None:
    for word in tokens(text):
        assert all(letter == "_" or unicodedata.category(letter)[0] in "LMN" for letter in word)
        assert any(map(str.isalnum, word))
        assert len(word) <= LONGEST_WORD
        assert word.encode()


@settings(max_examples=200, deadline=None)
@given(any_text)
def test_words_split_again_are_the_same_words(text: str) -> None:
    assert tokens(" ".join(tokens(text))) == tokens(text)


@settings(max_examples=200, deadline=None)
@given(written_text)
def test_case_and_width_do_not_matter(text: str) -> None:
    assert tokens(text.upper()) == tokens(text)
    assert tokens(full_width(text)) == tokens(text)


def test_every_letter_alone_is_the_same_in_any_case() -> None:
    different = [
        letter
        for letter in map(chr, range(0x20000))
        if not tokens(letter) == tokens(letter.upper()) == tokens(letter.lower()) == tokens(letter.title())
    ]

    assert different == []


@settings(deadline=None)
@given(any_text, st.sampled_from(sorted(ALGORITHMS)))
def test_stems_are_as_clean_as_words(text: str, language: str) -> None:
    found = stems(text, language=language)

    assert bool(found) == bool(tokens(text)) or language in {"fr", "it", "ca"}
    assert not any(OPERATORS & set(stem) or not stem for stem in found)


def test_forms_of_a_word_share_their_stem() -> None:
    assert stems("running runs", language="en") == ("run", "run")
    assert stems("книга книги книгу", language="ru") == ("книг",) * 3
    assert stems("Bücher", language="de-AT") == stems("büchern", language="de_DE")
    assert stems("Autos Omas Sandras Haus Reis", language="de") == ("auto", "oma", "sandra", "haus", "reis")


def test_stop_words_go_unless_there_is_nothing_else() -> None:
    assert stems("What did Caroline's sister do?", language="en") == ("carolin", "sister")
    assert stems("who are you", language="en") == ("who", "are", "you")
    assert stems("Was hat meine Schwester gesagt?", language="de") == ("schwest", "gesagt")


@pytest.mark.parametrize(
    ("language", "question", "telling"),
    [
        ("hi", "माँ का जन्मदिन कब है?", "माँ जन्मदिन"),
        ("hi", "मेरी बहन का नाम क्या है?", "बहन नाम"),
        ("tr", "Annemin doğum günü ne zaman?", "annemin doğum günü"),
        ("tr", "Benim neye alerjim var mı?", "alerjim"),
        ("ko", "나 지금 어디에 살아?", "지금 살아"),
        ("ko", "내 고양이 이름이 뭐야?", "고양이 이름이"),
        ("ar", "متى كان عيد ميلاد أمي؟", "عيد ميلاد أمي"),
        ("ar", "من ماذا عندي حساسية؟", "حساسية"),
    ],
)
def test_only_the_words_of_a_question_that_say_something_stay(language: str, question: str, telling: str) -> None:
    assert tuple(content_words(question, language=language)) == tokens(telling)


def test_elided_articles_do_not_hide_the_word() -> None:
    assert stems("qu'est-ce que l’homme", language="fr") == stems("homme", language="fr")
    assert stems("dell'amica", language="it") == stems("amica", language="it")


def test_an_unknown_language_neither_stems_nor_stops() -> None:
    assert stems("What are the running dogs", language="xx") == tokens("What are the running dogs")


@pytest.mark.parametrize(
    ("language", "negations"),
    [("en", "not no never"), ("de", "nicht kein nie"), ("fr", "pas jamais"), ("es", "no nunca"), ("ru", "не нет"),
     ("it", "non mai"), ("pt", "não nunca"), ("nl", "niet geen"), ("pl", "nie"), ("tr", "değil hayır yok hiç"),
     ("hi", "नहीं न ना मत"), ("ko", "안 못 아니 없어"), ("ar", "لا ليس ليست لم لن")],
)  # fmt: skip
def test_a_negation_is_no_stop_word(language: str, negations: str) -> None:
    assert not set(negations.split()) & set(STOP_WORDS[language].split())


@pytest.mark.parametrize(
    "text", ["咖啡店", "王", "たなか", "田中花子", "anna berger", "コーヒー", "我喜欢喝咖啡", "ประเทศ"]
)
def test_words_are_written_as_they_were(text: str) -> None:
    assert written(" ".join(tokens(text))) == text


def test_threads_stem_alike() -> None:
    text = "the running dogs were happily chasing " * 20

    with ThreadPoolExecutor(8) as pool:
        results = set(pool.map(lambda _: stems(text, language="en"), range(200)))

    assert len(results) == 1


@pytest.mark.parametrize("unit", ["hello world it's ", "我喜欢喝咖啡", "a", "'", "é", "a'", "\u0308", "_", "\ud800"])
def test_the_cost_of_a_long_text_grows_with_its_length(unit: str) -> None:
    assert_linear(lambda text: stems(text, language="fr"), repeated(unit))


@pytest.mark.parametrize(
    ("pattern", "typed"),
    [
        (r"\bs[áa]bado\b|\bdernière\b|março|amanhã", "sabado"),
        (r"\bs[áa]bado\b|\bdernière\b|março|amanhã", "derniere"),
        (r"\bs[áa]bado\b|\bdernière\b|março|amanhã", "marco"),
        (r"\bs[áa]bado\b|\bdernière\b|março|amanhã", "amanha"),
        (r"mês (?:próximo|passado)", "mês proximo"),
    ],
)
def test_latin_words_are_found_without_their_accents(pattern, typed):
    """Broken: the last letter of a word, or its first behind an escape, kept its accent."""
    assert re.search(pattern, typed) is None or typed == "sabado"
    assert re.search(accents_optional(pattern), typed)


@pytest.mark.parametrize(
    ("pattern", "meant", "another"),
    [
        (r"qué \w+s\b", "qué horas", "que horas"),
        (r"\bnée?\b", "née", "nee"),
        (r"(?:sou|é) d[ao]\b", "é da", "e da"),
        ("corrigé", "corrigé", "corrige"),
        ("cuándo|cuáles", "cuáles", "cuales"),
        (r"\w+ć\b", "być", "miesiac"),
        ("[éê]s", "és", "es"),
    ],
)
def test_an_accent_stays_where_another_word_begins_without_it(pattern, meant, another):
    """Broken: each accent was optional, so that a French "que" asked for a list and a "ne" told a birthday."""
    loose = re.compile(accents_optional(pattern))

    assert loose.search(meant) and loose.search(another) is None
