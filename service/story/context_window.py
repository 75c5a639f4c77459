"""
An agent's context window, trimmed: what leaves it is in the transcript first.

Whoever is answered may forget what left. If it can not be stored, nothing is trimmed, and the error is raised.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import anyio.to_thread
import structlog

from consolidation.dreams.trim import digest, trim
from consolidation.dreams.window import call_ids, joined, messages_of, tool_names

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping, Sequence

    from consolidation.dreams.trim import Trimmed
    from consolidation.kernel.ports import Clock
    from consolidation.secrets.privacy_filter import PrivacyFilter
    from service.mind.minds import Mind
    from service.story.sync import StorySync

    type Json = Mapping[str, Any]

log = structlog.get_logger()

_MOST_AHEAD = timedelta(days=1)  # a clock may be wrong by that much; a window is not refused for a time


@dataclass(frozen=True, slots=True)
class TrimmedWindow:
    """The messages that stay, how many left, and a digest of these."""

    messages: tuple[Json, ...]
    dropped: int
    digest: str


@dataclass(frozen=True, slots=True)
class ContextWindows:
    """Trims the windows of all minds."""

    sync: StorySync
    clock: Clock

    async def trim(
        self,
        messages: Sequence[Json],
        *,
        mind_id: str,
        session_id: str,
        keep: int,
        max_characters: int,
        open_mind: Callable[[], Awaitable[Mind]],
    ) -> TrimmedWindow:
        """
        Trim a window of a session of *mind_id*. *open_mind* is asked for the mind when something is to be stored.

        Raises HomeFault, and whatever *open_mind* raises. Then nothing is trimmed.
        """
        privacy = await self.sync.privacy_of(mind_id)
        found = await anyio.to_thread.run_sync(
            lambda: trim(
                messages, keep=keep, max_characters=max_characters, together=_off_the_record(messages, privacy)
            )
        )
        if found.dropped:
            await self._store(await open_mind(), session_id, found)
        told = await anyio.to_thread.run_sync(digest, found.dropped)
        return TrimmedWindow(found.kept, len(found.dropped), told)

    async def _store(self, mind: Mind, session_id: str, found: Trimmed) -> None:
        whole = [message for one in found.dropped if (message := joined(one)) is not None]
        known = frozenset(await self.sync.known_in(mind, session_id, whole))
        stored = await self.sync.acted_in(mind, session_id, call_ids(found.dropped))
        tools = tool_names(found.dropped)
        said = [
            message
            for one in found.dropped
            for message in messages_of(one, tools=tools, is_joined=joined(one) in known, stored=stored)
        ]
        latest = self.clock.now() + _MOST_AHEAD
        timed = [replace(one, timestamp=None) if one.timestamp and one.timestamp > latest else one for one in said]
        synced = await self.sync.compact(mind, session_id, timed, without=stored)
        log.info(
            "window.trimmed",
            mind_id=mind.mind_id,
            session_id=session_id,
            dropped=len(found.dropped),
            stored=synced.new_messages,
        )


def _off_the_record(messages: Sequence[Json], privacy: PrivacyFilter) -> frozenset[int]:
    """
    The places of messages off the record.

    Such an exchange leaves as a whole: what is left of one without the user's mark would be stored later.
    """
    said = [(at, part) for at, one in enumerate(messages) for part in messages_of(one, tools={}, is_joined=False)]
    return frozenset(said[place][0] for place in privacy.off_the_record([one for _, one in said]))
