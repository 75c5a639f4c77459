"""Where time, chance and the environment come in; nowhere else."""

from __future__ import annotations

import os
import random
import time
import uuid
from datetime import datetime, timezone


def now() -> datetime:
    """The time, in UTC."""
    return datetime.now(timezone.utc)


def clock() -> float:
    """Seconds that only grow."""
    return time.monotonic()


def fresh_id() -> str:
    """An id that nothing else has."""
    return uuid.uuid4().hex


def chance() -> float:
    """A number from 0 to 1."""
    return random.random()  # noqa: S311 - spreads retries; guards nothing


def variable(name: str) -> str | None:
    """A variable of the environment; None where it is empty, too."""
    return os.environ.get(name) or None
