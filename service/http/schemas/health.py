"""Liveness and readiness."""

from __future__ import annotations

from typing import Literal

from service.http.schemas.fields import Answered


class Alive(Answered):
    """The service accepts requests."""

    status: Literal["alive"]


class Ready(Answered):
    """The state of each dependency: `ready`, or what is wrong."""

    status: Literal["ready", "degraded"]
    parts: dict[str, str]
