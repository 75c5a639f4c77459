"""A dream is in the language of the work, and tells failures as failures: what denies the log is not written."""

import pytest

from tests.service.sleep.test_dream_lines import dream, dreaming, line, lines
from tests.support.agents import act, call, dreams, slept

pytestmark = pytest.mark.anyio

TOLD = {"kind": "message", "text": "Please send all mails and process the invoices by Friday."}
FAILED = line("The invoices 3 and 4 failed", "YLW")
GOOD = dream(FAILED) | {
    "reflection": "I sent the mails, and two invoices failed, so I tread water.",
    "priority": "Look at the invoices.",
}
RUSSIAN = {
    "observations": [line("Все счета обработаны без ошибок", "RED")],
    "reflection": "Сегодня всё прошло отлично, ошибок не было.",
    "priority": "Отдохнуть.",
    "rules": {"add": ["Всегда отдыхать."], "remove": []},
}
SPANISH = {
    "observations": [line("invoices 3 → FAIL", "YLW")],
    "reflection": "Revisé la lista y varias cosas salieron mal.",
    "priority": "Mirar lo que falta.",
    "rules": {"add": ["Leer el mensaje antes de probar otra vez."], "remove": []},
}


async def worked(service, *, first=1):
    """Have the agent send mails, which succeeds, and process invoices, of which two fail."""
    await act(service, TOLD)
    await act(service, *(call(first + n, tool="send_mail", output="sent") for n in range(4)))
    await act(service, *(call(first + 4 + n, tool="invoices", ok=n < 2, output="done or not") for n in range(4)))
    await slept(service)


@pytest.mark.parametrize("bad", [RUSSIAN, SPANISH], ids=["russian", "spanish"])
async def test_a_dream_in_another_language_is_asked_for_again_however_short_it_is(tmp_path, bad):
    async with dreaming(tmp_path, bad, GOOD) as (service, asked):
        await worked(service)
        [found] = await dreams(service)
        rules = (tmp_path / "minds/ada/rules.md").exists()

    assert found["reflection"] == GOOD["reflection"] and not rules
    assert "in the language '" not in asked()[0] and "in the language '" in asked()[1]


async def test_a_line_or_a_rule_in_other_letters_is_left_out_unless_it_quotes_the_log(tmp_path):
    mixed = GOOD | {
        "observations": [FAILED, *RUSSIAN["observations"], line("The person wrote “Проверь счета до пятницы”", "GRN")],
        "rules": {"add": ["Всегда отдыхать.", "Read the error before the next try."], "remove": []},
    }
    async with dreaming(tmp_path, mixed) as (service, _):
        await act(service, {"kind": "message", "text": "Проверь счета до пятницы"})
        await worked(service)
        texts = [one["text"] for one in await lines(service)]
        rules = (tmp_path / "minds/ada/rules.md").read_text()

    assert "Все счета обработаны без ошибок" not in texts
    assert "The person wrote “Проверь счета до пятницы”" in texts
    assert "Read the error" in rules and "отдыхать" not in rules


@pytest.mark.parametrize(
    "denial",
    [
        "All calls of invoices succeeded, nothing failed",
        "Everything went well today",
        "The invoices were processed without errors",
        "The invoices were processed without any problem",
        "No invoices failed",
    ],
)
async def test_a_line_that_denies_failures_of_the_log_ends_no_line_that_tells_them(tmp_path, denial):
    denying = GOOD | {"observations": [line(denial, "RED", ends=[1, 2, 3]), line("The mails are sent")]}
    async with dreaming(tmp_path, GOOD, denying) as (service, _):
        await worked(service)
        await worked(service, first=20)
        await act(service, {"kind": "thought", "text": "I rest."})
        await service.http.post("/v1/minds/ada/dreams", json={"deep": True, "wait": True})
        found = await lines(service)

    assert denial not in [one["text"] for one in found]
    assert [one["is_superseded"] for one in found if one["text"] == FAILED["text"]] == [False]


async def test_a_dream_that_denies_failures_is_asked_for_again_with_the_reason(tmp_path):
    denying = GOOD | {"reflection": "All my calls succeeded and nothing failed, so I get on."}
    async with dreaming(tmp_path, denying, GOOD) as (service, asked):
        await worked(service)
        [found] = await dreams(service)

    assert found["reflection"] == GOOD["reflection"]
    assert "the log has calls that failed" in asked()[1]


@pytest.mark.parametrize("true", ["All mails were sent successfully", "send_mail: the mails went out without errors"])
async def test_what_did_succeed_may_be_told_so_whatever_else_failed(tmp_path, true):
    async with dreaming(tmp_path, GOOD | {"observations": [line(true), FAILED]}) as (service, _):
        await worked(service)
        texts = [one["text"] for one in await lines(service)]

    assert true in texts and FAILED["text"] in texts


async def test_a_call_that_failed_and_was_made_again_with_success_may_be_told_as_done(tmp_path):
    done = "All invoices were processed successfully"
    async with dreaming(tmp_path, GOOD | {"observations": [line(done)]}) as (service, _):
        await act(service, *(call(n, tool="invoices", ok=n != 3, output="-") for n in range(1, 7)))
        await act(service, call(3, tool="invoices", output="done") | {"id": "again"})
        await slept(service)
        texts = [one["text"] for one in await lines(service)]

    assert done in texts
