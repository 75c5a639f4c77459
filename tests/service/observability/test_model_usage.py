"""What models cost, by role and by model: the same calls, summed differently, in no more room than it needs."""

from datetime import UTC, datetime

from consolidation.kernel.ports import Role, Usage
from service.observability.model_usage import ModelCall, UsageLedger

NOON = datetime(2026, 1, 9, 12, tzinfo=UTC)


def call_of(role, model, usage, outcome="answered"):
    return ModelCall(role, model, "localhost", NOON, usage, outcome)


def test_the_totals_are_the_same_by_role_and_by_model():
    ledger = UsageLedger()
    ledger.record(call_of(Role.CHAT, "a", Usage(1, 10, 2, 0.5, 1.0)))
    ledger.record(call_of(Role.CHAT, "b", Usage(1, 20, 4, 0.25, 2.0), "failed"))
    ledger.record(call_of(Role.EXTRACTION, "a", Usage(1, 40, 8, 0.125, 4.0)))

    spending = ledger.snapshot()

    assert spending.by_role == {Role.CHAT: Usage(2, 30, 6, 0.75, 3.0), Role.EXTRACTION: Usage(1, 40, 8, 0.125, 4.0)}
    assert spending.by_model == {"a": Usage(2, 50, 10, 0.625, 5.0), "b": Usage(1, 20, 4, 0.25, 2.0)}
    assert spending.total == Usage(3, 70, 14, 0.875, 7.0)
    assert {asked: count for asked, count in spending.failed_calls.items() if count} == {(Role.CHAT, "b"): 1}
    assert spending.durations[("chat",)].up_to[-1] == 2


def test_models_that_callers_name_do_not_fill_the_memory():
    ledger = UsageLedger()
    for number in range(1_000):
        ledger.record(call_of(Role.CHAT, f"model-{number}", Usage(1)))

    spending = ledger.snapshot()

    assert len(spending.by_role_and_model) < 110
    assert spending.total.calls == 1_000
    assert spending.by_model["other"].calls > 800


def test_what_a_role_failed_of_is_counted_by_its_kind():
    ledger = UsageLedger()
    ledger.record_fault(Role.NARRATIVE, "ModelTimedOut")
    ledger.record_fault(Role.NARRATIVE, "ModelTimedOut")

    assert ledger.snapshot().faults == {(Role.NARRATIVE, "ModelTimedOut"): 2}


def test_the_last_twenty_calls_are_kept_newest_first():
    ledger = UsageLedger()
    for number in range(25):
        ledger.record(call_of(Role.CHAT, f"model-{number}", Usage(1)))

    assert [call.model for call in ledger.last_calls] == [f"model-{number}" for number in range(24, 4, -1)]
