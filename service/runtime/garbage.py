"""How often Python looks for garbage that keeps itself alive in a cycle."""

import atexit
import gc

_THRESHOLDS = (50_000, 20, 20)


def collect_cycles_seldom() -> None:
    """
    Raise the thresholds of Python's search for cycles.

    By itself it looks every 700 objects, now and then through all that was ever imported: a tenth of a pre-turn call,
    and a fifth of what it takes to import the service.
    """
    gc.set_threshold(*_THRESHOLDS)


def collect_no_cycles_at_exit() -> None:
    """
    Let the process end without a last search through all that was imported, which takes half a second.

    Its memory goes back to the machine all the same, and files and connections are closed by whoever opened them.
    """
    atexit.register(gc.freeze)
