"""Finds a template (a mind's own copy first) and fills it, strictly."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import jinja2

HOUSE = Path(__file__).parent


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


def _environment(folders: tuple[Path, ...]) -> jinja2.Environment:
    # Built anew each time: a person's edit shows at the next call, and a model call dwarfs the cost.
    import jinja2
    from jinja2.sandbox import SandboxedEnvironment

    return SandboxedEnvironment(
        loader=jinja2.FileSystemLoader(folders),
        undefined=jinja2.StrictUndefined,
        autoescape=False,
        trim_blocks=True,
        lstrip_blocks=True,
    )
