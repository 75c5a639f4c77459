"""Writing a dream again that was killed in between: what the first try wrote stays known as ours."""

import json
from datetime import UTC, datetime, timedelta
from tests.support.killed_dreams import Killed, KilledAt

import pytest

from consolidation.dreams.dream_draft import DraftedObservation, DreamDraft
from consolidation.dreams.dream_files import BRIEFING, DIARY, OBSERVATIONS, PRIORITIES, RULES, DreamFiles
from consolidation.dreams.dream_log import DreamLog, DreamRecord
from consolidation.dreams.dreamer import Tidied
from consolidation.dreams.erasure import erase_from_dreams
from consolidation.dreams.rules import read_rules
from consolidation.dreams.sleep_decision import SleepKind
from consolidation.dreams.sleep_state import OwedDream, SleepState
from consolidation.dreams.undo import redo_dream, undo_dream
from consolidation.kernel.clock import FixedClock
from consolidation.story.chapter_turns import ErasedTurns
from consolidation.workspace import workspace_of

AT = datetime(2026, 2, 12, 9, 32, tzinfo=UTC)


@pytest.fixture
def workspace(tmp_path):
    workspace = workspace_of(tmp_path, "ada")
    workspace.create()
    return workspace


@pytest.fixture
def files(workspace):
    return DreamFiles(workspace, DreamLog(workspace.dreams), clock=FixedClock(AT))


def test_reasons_of_failures_are_forgotten_and_what_is_owed_stays(files):
    owed = OwedDream(dream_id="d", kind=SleepKind.DREAM, last_sequence=7, asked_at=AT, error="it said: Vortquible")
    files.set_state(SleepState(owed=owed, error="it said: Vortquible", reason="Ann wrote"))

    files.forget_reasons()

    assert files.state() == SleepState(owed=owed.model_copy(update={"error": ""}))


def test_a_rule_of_a_dream_that_was_killed_behind_it_stays_the_dreams(files, workspace):
    draft = DreamDraft(record=DreamRecord(t=AT, dream=1), rules_added=("Look  twice.", "Ask Ann first."))
    files.write(draft)
    workspace.dreams.unlink()

    record = files.write(draft)

    rules = read_rules(files.read(RULES))
    assert [rule.line for rule in rules] == ["- Look twice. (dream 1)", "- Ask Ann first. (dream 1)"]
    assert record.rules == tuple(rule.digest for rule in rules)


def test_an_observation_that_a_person_reworded_before_a_killed_dream_went_on_does_not_come_back(files, workspace):
    said = [DraftedObservation(day=AT.date(), level="GRN", at="09:00", text=text) for text in ("I dug.", "I sowed.")]
    draft = DreamDraft(record=DreamRecord(t=AT, dream=1), observations=tuple(said))
    files.write(draft)
    workspace.dreams.unlink()
    file = workspace.writing(OBSERVATIONS)
    file.write_text(file.read_text().replace("I dug.", "I dug the bed."))

    files.write(draft)

    assert file.read_text() == "## 2026-02-12\n\nGRN 09:00 I dug the bed.\nGRN 09:00 I sowed.\n"


def test_an_evaluation_behind_half_a_line_is_a_line_of_its_own(files, workspace):
    files.add_evaluation({"dream": 1})
    with workspace.evaluation.open("a") as log:
        log.write('{"t": "2026-02-')

    files.add_evaluation({"dream": 2})

    assert files.evaluated() == 2
    assert json.loads(workspace.evaluation.read_text().splitlines()[-1]) == {"dream": 2}


def briefed(files, number, briefing):
    """A dream that writes this briefing."""
    record = DreamRecord(t=AT, dream=number, last_sequence=number, lines={})
    return files.write(DreamDraft(record=record, briefing=briefing))


def tidied(files, number, priority, diary=""):
    """A deep sleep that sets this priority."""
    record = DreamRecord(t=AT + timedelta(minutes=number), dream=number, deep=True, lines={})
    if all(one.dream != number for one in files.dreams().records):
        files.log.add(record)
    files.tidy(Tidied(frozenset(), {}, (priority,), diary), record=record, now=AT, zone=UTC)


def as_an_earlier_version_left_it(workspace):
    """The dreams as they were before the lines that each wrote were noted."""
    lines = [json.loads(line) for line in workspace.dreams.read_text().splitlines()]
    workspace.dreams.write_text("".join(f"{json.dumps(one | {'lines': None})}\n" for one in lines))


@pytest.mark.parametrize("place", ["before", "after"])
def test_a_briefing_that_a_kill_interrupted_is_ours_and_a_persons_line_stays_theirs(files, workspace, place):
    briefed(files, 1, "I dug.")
    file = workspace.writing(BRIEFING)
    file.write_text(f"Ann is on holiday.\n{file.read_text()}")
    killed = KilledAt(workspace, files.log, clock=FixedClock(AT))
    killed.place = place
    with pytest.raises(Killed):
        briefed(killed, 2, "I sowed.\nAnn is on holiday.")

    files.write(files.draft())
    briefed(files, 3, "I reap.")

    assert file.read_text() == "Ann is on holiday.\n\nI reap.\n"


@pytest.mark.parametrize("place", ["before", "after"])
def test_a_rule_that_a_killed_dream_took_out_is_noted(files, workspace, place):
    files.write(DreamDraft(record=DreamRecord(t=AT, dream=1), rules_added=("Look twice.",)))
    killed = KilledAt(workspace, files.log, clock=FixedClock(AT))
    killed.place = place
    with pytest.raises(Killed):
        killed.write(DreamDraft(record=DreamRecord(t=AT, dream=2), rules_removed=("Look twice.",)))

    record = files.write(files.draft())

    assert record.rules_removed == ("- Look twice. (dream 1)",)


def killed_while_it_tidied(files, workspace, place):
    """Begin the second deep sleep, and die before or after its priorities are written."""
    killed = KilledAt(workspace, files.log, clock=FixedClock(AT))
    killed.place = place
    files.log.add(DreamRecord(t=AT, dream=2, deep=True, lines={}))
    with pytest.raises(Killed):
        killed._write_priorities(("Sow",), number=2, earlier=files.dreams().before(2))


@pytest.mark.parametrize("place", ["before", "after"])
def test_priorities_that_a_kill_interrupted_are_ours_and_a_persons_stays_theirs(files, workspace, place):
    tidied(files, 1, "Dig")
    file = workspace.writing(PRIORITIES)
    file.write_text(f"{file.read_text()}- Call Ann\n")
    killed_while_it_tidied(files, workspace, place)

    tidied(files, 2, "Water")
    tidied(files, 3, "Reap")

    assert file.read_text() == "# Priorities\n\n- Call Ann\n- Reap\n"


@pytest.mark.parametrize("is_updated", [False, True])
@pytest.mark.parametrize("place", ["before", "after"])
def test_a_person_keeps_their_priority_where_a_kill_interrupted_the_first_deep_sleep(
    files, workspace, place, is_updated
):
    if is_updated:
        tidied(files, 1, "Dig")
        as_an_earlier_version_left_it(workspace)
    file = workspace.writing(PRIORITIES)
    file.write_text(f"{files.read(PRIORITIES)}- Call Ann\n")
    killed_while_it_tidied(files, workspace, place)

    tidied(files, 2, "Water")
    tidied(files, 3, "Reap")

    assert file.read_text() == "# Priorities\n\n- Call Ann\n- Reap\n"


@pytest.mark.parametrize("name", [PRIORITIES, BRIEFING, DIARY])
def test_what_a_person_wrote_before_any_dream_is_not_ours(files, workspace, name):
    files.change(name, lambda _: "Call Ann\n")

    files.log.add(DreamRecord(t=AT, dream=1, lines={}))

    assert files.ours(name) == frozenset()


@pytest.mark.parametrize("place", ["before", "after"])
def test_a_briefing_that_a_kill_interrupted_is_written_whole_and_a_deleted_line_stays_away(files, workspace, place):
    briefed(files, 1, "Hall 3\nThe lift is broken.\nAnn waits.")
    file = workspace.writing(BRIEFING)
    file.write_text(file.read_text().replace("Ann waits.\n", ""))
    killed = KilledAt(workspace, files.log, clock=FixedClock(AT))
    killed.place = place
    with pytest.raises(Killed):
        briefed(killed, 2, "Hall 3\nThe lift is repaired.\nAnn waits.")

    files.write(files.draft())
    after = file.read_text()
    briefed(files, 3, "Hall 3\nThe lift is broken.\nAnn waits.")

    assert after == "Hall 3\nThe lift is repaired.\n"
    assert file.read_text() == "Hall 3\nThe lift is broken.\n"


@pytest.mark.parametrize("place", ["before", "after"])
def test_priorities_that_a_kill_interrupted_are_set_and_a_deleted_one_stays_away(files, workspace, place):
    files.log.add(DreamRecord(t=AT, dream=1, deep=True, lines={}))
    files._write_priorities(("Call Ann", "Dig"), number=1, earlier=files.dreams().before(1))
    file = workspace.writing(PRIORITIES)
    file.write_text(file.read_text().replace("- Call Ann\n", ""))
    files.log.add(DreamRecord(t=AT, dream=2, deep=True, lines={}))
    killed = KilledAt(workspace, files.log, clock=FixedClock(AT))
    killed.place = place
    with pytest.raises(Killed):
        killed._write_priorities(("Call Ann", "Sow"), number=2, earlier=files.dreams().before(2))

    files._write_priorities(("Call Ann", "Sow"), number=2, earlier=files.dreams().before(2))
    after = file.read_text()
    files.log.add(DreamRecord(t=AT, dream=3, deep=True, lines={}))
    files._write_priorities(("Call Ann", "Dig"), number=3, earlier=files.dreams().before(3))

    assert after == "# Priorities\n\n- Sow\n"
    assert file.read_text() == "# Priorities\n\n- Dig\n"


def test_what_an_earlier_version_wrote_gives_way_to_the_next_dream(files, workspace):
    briefed(files, 1, "I dug.")
    tidied(files, 2, "Dig")
    as_an_earlier_version_left_it(workspace)

    briefed(files, 3, "I sowed.")
    tidied(files, 4, "Sow")

    assert files.read(BRIEFING) == "I sowed.\n"
    assert files.read(PRIORITIES) == "# Priorities\n\n- Sow\n"


def test_erased_words_leave_the_diary_that_an_earlier_version_began(files, workspace):
    tidied(files, 1, "Dig", "I met Vortquible.\nI dug.")
    as_an_earlier_version_left_it(workspace)
    tidied(files, 2, "Sow", "I sowed.")

    left = erase_from_dreams(files, ErasedTurns(frozenset(), ("Vortquible",), frozenset({"vortquible"})))

    assert left.edited == ()
    assert files.read(DIARY) == "## 2026-02-12 09:33\n\nI dug.\n\n## 2026-02-12 09:34\n\nI sowed.\n"


def test_a_draft_whose_turn_is_erased_leaves_nothing_of_what_it_wrote(files, workspace):
    briefed(files, 1, "I dug.")
    killed = KilledAt(workspace, files.log, clock=FixedClock(AT))
    with pytest.raises(Killed):
        briefed(killed, 2, "I met Vortquible.\nI sowed.")

    erase_from_dreams(files, ErasedTurns(frozenset({2}), ("Vortquible",), frozenset({"vortquible"})))

    assert (files.read(BRIEFING), files.draft()) == ("", None)


def test_a_line_that_two_dreams_say_goes_when_both_are_taken_back_and_returns_with_either(files):
    for number, at in ((1, "09:31"), (2, "15:07")):
        said = DraftedObservation(day=AT.date(), level="RED", at=at, text="Never deploy on a Friday.")
        digest = said.observation.digest
        record = DreamRecord(t=AT, dream=number, lines={}, sources={digest: (number,)}, levels={digest: "RED"})
        files.write(DreamDraft(record=record, observations=(said,)))

    found = []
    for change in (
        lambda: undo_dream(files, 1, by="Ann", now=AT),
        lambda: undo_dream(files, 2, by="Ann", now=AT),
        lambda: redo_dream(files, 1),
    ):
        change()
        found.append(files.read(OBSERVATIONS).count("Never deploy"))

    assert found == [1, 0, 1]
