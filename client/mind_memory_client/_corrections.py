"""The calls by which people put a memory right. Both clients have them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal

from mind_memory_client._endpoints import AsModel, Endpoint
from mind_memory_client.corrections import Correction, Corrections, People

if TYPE_CHECKING:
    from mind_memory_client._endpoints import Call
    from mind_memory_client._transport import AsyncTransport, Transport

What = Literal["edit", "wrong", "right", "say", "pin", "mute", "merge", "split", "rename"]
Target = str | Mapping[str, Any]

_PATH = "/v1/minds/{mind_id}/corrections"
_KINDS = {"fact": "fact", "entity": "entity", "episode": "turn"}

CORRECT = Endpoint("POST", _PATH, AsModel(Correction))
CORRECTIONS = Endpoint("GET", _PATH, AsModel(Corrections))
CORRECTION = Endpoint("GET", f"{_PATH}/{{correction_id}}", AsModel(Correction))
PEOPLE = Endpoint("GET", "/v1/minds/{mind_id}/people", AsModel(People))
UNDO_CORRECTION = Endpoint("DELETE", f"{_PATH}/{{correction_id}}", AsModel(Correction))


def correct(mind: str, what: What, target: Target | None, *, to: str | None, reason: str | None) -> Call[Correction]:
    """A decision. Raises ValueError for an id that is neither of a fact, nor of an entity, nor of a turn."""
    body = {"what": what, "target": _target(target), "to": to, "reason": reason}
    return CORRECT.call(mind_id=mind, body=body)


def _target(target: Target | None) -> Mapping[str, Any] | None:
    if not isinstance(target, str):
        return target
    kind = _KINDS.get(target.partition(":")[0])
    if kind is None:
        raise ValueError(
            "an id to put right begins with fact:, entity: or episode:; "
            "an observation is put right by put_observations, a note in its file"
        )
    return {"kind": kind, "id": target}


class CorrectionCalls:
    """Corrections, for the client that blocks."""

    _transport: Transport

    def correct(
        self, mind: str, what: What, target: Target | None = None, *, to: str | None = None, reason: str | None = None
    ) -> Correction:
        """
        Put a memory right. It holds at once, and outlives a rebuild, an export and an import.

        *target* is the id of a flashback or of what ``remember`` found, or a mapping with ``kind`` ("fact", "entity" or
        "turn"), ``text`` and ``turn_ids``; "say" needs none. *to* are the new words or the other name. The same again
        is kept once.
        """
        return self._transport.send(correct(mind, what, target, to=to, reason=reason))

    def corrections(self, mind: str, *, cursor: str | None = None, limit: int | None = None) -> Corrections:
        """List what people put right, newest first, 50 of it unless *limit* says how many."""
        return self._transport.send(CORRECTIONS.call(mind_id=mind, query={"cursor": cursor, "limit": limit}))

    def correction(self, mind: str, *, correction_id: str) -> Correction:
        """Read one decision, and whether it stands."""
        return self._transport.send(CORRECTION.call(mind_id=mind, correction_id=correction_id))

    def undo_correction(self, mind: str, *, correction_id: str) -> Correction:
        """Take a decision back. What held before it holds again."""
        return self._transport.send(UNDO_CORRECTION.call(mind_id=mind, correction_id=correction_id))

    def people(self, mind: str) -> People:
        """Read what is known of each person: what somebody pinned or said, and what lasts."""
        return self._transport.send(PEOPLE.call(mind_id=mind))


class AsyncCorrectionCalls:
    """Corrections, for the client that is awaited."""

    _transport: AsyncTransport

    async def correct(
        self, mind: str, what: What, target: Target | None = None, *, to: str | None = None, reason: str | None = None
    ) -> Correction:
        """
        Put a memory right. It holds at once, and outlives a rebuild, an export and an import.

        *target* is the id of a flashback or of what ``remember`` found, or a mapping with ``kind`` ("fact", "entity" or
        "turn"), ``text`` and ``turn_ids``; "say" needs none. *to* are the new words or the other name. The same again
        is kept once.
        """
        return await self._transport.send(correct(mind, what, target, to=to, reason=reason))

    async def corrections(self, mind: str, *, cursor: str | None = None, limit: int | None = None) -> Corrections:
        """List what people put right, newest first, 50 of it unless *limit* says how many."""
        return await self._transport.send(CORRECTIONS.call(mind_id=mind, query={"cursor": cursor, "limit": limit}))

    async def correction(self, mind: str, *, correction_id: str) -> Correction:
        """Read one decision, and whether it stands."""
        return await self._transport.send(CORRECTION.call(mind_id=mind, correction_id=correction_id))

    async def undo_correction(self, mind: str, *, correction_id: str) -> Correction:
        """Take a decision back. What held before it holds again."""
        return await self._transport.send(UNDO_CORRECTION.call(mind_id=mind, correction_id=correction_id))

    async def people(self, mind: str) -> People:
        """Read what is known of each person: what somebody pinned or said, and what lasts."""
        return await self._transport.send(PEOPLE.call(mind_id=mind))
