"""The settings of the service, as they hold."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field, JsonValue

from service.http.schemas.fields import Answered

SERVICE_SETTINGS: dict[str, Any] = {
    "settings": [
        {
            "name": "RESONANCE__RELEVANCE",
            "value": 0.5,
            "source": "default",
            "about": "The relevance threshold; 0 switches the gate off.",
            "is_secret": False,
        }
    ]
}


class ServiceSettingOut(Answered):
    """A setting."""

    name: str = Field(description="Its variable, without the prefix `MIND_MEMORY_` that all but FALKORDB_URL have.")
    value: JsonValue = Field(description="Null where it is a secret or not set. An address is without its password.")
    source: Literal["default", "file", "environment", "option"] = Field(
        description="`file`: mind-memory.toml. `environment`: a variable. `option`: given to the command."
    )
    about: str
    is_secret: bool


class ServiceSettingsOut(Answered):
    """Every setting of the service."""

    settings: list[ServiceSettingOut]
