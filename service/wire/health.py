"""Is it alive, and is it whole?"""

from __future__ import annotations

from typing import Literal

from service.wire.fields import Answered


class Alive(Answered):
    """It takes turns."""

    status: Literal["alive"]


class Ready(Answered):
    """Each part, and what is wrong with it when it is not ready."""

    status: Literal["ready", "degraded"]
    parts: dict[str, str]
