"""Writing a dream again that was killed in between: what the first try wrote stays known as ours."""

import json
from datetime import UTC, datetime

import pytest

from consolidation.dreams.dream_draft import DraftedObservation, DreamDraft
from consolidation.dreams.dream_files import OBSERVATIONS, RULES, DreamFiles
from consolidation.dreams.dream_log import DreamLog, DreamRecord
from consolidation.dreams.rules import read_rules
from consolidation.dreams.sleep_decision import SleepKind
from consolidation.dreams.sleep_state import OwedDream, SleepState
from consolidation.kernel.clock import FixedClock
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
