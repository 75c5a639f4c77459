"""What the blocks of a page find: a service, its home, a model, a messenger, files, commands. And how a block runs there."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tomllib
import zipfile
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import httpx2

from tests.support.chatgpt_export import chain, message
from tests.support.cli_process import calling, serving, serving_commands, until_digested
from tests.support.doc_blocks import blocks_of
from tests.support.free_ports import free_ports
from tests.support.paths import ROOT
from tests.support.scripted_bot import answering
from tests.support.speech import silence, speech
from tests.support.waiting import GIVE_UP, until
from tests.twins.provider import ScriptedProvider
from tests.twins.telegram import telegram

LYON, WHERE = "My mother lives in Lyon.", "Where does my mother live?"
PORTS = ("8002", "9000", "8765")  # that pages name beside 8001
# The settings are read as a start reads them; whether it starts is another test. A key is what a page names, not the stage's.
MAKE = f"""test "$*" = serve || exit
test "$OPENAI_API_KEY" != k || unset OPENAI_API_KEY
exec {sys.executable} -c '
from service.cli.output.configuration import missing_keys
from service.settings.loading import read_settings
assert not (found := missing_keys(read_settings())), found
'"""
COMMANDS = {
    # Each call of its own would import everything anew.
    "mind-memory": f'{calling("{socket}")} "$@"',
    # An answer that is an error fails its block.
    "curl": f'exec {shutil.which("curl")} --fail-with-body "$@"',
    "make": MAKE,
}
WAV = b"RIFF\x24\x00\x00\x00WAVEfmt \x10\x00\x00\x00\x01\x00\x01\x00\x40\x1f\x00\x00\x80\x3e\x00\x00\x02\x00\x10\x00data\x00\x00\x00\x00"


@dataclass(frozen=True, slots=True)
class Stage:
    """Where the service is, where the model is, and which ports stand for those that pages name."""

    url: str
    home: Path
    model: str
    messenger: str
    ports: dict[str, str]
    commands: str  # the socket of what runs `mind-memory`

    def placed(self, text, *, mind):
        """
        The text with addresses that are free here, and with the page's own mind in the place of `ada`.

        A deadline does not count: the machine may be busy.
        """
        for port, here in {"8001": self.url.rpartition(":")[2], **self.ports}.items():
            text = re.sub(rf"\b{port}\b", here, text)
        return re.sub(r"\bada\b", mind, re.sub(r'"deadline_ms": 300', '"deadline_ms": 0', text))


@contextmanager
def staged(folder):
    """The stage of all pages, in a folder of its own."""
    ports = dict(zip(PORTS, map(str, free_ports(len(PORTS))), strict=True))
    with (
        ScriptedProvider(respond=answering, hears=lambda _: LYON) as provider,
        telegram(LYON, WHERE) as messenger,
        serving_commands() as commands,
        serving(folder / "home", **_settings(provider.url, ports)) as (_, url),
    ):
        yield Stage(url, folder / "home", provider.url, messenger, ports, commands)


def _settings(model, ports):
    """The façades, a model that hears, no deadline of its own, and what a page says about webhooks."""
    transcription = {"MODEL": "openai/whisper-1", "API_BASE": model, "API_KEY": "k"}
    [page] = [one.text for one in blocks_of("docs/webhooks.md") if one.title == "mind-memory.toml"]
    webhooks = tomllib.loads(page.replace("9000", ports["9000"]))["webhooks"]
    return {
        **{f"MIND_MEMORY_FACADES__{name}": "true" for name in ("MEM0", "ZEP", "GRAPHITI")},
        **{f"MIND_MEMORY_MODELS__TRANSCRIPTION__{name}": value for name, value in transcription.items()},
        **{f"MIND_MEMORY_WEBHOOKS__{name.upper()}": json.dumps(value) for name, value in webhooks.items()},
        "MIND_MEMORY_RESONANCE__DEADLINE_MS": "0",
        "MIND_MEMORY_LOG_LEVEL": "WARNING",
    }


@dataclass(slots=True)
class Said:
    """What a block has printed: all of it, or, where it goes on, what is there so far."""

    stdout: Path
    errors: Path

    def text(self):
        return self.stdout.read_text()

    def all(self):
        return self.text() + self.errors.read_text()


@dataclass(slots=True)
class PageRun:
    """A folder as a reader has it, where the blocks of one page run, one after the other."""

    stage: Stage
    folder: Path
    mind: str
    running: list[subprocess.Popen] = field(default_factory=list)
    last: Said | None = None
    goes_on: Said | None = None
    number: int = 0

    def __post_init__(self):
        for name, words in COMMANDS.items():
            tool = self.folder / "tools" / name
            tool.parent.mkdir(exist_ok=True)
            tool.write_text(f"#!/bin/sh\n{words.replace('{socket}', self.stage.commands)}\n")
            tool.chmod(0o755)
        (self.folder / "client").symlink_to(ROOT / "client")
        (self.folder / ".venv").symlink_to(Path(sys.executable).parents[1])
        (self.folder / ".mind-memory").symlink_to(self.stage.home)
        _files(self.folder)

    def placed(self, block):
        return self.stage.placed(block.text, mind=self.mind)

    def save(self, block):
        (self.folder / block.title).write_text(self.placed(block))

    def run(self, block, *words, goes_on=False):
        """Run a program on the block's text; one that ends has to end well."""
        self.number += 1
        said = Said(self.folder / f"{self.number}.out", self.folder / f"{self.number}.err")
        script = self.folder / f"{self.number}.block"
        script.write_text(self.placed(block))
        with said.stdout.open("w") as out, said.errors.open("w") as errors:
            process = subprocess.Popen(
                [*words, script], cwd=self.folder, env=self.env(), stdin=subprocess.PIPE, stdout=out, stderr=errors,
                start_new_session=True,
            )  # fmt: skip
        self.running.append(process)
        with suppress(BrokenPipeError):  # it asks for nothing and has ended already
            process.stdin.write(f"{WHERE}\n".encode())
            process.stdin.close()
        if goes_on:
            self._until_listening(process, said)
            self.goes_on = said
        else:
            assert process.wait(GIVE_UP) == 0, f"{block.place}\n{self.placed(block)}\n{said.all()}"
            self._until_read()
        self.last = said

    def env(self):
        paths = (self.folder / "tools", Path(sys.executable).parent)
        known = {name: value for name, value in os.environ.items() if not name.startswith("MIND_MEMORY_")}
        return {
            **known,
            "PATH": os.pathsep.join((*map(str, paths), os.environ["PATH"])),
            "PYTHONPATH": os.pathsep.join((str(ROOT / "client"), str(ROOT))),
            "HOME": str(self.folder), "MIND_MEMORY_HOME": str(self.stage.home), "COLUMNS": "200",
            "MIND_MEMORY_URL": self.stage.url, "OPENAI_BASE_URL": self.stage.model, "OPENAI_API_KEY": "k",
            "TELEGRAM_API": self.stage.messenger, "TELEGRAM_TOKEN": "1:a", "MEM0_TELEMETRY": "False",
        }  # fmt: skip

    def _until_listening(self, process, said):
        """Wait for each port of the page that what runs here may have opened: what it is told to, or its file says."""
        texts = "".join(file.read_text() for file in self.folder.glob("*.py")) + "".join(map(str, process.args))
        texts += "".join(file.read_text() for file in self.folder.glob("*.block"))
        ports = [int(port) for port in self.stage.ports.values() if re.search(rf"\b{port}\b", texts)]
        for port in ports:
            until(lambda port=port: _is_open(port, process), said=said.all)

    def _until_read(self):
        """A reader takes a while to paste the next block; by then, the turn of this one is read."""
        if httpx2.get(f"{self.stage.url}/v1/minds/{self.mind}", timeout=GIVE_UP).status_code == 200:
            until_digested(self.stage.url, self.mind)

    def close(self):
        for process in self.running:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGTERM)
            process.wait(GIVE_UP)


def _is_open(port, process):
    assert process.poll() is None, "it ended by itself"
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def _files(folder):
    """What pages read and a reader has: exports, a recording."""
    (folder / "Downloads").mkdir()
    export = [chain(message("user", LYON), message("assistant", "How often do you see her?"))]
    with zipfile.ZipFile(folder / "Downloads" / "conversations.zip", "w") as zipped:
        zipped.writestr("conversations.json", json.dumps(export))
    (folder / "WhatsApp Chat with Ann.txt").write_text(
        "09/01/2026, 18:30 - Ann: I moved to Lyon.\n09/01/2026, 18:31 - Ben: When?\n"
    )
    (folder / "hello.wav").write_bytes(WAV)
    (folder / "call.ulaw").write_bytes(silence(0.5) + speech(1) + silence(1.5))
