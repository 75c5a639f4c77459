"""Finds a template (a mind's own copy first) and fills it, strictly."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import jinja2

HOUSE = Path(__file__).parent
# The tags that our templates put around what was said: what stands between them can neither close nor open one.
FRAMES = "before candidates chapters happened known message new recent soul story turn".split()
_FRAME = re.compile(rf"[<＜](?=[^\w>\n]{{0,32}}(?:{'|'.join(FRAMES)})\b)", re.IGNORECASE)


class PromptError(LookupError):
    """A template is missing, malformed, or was given the wrong words."""


def render(name: str, /, *, overrides: Path | None = None, **words: object) -> str:
    """
    Fill the template ``<name>.md`` with *words*, refusing to leave a blank.

    The folder *overrides* wins over ours, file by file. Templates run sandboxed: a person's copy can
    not reach into the process. Raises PromptError.
    """
    import jinja2

    folders = [folder for folder in (overrides, HOUSE) if folder is not None]
    try:
        return _environment(tuple(folders)).get_template(f"{name}.md").render(words)
    except jinja2.TemplateError as error:
        raise PromptError(f"prompt {name!r}: {error}") from error


def _framed(value: object) -> object:
    """A word of a template, unable to leave the frame it is put into."""
    return _FRAME.sub("‹", value) if isinstance(value, str) else value


def _environment(folders: tuple[Path, ...]) -> jinja2.Environment:
    # Built anew each time: a person's edit shows at the next call, and a model call dwarfs the cost.
    import jinja2
    from jinja2.sandbox import SandboxedEnvironment

    return SandboxedEnvironment(
        loader=jinja2.FileSystemLoader(folders),
        undefined=jinja2.StrictUndefined,
        autoescape=False,
        finalize=_framed,
        trim_blocks=True,
        lstrip_blocks=True,
    )
