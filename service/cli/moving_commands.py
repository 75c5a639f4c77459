"""The commands that move a mind, or build it anew, with their options; what they do is imported when called."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from service.cli.faults import plainly
from service.cli.options import DEFAULT_MIND, Home, MindName, Url

_BUILDS_ON = "Stopped watching. What is left to build is built while the service runs, now or when it runs next."


def export(
    mind: MindName = DEFAULT_MIND,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="Where to; <mind>-<day>.zip when left out.")
    ] = None,
    home: Home = None,
    url: Url = None,
) -> None:
    """Write a mind, whole, into one archive; `import` reads it."""
    with plainly(interrupted="Stopped. Nothing was written."):
        from service.cli.exporting import export as run

        run(mind=mind, output=output, home=home, url=url)


def rebuild(mind: MindName = DEFAULT_MIND, home: Home = None, url: Url = None) -> None:
    """Build graph and full text anew from the transcript; models read every turn again, which may cost."""
    with plainly(interrupted=_BUILDS_ON):
        from service.cli.rebuilding import rebuild as run

        run(mind=mind, home=home, url=url)
