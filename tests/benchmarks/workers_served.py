"""`mind-memory serve` with the scripted embedder: with a home and a number of workers, or, without words, one worker."""

from __future__ import annotations

import sys
from functools import partial

from service.adapters.minilm import limit_threads
from service.cli import front, main, server, worker
from tests.benchmarks.workers import OPENING

if __name__ == "__main__":
    limit_threads()
    if len(sys.argv) == 1:
        worker.main(opening=OPENING)
    else:
        server.open_memory = front.open_memory = OPENING
        program = ("-m", "tests.benchmarks.workers_served")
        front.home_served_by_workers = partial(front.home_served_by_workers, program=program)
        home, workers = sys.argv[1:]
        main.app(["serve", "--home", home, "--port", "0", "--workers", workers])
