"""Builds what erases, from settings and the parts that everything else is built of."""

from __future__ import annotations

from typing import TYPE_CHECKING

from service.digestion.patience import Patience
from service.erasing.erasing import Erasing
from service.erasing.part import Part
from service.erasing.plans import Erasures, Plans
from service.erasing.whole import Whole

if TYPE_CHECKING:
    from service.digestion.digest import Digestion
    from service.erasing.part import Tools
    from service.settings import Settings
    from service.stories import Stories


def build_erasing(settings: Settings, tools: Tools, *, digestion: Digestion, stories: Stories) -> Erasing:
    """All of it, nothing begun."""
    knobs = settings.digestion
    return Erasing(
        tools,
        plans=Plans(settings.folder),
        whole=Whole(tools, erasures=Erasures(settings.folder), outside=stories.syncing.outside),
        part=Part(tools),
        digestion=digestion,
        patience=lambda: Patience(first_seconds=knobs.first_retry_seconds, most_seconds=knobs.most_retry_seconds),
    )
