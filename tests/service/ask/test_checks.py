"""A model's answer, held against the evidence that each line names."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prompts.responses import AnswerLine, AnswerOfMemory
from service.ask.checks import Check
from service.ask.evidence import Evidence
from service.retrieval.remembered import Remembered

TOLD = datetime(2026, 1, 9, 18, 30, tzinfo=UTC)
LYON = "they told me: My mother Ines lives in Lyon with 2 cats."
MIXED = "they told me: Ines lives in Lyon. / I said: Lyon is a lovely harbour town."
TEXTS = (LYON, MIXED, "I read: “Bob owes 300 euros.”")


def check(*texts, is_wrong=(), language="en", names=(), question="Where does Ines live?"):
    evidence = tuple(
        Evidence(
            Remembered(f"fact:{at}", "fact", text, TOLD, TOLD, None, 1.0, (), is_contradicted=at in is_wrong), "said"
        )
        for at, text in enumerate(texts)
    )
    return Check(
        evidence,
        question=question,
        language=language,
        timezone=UTC,
        known="Ada",
        known_names=lambda text: [name for name in names if name in text],
    )


def answer(*lines, **more):
    return AnswerOfMemory(answer=tuple(AnswerLine(text=text, evidence=numbers) for text, *numbers in lines), **more)


def test_a_line_may_not_take_a_name_from_evidence_that_it_does_not_name():
    held = check("they told me: Ines lives in Lyon.", "they told me: Bob lives in Bern.")

    found = held.of(answer(("Ines lives with Bob.", 1), ("Bob and Ines are known.", 1, 2)))

    assert [line.text for line in found.lines] == ["Bob and Ines are known."]
    assert "'Bob'" in found.dropped[0]


def test_what_rests_on_what_was_found_wrong_alone_is_dropped():
    found = check(LYON, MIXED, is_wrong={0}).of(answer(("Ines lives in Lyon.", 1), ("Ines lives in Lyon.", 1, 2)))

    assert [line.places for line in found.lines] == [(1,)]
    assert "found wrong" in found.dropped[0]


def test_words_that_only_the_bot_said_are_told_as_its_own():
    found = check(MIXED).of(answer(("Ines lives in Lyon.", 1), ("Lyon has a lovely harbour.", 1)))

    assert [line.text for line in found.lines] == ["Ines lives in Lyon.", MIXED]


def test_what_was_read_does_not_become_a_persons_words_in_another_language():
    found = check(TEXTS[2], language="fr").of(answer(("Il vous doit de l'argent.", 1)))

    assert [line.text for line in found.lines] == [TEXTS[2]]


def test_a_known_name_in_small_letters_is_a_name():
    found = check(LYON, names=("zug",)).of(answer(("she lives in zug", 1)))

    assert found.lines == () and "'zug'" in found.dropped[0]


def test_evidence_that_contradicts_is_what_exists_and_at_least_two():
    found = check(*TEXTS).of(answer(contradictions=((1, 2), (2, 1), (1, 9), (3, 3))))

    assert found.contradictions == (frozenset({0, 1}),)


def test_what_contradicts_and_does_not_bear_on_what_is_answered_is_left_out():
    said = answer(("Ines lives in Lyon.", 1), contradictions=((1, 2), (2, 3)))

    assert check(*TEXTS).of(said).contradictions == (frozenset({0, 1}),)
    assert check(*TEXTS, is_wrong={1}).of(said).contradictions == ()


RENT = "they told me: My landlord raised the rent to 1620 euros."
MUTTER = "mir wurde erzählt: Meine Mutter wohnt in Lyon und trinkt nur Tee."
MAMA = "opowiedziano mi: Moja mama mieszka w Lyonie."


@pytest.mark.parametrize(
    ("language", "text", "line"),
    [
        ("en", RENT, "Bertrand raised the rent to 1620 euros."),
        ("en", RENT, "Bertrand's rent is 1620 euros."),
        ("en", RENT, "It was raised to 1620 euros. Bertrand wants it."),
        ("en", RENT, "Bertrand, your landlord, raised the rent to 1620 euros."),
        ("fr", "on m'a dit : Ma mère habite à Lyon.", "Clément habite à Lyon."),
        ("pl", MAMA, "Piotr mieszka w Lyonie."),
        ("de", MUTTER, "Pierre wohnt in Lyon."),
        ("de", MUTTER, "Deine Mutter Ines wohnt in Lyon."),
        ("de", MUTTER, "Sie wohnt mit Pierre in Lyon."),
        ("de", MUTTER, "In Marseille wohnt deine Mutter."),
        ("de", "mir wurde erzählt: Jonas wohnt in Lyon.", "Jonathan wohnt in Lyon."),
    ],
)
def test_a_word_that_may_name_somebody_whom_nobody_named_leaves_the_evidence_its_own_words(language, text, line):
    found = check(text, language=language).of(answer((line, 1), (line.removesuffix("."), 1)))

    assert ([one.text for one in found.lines], found.dropped) == ([text], ())


@pytest.mark.parametrize(
    ("language", "text", "question", "lines"),
    [
        ("en", RENT, "What is my rent?", ("Rent is now 1,620 euros.", "Currently you pay 1620.00 euros.")),
        ("en", MUTTER, "What does my mother drink?", ("Tee is all she drinks.",)),
        ("es", LYON, "¿Dónde vive mi madre?", ("Vive en Lyon.", "Actualmente vive en Lyon.")),
        ("pl", MAMA, "Gdzie mieszka mama?", ("Mieszka w Lyonie.", "Twoja mama mieszka w Lyonie.")),
        ("ru", "мне рассказали: Моя мама живёт в Лионе.", "Где мама?", ("Твоя мама живёт в Лионе.",)),
        ("sv", "they told me: Min mamma bor i Lyon.", "Var bor mamma?", ("Din mamma bor i Lyon.",)),
        (
            "de",
            MUTTER,
            "Wo wohnt meine Mutter?",
            (
                "Derzeit wohnt deine Mutter in Lyon.",
                "Tee trinkt sie in ihrer kleinen Wohnung in der Stadt Lyon.",
                "Im Januar 2026 war ihr Wohnort Lyon.",
            ),
        ),
        ("de", LYON, "Wo wohnt meine Mutter?", ("Deine Mutter Ines wohnt mit 2 Katzen in Lyon.",)),
    ],
)
def test_a_line_that_opens_with_a_common_word_or_has_common_nouns_stands(language, text, question, lines):
    found = check(text, language=language, question=question).of(answer(*((line, 1) for line in lines)))

    assert ([one.text for one in found.lines], found.dropped) == (list(lines), ())


@pytest.mark.parametrize(
    ("told", "said", "is_there"),
    [
        ("1620", "1,620", True),
        ("1,620", "1620", True),
        ("1 620", "1,620", True),
        ("1.620,50", "1620.5", True),
        ("8:30", "8.30", True),
        ("1 and 620", "1,620", False),
        ("1,620", "620", False),
        ("3.5", "3", False),
    ],
)
def test_a_number_is_known_however_it_is_written_and_not_by_its_parts(told, said, is_there):
    found = check(f"they told me: The rent is {told} a month.").of(answer((f"The rent is {said} a month.", 1)))

    assert bool(found.lines) is is_there


@given(st.text(max_size=60), st.lists(st.integers(-3, 6), max_size=4))
def test_every_line_that_stands_names_evidence_that_exists(text, numbers):
    found = check(*TEXTS).of(AnswerOfMemory(answer=(AnswerLine(text=text, evidence=tuple(numbers)),)))

    assert len(found.lines) + len(found.dropped) <= 1
    assert all(line.places and set(line.places) <= {0, 1, 2} for line in found.lines)
