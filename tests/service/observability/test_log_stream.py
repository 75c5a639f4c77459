"""Lines of a log: in order, to the last, and never waited for."""

import os
from threading import Thread

import pytest

from service.observability.log_stream import LogStream


def test_lines_are_written_in_order_and_to_the_last(tmp_path):
    with (tmp_path / "log").open("wb") as file:
        stream = LogStream(file.fileno(), encoding="ascii")
        for number in range(1_000):
            stream.write(f"line {number} é\n")
        stream.close()
        stream.write("after the end\n")

    said = (tmp_path / "log").read_text().splitlines()
    assert said == [*(f"line {number} \\xe9" for number in range(1_000)), "after the end"]


def _until_told(log):
    for line in log:
        yield line
        if "lost" in line:
            return


@pytest.mark.parametrize("ends", [False, True], ids=["it goes on", "it ends meanwhile"])
def test_who_reads_late_gets_the_oldest_lines_and_how_many_are_lost(ends):
    """Broken: whoever writes waits for the reader, and this test for ever."""
    reader, writer = os.pipe()
    stream = LogStream(writer)
    stream.on_lost = lambda lines: stream.write(f"{lines} lost\n")
    line = "x" * 99 + "\n"
    for _ in range(10_000):
        stream.write(line)
    if ends:
        Thread(target=stream.close).start()
    with open(reader) as log:
        *read, told = _until_told(log)
        stream.close()
        os.close(writer)

    assert set(read) == {line} and len(read) >= 2_000
    assert told == f"{10_000 - len(read)} lost\n"


def test_a_process_ends_though_nobody_reads_its_log():
    """Broken: it waits for its last lines for ever."""
    reader, writer = os.pipe()
    stream = LogStream(writer)
    for _ in range(2_000):
        stream.write("x" * 99 + "\n")

    stream.close()

    with open(reader) as log:  # the thread goes on as soon as somebody reads, to the last line
        assert {log.readline() for _ in range(2_000)} == {"x" * 99 + "\n"}
        stream.close()
        os.close(writer)


def test_what_a_full_disk_does_not_take_stops_nobody():
    with open("/dev/full", "wb", buffering=0) as full:
        stream = LogStream(full.fileno())
        stream.write("a line\n")
        stream.close()
