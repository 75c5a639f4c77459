"""`mind-memory retry`: turns that no model could read, given to the model once more."""

from __future__ import annotations

from consolidation.workspace import DEFAULT_MIND
from service.cli.catch_up import until_retried
from service.cli.command import Context, MindName, command
from service.cli.connection import connect
from service.cli.output.progress import bar
from service.cli.output.terminal import counted, out


@command()
async def retry(context: Context, mind: MindName = DEFAULT_MIND) -> None:
    """Give parked turns to the model once more."""
    async with connect(context) as connection:
        memory = connection.memory
        parked = (await memory.mind(mind)).graph.parked
        retrying = await memory.retry_parked(mind)
        if not retrying:
            out().print(f"No turn of {mind} is parked.")
        elif connection.is_own:
            with bar("reading"):
                left = await until_retried(memory, mind, parked)
            out().print(f"{counted(retrying, 'parked turn')} tried again: {left} still parked.")
        else:
            turns = counted(retrying, "parked turn")
            out().print(f"{turns} will be tried again; `mind-memory status` shows what comes of it.")
