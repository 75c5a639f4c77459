"""What is set for one mind alone."""

from typing import Annotated, Any

from anyio import to_thread
from fastapi import APIRouter, Header, Response

from consolidation.kernel.errors import StoryPreconditionMissing
from service.http.dependencies import CallerDep, MemoryDep, MindId
from service.http.known_query import KnownQuery
from service.http.openapi import answers
from service.http.schemas.settings import SETTINGS, SettingsFaultOut, SettingsIn, SettingsOut, ValuesOut
from service.mind.also_read import checked_minds
from service.mind.own_settings import OwnSettings, SettingsRead
from service.settings.settings import Settings

router = APIRouter(prefix="/v1/minds/{mind_id}/settings", tags=["minds"], route_class=KnownQuery)

IfMatch = Annotated[str | None, Header(max_length=400, description="The ETag of the settings that are changed.")]


@router.get("", summary="What is set for a mind", responses=answers(SETTINGS, 404, 422))
async def read(mind_id: MindId, memory: MemoryDep, response: Response) -> SettingsOut:
    """Each value that holds for the mind, and whether it is its own, the service's, or a default."""
    mind = await memory.minds.find(mind_id)
    return _settings_out(mind_id, await to_thread.run_sync(mind.settings.read), memory.settings, response)


@router.patch(
    "", summary="Change a mind's own settings", responses=answers(SETTINGS, 400, 404, 409, 412, 413, 422, 428, 503)
)
async def change(
    mind_id: MindId,
    posted: SettingsIn,
    memory: MemoryDep,
    caller: CallerDep,
    response: Response,
    if_match: IfMatch = None,
) -> SettingsOut:
    """A JSON merge patch, with the ETag of what it changes. Other lines of settings.toml, and comments, stay."""
    if if_match is None:
        raise StoryPreconditionMissing("send If-Match with the ETag of the settings that this changes")
    expected, changes = if_match, posted.changes()
    checked_minds(posted.also_read or (), mind_id=mind_id, sees=caller.sees)
    mind = await memory.minds.find(mind_id)
    found = await to_thread.run_sync(lambda: mind.settings.change(changes, expected=expected))
    await memory.audit_log.note(
        "settings.changed", by=caller.name, mind_id=mind_id, keys=sorted(changes), etag=found.etag
    )
    return _settings_out(mind_id, found, memory.settings, response)


def _settings_out(mind_id: str, found: SettingsRead, settings: Settings, response: Response) -> SettingsOut:
    response.headers["ETag"] = found.etag
    return SettingsOut(
        mind_id=mind_id,
        settings=ValuesOut.model_validate(_values(found.own, settings)),
        fault=SettingsFaultOut.model_validate(found.fault) if found.fault is not None else None,
        etag=found.etag,
    )


def _values(own: OwnSettings, settings: Settings) -> dict[str, dict[str, Any]]:
    """Each setting with its value and its source: the mind's own, else the service's."""
    resonance = settings.resonance
    numbers = ("relevance", "max_fragments", "max_tokens", "echo_turns")
    found = {name: _value(getattr(resonance, name), is_set=name in resonance.model_fields_set) for name in numbers}
    found["language"] = found["timezone"] = _value(None, is_set=False)
    found["entity_kinds"] = _value(settings.entity_kinds, is_set="entity_kinds" in settings.model_fields_set)
    found["never_keep"] = found["also_read"] = _value((), is_set=False)
    owned = {name: getattr(own, name) for name in found}
    return found | {name: {"value": one, "source": "mind"} for name, one in owned.items() if one is not None}


def _value(value: object, *, is_set: bool) -> dict[str, Any]:
    return {"value": value, "source": "service" if is_set else "default"}
