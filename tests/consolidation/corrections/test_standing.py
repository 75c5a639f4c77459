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
from consolidation.corrections.wording import Wording

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


def of_entity(number, what, text, to):
    return made(number, what, text, kind="entity", turns=(), to=to)


@pytest.mark.parametrize(
    ("steps", "names", "called"),
    [
        ((("rename", "Ingrid", "Zora"), ("merge", "Mum", "Zora")), {"ingrid", "zora", "mum"}, "Zora"),
        ((("rename", "Ingrid", "Zora"), ("rename", "Zora", "Zara")), {"ingrid", "zora", "zara"}, "Zara"),
        ((("rename", "Ingrid", "Zora"), ("merge", "Zora", "Mum")), {"ingrid", "zora", "mum"}, "Mum"),
        ((("merge", "Mum", "Ingrid"), ("rename", "Mum", "Zora")), {"mum", "ingrid", "zora"}, "Zora"),
        ((("merge", "Mama", "Mum"), ("merge", "Mum", "Ingrid")), {"mama", "mum", "ingrid"}, "Ingrid"),
        ((("merge", "Mum", "Ingrid"), ("merge", "Ingrid", "Mum")), {"mum", "ingrid"}, "Ingrid"),
        ((("rename", "Mum", "Zora"), ("merge", "Mum", "Ingrid")), {"mum", "ingrid", "zora"}, "Ingrid"),
    ],
)
def test_a_name_that_a_person_gave_is_merged_and_replaced_like_any_other(steps, names, called):
    """Broken: names are put together as they were typed, and not as what they meant then."""
    standing = Standing.of(of_entity(number, *step) for number, step in enumerate(steps))

    assert {standing.keys_of(one) for one in names} == {frozenset(names)}
    assert {standing.name_of(one) for one in names} == {called}
    assert len(standing.same) == 1


def test_a_name_that_was_given_by_mistake_can_be_given_to_another_one():
    """Broken: a name stays with the first that it was given to."""
    steps = (("rename", "Ingrid", "Zora"), ("rename", "Ingrid", "Zara"), ("rename", "Trudi", "Zora"))
    standing = Standing.of(of_entity(number, *step) for number, step in enumerate(steps))

    assert (standing.keys_of("Zora"), standing.keys_of("Zara")) == ({"trudi", "zora"}, {"ingrid", "zara"})
    assert [standing.is_current(one) for one in standing.corrections] == [False, True, True]
    assert standing.same_as(of_entity(9, "rename", "Ingrid", "Zora")) is None


def test_a_muted_entity_is_muted_under_all_of_its_names():
    """Broken: only the name that was given is muted."""
    standing = Standing.of(
        [made(1, "mute", "Mum", kind="entity", turns=()), made(2, "merge", "Mum", kind="entity", turns=(), to="Ingrid")]
    )

    assert standing.muted_names == {"Mum", "Ingrid"}
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


SAID = ["Anna works as a nurse at the hospital.", "Anna works as a doctor at the hospital.", "Ann has two cats."]


def test_what_a_person_put_in_the_place_of_words_stands_though_most_of_them_are_the_same():
    """Broken: the words of an edit are taken for those that it took the place of."""
    nurse, doctor = SAID[:2]
    edit = made(1, "edit", nurse, to=doctor)
    standing = Standing.of([edit])

    assert [one.text for one in standing.statements_of("t1")] == [doctor]
    assert standing.fact(nurse, ["t1"]).is_wrong
    assert Standing.of([edit, made(2, "wrong", doctor)]).statements == ()


def test_an_edit_back_is_what_holds():
    """Broken: the words that are put back are judged by the first edit; the first edit holds the turn's fact back."""
    porto = "Ann's mother lives in Porto."
    standing = Standing.of([made(1, "edit", LYON, to=porto), made(2, "edit", porto, to=LYON)])

    assert [one.text for one in standing.statements_of("t1")] == [LYON]
    assert not standing.fact(LYON, ["t1"]).held_back
    assert standing.fact(porto, ["t1"]).held_back
    assert [standing.is_current(one) for one in standing.corrections] == [False, True]


@pytest.mark.parametrize(("what", "text", "turns"), [("say", SAID[2], ()), ("edit", LYON, ("t1",))])
def test_what_is_said_again_after_it_was_called_wrong_stands_until_it_is_called_wrong_again(what, text, turns):
    """Broken: ``same_as`` gives the old line; "wrong" of before judges what is said after it, and counts for both."""
    first, again = (made(one, what, text, turns=turns, to=SAID[2]) for one in (1, 3))
    wrong, wrong_again = (made(one, "wrong", SAID[2], turns=turns) for one in (2, 4))
    standing = Standing.of([first, wrong])

    assert standing.same_as(again) is None
    anew = standing.plus(again)
    assert [one.id for one in anew.statements] == ["c3"]
    assert anew.same_as(again).id == "c3"
    assert anew.same_as(wrong_again) is None
    assert anew.plus(wrong_again).statements == ()


@pytest.mark.parametrize("new", [SAID[1], "She is a doctor now."])
def test_what_is_muted_stays_so_when_it_is_edited_or_said_again(new):
    """Broken: whether something is true and whether it comes up are one question; words that differ lose the mute."""
    edited = Standing.of([made(1, "mute", SAID[0]), made(2, "edit", SAID[0], to="x"), made(3, "edit", "x", to=new)])
    said = Standing.of([made(1, "say", "x", turns=(), to="x"), made(2, "mute", "x", turns=())])
    shown = edited.plus(made(4, "pin", new))

    assert [edited.reason_against(one) for one in edited.statements] == ["muted by a person"]
    assert [shown.reason_against(one) for one in shown.statements] == [""]
    assert said.same_as(made(3, "say", "x", turns=(), to="x")).id == "c1"


def test_a_decision_said_again_of_a_fact_that_was_told_again_is_of_the_later_turn_too():
    """Broken: a group keeps the turns of its first decision; a group that another one joined still counts."""
    standing = Standing.of([made(1, "wrong"), made(2, "mute", turns=("t2",)), made(3, "wrong", turns=("t1", "t2"))])

    assert [decided.held_back for _, decided in standing.unseen_in("t2")] == ["wrong: a person said so"]
    assert standing.fact(LYON, ["t2"]) == standing.fact(LYON, ["t1"])
    right = standing.plus(made(4, "right", turns=("t1", "t2"))).plus(made(5, "pin", turns=("t2",)))
    assert right.unseen_in("t1") == right.unseen_in("t2") == ()


def test_an_entity_that_was_muted_under_one_name_comes_up_when_it_is_pinned_under_another():
    """Broken: each name has decisions of its own, and the second mute counts as a repeat of the first."""
    lines = [
        made(1, "mute", "Mum", kind="entity", turns=()),
        made(2, "merge", "Mum", kind="entity", turns=(), to="Ingrid"),
        made(3, "pin", "Ingrid", kind="entity", turns=()),
    ]
    standing = Standing.of(lines)
    again = made(4, "mute", "Mum", kind="entity", turns=())

    assert standing.muted_names == frozenset()
    assert standing.same_as(again) is None
    assert standing.plus(again).muted_names == {"Mum", "Ingrid"}


STEPS = st.lists(
    st.tuples(
        st.sampled_from(["wrong", "right", "pin", "mute", "edit", "say"]),
        st.sampled_from(["fact", "turn"]),
        st.sampled_from([LYON, *SAID]),
        st.sampled_from([("t1",), ("t2",), ("t1", "t2")]),
        st.sampled_from([LYON, *SAID]),
    ).filter(lambda one: one[0] == "say" or one[2] != one[4]),
    min_size=1,
    max_size=8,
)


def steps(lines):
    for number, (what, kind, text, turns, to) in enumerate(lines):
        new = to if what in {"edit", "say"} else None
        is_said = what == "say"
        of = ("fact", new, ()) if is_said else (kind, text if kind == "fact" else turns[0], turns)
        yield made(number, what, of[1], turns=of[2], to=new, kind=of[0])


@given(STEPS)
def test_the_last_word_holds_whatever_was_decided_before(lines):
    """Broken: an earlier decision counts against later words, or a decision reaches only some of its turns."""
    *_, last = decisions = [*steps(lines)]
    standing = Standing.of(decisions)
    text, turns = last.target.text, last.target.turn_ids

    assert standing.is_current(last)
    if last.what in {What.SAY, What.EDIT}:
        assert standing.statements[-1].id == last.id
    if last.target.kind == "fact" and last.what in {What.WRONG, What.MUTE}:
        assert all(any(key.key == wording_key(text) for key, _ in standing.unseen_in(one)) for one in turns)
        assert standing.fact(text, turns).held_back


@given(STEPS)
def test_what_stands_already_would_change_nothing_if_it_was_decided_again(lines):
    """Broken: a decision whose place a later one took, or whose words were called wrong, is taken for one that stands."""
    *before, last = steps(lines)
    standing = Standing.of(before)
    again = standing.plus(last)

    if standing.same_as(last) is not None:
        assert seen(again) == seen(standing)


def wording_key(text):
    return Wording.of(text).key


def seen(standing):
    """All that surfaces by what stands, without the ids of lines."""
    turns = ("t1", "t2")
    facts = [standing.fact(text, of) for text in (LYON, *SAID) for of in ((), ("t1",), ("t2",), turns)]
    unseen = [sorted(wording.key for wording, _ in standing.unseen_in(one)) for one in turns]
    said = {(one.text, one.turn_ids, standing.reason_against(one)) for one in standing.statements}
    return [one.held_back for one in facts], [standing.turn(one).held_back for one in turns], unseen, said
