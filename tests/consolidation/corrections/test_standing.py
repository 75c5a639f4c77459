"""
What stands by the decisions of people: the last one counts, and taking it back restores the one before.

Every docstring says what was broken, once, to see the test fail.
"""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from consolidation.corrections.record import Correction, Target, Undo, What
from consolidation.corrections.standing import Standing

NOON = datetime(2026, 1, 28, 12, tzinfo=UTC)
LYON = "Ann's mother lives in Lyon."


def made(number, what, text=LYON, *, turns=("t1",), to=None, kind="fact", joins=()):
    return Correction(
        f"c{number}", NOON + timedelta(minutes=number), "owner", What(what), Target(kind, text, turns, joins), to
    )


def undone(number, of):
    return Undo(f"u{number}", NOON + timedelta(minutes=number), "owner", f"c{of}")


def test_the_last_decision_on_a_memory_takes_the_place_of_the_one_before():
    """Broken: the first one is kept."""
    standing = Standing.of([made(1, "wrong"), made(2, "right")])

    assert standing.fact(LYON, ["t1"]).is_right
    assert [standing.is_current(one) for one in standing.corrections] == [False, True]


def test_a_pin_and_a_verdict_stand_beside_each_other():
    """Broken: a group has one decision."""
    standing = Standing.of([made(1, "right"), made(2, "pin")])

    decided = standing.fact(LYON, ["t1"])
    assert (decided.is_right, decided.is_pinned) == (True, True)


def test_taking_the_last_decision_back_restores_the_one_before():
    """Broken: an undo takes away all decisions of the memory."""
    standing = Standing.of([made(1, "wrong"), made(2, "right"), undone(3, 2)])

    assert standing.fact(LYON, ["t1"]).is_wrong


@pytest.mark.parametrize(
    ("text", "turns", "is_same"),
    [
        (LYON, ["t1", "t9"], True),
        ("ann’s MOTHER lives in lyon", ["t1"], True),
        ("Ann's mother is living in Lyon now.", ["t1"], True),
        (LYON, ["t2"], False),
        ("Ann's mother lives in Porto.", ["t1"], False),
        ("Bob's mother lives in Lyon.", ["t1"], False),
        ("Ann's mother hates Lyon and every town on the river.", ["t1"], False),
        ("Ann has two cats.", ["t1"], False),
    ],
)
def test_a_fact_is_recognised_by_its_words_and_a_turn_of_it(text, turns, is_same):
    """Broken: other words of the same turn are never, or always, the same; a turn is not asked for."""
    standing = Standing.of([made(1, "wrong")])

    assert standing.fact(text, turns).is_wrong is is_same


def test_an_edit_is_a_statement_until_somebody_edits_it():
    """Broken: a statement that was put right is still made."""
    porto, rome = "She lives in Porto.", "She lives in Rome."

    once = Standing.of([made(1, "edit", to=porto)])
    twice = Standing.of([made(1, "edit", to=porto), made(2, "edit", porto, to=rome)])

    assert [one.text for one in once.statements] == [porto]
    assert [(one.id, one.text, one.turn_ids) for one in twice.statements] == [("c2", rome, ("t1",))]


def test_what_is_said_twice_or_decided_again_is_the_same_decision():
    """Broken: ``same_as`` compares ids, or does not look whether it still counts."""
    standing = Standing.of([made(1, "wrong"), made(2, "right"), made(3, "say", "x", turns=(), to="x")])

    assert standing.same_as(made(8, "right")).id == "c2"
    assert standing.same_as(made(9, "wrong")) is None
    assert standing.same_as(made(9, "say", "x", turns=(), to="x")).id == "c3"


def test_merged_and_renamed_names_are_one_entity():
    """Broken: a chain of merges is not followed; a rename is of the old name alone."""
    standing = Standing.of(
        [
            made(1, "merge", "Mum", kind="entity", turns=(), to="Ingrid"),
            made(2, "merge", "Mama", kind="entity", turns=(), to="Mum"),
            made(3, "rename", "Ingrid", kind="entity", turns=(), to="Ingrid Berg"),
        ]
    )

    assert standing.keys_of("mama") == {"mama", "mum", "ingrid", "ingrid berg"}
    assert standing.keys_of("Greta") == {"greta"}
    assert {standing.name_of(name) for name in ("Mum", "MAMA", "Ingrid", "Ingrid Berg")} == {"Ingrid Berg"}
    assert standing.alike("Where does Mum live?") == standing.keys_of("Mum")


def test_a_muted_entity_is_muted_under_all_of_its_names():
    """Broken: only the name that was given is muted."""
    standing = Standing.of(
        [made(1, "mute", "Mum", kind="entity", turns=()), made(2, "merge", "Mum", kind="entity", turns=(), to="Ingrid")]
    )

    assert standing.muted_names == {"mum", "ingrid"}
    assert standing.entity("Ingrid").is_muted


LINES = st.lists(
    st.tuples(
        st.sampled_from(["wrong", "right", "pin", "mute", "edit", "say"]),
        st.sampled_from([LYON, "Ann has two cats.", "Bob sings."]),
        st.sampled_from([("t1",), ("t2",), ("t1", "t2")]),
    ),
    max_size=8,
)


@given(LINES, st.data())
def test_taking_a_decision_back_is_as_if_it_was_never_made(lines, data):
    """Broken: an undo leaves something of its decision."""
    decisions = [made(n, what, text, turns=turns, to="Other words.") for n, (what, text, turns) in enumerate(lines)]
    taken = data.draw(st.sets(st.sampled_from(range(len(decisions))))) if decisions else set()

    with_undo = Standing.of([*decisions, *(undone(100 + one, one) for one in taken)])
    without = Standing.of([one for number, one in enumerate(decisions) if number not in taken])

    assert with_undo.statements == without.statements
    for text in (LYON, "Ann has two cats.", "Bob sings."):
        for turns in (["t1"], ["t2"], []):
            assert with_undo.fact(text, turns) == without.fact(text, turns)
    for turn in ("t1", "t2"):
        assert [decided for _, decided in with_undo.unseen_in(turn)] == [
            decided for _, decided in without.unseen_in(turn)
        ]


MANY = st.lists(
    st.tuples(
        st.sampled_from([*What]),
        st.sampled_from(["fact", "turn", "entity"]),
        st.sampled_from([LYON, "Ann has two cats.", "Ann has two black cats.", "Bob", "Ann"]),
        st.sampled_from([(), ("t1",), ("t2",), ("t1", "t2")]),
        st.sampled_from(["Ann has two cats.", "Other words.", "Bob", "Bert"]),
    ),
    max_size=10,
)


@given(MANY)
def test_one_decision_more_is_what_all_of_them_fold_to(lines):
    """Broken: an edit that was replaced stays among what was said; a group is replaced in one of its two places."""
    decisions = [
        made(n, what, text, turns=turns, to=to, kind=kind) for n, (what, kind, text, turns, to) in enumerate(lines)
    ]
    standing = Standing()
    for number, one in enumerate(decisions, start=1):
        standing = standing.plus(one)

        assert standing == Standing.of(decisions[:number])
