"""What a command says when memory does not answer as it should, and how long it waits for one that is asked too often."""

import json
import os
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from mind_memory_client import MemoryClient, MindMemoryError, RateLimited
from pydantic import SecretStr

from consolidation.kernel.files import FolderLock
from service.cli.connection import connection_to
from tests.support.cli_process import call, run, serving

pytestmark = pytest.mark.anyio

MINDS = (200, {}, {"minds": [{"mind_id": "ada", "turns": 1, "sessions": 1}]})
ALIVE = (200, {}, {"status": "alive"})


def problem(status, **headers):
    return status, {"Content-Type": "application/problem+json", **headers}, {"title": "No", "detail": "not now"}


@contextmanager
def answering(*answers):
    """Something on a port of this machine that gives these answers, one after the other, and closes what is left."""
    left = list(answers)

    class Door(BaseHTTPRequestHandler):
        def do_GET(self):
            if left:
                status, headers, body = left.pop(0)
                content = body if isinstance(body, bytes) else json.dumps(body).encode()
                self.send_response(status)
                for name, value in {
                    "Content-Type": "application/json",
                    "Content-Length": len(content),
                    **headers,
                }.items():
                    self.send_header(name, str(value))
                self.end_headers()
                self.wfile.write(content)

        def log_message(self, *words):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Door)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", left
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


async def minds_at(url):
    async with connection_to((url, SecretStr(""))) as connection:
        return [one.mind_id for one in await connection.memory.minds()]


async def test_a_command_that_asks_too_often_asks_again_when_it_may():
    with answering(problem(429, **{"Retry-After": 0}), problem(429, **{"Retry-After": 0}), MINDS) as (url, left):
        assert await minds_at(url) == ["ada"]
        assert left == []


async def test_it_does_not_wait_for_longer_than_a_minute():
    with answering(problem(429, **{"Retry-After": 61}), MINDS) as (url, left):
        with pytest.raises(RateLimited):
            await minds_at(url)
        assert left == [MINDS]


async def test_any_other_failure_is_said_at_once():
    with answering(problem(503, **{"Retry-After": 0}), MINDS) as (url, left):
        with pytest.raises(MindMemoryError):
            await minds_at(url)
        assert left == [MINDS]


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (problem(503), "not now"),
        (problem(401), "needs a valid key: put one into MIND_MEMORY_KEY"),
        (problem(429, **{"Retry-After": 90}), "is asked too often: try again later"),
        ((200, {"Content-Type": "text/html"}, b"<p>Hello"), "answered, but not as mind-memory does"),
        ((200, {}, {"unlike": "us"}), "answered, but not as mind-memory does"),
        ((302, {"Location": "/login"}, b""), "answered, but not as mind-memory does"),
    ],
    ids=["unavailable", "keyless", "too often", "a page", "other JSON", "elsewhere"],
)
def test_what_a_service_answers_instead_is_one_sentence(answer, words):
    with answering(ALIVE, answer) as (url, _):
        done = call("status", "--url", url)

    assert (done.exit_code, done.stdout) == (1, "")
    assert words in done.stderr
    assert "Traceback" not in done.stderr


def test_json_has_the_fields_of_a_service_that_is_newer_than_the_command():
    """Broken: ``Connection.show`` prints what the client made of the answer."""
    answer = {"endpoints": [], "newer": {"than": "us"}}
    with answering(ALIVE, (200, {}, answer)) as (url, _):
        done = call("webhooks", "--json", "--url", url)

    assert json.loads(done.stdout) == answer


def test_a_service_that_breaks_off_is_named():
    with answering(ALIVE) as (url, _):
        done = call("status", "--url", url)

    assert done.exit_code == 1
    assert f"{url} does not answer any more" in done.stderr


@pytest.mark.parametrize("answer", [(404, {}, b"no"), (200, {}, {"status": "well"}), (200, {}, b"Hello")])
def test_something_else_on_the_port_is_not_taken_for_memory(answer):
    with answering(answer, answer) as (url, _):
        done = call("status", "--url", url)

    assert done.exit_code == 1
    assert f"something else than mind-memory answers at {url}" in done.stderr


def test_an_address_with_https_where_http_is_spoken_is_told_apart(tmp_path):
    with answering(ALIVE, ALIVE, ALIVE) as (url, _):
        https = url.replace("http://", "https://")
        done = call("status", "--url", https)

    assert done.exit_code == 1
    assert f"the service at {https} does not speak TLS: write {url}" in done.stderr


def test_a_home_that_a_command_holds_names_the_process(tmp_path):
    """Broken: ``FolderLock.take`` writes no process id."""
    lock = FolderLock(tmp_path)
    assert lock.take()
    try:
        refused = run("status", "--home", tmp_path)
    finally:
        lock.release()

    assert refused.returncode == 1
    assert f"is in use by another mind-memory, process {os.getpid()}: wait until it ends" in refused.stderr
    assert not (tmp_path / ".holder").exists()


def begun(home, *minds):
    with serving(home) as (_, url), MemoryClient(url) as memory:
        for mind in minds:
            memory.store_turn(mind, "s1", f"{mind.title()} sings.")


def test_where_there_is_one_mind_its_name_can_be_left_out(tmp_path):
    """Broken: a command asks for `global-user-memory`, which nobody has."""
    begun(tmp_path / "home", "ada")

    on_the_home = call("turns", "--home", tmp_path / "home")
    with serving(tmp_path / "home") as (_, url):
        at_a_service = call("turns", "--url", url)

    for done in (on_the_home, at_a_service):
        assert done.exit_code == 0, done.output
        assert "Ada sings." in done.stdout


def test_a_name_that_is_no_id_is_said_as_it_was_typed(tmp_path):
    """Broken: the error named an id that nobody had typed."""
    home = ("--home", tmp_path / "home")
    with serving(tmp_path / "home"):
        call("save", "Ada has a cat.", "--mind", "ada", *home)
        close = call("remember", "cat", "--mind", "Ada", *home)
        far = call("remember", "cat", "--mind", "Berta B.", *home)

        also = call("remember", "cat", "--mind", "ada", "--also-read", "nobody", *home)
        itself = call("remember", "cat", "--mind", "ada", "--also-read", "ada", *home)

    assert (close.exit_code, far.exit_code, also.exit_code, itself.exit_code) == (1, 1, 1, 0)
    assert "--also-read: no mind is called 'nobody'. There are: ada" in also.stderr
    assert "no mind is called 'Ada'" in close.stderr and "Did you mean ada?" in close.stderr
    assert "no mind is called 'Berta B.'" in far.stderr and "Did you mean" not in far.stderr
    assert "user-" not in close.stderr + far.stderr


def test_what_can_not_be_saved_is_said_in_the_words_of_the_command(tmp_path):
    home = ("--home", tmp_path / "home")
    with serving(tmp_path / "home"):
        empty = call("save", " ", *home)
        future = call("save", "Ada has a cat.", "--at", "2190-01-01", *home)

    assert (empty.exit_code, future.exit_code) == (1, 1)
    assert "say what to save: the text is empty" in empty.stderr
    assert "--at: is more than a day in the future" in future.stderr


def test_where_there_are_several_minds_who_names_none_is_told_which_there_are(tmp_path):
    begun(home := tmp_path / "home", *(names := ["ada", *(f"mind-{number}" for number in range(10))]))

    undecided = call("turns", "--home", home)
    begun(home, "global-user-memory")
    by_default = call("turns", "--home", home)

    assert undecided.exit_code == 1
    assert f"There are: {', '.join(names[:10])}, …; choose one with --mind" in undecided.stderr
    assert "Global-User-Memory sings." in by_default.stdout


def test_what_begins_a_mind_or_erases_one_does_not_take_the_only_one(tmp_path):
    begun(home := tmp_path / "home", "ada")

    erased = call("erase", "--yes", "--home", home)
    saved = call("save", "I sing, too.", "--home", home)

    assert erased.exit_code == 1
    assert "say whose memory: --mind ID" in erased.stderr
    assert saved.exit_code == 0, saved.output
    assert call("turns", "--mind", "ada", "--home", home).stdout.count("#") == 1


def test_a_home_that_is_typed_counts_more_than_an_address_that_is_exported(tmp_path):
    """Broken: a command erases at the service of ``MIND_MEMORY_URL``, whatever home it was given."""
    begun(home := tmp_path / "home", "zed")
    with serving(tmp_path / "other") as (_, url), MemoryClient(url) as memory:
        memory.store_turn("zed", "s1", "Zed paints.")
        exported = {"MIND_MEMORY_URL": url}
        shown, erased = (
            call(*words, "--home", home, "--mind", "zed", **exported) for words in (("turns",), ("erase", "--yes"))
        )
        gone, there = call("turns", "--home", home, "--mind", "zed"), call("turns", "--mind", "zed", **exported)
        typed = call("erase", "--yes", "--mind", "zed", "--home", home, "--url", url)
        left = [one.mind_id for one in memory.minds()]

    assert "Zed sings." in shown.stdout
    assert (erased.exit_code, gone.exit_code) == (0, 1)
    assert "Zed paints." in there.stdout
    assert typed.exit_code == 1
    assert "--home and --url exclude each other" in typed.stderr
    assert left == ["zed"]
