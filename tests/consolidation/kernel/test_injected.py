"""What we put in comes out again, and nothing else: a person who quotes our marks loses no word."""

import time

import pytest
import strategies
from hypothesis import example, given
from hypothesis import strategies as st

from consolidation.kernel.injected import BLOCK_HEADER, STORY_END, STORY_HEADER, defused, without_injected

BLOCK = "---\n[SUBCONSCIOUS RESONANCE]\n- A few days ago — Jan 9, my mother lives in Lyon.\n- Yesterday, cello.\n---"
STORY = f"{STORY_HEADER}\n### [2026-01-09 18:30] Lyon\n\nI was told of Lyon.\n\n---\n\nMore.\n{STORY_END}"
MEMORY = "[MY MEMORY]\nYou have a memory: see [SUBCONSCIOUS RESONANCE].\n[END OF MY MEMORY]"


@pytest.mark.parametrize("part", [BLOCK, STORY, MEMORY, f"{STORY}\n\n{MEMORY}", f"{STORY}\n\n{MEMORY}\n\n{BLOCK}"])
@pytest.mark.parametrize(("before", "after"), [("", ""), ("Hello.", ""), ("", "Hello."), ("Be kind.", "Where is it?")])
def test_what_we_put_in_comes_out(part, before, after):
    text = "\n\n".join(one for one in (before, part, after) if one)

    found = without_injected(text)

    assert found.split() == f"{before} {after}".split()


@pytest.mark.parametrize("part", [BLOCK, STORY, MEMORY])
def test_it_comes_out_of_indented_text_and_of_windows_lines(part):
    indented = "\n".join(f"  {line}  " for line in part.split("\n"))

    assert without_injected(f"Hello.\n{indented}").strip() == "Hello."
    assert without_injected(part.replace("\n", "\r\n") + "\r\n\r\nHello.").strip() == "Hello."


def test_a_block_that_lost_its_rules_comes_out():
    assert without_injected("Hello.\n[SUBCONSCIOUS RESONANCE]\n- Yesterday, cello.") == "Hello."


def test_two_blocks_come_out_and_what_is_between_stays():
    assert without_injected(f"{BLOCK}\nbetween\n{BLOCK}").strip() == "between"
    assert without_injected(f"{STORY}\nbetween\n{STORY}").strip() == "between"


@pytest.mark.parametrize(
    "text",
    [
        "What does [SUBCONSCIOUS RESONANCE] mean?",
        "What is this?\n[SUBCONSCIOUS RESONANCE] it said",
        f"{STORY_HEADER}\nI was born in Lyon and never finished this.",
        f"I wrote {STORY_HEADER} above it.\nThen I wrote more.\n{STORY_END}",
        f"{STORY_END}\nfirst the end\n{STORY_HEADER}\nthen the beginning",
        "---\nA rule, and nothing of yours.\n---",
        "  leading and trailing \n\n",
    ],
)
def test_a_person_who_quotes_a_mark_loses_nothing(text):
    assert without_injected(text) == text


def test_what_a_person_says_after_a_quoted_header_stays():
    text = "My bot printed this:\n[SUBCONSCIOUS RESONANCE]\nWhat is it?\n---\nPlease help."

    assert without_injected(text) == "My bot printed this:\n\nWhat is it?\n---\nPlease help."


def test_a_quoted_beginning_does_not_reach_into_our_story():
    assert without_injected(f"{STORY_HEADER}\nmine\n{STORY}").strip() == f"{STORY_HEADER}\nmine"


@given(strategies.texts)
def test_text_without_our_marks_is_returned_as_it_is(text):
    plain = text.replace("[", "(")

    assert without_injected(plain) == plain


@given(strategies.texts)
def test_taking_out_twice_is_taking_out_once(text):
    once = without_injected(text)

    assert without_injected(once).strip() == once.strip() or "[" in once


@given(strategies.texts)
@example("[\n SUBCONSCIOUS\tRESONANCE]")
@example("［MY STORY]")
def test_defused_text_holds_no_mark(text):
    found = defused(text)

    assert BLOCK_HEADER not in found
    assert STORY_HEADER not in found
    assert STORY_END not in found
    assert defused(found) == found
    assert len(found) == len(text)


@given(st.lists(strategies.texts, max_size=4))
def test_defused_text_survives_taking_out(parts):
    text = defused("\n".join(parts))

    assert without_injected(text) == text


@pytest.mark.parametrize(
    "text",
    [
        f"{STORY_HEADER}\n" * 20_000,
        f"{BLOCK_HEADER}\n" * 16_000,
        f"{STORY_HEADER}\n" + "line\n" * 70_000,
        "---\n" * 100_000,
        "[" * 400_000,
        "[" + " " * 400_000,
        f"{BLOCK_HEADER}\n" + "- x\n" * 90_000,
    ],
)
def test_a_long_text_takes_no_time(text):
    start = time.monotonic()

    without_injected(text), defused(text)

    assert time.monotonic() - start < 1
