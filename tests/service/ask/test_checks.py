"""A model's answer, held against the evidence that each line names."""

from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from prompts.responses import AnswerLine, AnswerOfMemory
from service.ask.checks import Check
from service.ask.evidence import Evidence
from service.retrieval.remember import Remembered

TOLD = datetime(2026, 1, 9, 18, 30, tzinfo=UTC)
LYON = "they told me: My mother Ines lives in Lyon with 2 cats."
MIXED = "they told me: Ines lives in Lyon. / I said: Lyon is a lovely harbour town."
TEXTS = (LYON, MIXED, "I read: “Bob owes 300 euros.”")


def check(*texts, is_wrong=(), language="en", names=()):
    evidence = tuple(
        Evidence(
            Remembered(f"fact:{at}", "fact", text, TOLD, TOLD, None, 1.0, (), is_contradicted=at in is_wrong), "said"
        )
        for at, text in enumerate(texts)
    )
    return Check(
        evidence,
        question="Where does Ines live?",
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


@given(st.text(max_size=60), st.lists(st.integers(-3, 6), max_size=4))
def test_every_line_that_stands_names_evidence_that_exists(text, numbers):
    found = check(*TEXTS).of(AnswerOfMemory(answer=(AnswerLine(text=text, evidence=tuple(numbers)),)))

    assert len(found.lines) + len(found.dropped) <= 1
    assert all(line.places and set(line.places) <= {0, 1, 2} for line in found.lines)
