"""What is set for one mind alone. Both clients have these calls."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from mind_memory_client._endpoints import AsModel, Endpoint
from mind_memory_client.settings import MindSettings

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mind_memory_client._endpoints import Call
    from mind_memory_client._transport import AsyncTransport, Transport

_PATH = "/v1/minds/{mind_id}/settings"

SETTINGS = Endpoint("GET", _PATH, AsModel(MindSettings))
CHANGE_SETTINGS = Endpoint("PATCH", _PATH, AsModel(MindSettings), is_repeatable=False)


def change_settings(mind: str, *, changes: Mapping[str, Any], etag: str) -> Call[MindSettings]:
    """The call that changes settings. Its body is written here: null in it takes a setting away."""
    headers = {"Content-Type": "application/json", "If-Match": etag}
    return CHANGE_SETTINGS.call(mind_id=mind, content=json.dumps(dict(changes)).encode(), headers=headers)


class SettingsCalls:
    """What is set for one mind, for the client that blocks."""

    _transport: Transport

    def settings(self, mind: str) -> MindSettings:
        """Read what is set for a mind, where each value comes from, and the etag that a change must name."""
        return self._transport.send(SETTINGS.call(mind_id=mind))

    def change_settings(self, mind: str, *, changes: Mapping[str, Any], etag: str) -> MindSettings:
        """
        Change a mind's own settings: a value sets one, None takes it away, and the service's holds again.

        Raises StoryChanged where somebody changed settings.toml meanwhile, and Conflict where a person wrote a setting
        in a form that only a person can change.
        """
        return self._transport.send(change_settings(mind, changes=changes, etag=etag))


class AsyncSettingsCalls:
    """What is set for one mind, for the client that is awaited."""

    _transport: AsyncTransport

    async def settings(self, mind: str) -> MindSettings:
        """Read what is set for a mind, where each value comes from, and the etag that a change must name."""
        return await self._transport.send(SETTINGS.call(mind_id=mind))

    async def change_settings(self, mind: str, *, changes: Mapping[str, Any], etag: str) -> MindSettings:
        """
        Change a mind's own settings: a value sets one, None takes it away, and the service's holds again.

        Raises StoryChanged where somebody changed settings.toml meanwhile, and Conflict where a person wrote a setting
        in a form that only a person can change.
        """
        return await self._transport.send(change_settings(mind, changes=changes, etag=etag))
