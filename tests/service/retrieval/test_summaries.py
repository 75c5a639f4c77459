"""What may be shown of what is known of an entity, where something that it tells is wrong."""

import pytest

from consolidation.corrections.wording import Wording
from service.retrieval.summaries import facts_told_in, is_made_of, lines_of, summary_without

APRIL = "The electricity bill from Vattenfall was 47 in April."


def tells(sentence, fact):
    return list(facts_told_in(sentence, [Wording.of("Nothing like it"), Wording.of(fact)])) == [1]


@pytest.mark.parametrize(
    ("sentence", "fact"),
    [
        ("The April electricity bill from Vattenfall was 47 euros", APRIL),
        ("Vattenfall sent an electricity bill of 47€ for April.", APRIL),
        ("they told me: The bill in April was 47.", "The bill was 47 in April"),
        ("She lives in Lyon.", "Ingrid lives in Lyon"),
        ("Ada's flight to Oslo leaves at 7am.", "The flight to Oslo leaves at 7 am"),
        ("四月の電気代は47ユーロです。", "四月の電気代は47ユーロでした。"),
        ("王芳四月的电费是47元。", "四月的电费是47元"),
        ("4월 전기 요금은 47유로입니다", "4월 전기 요금은 47유로였다"),
    ],
)
def test_a_sentence_tells_a_fact_in_other_words(sentence, fact):
    assert tells(sentence, fact)


@pytest.mark.parametrize(
    ("sentence", "fact"),
    [
        ("The electricity bill from Vattenfall was 41 in January.", APRIL),
        ("Bruno lives in Porto with his mother.", "Ingrid lives in Lyon with her mother"),
        ("四月の電気代は41ユーロでした。", "四月の電気代は47ユーロでした。"),
        ("四月的电费是41元。", "四月的电费是47元。"),
        ("4월 전기 요금은 41유로였다", "4월 전기 요금은 47유로였다"),
        ("فاتورة الكهرباء في أبريل كانت ٤١", "فاتورة الكهرباء في أبريل كانت ٤٧"),
    ],
)
def test_the_same_of_another_name_or_number_is_another_fact(sentence, fact):
    """Broken: three words of five are enough."""
    assert not tells(sentence, fact)
    assert not is_made_of(sentence, fact)


def test_a_sentence_without_the_number_of_a_fact_does_not_tell_it():
    assert not tells("The electricity bill from Vattenfall is always paid in April.", APRIL)


def test_a_sentence_is_made_of_a_turn_that_tells_of_others_as_well():
    turn = "Tom moved to Paris in May. My mother lives in Lyon. I was so angry."

    assert is_made_of("Ada's mother lives in Lyon.", turn)
    assert not is_made_of("Bruno's mother lives in Porto.", turn)


def test_a_line_that_is_a_fact_is_as_the_fact_is_and_others_lose_the_sentences_that_are_wrong():
    """Broken: a line goes for its words, though it is a fact that holds; who told the rest is left out."""
    facts = {"wrong fact": False, "fact that holds, like a wrong one": True}

    left = summary_without(
        lines_of("\n".join((*facts, "they told me: I am wrong. I am right.", "", "\tOnly right. ", "Quite wrong."))),
        tells_wrong=lambda sentence: "wrong" in sentence,
        facts_of=lambda line: ((line, ()),) if line in facts else (),
        is_wrong=lambda line, _: not facts[line],
    )

    assert left == "fact that holds, like a wrong one\nthey told me: I am right.\n\tOnly right. "
