"""Every promise of the language model's port, on each model: the extractive one, and litellm on a scripted server."""

import asyncio

import pytest

from consolidation.kernel.clock import SystemClock
from consolidation.kernel.errors import MemoryFault
from consolidation.kernel.ports import Ask, Role, Usage
from consolidation.kernel.turns import Message, Speaker
from prompts.responses import Extraction, Identities
from service.adapters.extractive_model import ExtractiveModel
from service.adapters.litellm.language_model import Deployment, LitellmModel, RoleSettings
from service.adapters.litellm.loader import close_litellm
from service.observability.model_usage import UsageLedger
from tests.support.scripted_models import Brain
from tests.twins.provider import ScriptedProvider

# litellm silences these two itself, at its import (its __init__.py, first lines); pytest lifts that.
LITELLM_NOISE = (
    "ignore:Item '.+' on TypedDict class '.+' is using the `ReadOnly` qualifier:UserWarning",
    "ignore:Accessing the 'model_.+' attribute on the instance is deprecated:DeprecationWarning",
)
pytestmark = [pytest.mark.anyio, *(pytest.mark.filterwarnings(noise) for noise in LITELLM_NOISE)]

SAID = (Message(Speaker.USER, "Yesterday Ada met Bruno in Lyon."),)
READ = {"said": SAID, "previous": (), "occurred_at": "2026-01-01T10:00:00+00:00", "kinds": ()}


@pytest.fixture(scope="module", params=["extractive", "litellm"])
async def model(request, anyio_backend):
    if request.param == "extractive":
        yield ExtractiveModel()
        return
    with ScriptedProvider(respond=Brain()) as provider:
        settings = RoleSettings(
            (Deployment("openai/scripted", provider.url, "k"),),
            timeout_seconds=60,
            silence_seconds=30,
            max_tokens=2_000,
            temperature=0,
        )
        hosted = LitellmModel(
            Role.EXTRACTION, settings, clock=SystemClock(), limit=asyncio.Semaphore(4), ledger=UsageLedger()
        )
        yield hosted
        await hosted.aclose()
    await close_litellm()


async def test_an_answer_has_the_shape_that_was_asked_for_and_says_who_gave_it(model):
    reply = await model.answer(Ask("extraction", Extraction, READ, None))

    assert type(reply.content) is Extraction
    assert {"Ada", "Bruno"} <= {entity.name for entity in reply.content.entities}
    assert [fact.fact.partition("Ada")[2] for fact in reply.content.facts] == [" met Bruno in Lyon."]
    assert reply.model


async def test_what_an_answer_cost_is_counted_where_a_provider_gave_it(model):
    reply = await model.answer(Ask("identities", Identities, {"names": (), "known": ()}, None))

    assert reply.content == Identities()
    assert (reply.usage.calls, reply.usage.prompt_tokens > 0) == ((1, True) if model.is_hosted else (0, False))
    assert model.is_hosted or reply.usage == Usage()


async def test_answers_to_simultaneous_questions_do_not_mix(model):
    asked = [
        {**READ, "said": (Message(Speaker.USER, f"Yesterday Ada met Person{number} in Lyon."),)} for number in range(8)
    ]

    replies = await asyncio.gather(*(model.answer(Ask("extraction", Extraction, words, None)) for words in asked))

    for number, reply in enumerate(replies):
        assert str(number) in " ".join(fact.fact for fact in reply.content.facts)


async def test_a_prompt_that_it_can_not_answer_is_a_fault_of_ours(model):
    with pytest.raises(MemoryFault):
        await model.answer(Ask("no such prompt", Identities, {}, None))
