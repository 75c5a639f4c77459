"""
The log of corrections: a line is kept once, a torn one costs only itself, and an erasure takes lines away.

Every docstring says what was broken, once, to see the test fail.
"""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from consolidation.corrections.correction_log import CorrectionLog
from consolidation.corrections.record import Correction, Target, Undo, What
from consolidation.kernel.errors import CorrectionConflict, CorrectionNotFound

NOON = datetime(2026, 1, 28, 12, tzinfo=UTC)


def made(name, what="wrong", text="Bob sings.", *, turns=("t1",)):
    return Correction(name, NOON, "owner", What(what), Target("fact", text, turns))


def undo(name, of):
    return Undo(name, NOON, "owner", of)


def allowed(_standing):
    pass


def log_of(file):
    return CorrectionLog(file, torn=file.parent / "torn")


@pytest.fixture
def file(tmp_path):
    return tmp_path / "corrections.jsonl"


def test_what_was_decided_is_there_after_a_restart(file):
    """Broken: nothing is appended."""
    log_of(file).add(made("c1"), check=allowed)
    log_of(file).undo(undo("u1", "c1"))

    again = log_of(file)

    assert again.lines() == (made("c1"), undo("u1", "c1"))
    assert not again.standing().corrections


def test_the_same_decision_is_kept_once(file):
    """Broken: ``add`` does not look for what stands."""
    log = log_of(file)
    log.add(made("c1"), check=allowed)

    assert log.add(made("c2"), check=allowed).id == "c1"
    assert len(file.read_text().splitlines()) == 1


def test_a_decision_that_can_not_stand_is_not_kept(file):
    """Broken: ``check`` is called behind the append."""

    def refuse(_standing):
        raise CorrectionConflict("no")

    with pytest.raises(CorrectionConflict):
        log_of(file).add(made("c1"), check=refuse)

    assert not file.exists()


def test_lines_that_another_machine_wrote_before_ours_are_read_with_it(file):
    """Broken: only the line that was added is put behind those that were read."""
    here, there = log_of(file), log_of(file)
    here.add(made("c1"), check=allowed)
    there.add(made("c2", text="Eve sings."), check=allowed)

    here.add(made("c3", text="Ida sings."), check=allowed)
    here.undo(undo("u1", "c2"))

    assert [one.id for one in here.lines()] == ["c1", "c2", "c3", "u1"]
    assert [one.id for one in here.standing().corrections] == ["c1", "c3"]


def test_a_decision_is_taken_back_once(file):
    """Broken: each undo is one more line; an unknown id is taken back."""
    log = log_of(file)
    log.add(made("c1"), check=allowed)

    first = log.undo(undo("u1", "c1"))
    second = log.undo(undo("u2", "c1"))
    with pytest.raises(CorrectionNotFound):
        log.undo(undo("u3", "c9"))

    assert first == second == (made("c1"), undo("u1", "c1"))
    assert len(file.read_text().splitlines()) == 2


@pytest.mark.parametrize("rest", ['{"id": "c2", "at"', "\x00\x00", "[]", '{"id": "x"}'])
def test_a_torn_or_strange_line_costs_only_itself(file, rest):
    """Broken: the end is not sealed; a line that is none raises."""
    log_of(file).add(made("c1"), check=allowed)
    file.write_text(file.read_text() + rest)

    log = log_of(file)
    log.add(made("c3", text="Ann has two cats."), check=allowed)

    assert [one.id for one in log_of(file).lines()] == ["c1", "c3"]


def test_an_erasure_takes_a_decision_its_undo_and_strange_lines(file):
    """Broken: an undo is left behind; a strange line stays."""
    log = log_of(file)
    log.add(made("c1"), check=allowed)
    log.add(made("c2", text="Ann has two cats.", turns=("t1", "t2")), check=allowed)
    log.undo(undo("u1", "c1"))
    file.write_text(file.read_text() + "secret words\n")

    def left_of(one):
        turns = tuple(turn for turn in one.target.turn_ids if turn != "t1")
        return replace(one, target=replace(one.target, turn_ids=turns)) if turns else None

    assert log_of(file).forget(left_of) == 4
    assert log_of(file).lines() == (made("c2", text="Ann has two cats.", turns=("t2",)),)
    assert "secret" not in file.read_text()
