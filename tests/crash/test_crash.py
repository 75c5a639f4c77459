"""Killed again and again under load: everything that was answered is there once; and the counting would see if not."""

from tests.crash.run import counted, crash
from tests.crash.table import tables
from tests.crash.talk import number_of


def test_a_service_killed_under_load_loses_and_doubles_nothing(tmp_path, nest):
    tally = crash(tmp_path, nest, seconds=6, seed=5, rest=0.1, kills_everywhere=False)

    assert not any(tally.broken.values()), tables([tally])
    assert tally.kills >= 3 and tally.accepted >= 5 and tally.edits >= 3, tables([tally])
    assert tally.outcomes >= 3, tables([tally])

    number = number_of("ada", 99_999)
    lies = [
        {"number": number, "asked": "keep", "status": 202},
        {"number": number, "asked": "report", "status": 200, "trace_id": "t", "outcomes": {"episode:1": "acted"}},
    ]
    log = tmp_path / "home" / "minds" / "ada" / "outcomes.jsonl"
    log.write_text(2 * log.read_text().splitlines(keepends=True)[0])
    missed = counted(tmp_path, lies)
    assert {
        "not kept once",
        "lost from the graph",
        "lost facts",
        "story: lost turns",
        "lost outcomes",
        "doubled outcomes",
        "outcomes of nobody",
        "outcomes counted wrongly",
        "outcomes weighed otherwise again",
    } <= {name for name, wrong in missed.items() if wrong}
