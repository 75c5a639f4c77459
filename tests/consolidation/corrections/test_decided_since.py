"""
What was decided since a line that somebody followed: names are muted, and come back, by other decisions than a mute.

Every docstring says what was broken, once, to see the test fail.
"""

from datetime import UTC, datetime, timedelta

import pytest

from consolidation.corrections.decided_since import followed, is_decided_since, names_since
from consolidation.corrections.record import Correction, Target, Undo, What

pytestmark = pytest.mark.anyio

NOON = datetime(2026, 1, 28, 12, tzinfo=UTC)


def of_name(correction_id, what, name, to=None):
    return Correction(correction_id, NOON, "owner", What(what), Target("entity", name), to)


MUTE, MERGE = of_name("c1", "mute", "Mumford"), of_name("c2", "merge", "Ingrid", to="Mumford")
WRONG = Correction("c3", NOON, "owner", What.WRONG, Target("fact", "Bob sings.", ("t1",)))
SAID = Correction("c4", NOON, "owner", What.SAY, Target("fact", "Ingrid sings."), "Ingrid sings.")
LATER = NOON + timedelta(minutes=1)
NOTHING = frozenset()


def test_what_an_erasure_took_was_never_followed():
    """Broken: the last line counts as followed."""
    assert [followed((MUTE, MERGE), last=one) for one in ("c1", "c2", "c9", "")] == [1, 2, 0, 0]


@pytest.mark.parametrize(
    ("decision", "muted", "back"),
    [
        (MERGE, {"Ingrid"}, NOTHING),
        (of_name("c2", "rename", "Mumford", to="Zora"), {"Zora"}, NOTHING),
        (of_name("c2", "pin", "Mumford"), NOTHING, {"Mumford"}),
        (Undo("c2", NOON, "owner", "c1"), NOTHING, {"Mumford"}),
        (WRONG, NOTHING, NOTHING),
    ],
)
async def test_a_name_is_muted_or_comes_back_by_what_was_decided_of_it(decision, muted, back):
    """Broken: only mutes are looked at, or only names as they were typed."""
    assert await names_since((MUTE, decision), known=1) == (muted, back)


async def test_a_merge_that_is_taken_back_gives_the_name_back():
    """Broken: lines that take a decision back are left out."""
    assert await names_since((MUTE, MERGE, Undo("u1", NOON, "owner", "c2")), known=2) == (NOTHING, {"Ingrid"})


@pytest.mark.parametrize(
    ("decision", "is_decided"),
    [
        (Undo("c5", LATER, "owner", "c4"), True),
        (Correction("c5", LATER, "owner", What.WRONG, Target("fact", "Ingrid sings.")), True),
        (Correction("c5", LATER, "owner", What.MUTE, Target("fact", "Ingrid sings.")), True),
        (Correction("c5", LATER, "owner", What.EDIT, Target("fact", "Ingrid sings."), "Ingrid hums."), True),
        (Correction("c5", LATER, "owner", What.MUTE, Target("entity", "Ingrid")), True),
        (Correction("c5", LATER, "owner", What.MUTE, Target("entity", "Bob")), False),
        (Correction("c5", LATER, "owner", What.WRONG, Target("fact", "Bob hums.")), False),
    ],
)
def test_what_a_person_said_is_decided_of_by_its_own_words_and_names(decision, is_decided):
    """Broken: only turns are looked at, or only what takes it back."""
    found = is_decided_since([], (SAID, decision), since=LATER, statements={"c4", "of the graph"})

    assert found == is_decided
