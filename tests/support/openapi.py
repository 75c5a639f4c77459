"""The OpenAPI document of a service as shipped. It is made once a process, since many modules of tests read it."""

from __future__ import annotations

from functools import cache

from service.app import create_app
from service.settings.settings import Settings


@cache
def shipped_document():
    """All callers share it, so none may change it."""
    return create_app(Settings()).openapi()
