"""`/v1/chat/completions` and `/v1/models`: point any client of OpenAI's API here, and its bot remembers."""

from fastapi import APIRouter, Request
from starlette.responses import Response

from service.api.dependencies import CallerDep, MemoryDep
from service.api.documented import answers
from service.proxy.answering import answered
from service.proxy.asking import asked
from service.proxy.documented import CHAT, REFUSALS
from service.proxy.echoing import NAME
from service.proxy.patience import while_waited_for
from service.proxy.refusing import OpenAIRoute
from service.wire.chat import MODELS, CompletionOut, ModelOut, ModelsOut

UPLOADS = r"/v1/chat/completions/?$"

router = APIRouter(prefix="/v1", tags=["openai"], route_class=OpenAIRoute)


@router.post(
    "/chat/completions",
    summary="A chat with memory",
    response_model=CompletionOut,
    responses=REFUSALS,
    openapi_extra=CHAT,
)
async def complete(request: Request, memory: MemoryDep, caller: CallerDep) -> Response:
    """What surfaces is put into the chat, the upstream answers as it is, and what was said is kept as a turn."""
    chat = await asked(request, caller=caller, most_bytes=memory.settings.proxy.max_body_bytes)
    return await while_waited_for(request, lambda: answered(chat, memory=memory))


@router.get("/models", summary="The models that a chat may ask for", responses=answers(MODELS))
async def models(memory: MemoryDep) -> ModelsOut:
    """`memory` is the configured one, whatever it is called; without any, an echo shows what came to mind."""
    names = memory.upstream.names or (NAME,)
    listed = [ModelOut(id=name, object="model", created=0, owned_by="mind-memory") for name in names]
    return ModelsOut(object="list", data=listed)
