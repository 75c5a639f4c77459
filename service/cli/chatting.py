"""
`mind-memory chat`: what a chatbot's backend does, in a terminal: resonance, answer, turn.

Lines are read in the main thread, so that Ctrl-C and line editing behave; memory and model live in the portal's loop.
A memory that is away never stops the chat.
"""

from __future__ import annotations

import sys
from contextlib import AbstractContextManager, AsyncExitStack, asynccontextmanager, nullcontext
from typing import TYPE_CHECKING

from anyio.from_thread import BlockingPortal, start_blocking_portal

from consolidation.kernel.clock import SystemClock
from consolidation.kernel.errors import ModelFault
from consolidation.kernel.ports import Role
from consolidation.workspace import checked_mind_id
from service.cli.bots import Bot, EchoBot, ModelBot
from service.cli.configuration import read_settings
from service.cli.conversation import Conversation
from service.cli.faults import CommandFailed
from service.cli.reaching import reach
from service.cli.remembering import show_memories
from service.cli.surfaced import show_surfaced
from service.cli.terminal import complain, counted, out, plain
from service.cli.why import show_why
from service.cli.wiring import models_of
from service.cli.withheld import withheld
from service.models import open_models
from service.telemetry import configure_logs
from service.usage import UsageLedger

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Coroutine
    from pathlib import Path

    from service.cli.client import MemoryClient
    from service.settings import Settings

HELP = """\
/why              why this surfaced, and that did not
/remember QUERY   recall on purpose
/help             this
/quit             leave; Ctrl-D does too"""


def chat(*, mind: str, session: str | None, model: str | None, home: Path | None, url: str | None) -> None:
    """Talk until /quit, Ctrl-D or Ctrl-C."""
    settings = read_settings(home=home)
    configure_logs(level="ERROR", as_json=False)
    checked_mind_id(mind)
    session = session or f"chat:{SystemClock().now():%Y-%m-%d-%H%M%S}"
    with start_blocking_portal() as portal, portal.wrap_async_context_manager(_opened(settings, model, url)) as opened:
        memory, bot = opened
        talk = Conversation(memory, bot, mind_id=mind, session_id=session, clock=SystemClock())
        turns = portal.call(talk.known_turns)
        console = out()
        held = f"{counted(turns, 'turn')} in memory" if turns else "nothing in memory yet"
        console.print(f"Talking to {bot.name} as {mind}: {held}. /help tells what else there is.", style="dim")
        _Terminal(portal, talk).run()
        console.print(f"This was session {session}.", style="dim")


class _Terminal:
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
                complain("Interrupted; nothing of this turn was kept.", style="dim")
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
        command, _, rest = line.partition(" ")
        match command:
            case "":
                pass
            case "/quit" | "/exit":
                return False
            case "/help":
                self._console.print(HELP, style="dim")
            case "/why":
                self._why()
            case "/remember":
                self._remember(rest.strip())
            case _ if command.startswith("/"):
                self._console.print(f"There is no {plain(command)}.\n{HELP}", style="dim")
            case _:
                self._turn(line)
        return True

    def _turn(self, line: str) -> None:
        surfaced = self._wait(lambda: self._talk.hear(line))
        show_surfaced(self._console, surfaced)
        try:
            with self._thinking():
                answer = self._wait(self._talk.answer)
        except ModelFault as fault:
            self._talk.forget()
            complain(f"No answer: {fault}. Nothing of this turn was kept; say it again, or try another --model.")
            return
        self._console.print(f"{self._talk.bot.name} › {plain(answer)}", soft_wrap=not self._console.is_terminal)
        if note := withheld(self._wait(self._talk.keep)["dropped"]):
            self._console.print(note, style="dim", markup=False)

    def _why(self) -> None:
        trace = self._wait(self._talk.trace)
        if trace is None:
            self._console.print("Nothing has been looked for yet.", style="dim")
        else:
            show_why(self._console, trace)

    def _remember(self, query: str) -> None:
        if query:
            show_memories(self._console, self._wait(lambda: self._talk.remember(query)))
        else:
            self._console.print("Say what to recall: /remember QUERY", style="dim")

    def _thinking(self) -> AbstractContextManager[object]:
        return self._console.status("thinking", spinner="dots") if self._console.is_terminal else nullcontext()

    def _wait[T](self, job: Callable[[], Coroutine[object, object, T]]) -> T:
        """The job's result; Ctrl-C cancels the job, not the chat."""
        future = self._portal.start_task_soon(job)
        try:
            return future.result()
        except KeyboardInterrupt:
            future.cancel()
            self._talk.forget()
            raise


@asynccontextmanager
async def _opened(settings: Settings, model: str | None, url: str | None) -> AsyncIterator[tuple[MemoryClient, Bot]]:
    async with AsyncExitStack() as stack:
        memory = await stack.enter_async_context(reach(settings, url=url))
        chosen = _with_chat_model(settings, model)
        name = models_of(chosen)[Role.CHAT]
        models = await stack.enter_async_context(open_models(chosen, clock=SystemClock(), ledger=UsageLedger()))
        bot = ModelBot(models[Role.CHAT], name=name.partition(" → ")[0]) if name else EchoBot()
        yield memory, bot


def _with_chat_model(settings: Settings, model: str | None) -> Settings:
    """*settings* with another model to chat with; memory keeps its own."""
    if model is None:
        return settings
    chat = settings.models.chat.model_copy(
        update={
            "model": model,
            "api_base": settings.models.chat.api_base or settings.api_base,
            "api_key": settings.models.chat.api_key or settings.api_key,
        }
    )
    return settings.model_copy(update={"models": settings.models.model_copy(update={"chat": chat})})
