"""Which lines are quoted behind ">", and which are their writer's own."""

import pytest

from consolidation.text.quotation import own_lines, with_marks


@pytest.mark.parametrize(
    ("text", "own", "quoted"),
    [
        ("> I live in Lyon.\nNice!", "Nice!", "I live in Lyon."),
        (">Ich wohne in Lyon.\nSchön!", "Schön!", "Ich wohne in Lyon."),
        ("> <@ann:matrix.org> I live in Lyon\n> and in Nice\n\nNice!", "Nice!", "I live in Lyon\nand in Nice"),
        ("> > both\n> of us\nYes.", "Yes.", "both\nof us"),
        ("Yes.\n> a?\nNo.", "Yes.\nNo.", "a?"),
        ("> 12 come\nOK", "OK", "12 come"),
        ("> alone", "", "alone"),
    ],
)
def test_a_line_behind_the_mark_is_quoted(text, own, quoted):
    assert own_lines(text) == own
    assert f"“{quoted}”" in with_marks(text)


@pytest.mark.parametrize(
    "text",
    [
        "no mark\n",
        ">:( what a day",
        ">5 kg is too much",
        ">.<",
        "a > b\nb > c",
        "-> there",
        "```\n> select 1\n```\nruns",
        ">\n",
    ],
)
def test_everything_else_is_ones_own(text):
    assert own_lines(text) == text
    assert with_marks(text) == text


def test_what_is_quoted_stands_in_marks_that_it_can_not_end():
    assert with_marks("Look:\n> he said “no”\nOdd.") == "Look:\n“he said ‘no’”\nOdd."


def test_what_is_quoted_behind_a_fence_with_other_marks_in_it_is_quoted():
    assert own_lines("```\n~~~\n> x\n```\n> I live in Lyon.\nNice!") == "```\n~~~\n> x\n```\nNice!"
