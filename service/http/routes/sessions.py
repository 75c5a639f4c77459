"""Signing in to the console in a browser: a ticket or a key becomes a token that ends."""

from fastapi import APIRouter, Request, Response, status

from service.http.dependencies import CallerDep, MemoryDep
from service.http.known_query import KnownQuery
from service.http.openapi import answers
from service.http.schemas.sessions import (
    SESSION,
    STANDING,
    TICKET,
    SessionIn,
    SignedInOut,
    StandingOut,
    TicketOut,
    session_out,
    standing_out,
)

router = APIRouter(prefix="/v1/session", tags=["access"], route_class=KnownQuery)

_NOT_STORED = {"Cache-Control": "no-store"}


@router.post(
    "",
    status_code=status.HTTP_201_CREATED,
    summary="Begin a session",
    responses=answers(SESSION, 400, 413, 422, 503, status=201),
    openapi_extra={"security": []},
)
async def begin(posted: SessionIn, memory: MemoryDep, request: Request, response: Response) -> SignedInOut:
    """
    Exchange a ticket of `mind-memory console`, or a key, for a token. It has the rights and the rate of the key or of
    the owner. It ends by `DELETE`, with its key, after `ACCESS__SESSION_HOURS`, and when the service stops.
    """
    peer = request.client.host if request.client is not None else None
    if posted.ticket is not None:
        signed_in = memory.sign_in.begin_by_ticket(posted.ticket.get_secret_value(), peer=peer)
    else:
        key = posted.key.get_secret_value() if posted.key is not None else ""
        signed_in = memory.sign_in.begin_by_key(key, peer=peer)
    await memory.audit_log.note("session.begun", by=signed_in.by, mind_id=None, session=signed_in.session_id)
    response.headers.update(_NOT_STORED)
    return session_out(signed_in)


@router.get("", summary="Who calls", responses=answers(STANDING, 503))
async def whose(memory: MemoryDep, caller: CallerDep) -> StandingOut:
    """Tell whose key or session the call came with, or that nobody needs one here."""
    return standing_out(memory.sign_in.standing_of(caller))


@router.delete("", status_code=status.HTTP_204_NO_CONTENT, summary="End the session")
async def end(memory: MemoryDep, caller: CallerDep) -> None:
    """Sign out: the token opens nothing any more. A key or the owner's token stays as it is."""
    if memory.sign_in.end(caller):
        await memory.audit_log.note("session.ended", by=caller.name, mind_id=None, session=caller.session_id)


@router.post(
    "/tickets",
    status_code=status.HTTP_201_CREATED,
    summary="Make a link to the console",
    responses=answers(TICKET, 503, status=201),
)
async def make_ticket(memory: MemoryDep, caller: CallerDep, request: Request, response: Response) -> TicketOut:
    """Make a link that signs a browser in, once, for ten minutes. A session can not make one (403)."""
    issued = memory.sign_in.issue_ticket(caller)
    response.headers.update(_NOT_STORED)
    console = f"{request.base_url}console/"
    if issued is None:
        return TicketOut(ticket=None, url=console, expires_at=None)
    ticket, expires_at = issued
    return TicketOut(ticket=ticket, url=f"{console}#t={ticket}", expires_at=expires_at)
