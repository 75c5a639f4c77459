"""`/metrics` answers also where the process can open no file any more: that is when somebody looks."""

import os
import resource
import sys

import pytest

from tests.support.service_process import serving
from tests.support.waiting import until


@pytest.mark.skipif(sys.platform != "linux", reason="limits of another process are set on Linux alone")
def test_a_first_scrape_after_an_erase_is_answered_where_no_file_can_be_opened(tmp_path):
    with serving(tmp_path) as served:
        served.keep("ada", "My mother lives in Lyon.")
        until(lambda: served.http.get("/readyz").status_code == 200)
        served.http.delete("/v1/minds/ada").raise_for_status()
        taken = set(map(int, os.listdir(f"/proc/{served.process.pid}/fd")))
        free = min(set(range(len(taken) + 1)) - taken)  # what the next file would get
        resource.prlimit(served.process.pid, resource.RLIMIT_NOFILE, (free, free))

        answers = [served.http.get("/metrics").status_code for _ in range(3)]

    assert answers == [200, 200, 200]
