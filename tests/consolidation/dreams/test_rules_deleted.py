"""A rule of a dream that a person deleted stays away; one that went otherwise may come back."""

import json
from datetime import UTC, datetime
from tests.support.killed_dreams import Killed, KilledAt

import pytest

from consolidation.dreams.dream_draft import DreamDraft
from consolidation.dreams.dream_files import RULES, DreamFiles
from consolidation.dreams.dream_log import DreamLog, started
from consolidation.dreams.erasure import erase_from_dreams
from consolidation.dreams.rules import read_rules
from consolidation.dreams.undo import undo_dream
from consolidation.kernel.clock import FixedClock
from consolidation.story.chapter_turns import ErasedTurns
from consolidation.workspace import workspace_of

AT = datetime(2026, 2, 12, 9, 32, tzinfo=UTC)
LOOK, ASK = "Look at the gate twice before you open it.", "Ask Vortquible first."


@pytest.fixture
def workspace(tmp_path):
    workspace = workspace_of(tmp_path, "ada")
    workspace.create()
    return workspace


@pytest.fixture
def files(workspace):
    return DreamFiles(workspace, DreamLog(workspace.dreams), clock=FixedClock(AT))


def dreamt(files, *add, remove=()):
    record = started(AT, files.dreams(), cycle=1).model_copy(update={"last_sequence": files.dreams().cursor + 1})
    files.write(DreamDraft(record=record, rules_added=add, rules_removed=remove))
    return rules(files)


def rules(files):
    return [rule.text for rule in read_rules(files.read(RULES))]


def delete(workspace, text):
    file = workspace.writing(RULES)
    file.write_text("".join(line for line in file.read_text().splitlines(keepends=True) if text not in line))


def test_a_deleted_rule_stays_away_however_many_dreams_propose_it_or_one_that_begins_like_it(files, workspace):
    dreamt(files, LOOK, ASK)
    delete(workspace, LOOK)

    assert dreamt(files, LOOK) == [ASK]
    assert dreamt(files, "Look at the gate twice before you close it.", "Sleep well.") == [ASK, "Sleep well."]
    assert dreamt(files, LOOK) == [ASK, "Sleep well."]


def test_a_file_that_a_person_emptied_is_begun_anew(files, workspace):
    dreamt(files, LOOK, ASK)
    workspace.writing(RULES).write_text("")

    assert dreamt(files, ASK) == [ASK]
    assert dreamt(files, LOOK) == [ASK, LOOK]


def test_a_rule_that_a_person_wrote_again_is_theirs(files, workspace):
    dreamt(files, LOOK, ASK)
    delete(workspace, LOOK)
    dreamt(files, LOOK)
    file = workspace.writing(RULES)
    file.write_text(f"{file.read_text()}- {LOOK}\n")

    assert dreamt(files, LOOK) == [ASK, LOOK]


def test_what_a_dream_itself_took_out_may_come_back(files):
    dreamt(files, LOOK, ASK)
    dreamt(files, remove=(LOOK,))

    assert dreamt(files, LOOK) == [ASK, LOOK]


def test_what_went_with_a_dream_that_was_taken_back_may_come_back(files):
    dreamt(files, ASK)
    dreamt(files, LOOK)
    undo_dream(files, 2, by="ann", now=AT)

    assert dreamt(files, LOOK) == [ASK, LOOK]


def test_what_was_erased_may_come_back_when_it_is_learnt_again(files):
    dreamt(files, LOOK, ASK)
    erase_from_dreams(files, ErasedTurns(frozenset({1}), ("Vortquible",), frozenset({"vortquible"})))
    gone = rules(files)

    assert (gone, dreamt(files, LOOK, ASK)) == ([], [LOOK, ASK])


def test_it_holds_for_rules_that_an_earlier_version_wrote_and_without_the_history_of_the_file(files, workspace):
    dreamt(files, LOOK, ASK)
    records = [json.loads(line) for line in workspace.dreams.read_text().splitlines()]
    workspace.dreams.write_text("".join(f"{json.dumps(one | {'lines': None, 'deleted': {}})}\n" for one in records))
    delete(workspace, LOOK)
    after = dreamt(files, LOOK)
    delete(workspace, ASK)
    for version in workspace.writing_history(RULES).iterdir():
        version.unlink()

    assert (after, dreamt(files, LOOK, ASK, "Sleep well.")) == ([ASK], ["Sleep well."])


@pytest.mark.parametrize("place", ["before", "after"])
def test_a_kill_brings_no_deleted_rule_back_and_takes_none_for_deleted(files, workspace, place):
    dreamt(files, LOOK, ASK)
    delete(workspace, LOOK)
    killed = KilledAt(workspace, files.log, clock=FixedClock(AT))
    killed.place = place
    with pytest.raises(Killed):
        dreamt(killed, LOOK, "Sleep well.")

    files.write(files.draft())

    assert rules(files) == [ASK, "Sleep well."]
    assert dreamt(files, LOOK) == [ASK, "Sleep well."]
