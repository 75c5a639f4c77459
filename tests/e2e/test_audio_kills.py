"""A service that is killed during a call: what was acknowledged is stored once, and the call goes on where it was."""

import json
import os
import random
import signal
import threading

from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from tests.support.cli_process import serving
from tests.support.speech import call, frames
from tests.support.voice import address
from tests.support.waiting import GIVE_UP
from tests.twins.provider import ScriptedProvider

SPOKEN = [1.0 + 0.1 * n for n in range(12)]
CALL = call(*SPOKEN)
SECTION = "MIND_MEMORY_MODELS__TRANSCRIPTION__"


class Words:
    """Says of each recording that it is the next one, and kills the service while it is at it, where that is wanted."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.process = None
        self.count = 0
        self.kills = 0

    def __call__(self, recorded):
        self.count += 1
        if self.process is not None and self.random.random() < 0.25:
            self.kill_soon(0)
        elif self.process is not None and self.random.random() < 0.4:
            self.kill_soon(self.random.uniform(0.001, 0.02))  # while it is stored, or told
        return f"Thing {self.count}, of {recorded.seconds:.2f} seconds."

    def kill_soon(self, seconds):
        process, self.process, self.kills = self.process, None, self.kills + 1
        threading.Timer(seconds, os.kill, (process.pid, signal.SIGKILL)).start()


def bring(url, offset, acknowledged):
    """Send the call from *offset* until it ends or breaks off; the new offset, and whether it has ended."""
    try:
        with connect(address(url, "ada", "call-1", stream="CA1", offset=offset), compression=None) as socket:
            told = [json.loads(socket.recv(GIVE_UP))]
            sender = threading.Thread(target=send, args=(socket, CALL[offset:]))
            sender.start()
            try:
                while told[-1]["type"] != "ended":
                    told.append(json.loads(socket.recv(GIVE_UP)))
                    offset = told[-1]["offset"]
                    if told[-1]["type"] == "turn":
                        acknowledged.append((told[-1]["turn_id"], told[-1]["text"]))
            finally:
                socket.close()
                sender.join(GIVE_UP)
            return offset, told[-1]["problem"] is None
    except (ConnectionClosed, OSError):
        return offset, False


def send(socket, stream):
    try:
        for part in frames(stream, size=1_600):
            socket.send(part)
        socket.send(json.dumps({"type": "end"}))
    except (ConnectionClosed, OSError):
        return


def test_a_call_survives_kills_of_the_service(tmp_path):
    home, words, acknowledged, offset, has_ended = tmp_path / "home", Words(seed=1), [], 0, False
    with ScriptedProvider(hears=words) as provider:
        model = {"MODEL": "openai/whisper-1", "API_BASE": provider.url, "API_KEY": "k"}
        environment = {f"{SECTION}{name}": value for name, value in model.items()}
        while not has_ended:
            (home / "service.json").unlink(missing_ok=True)  # of the one that was killed
            with serving(home, **environment) as (process, url):
                words.process = process if words.kills < 2 else None
                offset, has_ended = bring(url, offset, acknowledged)

    files = sorted((home / "minds" / "ada" / "transcript").glob("*.jsonl"))
    stored = [json.loads(line) for file in files for line in file.read_text().splitlines()]
    by_id = {one["turn_id"]: one["messages"][0]["content"] for one in stored}
    marks = [one["metadata"]["mind_memory.spoken"] for one in stored]
    spans = sorted((one["start_ms"], one["end_ms"]) for one in marks)
    assert words.kills >= 2
    assert len(by_id) == len(stored) == len(SPOKEN)
    assert dict(acknowledged) == by_id
    assert all(end <= start for (_, end), (start, _) in zip(spans, spans[1:], strict=False))
    assert len({turn_id for turn_id, _ in acknowledged}) == len(acknowledged)
