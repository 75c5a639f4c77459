"""Plans of unfinished erasures: what was written is read again, also what an earlier release has written."""

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from service.erasure.pending import FOLDER, DoomedTurn, ErasedMinds, ErasurePlan, PendingErasures
from service.erasure.receipt import ErasureRequest

NOW = datetime(2026, 11, 22, 9, tzinfo=UTC)
TURN = ErasurePlan(
    ErasureRequest("ada", turn_id="t1"),
    NOW,
    (DoomedTurn(3, "t1", "s1", "uuid"),),
    ("rubi",),
    ("rubies",),
    ("My rubies.",),
)
WHOLE = ErasurePlan(ErasureRequest("bob"), NOW, forms=("Quittenbaum",))


def test_a_plan_is_read_as_it_was_written(tmp_path):
    pending = PendingErasures(tmp_path)

    pending.write(TURN)
    pending.write(WHOLE)

    assert set(PendingErasures(tmp_path).all()) == {TURN, WHOLE}


def test_a_plan_of_the_first_release_is_finished_by_this_one(tmp_path):
    (tmp_path / FOLDER).mkdir()
    (tmp_path / FOLDER / "ada.part.json").write_text(
        json.dumps(
            {
                "wish": {"mind_id": "ada", "session_id": None, "turn_id": "t1"},
                "began_at": NOW.isoformat(),
                "turns": [{"sequence": 3, "turn_id": "t1", "session_id": "s1", "episode": "uuid"}],
                "words": ["rubi"],
                "forms": ["rubies"],
                "said": ["My rubies."],
            }
        )
    )

    assert PendingErasures(tmp_path).all() == (TURN,)


def test_the_folder_goes_with_the_last_plan(tmp_path):
    pending = PendingErasures(tmp_path)
    pending.write(TURN)

    pending.drop(TURN)

    assert not (tmp_path / FOLDER).exists()


def test_a_plan_is_unfinished_until_it_is_dropped_and_one_that_was_begun_later_is_another(tmp_path):
    pending = PendingErasures(tmp_path)
    pending.write(WHOLE)
    pending.write(later := replace(TURN, began_at=NOW + timedelta(seconds=1)))

    assert [pending.is_unfinished(plan) for plan in (WHOLE, later, TURN)] == [True, True, False]

    pending.drop(WHOLE)
    assert not pending.is_unfinished(WHOLE)


def test_an_erased_mind_is_remembered_without_its_id(tmp_path):
    erased = ErasedMinds(tmp_path)

    erased.note("ada", NOW)

    assert (erased.at("ada"), erased.at("bob")) == (NOW.timestamp(), 0.0)
    assert "ada" not in (tmp_path / "erased.json").read_text()
