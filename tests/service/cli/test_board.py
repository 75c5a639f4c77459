"""The board of `status --watch`, of minds that the service knows and of one that it knows nothing of just now."""

from mind_memory_client.service_status import ServiceStatus
from rich.console import Console

from service.cli.output.board import Look, board
from service.http.schemas.status import STANDING, MindStandingOut


def test_a_mind_of_which_nothing_is_known_has_no_numbers_and_the_reason():
    unknown = MindStandingOut.of_unknown("ada", reason="WorkerUnavailable: worker 0 is being started again")
    minds = [*STANDING["minds"], unknown.model_dump()]
    status = ServiceStatus.model_validate(STANDING | {"minds": minds})
    console = Console(width=140)

    with console.capture() as printed:
        console.print(board(Look(status, {"ada": 7}), place="here", width=140))
    lines = printed.get().splitlines()

    [row] = [line for line in lines if line.strip().startswith("ada ") and "?" in line]
    assert set(row.split()) == {"ada", "?"}
    assert any("ada waits: WorkerUnavailable" in line for line in lines)
    assert any("global-user-memory" in line and "100% of 1" in line for line in lines)
