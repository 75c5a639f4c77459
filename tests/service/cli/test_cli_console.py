"""`mind-memory console`, and the link that `serve` ends with: a browser is opened that is signed in by that."""

import os
import pty
import re
import subprocess

import httpx2

from tests.support.api_keys import make_key
from tests.support.cli_process import call, environment, run, said_by_service, serving
from tests.support.forked_process import MIND_MEMORY, ForkedProcess
from tests.support.waiting import GIVE_UP, end, until

LINK = re.compile(r"(http://127\.0\.0\.1:\d+)/console/#t=([0-9a-f]{64})")


def signed_in(link):
    """The answer to the ticket of a link."""
    url, ticket = LINK.search(link).groups()
    return httpx2.post(f"{url}/v1/session", json={"ticket": ticket}, timeout=GIVE_UP)


def test_without_keys_the_link_has_no_ticket_and_serve_ends_with_it(tmp_path):
    with serving(tmp_path) as (_, url):
        printed = call("console", "--no-browser", "--home", tmp_path)
        told = said_by_service(tmp_path).splitlines()

    assert (printed.stdout, printed.stderr) == (f"{url}/console/\n", "")
    assert told[-1].strip() == f"Console: {url}/console/"


def test_with_keys_the_link_signs_a_browser_in_once(tmp_path):
    make_key(tmp_path)
    with serving(tmp_path) as (_, _url):
        printed = call("console", "--no-browser", "--home", tmp_path)
        answers = [signed_in(printed.stdout) for _ in range(2)]
        told = said_by_service(tmp_path)

    assert LINK.fullmatch(printed.stdout.strip())
    assert "once, within ten minutes" in printed.stderr
    assert [answer.status_code for answer in answers] == [201, 401]
    assert answers[0].json()["name"] == "owner"
    assert LINK.search(told) is None  # it is no terminal, so it may be a log
    assert re.search(r"console --home \S+` signs you in", told.splitlines()[-1])


def test_a_browser_is_given_the_link_and_the_terminal_does_not_show_the_ticket(tmp_path):
    make_key(tmp_path)
    browser = tmp_path / "browser"
    browser.write_text(f'#!/bin/sh\necho "$1" > {tmp_path}/opened\n')
    browser.chmod(0o700)
    with serving(tmp_path):
        done = run("console", "--home", tmp_path, BROWSER=f"{browser} %s")
        until((tmp_path / "opened").exists)
        answer = signed_in((tmp_path / "opened").read_text())

    assert (done.returncode, done.stdout) == (0, "")
    assert "The console is open in your browser" in done.stderr
    assert LINK.search(done.stderr) is None
    assert answer.status_code == 201


def test_where_no_service_runs_it_says_what_to_do_in_one_sentence(tmp_path):
    done = call("console", "--home", tmp_path)

    assert (done.exit_code, done.stdout) == (1, "")
    assert done.stderr.count("\n") == 1
    assert "no service runs on" in done.stderr
    assert "start it with `mind-memory serve --home " in done.stderr


def test_with_an_address_the_key_of_the_environment_counts(tmp_path):
    whole, own = make_key(tmp_path), make_key(tmp_path, minds=("ada",))
    with serving(tmp_path) as (_, url):
        done = [call("console", "--no-browser", "--url", url, MIND_MEMORY_KEY=key) for key in (whole, own, "")]

    assert [one.exit_code for one in done] == [0, 1, 1]
    assert LINK.fullmatch(done[0].stdout.strip())
    assert f"this key is for some minds only, so it makes no link: open {url}/console/ and paste it" in done[1].stderr
    assert "needs a valid key" in done[2].stderr


def test_at_a_terminal_serve_ends_with_a_link_that_signs_in(tmp_path):
    make_key(tmp_path)
    ours, theirs = pty.openpty()
    words = ["serve", "--home", str(tmp_path), "--port", "0"]
    process = ForkedProcess(
        [MIND_MEMORY, *words], stdout=theirs, stderr=subprocess.DEVNULL, env=environment(TERM="xterm")
    )
    os.close(theirs)
    printed = b""
    try:
        while LINK.search(printed.decode(errors="replace")) is None:
            printed += os.read(ours, 65_536)
        until((tmp_path / "service.json").exists)
        answer = signed_in(printed.decode())
    finally:
        end(process)
        os.close(ours)

    assert answer.status_code == 201
    assert printed.decode().rstrip().splitlines()[-1].strip().startswith("Console: ")


def test_the_command_is_listed_and_explained():
    assert "console" in run("--help").stdout
    assert "--no-browser" in call("console", "--help").stdout
