"""
What all commands have in common: the options they share, and how they end.

A command that can not do its work prints one sentence with what to do, and exits with 1; Ctrl-C exits with 130. A
traceback is only for what nobody foresaw.
"""

from __future__ import annotations

import asyncio
import functools
import inspect
import os
import re
import shlex
import signal
from collections.abc import Callable, Collection, Coroutine, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date, datetime, time
from inspect import Parameter
from pathlib import Path
from typing import Annotated, Any, get_type_hints

import typer

from consolidation.kernel.errors import ConfigurationFault, MemoryFault
from consolidation.kernel.files import is_full
from consolidation.workspace import DEFAULT_MIND, mind_id_of
from service.cli.output.terminal import complain, show_commands_for, show_times_in, shown_zone
from service.observability.logging import configure_logs
from service.settings.loading import read_settings, wants_colours
from service.settings.settings import Settings

FAILED, INTERRUPTED = 1, 130
_AS_IT_IS = "The API's answer as it is."
_MENDS: dict[type[OSError], str] = {
    PermissionError: "give it to the user who runs mind-memory",
    NotADirectoryError: "a file stands where a folder belongs: move it away",
    FileExistsError: "a file stands where a folder belongs: move it away",
}
_FREE_SPACE = "the disk is full: free space, then try again"

MindName = Annotated[str, typer.Option("--mind", metavar="ID", help="Whose memory.")]
OneSession = Annotated[str | None, typer.Option("--session", metavar="ID", help="Only this session.")]
HowMany = Annotated[int, typer.Option("--limit", metavar="NUMBER", min=1, max=500, help="How many.")]
Asker = Annotated[
    str | None, typer.Option("--asker", metavar="NAME", help='Who asks, in a mind of several people: whom "I" means.')
]
_MindMeant = Annotated[
    str | None, typer.Option("--mind", metavar="ID", help=f"Whose memory; else the only mind's, or {DEFAULT_MIND}.")
]
_Home = Annotated[Path | None, typer.Option("--home", metavar="DIR", help="The data folder (~/.mind-memory).")]
_Url = Annotated[
    str | None, typer.Option("--url", metavar="URL", envvar="MIND_MEMORY_URL", help="A service that runs elsewhere.")
]


class CommandFailed(Exception):
    """The command can not go on; the text is for a person."""


def group(words: str) -> typer.Typer:
    """A group of commands; *words* say what they are about."""
    return typer.Typer(help=words, no_args_is_help=True, rich_markup_mode=None, add_completion=False)


def instant_of(text: str | None, option: str, *, at: time) -> datetime | None:
    """The instant that *text* names; of a day alone, its time *at*, in the zone that is shown. Raises CommandFailed."""
    if text is None:
        return None
    try:
        found = datetime.fromisoformat(text)
        if len(text) <= len("2026-01-09"):
            found = datetime.combine(date.fromisoformat(text), at)
    except ValueError as error:
        raise CommandFailed(f"{option}: {text!r} is not a day; write it like 2026-01-09 or 2026-01-09T18:30") from error
    return found if found.tzinfo else found.replace(tzinfo=shown_zone())


def configure_logs_of(settings: Settings) -> None:
    """Set up logging as the settings say, for a command that serves."""
    configure_logs(
        level=settings.log_level,
        as_json=settings.log_json,
        secrets=settings.secrets,
        has_colours=wants_colours(),
        serves=True,
    )


def act_on_signals(act: Callable[[], None]) -> None:
    """Call *act* in the running loop for SIGINT and SIGTERM."""
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, act)


def _usual_home() -> Path | None:
    """The folder that is meant where none is named; None for a user without a home folder."""
    try:
        return Path(Settings.model_fields["home"].default).expanduser().absolute()
    except RuntimeError:
        return None


@dataclass(frozen=True, slots=True)
class Context:
    """The options that all commands share: where memory is, and whether JSON is wanted."""

    home: Path | None
    url: str | None = None
    as_json: bool = False
    is_url_exported: bool = False

    def settings(self, **flags: object) -> Settings:
        """The settings, *flags* first. Raises ConfigurationFault."""
        return read_settings(home=self.home, **flags)

    def place(self) -> str:
        """The options that name this memory to another command; none where that takes it by itself."""
        if self.url is not None:
            return "" if self.is_url_exported else f" --url {shlex.quote(self.url)}"
        try:
            folder = self.settings().folder
        except ConfigurationFault:  # the command says what is wrong
            return ""
        return "" if folder == _usual_home() else f" --home {shlex.quote(str(folder))}"

    def settings_of_home(self) -> Settings:
        """
        The settings of a home that must be there where ``--home`` names it, since it may be mistyped.

        Raises ConfigurationFault, and CommandFailed where there is no such folder.
        """
        settings = self.settings()
        is_needed = self.home is not None and settings.database is None  # with a database, it only holds copies
        if is_needed and not settings.folder.exists():
            raise CommandFailed(
                f"there is no home at {settings.folder}: check --home, or make one with `mind-memory serve`"
            )
        return settings


def check_one_of(names: Collection[str], text: str | None, option: str) -> None:
    """Raise CommandFailed where *option* was given a *text* that is not one of *names*."""
    if text is not None and text not in names:
        raise CommandFailed(f"{option} {text}: choose from {', '.join(names)}")


def make_home(settings: Settings) -> Path:
    """The home folder, made if it is not there. Raises CommandFailed where it can not be made or written."""
    folder = settings.folder
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        reason = "" if os.access(folder, os.R_OK | os.W_OK | os.X_OK) else "it can not be written"
    except FileExistsError:
        reason = "it is a file"
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
    if reason:
        raise CommandFailed(f"{folder} can not be the home ({reason}): choose a folder of yours with --home")
    return folder


@contextmanager
def _named_as_typed(typed: object, mind: object) -> Iterator[None]:
    """Say what was *typed* where a failure names the id *mind*, which was made of it; and a mind of a similar name."""
    try:
        yield
    except CommandFailed as failure:
        words = str(failure)
        if typed == mind or repr(mind) not in words:
            raise
        like = re.sub(r"[^a-z0-9_-]+", "-", str(typed).casefold()).strip("-")
        is_there = re.search(rf"There are:.*(?<![\w-]){re.escape(like)}(?![\w-])", words) if like else None
        meant = f". Did you mean {like}?" if is_there else ""
        raise CommandFailed(words.replace(repr(mind), repr(typed), 1) + meant) from failure


def words_of_file_fault(fault: OSError) -> tuple[str, str]:
    """What failed, with the file, and what to do; the latter is empty where that is not known."""
    mend = next((words for kind, words in _MENDS.items() if isinstance(fault, kind) and fault.filename), "")
    mend = _FREE_SPACE if is_full(fault) else mend
    return f"{f'{fault.filename}: ' if fault.filename else ''}{fault.strerror or str(fault) or _name_of(fault)}", mend


def _name_of(fault: Exception) -> str:
    """``timed out`` of a TimeoutError: an error that says nothing is called by its name."""
    return "timed out" if isinstance(fault, TimeoutError) else type(fault).__name__


type _Body = Callable[..., Coroutine[Any, Any, None] | None]


def command(
    *,
    interrupted: str = "Stopped.",
    has_url: bool = True,
    logs: bool = False,
    json: bool | str = False,
    begins_mind: bool = False,
) -> Callable[[_Body], Callable[..., None]]:
    """
    Make a command of a function that takes a Context and its own options; ``--home`` and ``--url`` are added.

    The function may be async. *interrupted* is printed after Ctrl-C. With *logs*, the command sets up logging itself;
    else only errors are logged. With *json*, it has ``--json``; a text is that option's help. Where ``--mind`` is left
    out, the only mind is meant, unless the command *begins_mind*.
    """

    def decorate(body: _Body) -> Callable[..., None]:
        mind_option = inspect.signature(body).parameters.get("mind")
        is_meant = mind_option is not None and mind_option.default == DEFAULT_MIND and not begins_mind

        @functools.wraps(body)
        def run(**options: Any) -> None:  # noqa: ANN401 - typer's
            home, as_json = options.pop("home"), options.pop("as_json", None)
            with _failures_worded(interrupted):
                is_exported = _is_url_exported(options.pop("parsed", None))
                url = _url_meant(options.pop("url", None), home=home, is_exported=is_exported)
                if not logs:
                    configure_logs(level="ERROR", as_json=False, has_colours=wants_colours())
                context, zone = Context(home, url, bool(as_json), is_exported), None
                show_commands_for(context.place())
                typed = mind = options.get("mind")
                if isinstance(typed, str):
                    mind = options["mind"] = mind_id_of(typed)
                if is_meant or (isinstance(typed, str) and not logs):
                    from service.cli.connection import mind_meant  # it is built on this module

                    options["mind"], zone = asyncio.run(mind_meant(context, mind))
                show_times_in(zone)
                with _named_as_typed(typed, mind):
                    outcome = body(context, **options)
                    if inspect.iscoroutine(outcome):
                        asyncio.run(outcome)

        shared: dict[str, Any] = {"home": _Home}
        if has_url:
            shared |= {"url": _Url, "parsed": typer.Context}
        if json:
            text = json if isinstance(json, str) else _AS_IT_IS
            shared = {"as_json": Annotated[bool | None, typer.Option("--json", help=text)], **shared}
        _set_options(run, body, shared, is_meant=is_meant)
        return run

    return decorate


def _is_url_exported(parsed: typer.Context | None) -> bool:
    """Whether the address comes from MIND_MEMORY_URL, as the options were *parsed*."""
    source = parsed.get_parameter_source("url") if parsed is not None else None
    return source is not None and source.name == "ENVIRONMENT"


def _url_meant(url: str | None, *, home: Path | None, is_exported: bool) -> str | None:
    """
    The address that a command is for; None for the home.

    A typed ``--home`` counts more than an exported MIND_MEMORY_URL. Raises CommandFailed where both were typed.
    """
    if not url or home is None:
        return url or None
    if is_exported:
        return None
    raise CommandFailed("--home and --url exclude each other: name the home on this machine, or the service elsewhere")


def _set_options(run: Callable[..., None], body: _Body, shared: Mapping[str, Any], *, is_meant: bool) -> None:
    """Show typer the options of *body* without its context, and behind them the *shared* ones."""
    hints = get_type_hints(body, include_extras=True)
    _, *own = inspect.signature(body).parameters.values()
    if is_meant:
        hints["mind"] = _MindMeant
        own = [one.replace(default=None) if one.name == "mind" else one for one in own]
    parameters = [
        *(one.replace(annotation=hints[one.name], kind=Parameter.KEYWORD_ONLY) for one in own),
        *(Parameter(name, Parameter.KEYWORD_ONLY, default=None, annotation=hint) for name, hint in shared.items()),
    ]
    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined] # how inspect documents it
    run.__annotations__ = {one.name: one.annotation for one in parameters}


@contextmanager
def _failures_worded(interrupted: str) -> Iterator[None]:
    try:
        yield
    except (CommandFailed, MemoryFault) as fault:
        complain(str(fault) or _name_of(fault))
        raise typer.Exit(FAILED) from fault
    except BrokenPipeError:
        raise  # whoever read our output has had enough
    except OSError as fault:
        words, mend = words_of_file_fault(fault)
        complain(f"{words}; {mend}" if mend else words)
        raise typer.Exit(FAILED) from fault
    except KeyboardInterrupt as stop:
        complain(interrupted, style="dim")
        raise typer.Exit(INTERRUPTED) from stop
