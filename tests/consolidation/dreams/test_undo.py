"""A dream that is taken back leaves with its lines, and returns with them, whatever is killed in between."""

from datetime import UTC, datetime, timedelta

import pytest

from consolidation.dreams.changes import changed_by_dreams
from consolidation.dreams.dream_draft import DraftedObservation, DreamDraft
from consolidation.dreams.dream_files import DIARY, OBSERVATIONS, PRIORITIES, RULES, DreamFiles
from consolidation.dreams.dream_log import DreamLog, DreamRecord, UndoneDream
from consolidation.dreams.dreamer import Tidied
from consolidation.dreams.erasure import erase_from_dreams
from consolidation.dreams.observations import Level, read_observations
from consolidation.dreams.rules import MOST_RULES, read_rules
from consolidation.dreams.undo import is_unsettled, redo_dream, settle, undo_dream
from consolidation.kernel.clock import FixedClock
from consolidation.kernel.errors import DreamNotFound
from consolidation.story.chapter_turns import ErasedTurns
from consolidation.workspace import workspace_of

AT = datetime(2026, 2, 12, 9, 32, tzinfo=UTC)
LATER = datetime(2026, 2, 16, 9, 32, tzinfo=UTC)


class Clock(FixedClock):
    """One that goes on, so that each version of a file has a time of its own."""

    def now(self):
        self.advance(timedelta(seconds=1))
        return super().now()


@pytest.fixture
def files(tmp_path):
    workspace = workspace_of(tmp_path, "ada")
    workspace.create()
    return DreamFiles(workspace, DreamLog(workspace.dreams), clock=Clock(AT))


def dreamt(files, number, *lines, rules=(), removed=(), **more):
    """Write a dream of these lines, each a level and words."""
    said = [DraftedObservation(day=AT.date(), level=level, at="09:00", text=text) for level, text in lines]
    digests = {one.observation.digest: one for one in said}
    record = DreamRecord(
        t=AT,
        dream=number,
        last_sequence=number,
        reflection=f"Reflection {number}.",
        sources=dict.fromkeys(digests, (number,)),
        levels={digest: one.level for digest, one in digests.items()},
        **more,
    )
    return files.write(DreamDraft(record=record, observations=tuple(said), rules_added=rules, rules_removed=removed))


def undo(files, number):
    return undo_dream(files, number, by="local", now=LATER)


def lines(files):
    return [f"{one.level} {one.text}" for one in read_observations(files.read(OBSERVATIONS))]


def digest(files, text):
    return next(one.digest for one in read_observations(files.read(OBSERVATIONS)) if one.text == text)


def test_its_lines_rules_and_reflection_leave_and_all_come_back(files):
    dreamt(files, 1, ("RED", "I promised."), rules=("Look twice.",))
    dreamt(files, 2, ("GRN", "I dug."), rules=("Ask Ann first.",))
    before = files.read(OBSERVATIONS), files.read(RULES)

    undo(files, 2)
    without = lines(files), files.read(RULES), files.dreams().last_with_words.reflection
    redo_dream(files, 2)

    assert without == (["RED I promised."], "# Rules\n\n- Look twice. (dream 1)\n", "Reflection 1.")
    assert (files.read(OBSERVATIONS), files.read(RULES)) == before
    assert files.dreams().last_with_words.reflection == "Reflection 2."


def test_a_line_that_a_person_changed_stays(files):
    dreamt(files, 1, ("GRN", "I dug."), ("GRN", "I sowed."))
    files.change(OBSERVATIONS, lambda text: text.replace("GRN 09:00 I dug.", "RED 09:00 I dug."))

    undo(files, 1)

    assert lines(files) == ["RED I dug."]


def test_a_line_that_another_dream_wrote_too_stays(files):
    dreamt(files, 1, ("YLW", "It waits."))
    dreamt(files, 2, ("YLW", "It waits."), ("YLW", "It is late."))

    undo(files, 2)

    assert lines(files) == ["YLW It waits."]


def test_what_it_said_is_over_holds_again(files):
    dreamt(files, 1, ("YLW", "It waits."))
    over = digest(files, "It waits.")
    dreamt(files, 2, superseded=(over,))

    undo(files, 2)

    assert files.dreams().superseded == frozenset()


def test_what_a_deep_sleep_pruned_and_relevelled_is_as_before_and_then_as_after(files):
    dreamt(files, 1, ("GRN", "It is warm."), ("YLW", "It waits."))
    record = dreamt(files, 2, deep=True, kind="deep_sleep")
    raised = {digest(files, "It waits."): Level.RED}
    files.tidy(Tidied(frozenset(), raised, (), ""), record=record, now=LATER, zone=UTC)
    after = lines(files)

    undo(files, 2)
    before = lines(files)
    redo_dream(files, 2)

    assert (after, sorted(before)) == (["RED It waits."], ["GRN It is warm.", "YLW It waits."])
    assert lines(files) == after


def test_a_rule_that_it_took_out_comes_back_and_leaves_again(files):
    dreamt(files, 1, rules=("Look twice.",))
    dreamt(files, 2, rules=("Ask Ann first.",), removed=("Look twice.",))

    undo(files, 2)
    before = files.read(RULES)
    redo_dream(files, 2)

    assert before == "# Rules\n\n- Look twice. (dream 1)\n"
    assert files.read(RULES) == "# Rules\n\n- Ask Ann first. (dream 2)\n"


def test_a_rule_that_gave_way_to_one_of_its_own_comes_back(files):
    dreamt(files, 1, rules=tuple(f"{number} times look." for number in range(MOST_RULES)))
    dreamt(files, 2, rules=("Ask Ann first.",))

    undo(files, 2)

    assert len(read_rules(files.read(RULES))) == MOST_RULES
    assert "Ask Ann" not in files.read(RULES)


def test_a_rule_that_it_took_out_is_told_in_words(files):
    dreamt(files, 1, rules=("Look twice.",))
    dreamt(files, 2, removed=("Look twice.",))

    _, changes = changed_by_dreams(files)

    told = {dream: [(one.what, one.text, one.is_there) for one in of] for dream, of in changes.items()}
    assert told == {1: [("rule", "Look twice.", False)], 2: [("pruned", "Look twice.", False)]}


def test_a_line_that_it_gave_another_level_and_took_out_comes_back_at_the_level_before(files):
    dreamt(files, 1, ("YLW", "It waits."))
    record = dreamt(files, 2, deep=True, kind="deep_sleep")
    lowered = {digest(files, "It waits."): Level.GRN}
    files.tidy(Tidied(frozenset(), lowered, (), ""), record=record, now=LATER, zone=UTC)
    after = lines(files)

    undo(files, 2)
    before = lines(files)
    redo_dream(files, 2)

    assert (after, before, lines(files)) == ([], ["YLW It waits."], [])


def pruned_as_over(files):
    """A line that the second dream said is over, which the third, a deep sleep, took out."""
    dreamt(files, 1, ("YLW", "It waits."))
    dreamt(files, 2, superseded=(digest(files, "It waits."),))
    record = dreamt(files, 3, deep=True, kind="deep_sleep")
    files.prune(record=record, now=AT, zone=UTC)


def test_what_a_deep_sleep_took_out_returns_with_the_dream_that_said_it_is_over(files):
    pruned_as_over(files)
    after = lines(files)

    undo(files, 2)
    before = lines(files)
    redo_dream(files, 2)

    assert (after, before, lines(files)) == ([], ["YLW It waits."], [])


@pytest.mark.parametrize("undone", [(2, 3), (3, 2)])
def test_it_leaves_again_only_where_both_the_dream_that_ended_it_and_the_deep_sleep_count(files, undone):
    pruned_as_over(files)
    for number in undone:
        undo(files, number)
    redo_dream(files, 3)
    before = lines(files)
    redo_dream(files, 2)

    assert (before, lines(files)) == (["YLW It waits."], [])


def test_a_line_that_another_dream_said_is_over_too_stays_away(files):
    pruned_as_over(files)
    over = files.dreams().records[1].superseded
    files.replace(1, lambda one: one.model_copy(update={"superseded": over}))

    undo(files, 2)

    assert lines(files) == []


def test_a_line_that_is_not_over_any_more_returns_with_the_dream_that_wrote_it(files):
    pruned_as_over(files)
    undo(files, 1)
    undo(files, 2)
    before = lines(files)

    redo_dream(files, 1)

    assert (before, lines(files)) == ([], ["YLW It waits."])


def test_a_deep_sleep_that_was_taken_back_before_its_model_answered_changes_nothing(files):
    dreamt(files, 1, ("GRN", "It is warm."), ("YLW", "It waits."))
    record = dreamt(files, 2, deep=True, kind="deep_sleep")
    lowered = {digest(files, "It waits."): Level.GRN}
    undo(files, 2)
    before = files.dreams()

    is_tidied = files.tidy(Tidied(frozenset(), lowered, ("Rest.",), "I slept."), record=record, now=LATER, zone=UTC)
    files.prune(record=record, now=LATER, zone=UTC)

    assert not is_tidied
    assert (lines(files), files.read(PRIORITIES), files.read(DIARY)) == (["GRN It is warm.", "YLW It waits."], "", "")
    assert files.dreams() == before


def both_taken_back(files):
    """A dream of which a later one took out a line and a rule, both taken back, the first one first."""
    dreamt(files, 1, ("GRN", "It is warm."), rules=("Look twice.",))
    record = dreamt(files, 2, ("RED", "I promised."), removed=("Look twice.",), deep=True, kind="deep_sleep")
    files.prune(record=record, now=LATER, zone=UTC)
    undo(files, 1)
    undo(files, 2)


def left_of(files):
    return lines(files), [rule.text for rule in read_rules(files.read(RULES))]


def test_what_it_took_out_of_a_dream_that_was_taken_back_too_stays_away(files):
    both_taken_back(files)

    assert left_of(files) == ([], [])


def test_what_it_took_out_of_a_dream_that_was_taken_back_too_returns_with_that_dream(files):
    both_taken_back(files)

    redo_dream(files, 1)
    first = left_of(files)
    redo_dream(files, 2)

    assert first == (["GRN It is warm."], ["Look twice."])
    assert left_of(files) == (["RED I promised."], [])


def test_what_a_dream_took_out_that_counts_again_does_not_return_with_the_dream_that_wrote_it(files):
    both_taken_back(files)

    redo_dream(files, 2)
    redo_dream(files, 1)
    without = left_of(files)
    undo(files, 2)

    assert without == (["RED I promised."], [])
    assert left_of(files) == (["GRN It is warm."], ["Look twice."])


def test_its_changes_are_told_in_words(files):
    dreamt(files, 1, ("GRN", "It is warm."), ("YLW", "It waits."))
    record = dreamt(files, 2, ("RED", "I promised."), rules=("Look twice.",), deep=True)
    raised = {digest(files, "It waits."): Level.RED}
    files.tidy(Tidied(frozenset(), raised, (), ""), record=record, now=LATER, zone=UTC)

    _, changes = changed_by_dreams(files)

    assert [(one.what, one.text, one.was, one.is_there) for one in changes[2]] == [
        ("observed", "I promised.", None, True),
        ("rule", "Look twice.", None, True),
        ("relevelled", "It waits.", Level.YLW, True),
        ("pruned", "It is warm.", None, False),
    ]


def test_twice_is_as_once(files):
    dreamt(files, 1, ("RED", "I promised."))

    assert undo(files, 1) == undo(files, 1)
    assert redo_dream(files, 1) == redo_dream(files, 1)
    assert lines(files) == ["RED I promised."]


@pytest.mark.parametrize(("phase", "left"), [("leaving", []), ("returning", ["RED I promised."])])
def test_a_kill_in_between_is_finished(files, phase, left):
    dreamt(files, 1, ("RED", "I promised."))
    if phase == "returning":
        undo(files, 1)
    kept = UndoneDream(at=AT, phase=phase, observations=("2026-02-12 RED 09:00 I promised.",))
    files.replace(1, lambda one: one.model_copy(update={"undone": kept}))
    was_unsettled = is_unsettled(files.dreams())

    settle(files)

    assert (was_unsettled, is_unsettled(files.dreams())) == (True, False)
    assert lines(files) == left


def test_a_dream_that_never_was_is_not_found(files):
    with pytest.raises(DreamNotFound):
        undo(files, 1)


@pytest.mark.parametrize("sequences", [{1}, set()], ids=["by its turn", "by its words"])
def test_erased_words_leave_what_was_kept_to_bring_back(files, sequences):
    dreamt(files, 1, ("GRN", "Ingrid is warm."), rules=("Ask Ingrid first.",))
    files.replace(1, lambda one: one.model_copy(update={"rules_removed": ("- Ask Ingrid twice. (dream 0)",)}))
    undo(files, 1)
    record = files.dreams().records[0]
    files.replace(1, lambda one: one.model_copy(update={"pruned": record.undone.observations}))

    erase_from_dreams(files, ErasedTurns(frozenset(sequences), ("Ingrid",), frozenset({"ingrid"})))

    [left] = files.dreams().records
    assert (left.pruned, left.rules_removed, left.undone.observations, left.undone.rules) == ((), (), (), ())
    assert left.is_undone
