"""What to type next, as it must be typed for this mind. Pure."""

from __future__ import annotations

from service.cli.options import DEFAULT_MIND


def command(words: str, *, mind: str) -> str:
    """``words`` as a command in a sentence."""
    return f"`mind-memory {words}`" if mind == DEFAULT_MIND else f"`mind-memory {words} --mind {mind}`"
