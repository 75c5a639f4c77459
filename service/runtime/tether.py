"""Ties a program that this process starts to its life."""

from __future__ import annotations

import os
import sys
from pathlib import Path


def tether() -> list[str]:
    """Return the words before a command that is to die with us; none where the kernel can not do that."""
    if sys.platform != "linux":
        return []
    return [sys.executable, "-I", "-S", str(Path(__file__).with_name("die_with_parent.py")), str(os.getpid())]
