"""The few calls a command makes, whether a service answers them over HTTP or the home is open in this process."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import httpx

from service.cli.faults import Refused, Unreachable

if TYPE_CHECKING:
    from collections.abc import AsyncIterable, AsyncIterator, Mapping

_MOST_PATIENCE_SECONDS = 60
_KEY = "the service needs a key that is valid: put it into MIND_MEMORY_KEY (`mind-memory keys create` there makes one)"

type Answer = dict[str, Any]

_MOVING = httpx.Timeout(3600, connect=5)  # a large graph takes its time before the first byte


class MemoryClient:
    """One memory. Every call raises Refused, when it says no, or Unreachable, when it says nothing."""

    def __init__(self, http: httpx.AsyncClient, *, place: str, is_own: bool) -> None:
        """Bind to *http*; *place* is what people call it, *is_own* says that the home is open in this process."""
        self._http = http
        self.place = place
        self.is_own = is_own

    async def ask(self, method: str, path: str, *, params: Mapping[str, object] | None, json: object) -> Answer:
        """Any call."""
        return await self._call(method, path, params=params, json=json)

    async def keep(self, mind_id: str, turn: Mapping[str, object]) -> Answer:
        """Post a turn."""
        return await self._call("POST", f"{_mind(mind_id)}/turns", json=turn)

    async def resonate(self, mind_id: str, asked: Mapping[str, object]) -> Answer:
        """What surfaces."""
        return await self._call("POST", f"{_mind(mind_id)}/resonance", json=asked)

    async def remember(self, mind_id: str, **asked: object) -> Answer:
        """Recall on purpose."""
        given = {name: value for name, value in asked.items() if value is not None}
        return await self._call("GET", f"{_mind(mind_id)}/remember", params=given)

    async def journal_search(self, mind_id: str, **asked: object) -> Answer:
        """What people wrote down about something."""
        given = {name: value for name, value in asked.items() if value is not None}
        return await self._call("GET", f"{_mind(mind_id)}/journal/search", params=given)

    async def journal_file(self, mind_id: str, **asked: object) -> Answer:
        """Lines of a note."""
        given = {name: value for name, value in asked.items() if value is not None}
        return await self._call("GET", f"{_mind(mind_id)}/journal/file", params=given)

    async def trace(self, mind_id: str, trace_id: str) -> Answer:
        """Why this surfaced and that did not."""
        return await self._call("GET", f"{_mind(mind_id)}/traces/{quote(trace_id, safe='')}")

    async def mind(self, mind_id: str) -> Answer:
        """One mind's status."""
        return await self._call("GET", _mind(mind_id))

    async def mind_or_none(self, mind_id: str) -> Answer | None:
        """One mind's status; None where its first turn is still to come."""
        try:
            return await self.mind(mind_id)
        except Refused as refusal:
            if refusal.status == httpx.codes.NOT_FOUND:
                return None
            raise

    async def minds(self) -> list[str]:
        """The ids of all minds."""
        return [one["mind_id"] for one in (await self._call("GET", "/v1/minds"))["minds"]]

    async def standing(self) -> Answer:
        """How everything stands, at a glance."""
        return await self._call("GET", "/v1/status")

    async def retry(self, mind_id: str) -> int:
        """Give parked turns to the model once more; how many there are."""
        return int((await self._call("POST", f"{_mind(mind_id)}/parked/retry"))["retrying"])

    async def story(self, mind_id: str) -> Answer:
        """The story as it stands, with what it is changed by: its etag."""
        return await self._call("GET", f"{_mind(mind_id)}/story", headers={"Accept": "application/json"})

    async def story_bytes(self, mind_id: str, version: str | None = None) -> bytes:
        """The story as it stands, or an earlier one, byte for byte."""
        place = "story" if version is None else f"story/history/{quote(version, safe='')}"
        return await self._bytes(f"{_mind(mind_id)}/{place}")

    async def put_story(self, mind_id: str, text: str, *, etag: str) -> Answer:
        """Put *text* in the place of the story that *etag* names; Refused with 412 where another stands by now."""
        headers = {"Content-Type": "text/markdown; charset=utf-8", "If-Match": etag}
        return await self._call("PUT", f"{_mind(mind_id)}/story", content=text.encode(), headers=headers)

    async def history(self, mind_id: str) -> list[Answer]:
        """The story's earlier versions, newest first."""
        return list((await self._call("GET", f"{_mind(mind_id)}/story/history"))["versions"])

    async def diff(self, mind_id: str, version: str, *, to: str | None) -> str:
        """What changed from *version* to another, or to the story as it stands."""
        asked = {"from": version} | ({"to": to} if to is not None else {})
        return str((await self._call("GET", f"{_mind(mind_id)}/story/diff", params=asked))["diff"])

    async def restore(self, mind_id: str, version: str, *, retell: bool) -> Answer:
        """Put an earlier version in the story's place; the story then."""
        sent = {"version": version, "retell": retell}
        return await self._call("POST", f"{_mind(mind_id)}/story/restore", json=sent)

    async def consolidate(self, mind_id: str, *, trigger: str, skip: bool) -> Answer:
        """Begin to tell what waits, without waiting for its end."""
        sent = {"trigger": trigger, "wait": False, "skip": skip}
        return await self._call("POST", f"{_mind(mind_id)}/consolidation", json=sent)

    async def consolidation(self, mind_id: str) -> Answer:
        """How far the telling is."""
        return await self._call("GET", f"{_mind(mind_id)}/consolidation")

    async def export(self, mind_id: str) -> AsyncIterator[bytes]:
        """A mind as one archive, part by part. Raises Unreachable where it breaks off."""
        try:
            async with self._http.stream("GET", f"{_mind(mind_id)}/export", timeout=_MOVING) as answer:
                if not answer.is_success:
                    await answer.aread()
                    raise _refusal(answer, self._said(answer))
                async for part in answer.aiter_bytes():
                    yield part
        except httpx.HTTPError as error:
            raise Unreachable(f"{self.place} broke off: {str(error) or type(error).__name__}") from error

    async def bring_in(self, mind_id: str, archive: AsyncIterable[bytes], *, reembeds: bool) -> Answer:
        """Make a mind of an archive."""
        headers = {"Content-Type": "application/zip"}
        asked = {"reembed": "true"} if reembeds else {}
        place = f"{_mind(mind_id)}/import"
        return await self._call("POST", place, content=archive, headers=headers, params=asked, timeout=_MOVING)

    async def rebuild(self, mind_id: str) -> int:
        """Have graph and full text built anew; of how many turns."""
        return int((await self._call("POST", f"{_mind(mind_id)}/rebuild", timeout=_MOVING))["turns"])

    async def erase(self, mind_id: str, *, session_id: str | None, turn_id: str | None) -> Answer:
        """Erase a mind, or a session or a turn of it: the receipt, or what it waits for."""
        part = f"/sessions/{quote(session_id, safe='')}" if session_id is not None else ""
        part = f"/turns/{quote(turn_id, safe='')}" if turn_id is not None else part
        return await self._call("DELETE", f"{_mind(mind_id)}{part}")

    async def is_alive(self) -> bool:
        """Whether a memory answers here, and not something else."""
        try:
            return (await self._call("GET", "/healthz")).get("status") == "alive"
        except (Refused, Unreachable):
            return False

    async def readiness(self) -> dict[str, str]:
        """Each dependency's state; ``ready``, or what is wrong."""
        answer = await self._sent("GET", "/readyz")
        try:
            return {str(name): str(state) for name, state in answer.json()["parts"].items()}
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise _not_ours(self.place, answer) from error

    async def _call(self, method: str, path: str, **sent: Any) -> Answer:  # noqa: ANN401 - what httpx takes
        answer = await self._sent(method, path, **sent)
        said = self._said(answer)
        if answer.is_success:
            return said
        raise _refusal(answer, said)

    async def _bytes(self, path: str) -> bytes:
        answer = await self._sent("GET", path, headers={"Accept": "text/markdown"})
        if not answer.is_success:
            raise _refusal(answer, self._said(answer))
        if not answer.headers.get("Content-Type", "").startswith("text/markdown"):
            raise _not_ours(self.place, answer)
        return answer.content

    def _said(self, answer: httpx.Response) -> Answer:
        try:
            said = answer.json()
        except ValueError as error:
            raise _not_ours(self.place, answer) from error
        if not isinstance(said, dict):
            raise _not_ours(self.place, answer)
        return said

    async def _sent(self, method: str, path: str, **sent: Any) -> httpx.Response:  # noqa: ANN401 - what httpx takes
        try:
            while True:
                answer = await self._http.request(method, path, **sent)
                if answer.status_code != httpx.codes.TOO_MANY_REQUESTS:
                    return answer
                await asyncio.sleep(_seconds(answer))
        except httpx.TimeoutException as error:
            raise Unreachable(f"{self.place} did not answer in time; see whether it is overloaded") from error
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise Unreachable(f"{self.place} does not answer; start it with `mind-memory serve`") from error


def _seconds(answer: httpx.Response) -> int:
    """How long a service that is asked too often wants to be left alone. Raises Refused where it does not say."""
    said = answer.headers.get("Retry-After", "")
    if not said.isdigit() or int(said) > _MOST_PATIENCE_SECONDS:
        raise Refused("it is asked too often: try again later", status=answer.status_code)
    return int(said)


def _mind(mind_id: str) -> str:
    return f"/v1/minds/{quote(mind_id, safe='')}"


def _refusal(answer: httpx.Response, said: Answer) -> Refused:
    if answer.status_code == httpx.codes.UNAUTHORIZED:
        return Refused(_KEY, status=answer.status_code, body=said)
    return Refused(str(said.get("detail") or answer.reason_phrase), status=answer.status_code, body=said)


def _not_ours(place: str, answer: httpx.Response) -> Refused:
    return Refused(f"{place} answered {answer.status_code}, but not as mind-memory does", status=answer.status_code)
