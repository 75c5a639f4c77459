"""The options that commands share, worded once."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from consolidation import workspace

DEFAULT_MIND = workspace.DEFAULT_MIND
GOES_ON = "Stopped. What was imported so far is kept; the same command goes on from there."

Home = Annotated[
    Path | None,
    typer.Option("--home", metavar="DIR", help="Where everything is kept (~/.mind-memory)."),
]
Url = Annotated[
    str | None,
    typer.Option("--url", metavar="URL", envvar="MIND_MEMORY_URL", help="A service that runs elsewhere."),
]
MindName = Annotated[str, typer.Option("--mind", metavar="ID", help="Whose memory.")]
