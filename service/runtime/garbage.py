"""How often Python looks for garbage that keeps itself alive in a cycle."""

import gc

_THRESHOLDS = (50_000, 20, 20)


def collect_cycles_seldom() -> None:
    """
    Raise the thresholds of Python's search for cycles.

    By itself it looks every 700 objects, now and then through all that was ever imported: a tenth of a pre-turn call,
    and a fifth of what it takes to import the service.
    """
    gc.set_threshold(*_THRESHOLDS)
