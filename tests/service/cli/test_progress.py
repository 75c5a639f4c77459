"""What shows that something takes its time: on a terminal, on stderr, and in colour only where that is wanted."""

import os
import pty
import subprocess
import sys

import pytest

from tests.support.cli_process import environment

SLOW = """
import sys, time
from service.cli.output.progress import bar
with bar("reading"{}) as reached:
    reached(1{})
    time.sleep({})
    print("done", flush=True)
"""


def shown(code, *, at_terminal=True, **more):
    """What it wrote to stderr, a terminal or a pipe, and to stdout, which is a pipe."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-c", code],
        stdout=subprocess.PIPE,
        stderr=theirs if at_terminal else subprocess.PIPE,
        env=environment(TERM="xterm", **more),
    )
    said, piped = process.communicate(timeout=120)
    os.close(theirs)
    try:
        written = os.read(ours, 1 << 20) if at_terminal else piped
    except OSError:  # how Linux says that nothing was written, and the other side has gone
        written = b""
    os.close(ours)
    return written.decode(), said.decode()


@pytest.mark.parametrize(
    ("total", "of", "counted"), [("", "", "1"), (", total=2", "", "1/2"), ("", ", of=1204", "1/1,204")]
)
def test_it_counts_what_is_done_and_of_how_much_where_that_is_known(total, of, counted):
    bar, said = shown(SLOW.format(total, of, 1.2))

    assert "reading" in bar and f" {counted} " in bar.replace("\x1b[0m", "").replace("\x1b[32m", "")
    assert said == "done\n"


def test_what_ends_at_once_shows_nothing():
    assert shown(SLOW.format("", "", 0)) == ("", "done\n")


@pytest.mark.parametrize("more", [{}, {"FORCE_COLOR": "1"}])
def test_where_nobody_watches_nothing_is_shown(more):
    assert shown(SLOW.format(", total=2", "", 1.2), at_terminal=False, **more) == ("", "done\n")


def test_without_colours_it_has_none():
    bar, _ = shown(SLOW.format("", "", 1.2), NO_COLOR="1")

    assert "reading" in bar
    assert "\x1b[3" not in bar and "\x1b[9" not in bar


@pytest.mark.parametrize(("more", "is_coloured"), [({}, True), ({"NO_COLOR": "1"}, False)])
def test_a_log_has_colours_unless_they_are_not_wanted(more, is_coloured):
    code = (
        "import structlog; from service.observability.logging import configure_logs; "
        "from service.settings.loading import wants_colours; "
        "configure_logs(level='INFO', as_json=False, has_colours=wants_colours()); structlog.get_logger().info('service.started')"
    )

    line, _ = shown(code, **more)

    assert "service.started" in line
    assert ("\x1b[" in line) == is_coloured
