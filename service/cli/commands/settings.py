"""`mind-memory settings`: what is set for a mind and where it comes from; its own are set and taken away."""

from __future__ import annotations

import json
import re
from typing import Annotated, Any

import typer
from mind_memory_client.settings import MindSettings
from rich.console import Console

from consolidation.workspace import DEFAULT_MIND
from service.cli.command import CommandFailed, Context, MindName, command
from service.cli.connection import connect
from service.cli.output.terminal import complain, one_line, plain_table

_SET, _UNSET = "set", "unset"
_TEXTS, _LISTS = ("language", "timezone"), ("entity_kinds", "never_keep", "also_read")
_BETWEEN = re.compile(r"[,，、،;；؛\n]")  # the words of a list, in any script, as in the console
_UNSET_TEXTS = {"language": "the message's own", "timezone": "UTC"}
_NAMES = ("relevance", "max_fragments", "max_tokens", "echo_turns", *_TEXTS, *_LISTS)


@command(json=True)
async def settings(
    context: Context,
    what: Annotated[str | None, typer.Argument(metavar="WHAT", help="set, unset, or nothing: show them.")] = None,
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="NAME[=VALUE]", help="Like relevance=0.4, or never_keep='one, two'."),
    ] = None,
    mind: MindName = DEFAULT_MIND,
) -> None:
    """Show what is set for a mind, and set or take away what is its own."""
    changes = _changes(what, names or [])
    async with connect(context) as connection:
        found = await connection.memory.settings(mind)
        if changes:
            found = await connection.memory.change_settings(mind, changes=changes, etag=found.etag)
    connection.show(context, _show, found)


def _changes(what: str | None, names: list[str]) -> dict[str, Any]:
    """What is to be set, with None for what is taken away. Raises CommandFailed."""
    if what is None:
        return {}
    if what not in {_SET, _UNSET}:
        raise CommandFailed(f"{what}: choose from {_SET}, {_UNSET}; without either, settings are shown")
    if not names:
        raise CommandFailed(f"say which: {', '.join(_NAMES)}")
    changes: dict[str, Any] = {}
    for one in names:
        name, sign, value = one.partition("=")
        if name not in _NAMES:
            raise CommandFailed(f"{name} is not a setting of a mind: choose from {', '.join(_NAMES)}")
        if bool(sign) is not (what == _SET):
            raise CommandFailed(f"write it as `settings set {name}=VALUE`, or `settings unset {name}`")
        changes[name] = _value(name, value) if sign else None
    return changes


def _value(name: str, text: str) -> object:
    """A value as it is sent: a list may be JSON, or words between commas. Raises CommandFailed."""
    if name in _TEXTS:
        return text
    if name in _LISTS and not text.lstrip().startswith("["):
        words = [word.strip() for word in _BETWEEN.split(text) if word.strip()]
        return words if name != "entity_kinds" else [{"name": word} for word in words]
    try:
        return json.loads(text)
    except ValueError as error:
        raise CommandFailed(f"{name}={text}: this is neither a number nor a list as JSON") from error


def _show(console: Console, found: MindSettings) -> None:
    every = ((name, getattr(found.settings, name)) for name in _NAMES)
    rows = ((name, _shown(name, one.value), one.source) for name, one in every)
    console.print(plain_table("setting", "value", "from", rows=rows))
    if found.fault is not None:
        place = f", line {found.fault.line}" if found.fault.line is not None else ""
        complain(f"settings.toml{place}: {one_line(found.fault.detail)}. Mend it; the service's values hold meanwhile.")


def _shown(name: str, value: Any) -> str:  # noqa: ANN401 - of any setting
    if name == "entity_kinds":
        return one_line(", ".join(kind.name for kind in value)) or "none"
    if name in _LISTS:
        return one_line(", ".join(value)) or "none"
    return _UNSET_TEXTS[name] if value is None else one_line(str(value))
