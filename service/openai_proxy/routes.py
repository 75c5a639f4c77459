"""`/v1/chat/completions` and `/v1/models`: any client of OpenAI's API gains memory by a change of address."""

from fastapi import APIRouter, Request
from starlette.responses import Response

from consolidation.kernel.errors import ModelNotFound
from service.http.dependencies import CallerDep, MemoryDep
from service.http.openapi import answers
from service.http.schemas.chat import MODEL, MODELS, CompletionOut, ModelOut, ModelsOut
from service.openai_proxy.completion import complete_chat
from service.openai_proxy.context import ProxyContext
from service.openai_proxy.disconnect import while_connected
from service.openai_proxy.errors import OpenAIRoute
from service.openai_proxy.openapi import ACCESS_REFUSALS, CHAT, MODEL_REFUSALS, NAMED_MODEL, REFUSALS
from service.openai_proxy.request import parse_chat

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
    """Memories are added to the chat, the answer is passed on unchanged, and the exchange becomes a turn."""
    proxy = memory.settings.proxy
    chat = await parse_chat(
        request, caller=caller, most_bytes=proxy.max_body_bytes, housekeeping=proxy.housekeeping_patterns
    )
    memory.minds.share.check(chat.mind_id)
    if not chat.is_bypassed:
        await memory.new_minds.check(chat.mind_id, by=caller)
    return await while_connected(request, lambda: complete_chat(chat, context=ProxyContext.of(memory, caller=caller)))


@router.get("/models", summary="The models that a chat may request", responses={**answers(MODELS), **ACCESS_REFUSALS})
async def models(memory: MemoryDep) -> ModelsOut:
    """`memory` is the configured model. Without a model, an echo shows what came to mind."""
    return ModelsOut(object="list", data=[_model(name) for name in memory.upstream.names])


@router.get(
    "/models/{model:path}",  # noqa: FAST003 - as a parameter it would have a refusal that OpenAI does not know
    summary="A model that a chat may request",
    responses={**answers(MODEL), **MODEL_REFUSALS},
    openapi_extra=NAMED_MODEL,
)
async def model(request: Request, memory: MemoryDep) -> ModelOut:
    """One of those that `GET /v1/models` lists."""
    name, names = request.path_params["model"], memory.upstream.names
    if name not in names:
        raise ModelNotFound(f"the model {name[:100]!r} may not be asked for; these may: {', '.join(names)}")
    return _model(name)


def _model(name: str) -> ModelOut:
    return ModelOut(id=name, object="model", created=0, owned_by="mind-memory")
