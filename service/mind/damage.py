"""Damaged lines of a mind's transcript and of its corrections: which there are, and an event of the log for them."""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from typing import TYPE_CHECKING

import structlog

if TYPE_CHECKING:
    from consolidation.transcript.recovery import Damage
    from service.mind.minds import Mind

log = structlog.get_logger()


def damages_of(mind: Mind) -> tuple[Damage, ...]:
    """Those that are known. Reads nothing."""
    return (*mind.transcript.damages, *mind.corrections.damages)


def warn_of_damage(mind: Mind) -> None:
    """Log which files of a mind that is opened have damaged lines. Reads the corrections."""
    with suppress(OSError):  # whoever needs them is told
        mind.corrections.standing()
    for file, lines in Counter(one.file for one in damages_of(mind)).items():
        log.error("mind.damaged", mind_id=mind.mind_id, file=file, lines=lines)
