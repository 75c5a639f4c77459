"""
`mind-memory chat`: what a chatbot's backend does, in a terminal: resonance, answer, turn.

Lines are read in the main thread, so that Ctrl-C and line editing behave; memory and model live in another thread's
event loop. A memory that is unavailable never stops the chat.
"""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Annotated

import typer
from anyio.from_thread import BlockingPortal, start_blocking_portal
from mind_memory_client import MindMemoryError, Resonance, StoredTurn
from mind_memory_client.models import DroppedMessage

from consolidation.kernel.clock import SystemClock
from consolidation.kernel.errors import ModelFault
from consolidation.kernel.ports import Clock, LanguageModel, Role
from consolidation.workspace import DEFAULT_MIND
from service.adapters.echo_upstream import echo
from service.cli.command import CommandFailed, Context, MindName, command
from service.cli.connection import Connection, connect, mind_or_none
from service.cli.output.configuration import models_of
from service.cli.output.memories import is_off_the_record, secrets_in, show_memories, show_surfaced
from service.cli.output.progress import bar
from service.cli.output.terminal import complain, counted, out, plain, shown_zone
from service.cli.output.trace import show_trace
from service.composition.models import open_models
from service.observability.model_usage import UsageLedger
from service.settings.settings import Settings

_HELP = """\
/why              why this surfaced, and that did not
/remember QUERY   search memory on purpose
/help             this list
/quit             leave; exit, quit and Ctrl-D do too"""

_WINDOW = 40  # messages the bot still sees
_DEADLINE_MS = 5000  # a person at a terminal waits longer than a backend, above all for the first, cold answer
_FOUND = 5  # memories that /remember shows


@command(begins_mind=True)
def chat(
    context: Context,
    mind: MindName = DEFAULT_MIND,
    session: Annotated[str | None, typer.Option(metavar="ID", help="Go on with this session; else a new one.")] = None,
    model: Annotated[
        str | None, typer.Option(metavar="NAME", help="A litellm model, like openai/gpt-4o-mini; else an echo bot.")
    ] = None,
    dry: Annotated[bool, typer.Option("--dry", help="Store nothing of this chat.")] = False,
) -> None:
    """Talk to a bot that remembers, and see what surfaces each turn."""
    clock, console = SystemClock(), out()
    session = session or f"chat:{clock.now():%Y-%m-%d-%H%M%S}"
    with start_blocking_portal() as portal, portal.wrap_async_context_manager(_opened(context, model)) as opened:
        talk = Conversation(*opened, mind, session, clock, is_dry=dry)
        turns = portal.call(talk.stored_turns)
        held = f"{counted(turns, 'turn')} in memory" if turns else "nothing in memory yet"
        console.print(f"Talking to {talk.bot} as {mind}: {held}. /help lists the commands.", style="dim")
        _Prompt(portal, talk).run()
        console.print(f"This was session {session}{'; nothing of it was stored' if dry else ''}.", style="dim")


@asynccontextmanager
async def _opened(context: Context, model: str | None) -> AsyncIterator[tuple[Connection, str, LanguageModel | None]]:
    settings = _with_chat_model(context.settings(), model)
    name = models_of(settings)[Role.CHAT].partition(" → ")[0]
    opened = open_models(settings, clock=SystemClock(), ledger=UsageLedger())
    async with connect(context, makes_home=True) as connection, opened as models:
        yield connection, name or "echo", models[Role.CHAT] if name else None


def _with_chat_model(settings: Settings, model: str | None) -> Settings:
    """*settings* with another model to chat with; memory keeps its own."""
    if model is None:
        return settings
    chat = settings.models.chat
    access = {"api_base": chat.api_base or settings.api_base, "api_key": chat.api_key or settings.api_key}
    chosen = chat.model_copy(update={"model": model, **access})
    return settings.model_copy(update={"models": settings.models.model_copy(update={"chat": chosen})})


@dataclass(slots=True)
class Conversation:
    """
    One chat as a backend holds it: the window the bot can see, and the two calls to memory around each answer.

    Without a model, the bot is an echo that counts what surfaced.
    """

    connection: Connection
    bot: str
    model: LanguageModel | None
    mind: str
    session: str
    clock: Clock
    is_dry: bool = False
    surfaced: Resonance | None = None
    _window: list[dict[str, str]] = field(default_factory=list)
    _open_turn: list[dict[str, str]] = field(default_factory=list)

    async def stored_turns(self) -> int:
        """How many turns the mind holds."""
        mind = await mind_or_none(self.connection.memory, self.mind)
        return mind.turns if mind is not None else 0

    async def hear(self, line: str) -> Resonance:
        """What surfaces when *line* is said; nothing, with the reason, where memory can not be asked."""
        self._open_turn = [self._message("user", line)]
        messages = [*self._window, *self._open_turn][-_WINDOW:]
        try:
            self.surfaced = await self.connection.memory.resonance(
                self.mind,
                self.session,
                messages,
                timezone=shown_zone().key,
                deadline_ms=_DEADLINE_MS,
                off_the_record=self.is_dry,
            )
        except MindMemoryError as error:
            self.surfaced = Resonance.silent(self.mind, [*messages], why=self.connection.explain(error))
        return self.surfaced

    async def answer(self, surfaced: Resonance) -> str:
        """What the bot says. Raises ModelFault."""
        if self.model is None:  # the echo's words are not stored: memory must not quote itself
            heard = plain(surfaced.messages[-1]["content"])
            return echo(heard, memories=len(surfaced.flashbacks), shown="shown above.")
        messages = tuple({"role": one["role"], "content": one["content"]} for one in surfaced.messages)
        text = (await self.model.converse(messages)).content
        self._open_turn.append(self._message("assistant", text))
        return text

    async def store(self, surfaced: Resonance) -> StoredTurn | None:
        """
        Store the turn, unless the chat is dry.

        Raises CommandFailed; the window has the turn all the same, as the person has seen it.
        """
        turn, self._open_turn = self._open_turn, []
        self._window = [*self._window, *turn][-_WINDOW:]
        if self.is_dry:
            return None
        try:
            return await self.connection.memory.store_turn(
                self.mind, self.session, turn, turn_id=self.clock.fresh_id(), trace_id=surfaced.trace_id
            )
        except MindMemoryError as error:
            raise CommandFailed(f"This turn is not stored: {self.connection.explain(error)}") from error

    def _message(self, role: str, content: str) -> dict[str, str]:
        return {"role": role, "content": content, "timestamp": self.clock.now().isoformat()}


class _Prompt:
    """Reads lines and does what they say."""

    def __init__(self, portal: BlockingPortal, talk: Conversation) -> None:
        self._portal = portal
        self._talk = talk
        self._console = out()
        self._is_interactive = sys.stdin.isatty()

    def run(self) -> None:
        """Until there is nothing more to read."""
        if self._is_interactive:
            import readline  # noqa: F401 - input() edits lines once it is imported
        while (line := self._read()) is not None:
            try:
                if not self._obey(line.strip()):
                    return
            except KeyboardInterrupt:
                complain("Interrupted; nothing of this turn was stored.", style="dim")
            except MindMemoryError as error:
                complain(self._talk.connection.explain(error))
            except (CommandFailed, ModelFault) as fault:
                complain(str(fault))

    def _read(self) -> str | None:
        try:
            self._console.print()
            if self._is_interactive:
                return input("you › ")
            line = sys.stdin.readline()
        except (EOFError, KeyboardInterrupt):
            self._console.print()
            return None
        if line.strip():
            self._console.print(f"you › {plain(line.strip())}")
        return line or None

    def _obey(self, line: str) -> bool:
        """Do what the line says; False when it says to leave."""
        memory, mind = self._talk.connection.memory, self._talk.mind
        word, _, rest = line.partition(" ")
        match word:
            case "":
                pass
            case "/quit" | "/exit":
                return False
            case "quit" | "exit" if not rest:
                return False
            case "/help":
                self._console.print(_HELP, style="dim")
            case "/why":
                trace_id = self._talk.surfaced.trace_id if self._talk.surfaced is not None else None
                if trace_id is None:
                    self._console.print("Nothing has been looked for yet.", style="dim")
                else:
                    show_trace(self._console, self._wait(lambda: memory.trace(mind, trace_id=trace_id)))
            case "/remember" if rest.strip():
                found = self._wait(lambda: memory.remember(mind, rest.strip(), limit=_FOUND))
                show_memories(self._console, found)
            case "/remember":
                self._console.print("Say what to recall: /remember QUERY", style="dim")
            case _ if word.startswith("/"):
                self._console.print(f"There is no {plain(word)}.\n{_HELP}", style="dim")
            case _:
                self._take_turn(line)
        return True

    def _take_turn(self, line: str) -> None:
        surfaced = self._wait(lambda: self._talk.hear(line))
        show_surfaced(self._console, surfaced)
        try:
            with bar("thinking"):
                answer = self._wait(lambda: self._talk.answer(surfaced))
        except ModelFault as fault:
            complain(f"No answer: {fault}. Nothing of this turn was stored; say it again, or try another --model.")
            return
        try:
            self._console.print(f"{self._talk.bot} › {plain(answer)}", soft_wrap=not self._console.is_terminal)
            stored = self._wait(lambda: self._talk.store(surfaced))
        except KeyboardInterrupt:
            complain("Interrupted; this turn may be stored or not.", style="dim")
            return
        if stored is not None and (note := _withheld(stored.dropped)):
            self._console.print(note, style="dim")

    def _wait[T](self, job: Callable[[], Coroutine[object, object, T]]) -> T:
        """The job's result; Ctrl-C cancels the job, not the chat."""
        future = self._portal.start_task_soon(job)
        try:
            return future.result()
        except KeyboardInterrupt:
            future.cancel()
            raise


def _withheld(dropped: tuple[DroppedMessage, ...]) -> str:
    """What of a turn was not stored on purpose; empty when all of it was."""
    if is_off_the_record(dropped):
        return "◦ off the record: nothing of this turn was stored"
    secrets = secrets_in(dropped)
    return f"◦ stored without what is secret: {', '.join(secrets)}" if secrets else ""
