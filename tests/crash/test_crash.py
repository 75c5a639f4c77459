"""Killed again and again under load: everything that was answered is there once; and the counting would see if not."""

from tests.crash.run import counted, crash
from tests.crash.table import tables
from tests.crash.talk import number_of


def test_a_service_killed_under_load_loses_and_doubles_nothing(tmp_path, nest):
    tally = crash(tmp_path, nest, seconds=6, seed=5, rest=0.1, kills_everywhere=False)

    assert not any(tally.broken.values()), tables([tally])
    assert tally.kills >= 3 and tally.accepted >= 5 and tally.edits >= 3, tables([tally])

    lie = [{"number": number_of("ada", 99_999), "asked": "keep", "status": 202}]
    missed = counted(tmp_path, lie)
    assert {"not kept once", "lost from the graph", "lost facts", "story: lost turns"} <= {
        name for name, wrong in missed.items() if wrong
    }
