"""What is set for the service as a whole."""

from fastapi import APIRouter

from service.http.dependencies import MemoryDep
from service.http.known_query import KnownQuery
from service.http.openapi import answers
from service.http.schemas.service_settings import SERVICE_SETTINGS, ServiceSettingOut, ServiceSettingsOut

router = APIRouter(prefix="/v1/settings", tags=["access"], route_class=KnownQuery)


@router.get("", summary="Settings of the service", responses=answers(SERVICE_SETTINGS, 404))
async def settings(memory: MemoryDep) -> ServiceSettingsOut:
    """List every setting, its value as it was read at the start, and where that comes from. Secrets are not shown."""
    return ServiceSettingsOut(settings=[ServiceSettingOut.model_validate(one) for one in memory.effective_settings])
