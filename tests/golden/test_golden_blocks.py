"""The injected block in every language that has words for the age of a memory, and its place among the messages."""

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from consolidation.kernel.turns import Message, Speaker
from service.resonance.injection import block, injected, stable_text
from service.resonance.label_words import VOCABULARIES
from service.resonance.labels import label, undated
from service.retrieval.moment import Flashback
from tests.support.fragments import fragment_of
from tests.support.golden import GOLDEN, as_json, assert_golden, cases, given

CASES = cases("blocks")


def block_of(case):
    """The block of a case's memories; one without a time has no date."""
    now, timezone, language = datetime.fromisoformat(case["now"]), ZoneInfo(case["timezone"]), case["language"]
    flashbacks = [
        Flashback(fragment_of("f"), labelled(one.get("at"), now=now, timezone=timezone, language=language), one["text"])
        for one in case["memories"]
    ]
    return block(flashbacks)


def labelled(at, *, language, **moment):
    return label(datetime.fromisoformat(at), language=language, **moment) if at else undated(language=language)


def test_every_language_has_a_case():
    assert {given(case)["language"] for case in CASES} == set(VOCABULARIES)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.stem)
def test_a_block_reads_as_it_did(case):
    assert_golden(case, block_of(given(case)) + "\n")


@pytest.mark.parametrize("placement", ["tail", "system"])
def test_both_parts_stand_where_they_stood_among_the_messages(placement):
    case = given(GOLDEN / "blocks/en.txt")
    messages = (
        Message(Speaker.SYSTEM, "You are Ada."),
        Message(Speaker.USER, "Good morning!"),
        Message(Speaker.ASSISTANT, "Good morning. What are we up to?"),
        Message(Speaker.USER, "Shall we plan my trip to Lyon?"),
    )
    stable = stable_text(
        story="### [2026-01-09 18:30] Lyon\n\nAnn told me of her mother.", protocol="You have a memory."
    )

    made = injected(messages, stable=stable, volatile=block_of(case), placement=placement)

    said = [{"role": str(one.role), "content": one.content.splitlines()} for one in made]
    assert_golden(GOLDEN / f"blocks/placement-{placement}.json", as_json(said))
