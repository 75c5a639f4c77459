"""Telling events: it never stops who tells."""

import subprocess
import sys

TELL = """
import structlog
from service.telemetry import configure_logs
configure_logs(level="INFO", as_json={as_json})
log = structlog.get_logger()
log.warning("disk.full", free=0)
try:
    1 / 0
except ZeroDivisionError:
    log.exception("job.failed")
print("it goes on")
"""


def test_an_event_that_no_disk_takes_stops_nobody():
    for as_json in (False, True):
        with open("/dev/full", "w") as full:
            words = [sys.executable, "-c", TELL.format(as_json=as_json)]
            told = subprocess.run(words, stdout=subprocess.PIPE, stderr=full, text=True, timeout=60)

        assert told.stdout == "it goes on\n"
